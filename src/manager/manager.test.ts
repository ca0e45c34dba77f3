import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { controller } from '../controller/builder.ts'
import type { ReconcileContext } from '../controller/context.ts'
import type { ControllerDefinition, ControllerOptions } from '../controller/definition.ts'
import { pause } from '../env/pause.ts'
import { ConfigMap, CoreEvent, CustomResourceDefinition, Lease } from '../schema/builtin/kinds.ts'
import { resource } from '../schema/resource.ts'
import { t } from '../schema/t.ts'
import type { ObjectOf } from '../schema/kind.ts'
import type { Fault } from '../cluster/faulty-transport.ts'
import { NotLeaderError } from './fenced-transport.ts'
import { CacheSyncError } from './manager-errors.ts'
import type { Task } from './manager.ts'
import { Site } from './testdata/managed.ts'

const App = resource('example.dev/v1', 'App', {
  spec: t.object({ text: t.string() }),
  status: t.object({ text: t.string().optional() }),
})
type Context = ReconcileContext<ObjectOf<typeof App>>

const lease = { namespace: 'default', name: 'apps' }
const leases = '/apis/coordination.k8s.io/v1/namespaces/default/leases'

let site: Site
beforeEach(async () => {
  site = new Site()
  await site.client.create(CustomResourceDefinition, App.crd)
  await site.env.advanceAsync(1000)
})
afterEach(() => site.close())

function apps(
  run: (context: Context) => Promise<void> | void,
  options: ControllerOptions = {},
  name = 'app',
): ControllerDefinition {
  return controller(App).named(name).owns(ConfigMap).options(options).reconcile(run)
}

const saying =
  (who: string) =>
  async (context: Context): Promise<void> => {
    await context.apply(ConfigMap, { metadata: { name: context.object.metadata.name }, data: { who } })
  }

function create(name = 'hello'): Promise<unknown> {
  return site.client.create(App, { metadata: { namespace: 'default', name }, spec: { text: 'hi' } })
}

async function said(): Promise<readonly unknown[]> {
  const { items } = await site.client.list(ConfigMap, { namespace: 'default' })
  return items.filter(({ data }) => data?.['who'] !== undefined).map(({ data }) => data?.['who'])
}

describe('the life of a manager', () => {
  it('a manager starts its parts in order, gives the lease back last, and leaves nothing behind', async () => {
    const order: string[] = []
    const task = (name: string, when: Task['when']): Task => ({
      name,
      when,
      async start(signal) {
        const { state, cache, election } = managed.manager
        order.push(
          `${name} begins: ${state}` +
            (cache.informers.every(({ synced }) => synced) ? ', synced' : '') +
            (election?.isLeader === true ? ', leads' : ''),
        )
        await pause(site.env, Infinity, signal)
        order.push(`${name} ends: ${managed.manager.state}${election?.isLeader === true ? ', leads' : ''}`)
      },
    })
    await create()
    const managed = site.manager({
      controllers: [apps(saying('a'))],
      leaderElection: { ...lease, identity: 'a' },
      tasks: [task('mailer', undefined), task('shop', 'always')],
    })
    expect(managed.manager.state).toBe('starting')
    const working = managed.manager.whenWorking()
    await site.until(() => managed.manager.state === 'working')
    await working
    await site.until(() => managed.writes.some((write) => write.includes('configmaps')))
    expect(await said()).toEqual(['a'])
    expect(managed.requests.findIndex((request) => request.endsWith('/apps'))).toBeLessThan(
      managed.requests.findIndex((request) => request.startsWith(`GET ${leases}`)),
    )
    expect(site.timersLeft).toBeGreaterThan(0)
    await managed.stop()
    expect(order).toEqual([
      'shop begins: starting, synced',
      'mailer begins: standby, synced, leads',
      'shop ends: stopping, leads',
      'mailer ends: stopping, leads',
    ])
    expect(managed.requests.at(-1)).toBe(`PUT ${leases}/apps`)
    expect((await site.client.get(Lease, lease)).spec?.holderIdentity).toBe('')
    expect(managed.manager.state).toBe('ended')
    expect(site.timersLeft).toBe(0)
    expect(managed.listenersLeft).toBe(0)
    await expect(managed.manager.run(new AbortController().signal)).rejects.toThrow('a manager runs once')
    await expect(managed.manager.whenWorking()).rejects.toThrow('has ended')
  })

  it('a manager does nothing when it is stopped before it begins, or while it begins', async () => {
    const first = site.manager({ controllers: [apps(saying('a'))] })
    await first.stop()
    const second = site.manager({ controllers: [apps(saying('a'))], faults: () => ({ type: 'refuse' }) })
    await site.env.advanceAsync(5_000)
    expect(second.manager.state).toBe('starting')
    await second.stop()
    expect(site.timersLeft).toBe(0)
  })

  it('a manager fails when the first lists do not come, and says of which kinds and what to look at', async () => {
    const Thing = resource('example.dev/v1', 'Thing', { spec: t.object({}) })
    const things = controller(Thing).reconcile(() => undefined) as unknown as ControllerDefinition
    const managed = site.manager({ controllers: [things, apps(saying('a'))], cacheSyncTimeoutMs: 10_000 })
    await expect(managed.ended()).rejects.toThrow(
      'no first list of things.example.dev within 10 s: the server does not serve the kind: install its CRD with ' +
        'coxswain manifests MODULE | kubectl apply -f -',
    )
    expect(managed.outcome?.error).toBeInstanceOf(CacheSyncError)
    expect(site.timersLeft).toBe(0)
    expect(managed.listenersLeft).toBe(0)
  })

  it('a manager ends when a task fails, and throws what the task threw', async () => {
    const failing: Task = {
      name: 'mailer',
      start: () => pause(site.env, 5_000).then(() => Promise.reject(new Error('no mail today'))),
    }
    const managed = site.manager({
      controllers: [apps(saying('a'))],
      tasks: [failing],
      leaderElection: { ...lease, identity: 'a' },
    })
    await expect(managed.ended()).rejects.toThrow('no mail today')
    expect((await site.client.get(Lease, lease)).spec?.holderIdentity).toBe('')
    expect(site.timersLeft).toBe(0)

    const atOnce: Task = {
      name: 'mailer',
      when: 'always',
      start: () => {
        throw new Error('not even begun')
      },
    }
    await expect(site.manager({ tasks: [atOnce] }).ended()).rejects.toThrow('not even begun')
    expect(site.timersLeft).toBe(0)
  })

  it('a manager refuses two controllers of one name', () => {
    expect(() => site.manager({ controllers: [apps(saying('a')), apps(saying('b'))] })).toThrow(
      'two controllers are called app',
    )
  })
})

