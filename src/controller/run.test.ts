/** One run during concurrent changes: the object or its namespace is deleted, the process stops, others write. */
import { describe, expect, it } from 'vitest'
import { apiError } from '../api/status.ts'
import { pause } from '../env/pause.ts'
import { ConfigMap, Namespace } from '../schema/builtin/kinds.ts'
import { resource } from '../schema/resource.ts'
import { t } from '../schema/t.ts'
import { controller } from './builder.ts'
import { PermanentError, RetryableError } from './errors.ts'
import { requeueAfter, type ReconcileResult } from './result.ts'
import {
  App,
  app,
  apps,
  bareApps,
  eventsOf,
  key,
  reconcileApp,
  start,
  stopAfterEach,
  type AppObject,
} from './testdata/app.ts'
import { harness, type Harness } from './testdata/harness.ts'

stopAfterEach()

const metric = (all: Harness<AppObject>, name: string): number => {
  const line = all.metrics
    .text()
    .split('\n')
    .find((each) => each.startsWith(name))
  return Number(line?.slice(line.lastIndexOf(' ') + 1))
}
const errors = (all: Harness<AppObject>) => metric(all, 'controller_runtime_reconcile_errors_total{')
const results = (all: Harness<AppObject>, result: string) =>
  metric(all, `controller_runtime_reconcile_total{controller="app",result="${result}"}`)

describe('an object that is deleted during its run', () => {
  it('an object that is deleted before its status is written ends the run without an error', async () => {
    const gone: string[] = []
    const all = await start(
      apps
        .gone(({ name }) => void gone.push(name))
        .reconcile(async ({ status }) => {
          await all.client.delete(App, key('a'))
          status.set({ phase: 'Ready' })
        }),
    )
    await all.client.create(App, app('a'))
    await all.settle()
    expect(gone).toEqual(['a'])
    expect(errors(all)).toBe(0)
    expect(all.logs.some((line) => line.includes('the object went away meanwhile'))).toBe(true)
  })

  it('an object that is deleted while its finalizer is added or removed ends the run without an error', async () => {
    let deleteBefore: 'add' | 'remove' | 'never' = 'add'
    const all = await start(apps.finalizer('example.dev/app', () => undefined).reconcile(reconcileApp))
    all.intercept = async ({ method, path }) => {
      if (deleteBefore === 'never' || method !== 'PATCH' || !path.endsWith('/apps/a?fieldManager=app')) return
      if (deleteBefore === 'remove')
        await all.client.patch(App, key('a'), { type: 'merge', patch: { metadata: { finalizers: null } } })
      else await all.client.delete(App, key('a'))
      deleteBefore = 'never'
    }
    await all.client.create(App, app('a'))
    await all.settle()
    expect(deleteBefore).toBe('never')
    expect(all.writes.filter((write) => write.includes('configmaps'))).toEqual([])
    await all.client.create(App, app('a'))
    await all.settle()
    deleteBefore = 'remove'
    await all.client.delete(App, key('a'))
    await all.settle()
    expect(deleteBefore).toBe('never')
    await expect(all.client.get(App, key('a'))).rejects.toThrow('not found')
    expect(errors(all)).toBe(0)
  })

  it('an object that is deleted during its run is not mixed up with one that took its name', async () => {
    let swap = true
    const all = await start(
      apps.reconcile(async ({ status, object }) => {
        status.set({ phase: `of ${object.metadata.uid}` })
        if (!swap) return
        swap = false
        await all.client.delete(App, key('a'))
        await all.client.create(App, app('a'))
      }),
    )
    await all.client.create(App, app('a'))
    await all.settle()
    const { status, metadata } = await all.client.get(App, key('a'))
    expect(status?.phase).toBe(`of ${metadata.uid}`)
    expect(results(all, 'conflict')).toBe(1)
    expect(errors(all)).toBe(0)
  })

  it('a kind without the status subresource is an error, not a deleted object', async () => {
    const Bare = resource('example.dev/v1', 'Bare', { spec: t.object({ text: t.string() }) })
    const all = await harness(
      controller(Bare).reconcile(({ status }) => status.set({ phase: 'x' } as never)),
      { crds: [Bare.crd] },
    )
    await all.client.create(Bare, { metadata: { name: 'a', namespace: 'default' }, spec: { text: 'x' } })
    await all.settle()
    expect(all.logs.find((line) => line.includes('reconcile failed'))).toContain(
      'the server does not serve the status of Bare',
    )
    await all.stop()
  })
})

