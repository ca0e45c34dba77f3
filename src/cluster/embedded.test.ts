import { afterEach, describe, expect, it } from 'vitest'
import { controller } from '../controller/builder.ts'
import { pause } from '../env/pause.ts'
import { requeueAfter } from '../controller/result.ts'
import { ConfigMap } from '../schema/builtin/kinds.ts'
import { resource } from '../schema/resource.ts'
import { t } from '../schema/t.ts'
import { embedded } from './embedded.ts'
import type { Embedded, Snapshot } from './embedded-handle.ts'
import type { EmbeddedOptions } from './embedded-options.ts'
import { matchers } from '../testing/matchers.ts'
import { NotSettledError } from './settle.ts'

expect.extend(matchers)

const App = resource('example.dev/v1', 'App', {
  spec: t.object({ text: t.string() }),
  status: t.object({
    observedGeneration: t.int64().optional(),
    text: t.string().optional(),
    conditions: t.conditions().optional(),
  }),
})

const apps = controller(App)
  .owns(ConfigMap)
  .reconcile(async (context) => {
    const { object, status } = context
    await context.apply(ConfigMap, { metadata: { name: object.metadata.name }, data: { text: object.spec.text } })
    status.set({ text: object.spec.text })
    status.condition({ type: 'Ready', status: true, reason: 'Applied' })
    if (object.status?.text !== object.spec.text) context.event('Normal', 'Applied', `applied ${object.spec.text}`)
    return requeueAfter(30_000)
  })

const hello = { apiVersion: 'example.dev/v1', kind: 'App', metadata: { name: 'hello' }, spec: { text: 'hi' } }
const key = { namespace: 'default', name: 'hello' }

const running: Embedded[] = []
afterEach(async () => {
  for (const cluster of running.splice(0)) await cluster.stop()
})

async function start(options: EmbeddedOptions = { controllers: [apps] }): Promise<Embedded> {
  const cluster = await embedded(options)
  running.push(cluster)
  return cluster
}