describe('the end of a manager', () => {
  async function withRun(run: (context: Context) => Promise<void>, gracePeriodMs?: number) {
    await create()
    const state = { begun: false, aborted: false }
    const managed = site.manager({
      gracePeriodMs,
      leaderElection: { ...lease, identity: 'a' },
      controllers: [
        apps(async (context) => {
          state.begun = true
          context.signal.addEventListener('abort', () => (state.aborted = true))
          await run(context)
        }),
      ],
    })
    await site.until(() => state.begun)
    return { managed, state }
  }

  it('a manager that stops lets a current run finish, with its writes and its events', async () => {
    const { managed, state } = await withRun(async (context) => {
      await pause(site.env, 20_000)
      await saying('late')(context)
      context.event('Normal', 'Said', 'at last')
    })
    managed.ask()
    await site.env.advanceAsync(19_000)
    expect(managed.manager.state).toBe('stopping')
    expect(managed.manager.election?.mayWrite).toBe(true)
    await managed.ended()
    expect(state.aborted).toBe(false)
    expect(await said()).toEqual(['late'])
    expect((await site.client.list(CoreEvent, { namespace: 'default' })).items.map(({ reason }) => reason)).toContain(
      'Said',
    )
    expect(site.timersLeft).toBe(0)
  })

  it('a manager that stops aborts a run that takes longer than the grace period', async () => {
    const { managed, state } = await withRun(({ signal }) => pause(site.env, 3_600_000, signal))
    managed.ask()
    await site.env.advanceAsync(29_000)
    expect(state.aborted).toBe(false)
    await managed.ended()
    expect(state.aborted).toBe(true)
    expect(site.timersLeft).toBe(0)
  })

  it('a manager that stops aborts at once with no grace period', async () => {
    const { managed, state } = await withRun(({ signal }) => pause(site.env, 3_600_000, signal), 0)
    const askedAt = site.env.now()
    await managed.stop()
    expect(state.aborted).toBe(true)
    expect(site.env.now() - askedAt).toBeLessThan(1_000)
  })

  it('a manager that stops abandons a run that ignores its signal, and fences its writes', async () => {
    let writing: Promise<void> | undefined
    const { managed } = await withRun(
      (context) => pause(site.env, 60_000).then(() => (writing = saying('too late')(context))),
      10_000,
    )
    const askedAt = site.env.now()
    managed.ask()
    await expect(managed.ended()).rejects.toThrow(
      'still at work after the grace period, though asked to stop: controller app',
    )
    expect(site.env.now() - askedAt).toBeLessThan(25_000)
    expect((await site.client.get(Lease, lease)).spec?.holderIdentity).toBe('')
    await site.until(() => writing !== undefined)
    await expect(writing).rejects.toThrow(NotLeaderError)
    expect(await said()).toEqual([])
  })
})

