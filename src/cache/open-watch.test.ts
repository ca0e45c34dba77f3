import { describe, expect, it } from 'vitest'
import type { Client, WatchEvent, WatchOptions } from '../client/client.ts'
import { simulatedEnv } from '../env/simulated.ts'
import { OpenWatch } from './open-watch.ts'
import { ConfigMap } from './testdata/plane.ts'
import { SilentWatchError } from './watch-failure.ts'

const bookmark: WatchEvent<ConfigMap> = { type: 'BOOKMARK', resourceVersion: '1', initialEventsEnd: false }

/** A server that sends the given batches and then nothing, and does not notice that the connection is gone. */
function deadServer(batches: number): { client: Client; signals: AbortSignal[] } {
  const signals: AbortSignal[] = []
  async function* events(): AsyncGenerator<readonly WatchEvent<ConfigMap>[]> {
    for (let i = 0; i < batches; i++) yield [bookmark]
    await new Promise<never>(() => undefined)
  }
  const watch = (
    _kind: unknown,
    { signal }: WatchOptions,
  ): Promise<AsyncIterable<readonly WatchEvent<ConfigMap>[]>> => {
    if (signal !== undefined) signals.push(signal)
    return batches < 0 ? new Promise<never>(() => undefined) : Promise.resolve(events())
  }
  return { client: { watch } as unknown as Client, signals }
}

describe('an open watch', () => {
  const open = (batches: number) => {
    const env = simulatedEnv()
    const stop = new AbortController()
    const { client, signals } = deadServer(batches)
    return { env, stop, signals, watch: OpenWatch.open(client, ConfigMap, { silenceMs: 1000 }, env, stop.signal) }
  }

  it('an open watch is given up after silence, although the clock is set back', async () => {
    const { env, watch } = open(0)
    const opened = await watch
    const outcome = opened.next().catch((error: unknown) => error)
    env.setClock(-3_600_000)
    await env.advanceAsync(1000)
    expect(await Promise.race([outcome, Promise.resolve('it waits')])).toBeInstanceOf(SilentWatchError)
  })

  it('an open watch is given up after silence, although the connection does not notice', async () => {
    const { env, signals, watch } = open(1)
    const opened = await watch
    expect(await opened.next()).toEqual([bookmark])
    const next = opened.next()
    const outcome = next.catch((error: unknown) => error)
    await env.advanceAsync(1001)
    expect(await outcome).toBeInstanceOf(SilentWatchError)
    expect(signals[0]?.aborted).toBe(true)
    opened.close()
    expect(env.pending).toBe(0)
  })

  it('an open watch is given up when the server does not accept it either', async () => {
    const { env, watch } = open(-1)
    const outcome = watch.catch((error: unknown) => error)
    await env.advanceAsync(1001)
    expect(await outcome).toBeInstanceOf(SilentWatchError)
    expect(env.pending).toBe(0)
  })

  it('an open watch does not count the time in which its reader works', async () => {
    const { env, signals, watch } = open(2)
    const opened = await watch
    await opened.next()
    await env.advanceAsync(5000)
    expect(await opened.next()).toEqual([bookmark])
    expect(signals[0]?.aborted).toBe(false)
    opened.close()
  })

  it('an open watch ends for its reader when it is stopped, whatever the connection does', async () => {
    const { env, stop, signals, watch } = open(0)
    const opened = await watch
    const outcome = opened.next().catch((error: unknown) => String(error))
    stop.abort()
    expect(await outcome).toBe('Error: stopped')
    expect(signals[0]?.aborted).toBe(true)
    opened.close()
    expect(env.pending).toBe(0)
  })
})
