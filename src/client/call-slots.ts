/** How many calls may be on their way at once; the others wait their turn, first come, first served. */
export class CallSlots {
  #free: number
  readonly #waiting = new Set<() => void>()

  constructor(size: number) {
    this.#free = size
  }

  /** Resolves true with a slot, which must be released; false when the signal aborted first. */
  async take(signal: AbortSignal): Promise<boolean> {
    if (signal.aborted) return false
    if (this.#free > 0) {
      this.#free--
      return true
    }
    return new Promise((resolve) => {
      const abort = (): void => {
        this.#waiting.delete(grant)
        resolve(false)
      }
      const grant = (): void => {
        signal.removeEventListener('abort', abort)
        resolve(true)
      }
      this.#waiting.add(grant)
      signal.addEventListener('abort', abort, { once: true })
    })
  }

  release(): void {
    const [next] = this.#waiting
    if (next === undefined) {
      this.#free++
      return
    }
    this.#waiting.delete(next)
    next()
  }
}