describe('a manager with a lease', () => {
  // Known failure: runtime 24.
  it('a warm standby writes nothing, and takes over within a retry period', async () => {
    await create()
    const a = site.manager({ controllers: [apps(saying('a'))], leaderElection: { ...lease, identity: 'a' } })
    await site.until(() => a.manager.state === 'working')
    const b = site.manager({ controllers: [apps(saying('b'))], leaderElection: { ...lease, identity: 'b' } })
    await site.until(() => b.manager.state === 'standby')
    await create('other')
    await site.env.advanceAsync(60_000)
    expect(b.manager.controllers[0]?.queue.depth).toBe(2)
    expect(b.manager.cache.informers.every(({ synced }) => synced)).toBe(true)
    expect(b.manager.metrics.text()).toContain('\ncontroller_workqueue_depth{controller="app",role="standby"} 2\n')
    expect(b.manager.metrics.text()).not.toContain('role="leader"')
    expect(b.writes).toEqual([])
    expect((await b.manager.readyz.answer('readyz')).status).toBe(200)
    await expect(b.manager.client.create(ConfigMap, { metadata: { name: 'x', namespace: 'default' } })).rejects.toThrow(
      NotLeaderError,
    )
    await expect(b.manager.client.raw('DELETE', '/api/v1/namespaces/default/configmaps/x')).rejects.toThrow(
      NotLeaderError,
    )
    expect((await b.manager.client.list(App)).items).toHaveLength(2)

    expect(await said()).toEqual(['a', 'a'])
    await a.stop()
    expect(await site.until(() => b.manager.state === 'working')).toBeLessThan(2_000)
    await site.until(() => b.manager.controllers.every(({ idle }) => idle))
    expect(await said()).toEqual(['b', 'b'])
    for (const role of ['standby', 'leader'])
      expect(b.manager.metrics.text()).toContain(`\ncontroller_workqueue_depth{controller="app",role="${role}"} 0\n`)
    await b.stop()
    expect(site.timersLeft).toBe(0)
  })

  it('a manager with a lease runs what is not for the leader alone on every copy, and lets it write', async () => {
    await create()
    const a = site.manager({ leaderElection: { ...lease, identity: 'a' } })
    await site.until(() => a.manager.state === 'working')
    const b = site.manager({
      controllers: [apps(saying('b'), { leaderOnly: false })],
      leaderElection: { ...lease, identity: 'b' },
    })
    await site.until(() => b.writes.length > 0)
    expect(b.manager.state).toBe('standby')
    expect(await said()).toEqual(['b'])
  })

  it('a manager with a lease aborts its runs when the lease is lost, and ends with the reason', async () => {
    await create()
    let aborted: unknown
    let isCut = false
    const stuck = apps(async ({ signal }) => {
      await pause(site.env, Infinity, signal)
      aborted = signal.reason
    })
    const managed = site.manager({
      controllers: [stuck],
      leaderElection: { ...lease, identity: 'a' },
      faults: () => (isCut ? { type: 'refuse' } : undefined),
    })
    await site.until(() => managed.manager.controllers[0]?.queue.processingCount === 1)
    isCut = true
    await expect(managed.ended()).rejects.toThrow('the lease was lost')
    expect((aborted as Error).name).toBe('LeaseLostError')
    expect(site.timersLeft).toBe(0)
    expect(managed.listenersLeft).toBe(0)
  })

  it('a manager with a lease sends no write again that the server put off beyond the lease', async () => {
    await create()
    let isBusy = true
    const busy: Fault = { type: 'answer', status: 429, retryAfter: 12 }
    const managed = site.manager({
      controllers: [apps(saying('a'))],
      leaderElection: { ...lease, identity: 'a' },
      faults: ({ path, method }) =>
        isBusy && method !== 'GET'
          ? path.includes('/leases')
            ? managed.manager.election?.isLeader === true
              ? { type: 'refuse' }
              : undefined
            : busy
          : undefined,
    })
    await site.until(() => managed.writes.some((write) => write.includes('configmaps')))
    await expect(managed.ended()).rejects.toThrow('the lease was lost')
    isBusy = false
    await site.env.advanceAsync(60_000)
    expect(managed.writes.filter((write) => write.includes('configmaps'))).toHaveLength(1)
    expect(await said()).toEqual([])
  })
})

