/** The backoff of a reflector. One per reflector: all of its failures share it. */
import type { Env } from '../env/env.ts'

const firstMs = 800
const factor = 2
const maxMs = 30_000
const resetAfterMs = 120_000

/** 0.8 s, doubled each time up to 30 s, each extended by a random share; reset after two minutes without a failure. */
export class Backoff {
  readonly #env: Env
  #nextMs = firstMs
  #lastAt = Number.NEGATIVE_INFINITY

  constructor(env: Env) {
    this.#env = env
  }

  /** The delay now, in milliseconds. */
  next(): number {
    const now = this.#env.monotonic()
    if (now - this.#lastAt > resetAfterMs) this.#nextMs = firstMs
    this.#lastAt = now
    const ms = this.#nextMs * (1 + this.#env.random())
    this.#nextMs = Math.min(this.#nextMs * factor, maxMs)
    return ms
  }
}
