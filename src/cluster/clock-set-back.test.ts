/** The runtime measures delays with a clock that nobody sets: a wall clock that is set back delays nothing. */
import { describe, expect, it } from 'vitest'
import { TokenBucket } from '../client/rate-limit.ts'
import { controller } from '../controller/builder.ts'
import { requeueAfter } from '../controller/result.ts'
import { simulatedEnv } from '../env/simulated.ts'
import { EventLoopLag } from '../manager/event-loop-lag.ts'
import { resource } from '../schema/resource.ts'
import { t } from '../schema/t.ts'
import { EventCorrelator } from '../telemetry/event-correlator.ts'
import { silentLogger } from '../telemetry/logger.ts'
import { Metrics } from '../telemetry/metrics.ts'
import { embedded } from './embedded.ts'
import type { FrameFault } from './faulty-watches.ts'

const App = resource('example.dev/v1', 'App', {
  spec: t.object({}),
  status: t.object({ text: t.string().optional() }),
})
const app = { apiVersion: 'example.dev/v1', kind: 'App', metadata: { name: 'a' }, spec: {} }
const hourMs = 3_600_000

describe('a clock that is set back', () => {
  it('a clock that is set back does not delay a postponed status', async () => {
    const postponing = controller(App).reconcile(({ object, status }) => {
      if (object.status?.text === 'done') return
      status.set({ text: 'done' })
      status.postpone(10_000)
      return requeueAfter(5000)
    })
    const cluster = await embedded({ controllers: [postponing] })
    await cluster.apply(app)
    await cluster.advance(1000)
    cluster.env.setClock(-hourMs)
    await cluster.advance(9_500)
    const { status } = await cluster.client.get(App, { namespace: 'default', name: 'a' })
    await cluster.stop()
    expect(status?.text).toBe('done')
  })

  it('a clock that is set back does not delay a requeue that an own write comes between', async () => {
    let runs = 0
    const checking = controller(App)
      .options({ reconcileOwnWrites: 'never' })
      .reconcile(({ object, status }) => {
        runs++
        if (object.status?.text !== 'done') status.set({ text: 'done' })
        return requeueAfter(60_000)
      })
    const late: FrameFault = { type: 'delay', ms: 2000 }
    const cluster = await embedded({
      controllers: [checking],
      faults: () => ({ type: 'frames', plan: (_, { type }) => (type === 'MODIFIED' ? late : undefined) }),
    })
    await cluster.apply(app)
    await cluster.advance(1000)
    cluster.env.setClock(-hourMs)
    await cluster.advance(58_000)
    expect(runs).toBe(1)
    await cluster.advance(3000)
    await cluster.stop()
    expect(runs).toBe(2)
  })

  it('a clock that is set back does not delay requests', async () => {
    const env = simulatedEnv()
    const bucket = new TokenBucket(env, { qps: 1, burst: 1 })
    await bucket.take()
    env.setClock(-hourMs)
    const waited = bucket.take()
    await env.advanceAsync(1000)
    expect(await waited).toBe(1000)
  })

  it('a clock that is set back does not drop events', () => {
    const env = simulatedEnv()
    const events = new EventCorrelator(env, { burst: 1, refillMs: 1000 })
    const say = (message: string) =>
      events.correlate({
        about: { apiVersion: 'v1', kind: 'Pod', namespace: 'default', name: 'a', uid: 'a' },
        type: 'Normal',
        reason: 'Said',
        message,
      })
    expect([say('one') !== undefined, say('two') !== undefined]).toEqual([true, false])
    env.setClock(-hourMs)
    env.advance(1000)
    expect(say('three')).toBeDefined()
  })

  it('a clock that is set forward is no lag of the event loop', () => {
    const env = simulatedEnv()
    const lag = new EventLoopLag(env, new Metrics(), silentLogger)
    lag.start()
    env.setClock(hourMs)
    expect(lag.ms).toBeLessThanOrEqual(0)
    lag.stop()
  })
})
