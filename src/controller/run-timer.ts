/** The timer of one run: its signal, its timeout, and the warning if it takes too long. */
import type { Env, Timer } from '../env/env.ts'
import { ReconcileTimeoutError } from './errors.ts'

/** A longer reconcile causes a warning: it cannot be ended from outside. */
const stuckAfterMs = 60_000

export interface RunTimerOptions {
  /** Undefined: none. */
  readonly timeoutMs: number | undefined
  /** Called when the run is stuck, with its duration in seconds, and when a stuck run has ended. */
  readonly onStuck: (seconds: number) => void
  readonly onUnstuck: () => void
}

export class RunTimer {
  #own: AbortController | undefined
  #abortReason: unknown
  readonly #options: RunTimerOptions
  readonly #timers: Timer[]
  #stuck = false
  #isAborted = false
  #timedOut: ReconcileTimeoutError | undefined

  constructor(env: Env, options: RunTimerOptions) {
    this.#options = options
    this.#timers = [env.after(stuckAfterMs, this.#beStuck)]
    const { timeoutMs } = options
    if (timeoutMs !== undefined) this.#timers.push(env.after(timeoutMs, () => this.#timeOut(timeoutMs)))
  }

  /** Aborts with {@link abort} and on the timeout. Created on first use: it costs a tenth of a run without calls. */
  get signal(): AbortSignal {
    if (this.#own === undefined) {
      this.#own = new AbortController()
      if (this.#isAborted) this.#own.abort(this.#abortReason)
    }
    return this.#own.signal
  }

  /** Set when the run has exceeded its timeout. */
  get timedOut(): ReconcileTimeoutError | undefined {
    return this.#timedOut
  }

  /** On shutdown, or when the lease is lost. */
  abort(reason: unknown): void {
    if (this.#isAborted) return
    this.#isAborted = true
    this.#abortReason = reason
    this.#own?.abort(reason)
  }

  end(): void {
    for (const timer of this.#timers) timer.cancel()
    if (this.#stuck) this.#options.onUnstuck()
  }

  readonly #beStuck = (): void => {
    this.#stuck = true
    this.#options.onStuck(stuckAfterMs / 1000)
  }

  #timeOut(ms: number): void {
    this.#timedOut = new ReconcileTimeoutError(ms)
    this.abort(this.#timedOut)
  }
}
