import { beforeEach, describe, expect, it } from 'vitest'
import { simulatedEnv, type SimulatedEnv } from '../env/simulated.ts'
import { ConfigMap } from '../schema/builtin/kinds.ts'
import type { EventLoopLag } from './event-loop-lag.ts'
import { Probes } from './health.ts'
import type { Manager } from './manager.ts'
import { addStandardChecks } from './standard-checks.ts'

/** The inputs of the checks. */
interface Seen {
  readonly env: SimulatedEnv
  readonly healthz: Probes
  readonly readyz: Probes
  state: Manager['state']
  leadership: { isLate: boolean }
  controllers: { name: string; idle: boolean; queue: { processingCount: number } }[]
  cache: { informers: { kind: typeof ConfigMap; synced: boolean; silenceMs: number; state: string }[] }
}

let seen: Seen
let lag: { ms: number }
beforeEach(() => {
  const env = simulatedEnv()
  seen = {
    env,
    healthz: new Probes(env),
    readyz: new Probes(env),
    state: 'working',
    leadership: { isLate: false },
    controllers: [],
    cache: { informers: [] },
  }
  lag = { ms: 0 }
  addStandardChecks(seen as unknown as Manager, lag as EventLoopLag)
})

const health = async (name: string): Promise<string> => (await seen.healthz.answer('healthz', { name })).body
const ready = async (name: string): Promise<string> => (await seen.readyz.answer('readyz', { name })).body

describe('the checks of every manager', () => {
  it('the health check event-loop fails after a long block', async () => {
    lag.ms = 5_000
    expect(await health('event-loop')).toBe('ok')
    lag.ms = 5_001
    expect(await health('event-loop')).toBe('blocked for 5001 ms\n')
  })

  it('the health check lease fails when the lease was not renewed', async () => {
    expect(await health('lease')).toBe('ok')
    seen.leadership = { isLate: true }
    expect(await health('lease')).toBe('held, but not renewed in time\n')
  })

  it('the health check started fails until the caches have synced', async () => {
    for (const state of ['standby', 'working'] as const) {
      seen.state = state
      expect(await ready('started')).toBe('ok')
    }
    for (const state of ['new', 'starting', 'stopping', 'ended'] as const) {
      seen.state = state
      expect(await ready('started')).toBe(`${state}\n`)
    }
  })

  it('the health checks caches and watches name the kinds that are behind', async () => {
    const informer = { kind: ConfigMap, synced: false, silenceMs: 0, state: 'listing' }
    seen.cache.informers.push(informer)
    expect(await ready('caches')).toBe('not synced: configmaps\n')
    Object.assign(informer, { synced: true, state: 'watching', silenceMs: 660_000 })
    expect(await ready('caches')).toBe('ok')
    expect(await ready('watches')).toBe('ok')
    informer.silenceMs++
    expect(await ready('watches')).toBe('no news: configmaps (watching, for 660 s)\n')
    Object.assign(informer, { state: 'retrying', silenceMs: 60_000 })
    expect(await ready('watches')).toBe('ok')
    informer.silenceMs++
    expect(await ready('watches')).toBe('no news: configmaps (retrying, for 60 s)\n')
  })

  it('the health check queues fails when no worker takes a ready key', async () => {
    const apps = { name: 'apps', idle: false, queue: { processingCount: 0 } }
    seen.controllers.push(apps)
    expect(await ready('queues')).toBe('ok')
    seen.env.advance(300_000)
    expect(await ready('queues')).toBe('ok')
    seen.env.advance(1)
    expect(await ready('queues')).toBe('standing still: apps\n')
    apps.queue.processingCount = 1
    expect(await ready('queues')).toBe('ok')
    apps.queue.processingCount = 0
    expect(await ready('queues')).toBe('ok')
    seen.state = 'standby'
    seen.env.advance(3_600_000)
    expect(await ready('queues')).toBe('ok')
  })
})
