/** How late timers fire: how long something has kept the event loop to itself. */
import type { Env, Timer } from '../env/env.ts'
import type { Metrics } from '../telemetry/metrics.ts'

const period = 1000

export class EventLoopLag {
  readonly #env: Env
  #timer: Timer | undefined
  #due = 0
  #last = 0
  /** Since the last scrape. */
  #longest = 0

  constructor(env: Env, metrics: Metrics) {
    this.#env = env
    const gauge = metrics.gauge({
      name: 'coxswain_event_loop_lag_seconds',
      help: 'The longest that a timer came late since the last scrape.',
    })
    metrics.onScrape(() => {
      gauge.set({}, Math.max(this.ms, this.#longest) / 1000)
      this.#longest = 0
    })
  }

  start(): void {
    this.#due = this.#env.now() + period
    this.#timer = this.#env.after(period, () => {
      this.#last = Math.max(0, this.#env.now() - this.#due)
      this.#longest = Math.max(this.#longest, this.#last)
      this.start()
    })
  }

  stop(): void {
    this.#timer?.cancel()
    this.#timer = undefined
  }

  /** Milliseconds: of the last timer, or of the one that should have fired by now. */
  get ms(): number {
    return this.#timer === undefined ? 0 : Math.max(this.#last, this.#env.now() - this.#due)
  }
}
