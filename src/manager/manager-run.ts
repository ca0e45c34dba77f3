/** One run of a manager: the signals that end its parts, what it waits for at the end, and why it ends. */
import { setMaxListeners } from 'node:events'

export class ManagerRun {
  /** Start nothing new. */
  readonly stop = new AbortController()
  /** Abort current work. */
  readonly abort = new AbortController()
  readonly cacheStop = new AbortController()
  readonly leaseStop = new AbortController()
  readonly stopped: Promise<void>
  failure: { readonly error: unknown } | undefined
  readonly #works = new Map<Promise<void>, string>()
  #caches: Promise<void> = Promise.resolve()
  #lease: Promise<void> = Promise.resolve()

  constructor(signal: AbortSignal) {
    // Every worker and every informer listens to one of them: many listeners are no leak here.
    for (const each of [this.stop, this.abort, this.cacheStop, this.leaseStop]) setMaxListeners(0, each.signal)
    const forward = (): void => this.stop.abort()
    this.stopped = new Promise((resolve) => {
      this.stop.signal.addEventListener(
        'abort',
        () => {
          signal.removeEventListener('abort', forward)
          resolve()
        },
        { once: true },
      )
    })
    if (signal.aborted) forward()
    else signal.addEventListener('abort', forward, { once: true })
  }

  /** Named work that is awaited at the end. An error of it ends the manager. */
  work(name: string, work: Promise<void>): Promise<void> {
    const done: Promise<void> = work.catch((error: unknown) => this.fail(error)).finally(() => this.#works.delete(done))
    this.#works.set(done, name)
    return done
  }

  async works(): Promise<void> {
    await Promise.all(this.#works.keys())
  }

  /** The names of unfinished work. */
  get working(): readonly string[] {
    return [...this.#works.values()]
  }

  cachesRun(run: Promise<void>): void {
    this.#caches = run.catch((error: unknown) => this.fail(error))
  }

  async cachesEnded(): Promise<void> {
    this.cacheStop.abort()
    await this.#caches
  }

  leaseHeld(hold: Promise<void>): void {
    this.#lease = hold.catch((error: unknown) => this.fail(error))
  }

  async leaseEnded(): Promise<void> {
    this.leaseStop.abort()
    await this.#lease
  }

  /** The first failure counts. It ends everything. */
  fail(error: unknown): void {
    this.failure ??= { error }
    this.stop.abort()
  }
}