describe('an object that is being deleted', () => {
  it('an object that only foreign finalizers hold is passed to deleting, not to reconcile', async () => {
    const runs: string[] = []
    const all = await start(
      bareApps
        .deleting(({ status }) => {
          runs.push('deleting')
          status.set({ phase: 'Deleting' })
        })
        .gone(({ name }, _signal, client) => void runs.push(`gone ${name} ${typeof client.get}`))
        .reconcile(() => void runs.push('reconcile')),
    )
    await all.client.create(App, {
      ...app('a'),
      metadata: { name: 'a', namespace: 'default', finalizers: ['other.dev/x'] },
    })
    await all.settle()
    await all.client.delete(App, key('a'))
    await all.settle()
    expect((await all.client.get(App, key('a'))).status?.phase).toBe('Deleting')
    await all.client.patch(App, key('a'), { type: 'merge', patch: { metadata: { finalizers: null } } })
    await all.settle()
    expect([...new Set(runs)]).toEqual(['reconcile', 'deleting', 'gone a function'])
  })

  it('an object that is being deleted is cleaned up first, where we hold it', async () => {
    const runs: string[] = []
    const all = await start(
      bareApps
        .finalizer('example.dev/app', () => void runs.push('cleanup'))
        .deleting(() => void runs.push('deleting'))
        .reconcile(() => undefined),
    )
    await all.client.create(App, {
      ...app('a'),
      metadata: { name: 'a', namespace: 'default', finalizers: ['other.dev/x'] },
    })
    await all.settle()
    await all.client.delete(App, key('a'))
    await all.settle()
    expect(runs).toEqual(['cleanup', 'deleting'])
  })
})

describe('a namespace that is being deleted', () => {
  it('a namespace that is being deleted takes no new objects, which is neither an error nor tried again', async () => {
    const all = await start(bareApps.reconcile(reconcileApp))
    const namespace = 'ending'
    await all.client.create(Namespace, { metadata: { name: namespace } })
    await all.client.create(App, { ...app('a'), metadata: { name: 'a', namespace } })
    await all.settle()
    // No namespace controller runs here, so the namespace stays in deletion.
    await all.client.delete(Namespace, { name: namespace })
    await all.client.delete(ConfigMap, { namespace, name: 'a-text' })
    all.writes.length = 0
    await all.env.advanceAsync(600_000)
    expect(all.writes).toEqual(['PATCH /api/v1/namespaces/ending/configmaps/a-text'])
    await expect(all.client.get(ConfigMap, { namespace, name: 'a-text' })).rejects.toThrow('not found')
    expect(errors(all)).toBe(0)
    expect(all.logs.some((line) => line.includes('the namespace is being deleted'))).toBe(true)
  })
})

describe('a shutdown', () => {
  it('a shutdown aborts the signal of a run, and the run that throws because of it is no failure', async () => {
    let aborted = false
    const all = await start(
      bareApps.reconcile(
        ({ signal }) =>
          new Promise<ReconcileResult>((_, reject) => {
            signal.addEventListener('abort', () => {
              aborted = true
              reject(signal.reason as Error)
            })
          }),
      ),
    )
    await all.client.create(App, app('a'))
    await all.settle()
    await all.abort()
    expect(aborted).toBe(true)
    expect(errors(all)).toBe(0)
    expect(all.logs.filter((line) => line.includes('"level":"error"'))).toEqual([])
  })

  it('a shutdown leaves no timers behind', async () => {
    const all = await start(
      bareApps
        .options({ reconcileTimeoutMs: 50_000, debounce: { quietMs: 1000, maxMs: 5000 } })
        .reconcile(() => requeueAfter(60_000)),
    )
    await all.client.create(App, app('a'))
    await all.env.advanceAsync(5000)
    await all.client.create(App, app('b'))
    await all.abort()
    const left = all.env.pending
    await all.plane.close()
    expect(left - all.env.pending).toBeGreaterThanOrEqual(0)
    expect(all.env.pending).toBe(0)
  })
})

