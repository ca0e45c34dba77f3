/** Watches over one run: its signal, its timeout, and the warning that it takes too long. */
import type { Env, Timer } from '../env/env.ts'
import { ReconcileTimeoutError } from './errors.ts'

/** A reconcile that takes longer is worth a warning: nothing can end it from outside. */
const stuckAfterMs = 60_000

export interface RunTimerOptions {
  /** Shutdown, or a lost lease: aborts the run. */
  readonly abort: AbortSignal
  /** Milliseconds; undefined: none. */
  readonly timeoutMs: number | undefined
  /** Called when the run is stuck, with its duration in seconds, and when a stuck run has ended. */
  readonly onStuck: (seconds: number) => void
  readonly onUnstuck: () => void
}

export class RunTimer {
  readonly #own = new AbortController()
  readonly #options: RunTimerOptions
  readonly #timers: Timer[]
  #stuck = false
  #timedOut: ReconcileTimeoutError | undefined

  constructor(env: Env, options: RunTimerOptions) {
    this.#options = options
    this.#timers = [env.after(stuckAfterMs, this.#beStuck)]
    const { timeoutMs, abort } = options
    if (timeoutMs !== undefined) this.#timers.push(env.after(timeoutMs, () => this.#timeOut(timeoutMs)))
    if (abort.aborted) this.#forward()
    else abort.addEventListener('abort', this.#forward, { once: true })
  }

  /** Aborts on shutdown, on a lost lease and on the timeout. */
  get signal(): AbortSignal {
    return this.#own.signal
  }

  /** Set once the run has taken longer than it may. */
  get timedOut(): ReconcileTimeoutError | undefined {
    return this.#timedOut
  }

  end(): void {
    for (const timer of this.#timers) timer.cancel()
    this.#options.abort.removeEventListener('abort', this.#forward)
    if (this.#stuck) this.#options.onUnstuck()
  }

  readonly #forward = (): void => this.#own.abort(this.#options.abort.reason)

  readonly #beStuck = (): void => {
    this.#stuck = true
    this.#options.onStuck(stuckAfterMs / 1000)
  }

  #timeOut(ms: number): void {
    this.#timedOut = new ReconcileTimeoutError(ms)
    this.#own.abort(this.#timedOut)
  }
}
