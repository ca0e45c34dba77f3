/** Warns about kinds with more cached objects than the limit. */
import type { Cache } from '../cache/cache.ts'
import type { Env, Timer } from '../env/env.ts'
import { kindName } from '../schema/kind.ts'
import type { Logger } from '../telemetry/logger.ts'

const periodMs = 60_000

export class CacheSizes {
  readonly #env: Env
  readonly #cache: Cache
  readonly #log: Logger
  readonly #maxObjects: number
  readonly #warned = new Set<string>()
  #timer: Timer | undefined

  /** `most`: the maximum of objects of a kind. Undefined: no limit. */
  constructor(env: Env, cache: Cache, log: Logger, most = Infinity) {
    this.#env = env
    this.#cache = cache
    this.#log = log
    this.#maxObjects = most
  }

  start(): void {
    if (this.#maxObjects === Infinity) return
    this.#timer = this.#env.after(periodMs, () => {
      this.look()
      this.start()
    })
  }

  stop(): void {
    this.#timer?.cancel()
  }

  /** Warns once for each kind, and again if it had shrunk in between. */
  look(): void {
    for (const { kind, lister } of this.#cache.informers) {
      const name = kindName(kind)
      if (lister.size <= this.#maxObjects) this.#warned.delete(name)
      else if (!this.#warned.has(name)) {
        this.#warned.add(name)
        this.#log.warn(
          'the cache holds more objects than expected: narrow it with namespaces, selectors or a projection',
          { kind: name, objects: lister.size, expected: this.#maxObjects },
        )
      }
    }
  }
}
