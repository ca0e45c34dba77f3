/** Limits the number of concurrent calls; others wait in FIFO order. */
export class CallSlots {
  #free: number
  #isClosed = false
  readonly #waiting = new Set<(isGranted: boolean) => void>()

  constructor(size: number) {
    this.#free = size
  }

  /** True with a slot, which must be released; false if the signal aborted or the slots were closed before. */
  take(signal?: AbortSignal): boolean | Promise<boolean> {
    if (this.#isClosed || signal?.aborted === true) return false
    if (this.#free > 0) {
      this.#free--
      return true
    }
    return new Promise((resolve) => {
      const abort = (): void => finish(false)
      const finish = (isGranted: boolean): void => {
        this.#waiting.delete(finish)
        signal?.removeEventListener('abort', abort)
        resolve(isGranted)
      }
      this.#waiting.add(finish)
      signal?.addEventListener('abort', abort)
    })
  }

  release(): void {
    const [next] = this.#waiting
    if (next === undefined) this.#free++
    else next(true)
  }

  /** No further slots are given out. */
  close(): void {
    this.#isClosed = true
    for (const finish of this.#waiting) finish(false)
  }
}