describe('what a manager tells', () => {
  // Known failure: runtime 16.
  it('a manager reports in probes whether it has started, and what it waits for', async () => {
    await create()
    let isCut = true
    const managed = site.manager({
      controllers: [apps(({ signal }) => pause(site.env, 1_000, signal))],
      leaderElection: { ...lease, identity: 'a' },
      faults: () => (isCut ? { type: 'refuse' } : undefined),
    })
    const { healthz, readyz } = managed.manager
    await site.env.advanceAsync(1_000)
    expect((await readyz.answer('readyz')).body).toBe(
      '[-]started failed: starting\n[-]caches failed: not synced: apps.example.dev, configmaps\n[+]watches ' +
        'ok\n[+]queues ok\nreadyz check failed\n',
    )
    isCut = false
    await site.until(() => managed.manager.state === 'working')
    expect((await readyz.answer('readyz')).body).toBe('ok')
    expect((await healthz.answer('healthz', { verbose: true })).body).toBe(
      '[+]ping ok\n[+]event-loop ok\n[+]lease ok\nhealthz check passed\n',
    )
  })

  it('a manager reports in probes that the server has been silent for too long', async () => {
    let isCut = false
    const managed = site.manager({
      controllers: [apps(() => undefined)],
      faults: () => (isCut ? { type: 'refuse' } : undefined),
    })
    await site.until(() => managed.manager.state === 'working')
    const { readyz, healthz } = managed.manager
    // Bookmarks arrive although nothing changes.
    await site.env.advanceAsync(1_800_000)
    expect((await readyz.answer('readyz')).body).toBe('ok')
    isCut = true
    await site.env.advanceAsync(720_000)
    expect((await readyz.answer('readyz')).body).toMatch(
      /^\[-\]watches failed: no news: apps\.example\.dev \(retrying, for \d+ s\), configmaps \(retrying, for \d+ s\)$/m,
    )
    expect((await healthz.answer('healthz')).status).toBe(200)
    isCut = false
    await site.env.advanceAsync(60_000)
    expect((await readyz.answer('readyz')).body).toBe('ok')
  })

  it("a manager reports metrics under controller-runtime's names, separately for each manager", async () => {
    await create()
    const a = site.manager({ controllers: [apps(saying('a'))], leaderElection: { ...lease, identity: 'a' } })
    await site.until(() => a.manager.state === 'working')
    const b = site.manager({ controllers: [apps(() => undefined, {}, 'other')], concurrency: 4 })
    await site.until(() => b.manager.state === 'working')
    await site.env.advanceAsync(5_000)
    const text = a.manager.metrics.text()
    for (const line of [
      'controller_runtime_reconcile_total{controller="app",result="success"} ',
      'controller_runtime_max_concurrent_reconciles{controller="app"} 1',
      'workqueue_adds_total{name="app",controller="app"} ',
      'controller_workqueue_adds_total{controller="app"} ',
      'rest_client_requests_total{code="200",method="GET",host="in-process"} ',
      'leader_election_master_status{name="apps"} 1',
      'leader_election_slowpath_total{name="apps"} 0',
      'coxswain_lease_renewal_lag_seconds_count{name="apps"} ',
      'coxswain_cache_objects{kind="apps.example.dev"} 1',
      'coxswain_cache_synced{kind="apps.example.dev"} 1',
      'coxswain_event_loop_lag_seconds 0',
    ])
      expect(text).toContain(`\n${line}`)
    expect(text).not.toContain('"other"')
    const other = b.manager.metrics.text()
    expect(other).toContain('controller_runtime_max_concurrent_reconciles{controller="other"} 4')
    expect(other).not.toContain('leader_election')
    expect(other).not.toContain('controller="app"')
  })

  it('a manager warns once that a kind has more objects in the cache than expected', async () => {
    for (let i = 0; i < 5; i++) await create(`app-${i}`)
    const managed = site.manager({ controllers: [apps(() => undefined)], cacheSize: 4 })
    await site.env.advanceAsync(180_000)
    const warnings = managed.logs.filter(
      ({ level, msg }) => level === 'warn' && msg.startsWith('the cache holds more objects'),
    )
    expect(warnings).toMatchObject([{ kind: 'apps.example.dev', objects: 5, expected: 4 }])
  })
})
