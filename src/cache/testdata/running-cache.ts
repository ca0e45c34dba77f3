/** Shared by the tests of the cache: a server, a running cache, and the check that nothing is left at the end. */
import { afterEach, beforeEach, expect } from 'vitest'
import type { Cache } from '../cache.ts'
import { createCache, type CacheOptions } from '../create-cache.ts'
import { testPlane } from './plane.ts'

export interface RunningCaches {
  readonly server: ReturnType<typeof testPlane>
  /** Creates a cache and runs it until the test ends. */
  readonly run: (options?: Partial<CacheOptions>, sibling?: Cache) => Cache
  /** Advances the clock by `ms` and lets all effects happen. */
  readonly turn: (ms?: number) => Promise<void>
  readonly stop: () => Promise<void>
}

export function runningCaches(): RunningCaches {
  let server: ReturnType<typeof testPlane>
  let signal: AbortController
  let ended: Promise<void>[]

  const turn = (ms = 0): Promise<void> => server.env.advanceAsync(ms)
  const stop = async (): Promise<void> => {
    signal.abort()
    await turn()
    await Promise.all(ended)
  }

  beforeEach(() => {
    server = testPlane()
    signal = new AbortController()
    ended = []
  })

  afterEach(async () => {
    await stop()
    await server.close()
    expect(server.env.pending, 'timers left behind').toBe(0)
    expect(server.network.streams.size, 'streams left behind').toBe(0)
  })

  return {
    get server() {
      return server
    },
    run(options = {}, sibling) {
      const cache = createCache({ client: server.client, env: server.env, probeMs: 0, ...options }, sibling)
      ended.push(cache.run(signal.signal))
      return cache
    },
    turn,
    stop,
  }
}
