/** A latch that opens once. Waiters can time out or abort, and then leave nothing behind. */
import type { Env } from '../env/env.ts'

export class Latch {
  readonly #waiting = new Set<() => void>()
  #open = false

  get isOpen(): boolean {
    return this.#open
  }

  open(): void {
    this.#open = true
    for (const wake of this.#waiting) wake()
    this.#waiting.clear()
  }

  /** Rejects with the signal's reason. */
  async opened(signal?: AbortSignal): Promise<void> {
    if (this.#open) return
    await new Promise<void>((resolve, reject) => {
      const leave = (): void => {
        this.#waiting.delete(wake)
        signal?.removeEventListener('abort', giveUp)
      }
      const wake = (): void => {
        leave()
        resolve()
      }
      const giveUp = (): void => {
        leave()
        const reason: unknown = signal?.reason
        reject(reason instanceof Error ? reason : new Error('aborted', { cause: reason }))
      }
      this.#waiting.add(wake)
      if (signal?.aborted === true) giveUp()
      else signal?.addEventListener('abort', giveUp, { once: true })
    })
  }

  /** False if it is still closed after `ms`. Rejects with the signal's reason. */
  async openedWithin(ms: number, env: Env, signal?: AbortSignal): Promise<boolean> {
    if (this.#open) return true
    const either = new Latch()
    const timer = env.after(ms, () => either.open())
    const wake = (): void => either.open()
    this.#waiting.add(wake)
    try {
      await either.opened(signal)
      return this.#open
    } finally {
      timer.cancel()
      this.#waiting.delete(wake)
    }
  }
}