describe('an embedded cluster', () => {
  it('an embedded cluster at rest has no timer that is due every second', async () => {
    const cluster = await start()
    expect((cluster.env.nextDue ?? 0) - cluster.env.monotonic()).toBeGreaterThan(1000)
    expect(cluster.manager.metrics.text()).toContain('coxswain_event_loop_lag_seconds 0')
  })

  it('an embedded cluster installs a definition once, although two controllers and a watch name it', async () => {
    const cluster = await start({
      controllers: [
        controller(App)
          .named('first')
          .watches(App, { map: () => [] })
          .reconcile(() => undefined),
        controller(App)
          .named('second')
          .reconcile(() => undefined),
      ],
    })
    await cluster.apply(hello)
    await cluster.settle()
    expect((await cluster.client.get(App, key)).spec.text).toBe('hi')
  })

  it('an embedded cluster returns the writes of the controllers during a time, without leases', async () => {
    const cluster = await start({
      controllers: [apps],
      leaderElection: { namespace: 'default', name: 'apps', identity: 'a' },
    })
    await cluster.advance(20_000)
    await cluster.apply(hello)
    const writes = await cluster.writesDuring(60_000)
    expect(writes).toContainEqual(expect.stringMatching(/^PATCH \/api\/v1\/namespaces\/default\/configmaps\/hello/))
    expect(writes).toContainEqual(expect.stringMatching(/^POST \/api\/v1\/namespaces\/default\/events/))
    expect(await cluster.writesDuring(300_000)).toEqual([])
    expect(cluster.requests).toContainEqual(expect.stringMatching(/^PUT .*\/leases\/apps/))
  })

  it('an embedded cluster runs controllers until nothing is left to do', async () => {
    const cluster = await start()
    await cluster.apply(hello)
    await cluster.settle()
    const app = await cluster.client.get(App, key)
    const map = await cluster.client.get(ConfigMap, key)
    expect(map.data).toEqual({ text: 'hi' })
    expect(matchers.toBeControlledBy(map, app).pass).toBe(true)
    expect(matchers.toHaveCondition(app, 'Ready', 'True', 'Applied').pass).toBe(true)
    expect(matchers.toHaveCondition(app, 'Ready', 'False').message()).toContain('Ready=True (Applied)')
    expect(matchers.toIncludeEvent(await cluster.events(app), 'Normal', 'Applied', 'applied hi').pass).toBe(true)
  })

  it('an embedded cluster is at rest then: an hour passes without a write', async () => {
    const cluster = await start()
    await cluster.apply(hello)
    await cluster.settle()
    const { revision } = cluster.plane.store
    await cluster.advance(3_600_000)
    expect(cluster.plane.store.revision).toBe(revision)
  })

  it('an embedded cluster gives the same run for the same seed', async () => {
    const runs: (readonly string[])[] = []
    for (let i = 0; i < 2; i++) {
      const cluster = await start({ controllers: [apps], seed: 7 })
      await cluster.apply(hello)
      await cluster.settle()
      runs.push([...cluster.requests, JSON.stringify(await cluster.client.get(App, key))])
    }
    expect(runs[0]).toEqual(runs[1])
  })

  it('an embedded cluster survives a crash at any moment, and a restart', async () => {
    const cluster = await start()
    await cluster.apply(hello)
    await cluster.crash()
    await cluster.settle()
    expect((await cluster.client.get(ConfigMap, key)).data).toEqual({ text: 'hi' })
    await cluster.apply({ ...hello, spec: { text: 'new' } })
    await cluster.restart()
    await cluster.settle()
    expect((await cluster.client.get(ConfigMap, key)).data).toEqual({ text: 'new' })
  })

  it('an embedded cluster runs one program after two crashes, the second at the first call of a new one', async () => {
    let programs = 0
    const ran: number[] = []
    let isArmed = false
    const cluster = await start({
      controllers: () => {
        const program = ++programs
        return [controller(App).reconcile(() => void ran.push(program))]
      },
      faults: () => {
        if (!isArmed) return undefined
        isArmed = false
        return { type: 'crash', when: 'before' }
      },
    })
    isArmed = true
    await cluster.crash()
    await cluster.apply(hello)
    await cluster.settle()
    expect([isArmed, ...new Set(ran)]).toEqual([false, programs])
  })

  it('an embedded cluster goes on from a snapshot: the same objects, the next revision, other uids', async () => {
    const first = await start()
    await first.apply(hello)
    await first.settle()
    const from = first.snapshot()
    await first.apply({ ...hello, spec: { text: 'changed later' } })
    const second = await start({ controllers: [apps], from })
    const objects = ({ items }: Snapshot): unknown =>
      items.map(({ key: at, object, revision }) => [at, object, revision])
    expect([second.snapshot().revision, objects(second.snapshot())]).toEqual([from.revision, objects(from)])
    expect((await second.client.get(ConfigMap, key)).data).toEqual({ text: 'hi' })
    await second.apply({ ...hello, metadata: { name: 'other' } })
    await second.settle()
    const uids = second.snapshot().items.map(({ object }) => object.metadata.uid)
    expect(new Set(uids).size).toBe(uids.length)
    expect((await second.client.get(ConfigMap, { ...key, name: 'other' })).data).toEqual({ text: 'hi' })
  })

  it.each(['before', 'after'] as const)(
    'an embedded cluster lets the program die %s a request, with all that it had in memory',
    async (when) => {
      let processes = 0
      let isArmed = true
      const cluster = await start({
        controllers: () => {
          processes++
          return [apps]
        },
        faults: ({ method }) => {
          if (!isArmed || method !== 'PATCH') return undefined
          isArmed = false
          return { type: 'crash', when }
        },
      })
      const first = cluster.manager
      const before = processes
      await cluster.apply(hello)
      await cluster.settle()
      expect([processes - before, cluster.manager === first]).toEqual([1, false])
      expect(cluster.requests.filter((line) => line.startsWith('PATCH') && line.includes('configmaps'))).toHaveLength(
        when === 'before' ? 2 : 1,
      )
      expect((await cluster.client.get(App, key)).status?.text).toBe('hi')
    },
  )

  it('an embedded cluster advances the clock for runs that wait, and for the lease of a crashed one', async () => {
    const slow = controller(App)
      .owns(ConfigMap)
      .reconcile(async (context) => {
        await pause(cluster.env, 5_000, context.signal)
        await context.apply(ConfigMap, {
          metadata: { name: context.object.metadata.name },
          data: { text: context.object.spec.text },
        })
      })
    const cluster: Embedded = await start({
      controllers: [slow],
      leaderElection: { namespace: 'default', name: 'apps' },
    })
    await cluster.apply(hello)
    const startedAt = cluster.env.now()
    await cluster.settle()
    expect(cluster.env.now() - startedAt).toBeGreaterThanOrEqual(5_000)
    expect((await cluster.client.get(ConfigMap, key)).data).toEqual({ text: 'hi' })
    await cluster.apply({ ...hello, spec: { text: 'new' } } as never)
    await cluster.crash()
    expect(cluster.manager.state).toBe('standby')
    await cluster.settle()
    expect(cluster.manager.state).toBe('working')
    expect((await cluster.client.get(ConfigMap, key)).data).toEqual({ text: 'new' })
  })

  it('an embedded cluster says so when events cannot be written, instead of waiting for them for ever', async () => {
    const cluster = await start({
      controllers: [apps],
      faults: ({ method, path }) => (method === 'POST' && path.includes('/events') ? { type: 'refuse' } : undefined),
    })
    await cluster.apply(hello)
    await expect(cluster.settle({ withinMs: 25_000 })).rejects.toThrow('not at rest after 25 s of simulated time: app')
    await cluster.settle()
  })

  it('an embedded cluster says who never comes to rest', async () => {
    const restless = controller(App).reconcile(({ status, now }) => {
      status.set({ text: String(now()) })
      return requeueAfter(1000)
    })
    const cluster = await start({ controllers: [restless] })
    await cluster.apply(hello)
    await expect(cluster.settle({ withinMs: 60_000 })).rejects.toThrow(NotSettledError)
    await expect(cluster.settle({ withinMs: 60_000 })).rejects.toThrow('app (0 ready, 0 in hand, 1 waiting)')
  })

  it('an embedded cluster reports what is not served', async () => {
    const cluster = await start({})
    await expect(
      cluster.apply({ apiVersion: 'nowhere.dev/v1', kind: 'Nothing', metadata: { name: 'x' } }),
    ).rejects.toThrow('does not serve Nothing of nowhere.dev')
  })

  it.each([
    ['refuse', { type: 'refuse' }],
    ['drop-before', { type: 'drop-before' }],
    ['drop-after', { type: 'drop-after' }],
    ['duplicate', { type: 'duplicate' }],
    ['a conflict', { type: 'answer', status: 409 }],
    ['too many requests', { type: 'answer', status: 429, retryAfter: 1 }],
    ['an internal error', { type: 'answer', status: 500 }],
    ['delay', { type: 'delay', ms: 3000 }],
    ['cut-watch', { type: 'cut-watch', after: 1 }],
  ] as const)('an embedded cluster converges though every third request meets a fault: %s', async (_, fault) => {
    let armed = false
    const cluster = await start({
      controllers: [apps],
      faults: (_request, index) => (armed && index % 3 === 0 ? fault : undefined),
    })
    armed = true
    await cluster.apply(hello)
    await cluster.advance(120_000)
    armed = false
    await cluster.advance(600_000)
    await cluster.settle()
    expect((await cluster.client.get(ConfigMap, key)).data).toEqual({ text: 'hi' })
    expect((await cluster.client.get(App, key)).status?.text).toBe('hi')
  })
})
