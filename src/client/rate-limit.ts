/**
 * The client's own rate limit: a token bucket. Off by default: API Priority and Fairness of the server works better.
 */
import type { Env } from '../env/env.ts'
import { sleep } from './deadline.ts'

export interface RateLimitOptions {
  /** Requests per second on average. */
  readonly qps: number
  /** The burst after a pause. Default: `qps`, at least 1. */
  readonly burst?: number | undefined
}

export class TokenBucket {
  readonly #env: Env
  readonly #perMs: number
  readonly #burst: number
  /** Below zero: this many are reserved for waiting requests. */
  #tokens: number
  #filledAt: number

  constructor(env: Env, { qps, burst = Math.max(1, qps) }: RateLimitOptions) {
    if (!(qps > 0) || !(burst >= 1))
      throw new RangeError(`a rate limit needs qps > 0 and burst >= 1, not qps ${qps} and burst ${burst}`)
    this.#env = env
    this.#perMs = qps / 1000
    this.#burst = burst
    this.#tokens = burst
    this.#filledAt = env.monotonic()
  }

  /** Waits in FIFO order. Resolves with the waited milliseconds; rejects if the signal aborts. */
  async take(signal?: AbortSignal): Promise<number> {
    this.#fill()
    this.#tokens--
    if (this.#tokens >= 0) return 0
    const wait = Math.ceil(-this.#tokens / this.#perMs)
    try {
      await sleep(this.#env, wait, signal)
    } catch (error) {
      this.#tokens++
      throw error
    }
    return wait
  }

  #fill(): void {
    const now = this.#env.monotonic()
    this.#tokens = Math.min(this.#burst, this.#tokens + (now - this.#filledAt) * this.#perMs)
    this.#filledAt = now
  }
}
