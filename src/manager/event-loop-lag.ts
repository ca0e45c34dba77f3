/** Measures how late timers fire, which shows how long the event loop was blocked. */
import type { Env, Timer } from '../env/env.ts'
import type { Logger } from '../telemetry/logger.ts'
import type { Metrics } from '../telemetry/metrics.ts'

const periodMs = 1000
/** A longer block is logged: everything else has waited. */
const maxQuietMs = 1000

export class EventLoopLag {
  readonly #env: Env
  readonly #log: Logger
  readonly #isOn: boolean
  #timer: Timer | undefined
  #dueAt = 0
  #lastMs = 0
  /** Since the last scrape. */
  #longestMs = 0

  /** `isOn`: otherwise no timer is set, and the lag is always 0. */
  constructor(env: Env, metrics: Metrics, log: Logger, isOn = true) {
    this.#env = env
    this.#log = log
    this.#isOn = isOn
    const gauge = metrics.gauge({
      name: 'coxswain_event_loop_lag_seconds',
      help: 'The longest that a timer came late since the last scrape.',
    })
    metrics.onScrape(() => {
      gauge.set({}, Math.max(this.ms, this.#longestMs) / 1000)
      this.#longestMs = 0
    })
  }

  start(): void {
    if (!this.#isOn) return
    this.#dueAt = this.#env.monotonic() + periodMs
    this.#timer = this.#env.after(periodMs, () => {
      this.#lastMs = Math.max(0, this.#env.monotonic() - this.#dueAt)
      this.#longestMs = Math.max(this.#longestMs, this.#lastMs)
      if (this.#lastMs > maxQuietMs) this.#report(Math.round(this.#lastMs))
      this.start()
    })
  }

  #report(ms: number): void {
    this.#log.warn('the event loop was blocked', {
      ms,
      fix:
        'look for a loop without await, or synchronous I/O: GET /debug/profile of --profiling-address shows ' +
        'the code',
    })
  }

  stop(): void {
    this.#timer?.cancel()
    this.#timer = undefined
  }

  /** The lag in milliseconds: of the last timer, or of the one that should have fired by now. */
  get ms(): number {
    return this.#timer === undefined ? 0 : Math.max(this.#lastMs, this.#env.monotonic() - this.#dueAt)
  }
}
