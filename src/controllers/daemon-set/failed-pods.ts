/** How long a DaemonSet waits before it deletes another failed pod of the same node. */

const initialDelayMs = 1000
const maxDelayMs = 900_000

interface Failure {
  readonly delayMs: number
  readonly at: number
}

/** A delay for each key, doubled with each failure. Forgotten after twice the longest delay without one. */
export class FailedPodsBackoff {
  readonly #failures = new Map<string, Failure>()

  /** Milliseconds until the next deletion; 0: at once. */
  left(key: string, now: number): number {
    const last = this.#failures.get(key)
    return last === undefined || isOver(last, now) ? 0 : Math.max(0, last.at + last.delayMs - now)
  }

  note(key: string, now: number): void {
    for (const [other, failure] of this.#failures) if (isOver(failure, now)) this.#failures.delete(other)
    const last = this.#failures.get(key)
    const delayMs = last === undefined ? initialDelayMs : Math.min(last.delayMs * 2, maxDelayMs)
    this.#failures.set(key, { delayMs, at: now })
  }
}

function isOver({ at }: Failure, now: number): boolean {
  return now - at > 2 * maxDelayMs
}