describe('a patch of the object itself', () => {
  const noted = (all: Harness<AppObject>) =>
    all.client.get(App, key('a')).then(({ metadata, status }) => [metadata.annotations, status?.phase])

  it('a patch of the object itself is what the status of the same run builds on', async () => {
    const all = await start(
      bareApps.reconcile(async ({ object, patch, status }) => {
        if (object.metadata.annotations === undefined) await patch({ metadata: { annotations: { seen: 'yes' } } })
        status.set({ phase: 'Ready' })
      }),
    )
    await all.client.create(App, app('a'))
    await all.settle()
    expect(await noted(all)).toEqual([{ seen: 'yes' }, 'Ready'])
    expect(results(all, 'conflict')).toBe(0)
    expect(all.writes).toHaveLength(2)
  })

  it('a patch of the object itself is refused after another write, and the run is retried', async () => {
    const seen: (string | undefined)[] = []
    const all = await start(
      bareApps.reconcile(async ({ object, patch }) => {
        seen.push(object.spec.text)
        if (seen.length === 1)
          await all.client.patch(App, key('a'), { type: 'merge', patch: { spec: { text: 'other' } } })
        if (object.metadata.annotations === undefined)
          await patch({ metadata: { annotations: { seen: object.spec.text } } })
      }),
    )
    await all.client.create(App, app('a'))
    await all.env.advanceAsync(5000)
    expect((await noted(all))[0]).toEqual({ seen: 'other' })
    expect(results(all, 'conflict')).toBe(1)
  })
})

describe('a result', () => {
  it.each<[string, unknown]>([
    ['a boolean', true],
    ['null', null],
    ['a wish of another runtime', { requeue: true }],
    ['no number', { requeueAfter: Number.NaN }],
    ['0', { requeueAfter: 0 }],
    ['a negative number', { requeueAfter: -1 }],
    ['more than a delay', { requeueAfter: 5, requeue: true }],
    ['a text', '5s'],
  ])('an invalid reconcile result (%s) is a reported bug, not a loop', async (_, value) => {
    let runs = 0
    const all = await start(
      bareApps.options({ maxRetries: 0 }).reconcile(() => {
        runs++
        return value as never
      }),
    )
    await all.client.create(App, app('a'))
    await all.settle()
    expect(runs).toBe(1)
    expect((await eventsOf(all))[0]).toContain('return nothing, or requeueAfter(milliseconds)')
    expect(metric(all, 'controller_runtime_reconcile_panics_total')).toBe(1)
  })

  it('an invalid reconcile result does not remove a finalizer', async () => {
    const all = await start(apps.finalizer('example.dev/app', () => false as never).reconcile(reconcileApp))
    await all.client.create(App, app('a'))
    await all.settle()
    await all.client.delete(App, key('a'))
    await all.settle()
    expect((await all.client.get(App, key('a'))).metadata.finalizers).toEqual(['example.dev/app'])
  })
})

describe('lost races', () => {
  it('lost races count neither as attempts nor towards maxRetries, and slow down to a second', async () => {
    const at: number[] = []
    const attempts = new Set<number>()
    const all = await start(
      bareApps.options({ maxRetries: 1 }).reconcile(({ now, attempt }) => {
        at.push(now())
        attempts.add(attempt)
        throw apiError.modified({ group: '', resource: 'x' }, 'y')
      }),
    )
    await all.client.create(App, app('a'))
    await all.env.advanceAsync(60_000)
    expect([...attempts]).toEqual([1])
    expect(errors(all)).toBe(0)
    const gaps = at.slice(1).map((time, index) => time - (at[index] as number))
    expect(gaps[0]).toBeLessThan(10)
    expect(gaps.at(-1)).toBeGreaterThan(700)
    expect(gaps.at(-1)).toBeLessThan(1300)
  })

  it('lost races over finalizers are retried, and nobody else’s is lost', async () => {
    let raced = false
    const all = await start(apps.finalizer('example.dev/app', () => undefined).reconcile(reconcileApp))
    all.intercept = async ({ method, path }) => {
      if (raced || method !== 'PATCH' || !path.includes('/apps/a')) return
      raced = true
      await all.client.patch(App, key('a'), { type: 'merge', patch: { metadata: { finalizers: ['other.dev/x'] } } })
    }
    await all.client.create(App, app('a'))
    await all.settle()
    expect((await all.client.get(App, key('a'))).metadata.finalizers).toEqual(['other.dev/x', 'example.dev/app'])
    expect(results(all, 'conflict')).toBe(1)
    expect(errors(all)).toBe(0)
  })
})

describe('maxRetries', () => {
  it('maxRetries counts delays that errors ask for, too', async () => {
    const attempts: number[] = []
    const all = await start(
      bareApps.options({ maxRetries: 2 }).reconcile(({ attempt }) => {
        attempts.push(attempt)
        throw new RetryableError('wait', { afterMs: 1000 })
      }),
    )
    await all.client.create(App, app('a'))
    await all.env.advanceAsync(600_000)
    expect(attempts).toEqual([1, 2, 3])
    expect(metric(all, 'controller_runtime_terminal_reconcile_errors_total')).toBe(1)
    expect(metric(all, 'workqueue_retries_total')).toBe(2)
    expect(await eventsOf(all)).toEqual(['Warning ReconcileRetried wait x2', 'Warning ReconcileFailed wait x1'])
  })
})

