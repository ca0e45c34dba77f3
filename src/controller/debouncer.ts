/** Delays a key until its events have been quiet for a while, but never longer than a maximum. */
import type { Env, Timer } from '../env/env.ts'

interface Held {
  readonly since: number
  priority: number
  timer: Timer
}

export class Debouncer {
  readonly #env: Env
  readonly #quietMs: number
  readonly #maxMs: number
  readonly #release: (key: string, priority: number) => void
  readonly #held = new Map<string, Held>()

  constructor(
    env: Env,
    { quietMs, maxMs }: { readonly quietMs: number; readonly maxMs: number },
    release: (key: string, priority: number) => void,
  ) {
    this.#env = env
    this.#quietMs = quietMs
    this.#maxMs = maxMs
    this.#release = release
  }

  add(key: string, priority: number): void {
    const now = this.#env.monotonic()
    const held = this.#held.get(key)
    held?.timer.cancel()
    const since = held?.since ?? now
    const highest = Math.max(priority, held?.priority ?? priority)
    const timer = this.#env.after(Math.min(this.#quietMs, since + this.#maxMs - now), () => {
      this.#held.delete(key)
      this.#release(key, highest)
    })
    this.#held.set(key, { since, priority: highest, timer })
  }

  stop(): void {
    for (const { timer } of this.#held.values()) timer.cancel()
    this.#held.clear()
  }
}