describe('the status', () => {
  it('the status of a run has the observed generation, though nothing else is set', async () => {
    const all = await start(apps.reconcile(() => undefined))
    await all.client.create(App, app('a'))
    await all.settle()
    await all.client.patch(App, key('a'), { type: 'merge', patch: { spec: { text: 'new' } } })
    await all.settle()
    expect((await all.client.get(App, key('a'))).status).toEqual({ observedGeneration: 2 })
    expect(all.writes).toHaveLength(2)
  })

  it('the status of a run does not claim a generation that failed', async () => {
    const all = await start(
      apps.reconcile(() => {
        throw new PermanentError('no')
      }),
    )
    await all.client.create(App, app('a'))
    await all.settle()
    expect((await all.client.get(App, key('a'))).status).toBeUndefined()
  })

  it('the status of a run that a run writes makes one more run, which writes nothing', async () => {
    let runs = 0
    const all = await start(
      apps.reconcile(async (context) => {
        runs++
        await reconcileApp(context)
      }),
    )
    await all.client.create(App, app('a'))
    await all.settle()
    const before = runs
    await all.client.patch(App, key('a'), { type: 'merge', patch: { metadata: { labels: { a: 'b' } } } })
    await all.env.advanceAsync(600_000)
    expect(runs).toBe(before + 1)
    expect(all.writes.filter((write) => write.endsWith('/status'))).toHaveLength(1)
  })

  it('the status of a run is written also when the run took too long', async () => {
    const all = await start(
      bareApps.options({ reconcileTimeoutMs: 5000, maxRetries: 0 }).reconcile(({ signal, status }) => {
        status.set({ phase: 'Waiting' })
        return new Promise<ReconcileResult>((_, reject) =>
          signal.addEventListener('abort', () => reject(signal.reason as Error)),
        )
      }),
    )
    await all.client.create(App, app('a'))
    await all.env.advanceAsync(10_000)
    expect((await all.client.get(App, key('a'))).status?.phase).toBe('Waiting')
  })
})

describe('reads', () => {
  it('reads of a reconcile see own writes: what was applied is there in the next line', async () => {
    const seen: unknown[] = []
    const all = await start(
      bareApps.reconcile(async (context) => {
        await reconcileApp(context)
        seen.push(
          (await context.get(ConfigMap, 'a-text'))?.data,
          (await context.owned(ConfigMap)).length,
          (await context.list(ConfigMap, { labelSelector: 'app=a' })).length,
        )
      }),
    )
    await all.client.create(App, app('a'))
    await all.settle()
    expect(seen.slice(0, 3)).toEqual([{ text: 'hello' }, 1, 1])
  })

  it('reads of a reconcile of a kind that is only read are complete before the first run', async () => {
    const seen: (string | undefined)[] = []
    const began: number[] = []
    const late = 3000
    const all = await harness(
      controller(App)
        .reads(ConfigMap)
        .options({ observedGeneration: false })
        .reconcile(async ({ get, now }) => {
          began.push(now())
          seen.push((await get(ConfigMap, 'config'))?.data?.['a'])
        }),
      {
        crds: [App.crd],
        prepare: async (client) => {
          await client.create(ConfigMap, { metadata: { name: 'config', namespace: 'default' }, data: { a: '1' } })
          await client.create(App, app('a'))
        },
        intercept: ({ path }, env) => (path.includes('/configmaps') ? pause(env, late) : Promise.resolve()),
      },
    )
    const start = all.env.now()
    expect(all.controller.synced).toBe(false)
    await all.env.advanceAsync(late)
    expect(all.controller.synced).toBe(true)
    expect(began[0]).toBeGreaterThan(start)
    expect(seen).toEqual(['1'])
    await all.client.patch(ConfigMap, key('config'), { type: 'merge', patch: { data: { a: '2' } } })
    await all.env.advanceAsync(late)
    expect(seen).toEqual(['1'])
    await all.stop()
  })

  it('reads of a reconcile of a kind that was not declared say so', async () => {
    const all = await start(
      controller(App)
        .options({ maxRetries: 0 })
        .reconcile(async ({ list }) => void (await list(ConfigMap))),
    )
    await all.client.create(App, app('a'))
    await all.settle()
    expect((await eventsOf(all))[0]).toContain('configmaps are not in the cache')
  })
})
