/**
 * Known failures of other clients and runtimes that concern a controller: docs/internals/known-failures.md.
 */
import { describe, expect, it, vi } from 'vitest'
import { ConfigMap, Secret } from '../schema/builtin/kinds.ts'
import type { SpanAttributes, Tracer } from '../telemetry/tracer.ts'
import type { ReconcileContext } from './context.ts'
import { PermanentError, RetryableError } from './errors.ts'
import { requeueAfter } from './result.ts'
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

stopAfterEach()

const gaps = (at: readonly number[]) => at.slice(1).map((time, index) => time - (at[index] as number))

describe('known failures of TypeScript clients', () => {
  // Known failure: client 13.
  it('many events and lost ones end in the same state: a run looks at what is, not at what happened', async () => {
    const seen: string[] = []
    const all = await start(
      bareApps.reconcile(async (context) => {
        seen.push(context.object.spec.text)
        await reconcileApp(context)
      }),
    )
    await all.client.create(App, app('a'))
    for (let i = 0; i < 50; i++)
      await all.client.patch(App, key('a'), { type: 'merge', patch: { spec: { text: `${i}` } } })
    await all.settle()
    expect(seen.at(-1)).toBe('49')
    expect((await all.client.get(ConfigMap, key('a-text'))).data).toEqual({ text: '49' })
  })

  // Known failure: client 14.
  it('what failed is not lost: the cache has the object, and the queue has the key', async () => {
    let broken = true
    const all = await start(
      bareApps.reconcile(async (context) => {
        if (broken) throw new RetryableError('no')
        await reconcileApp(context)
      }),
    )
    await all.client.create(App, app('a'))
    await all.settle()
    expect(all.cache.informer(App).lister.get(key('a'))?.spec.text).toBe('hello')
    expect(all.controller.queue.waitingCount).toBe(1)
    broken = false
    await all.env.advanceAsync(60_000)
    expect((await all.client.get(ConfigMap, key('a-text'))).data).toEqual({ text: 'hello' })
  })

  // Known failure: client 17.
  it('waiting, backing off and giving up are part of the API', async () => {
    const runs: string[] = []
    const all = await start(
      bareApps.reconcile(
        ({
          object: {
            spec: { text },
          },
        }) => {
          runs.push(text)
          if (text === 'later') return requeueAfter(10_000)
          throw text === 'again' ? new RetryableError('x', { afterMs: 20_000 }) : new PermanentError('x')
        },
      ),
    )
    for (const text of ['later', 'again', 'never']) await all.client.create(App, app(text, text))
    await all.env.advanceAsync(35_000)
    const count = (text: string) => runs.filter((each) => each === text).length
    expect([count('later'), count('again'), count('never')]).toEqual([4, 2, 1])
  })

  // Known failure: client 18.
  it('a clean-up that fails keeps the finalizer, and can say why in a condition', async () => {
    const all = await start(
      apps
        .finalizer('example.dev/app', ({ status }) => {
          status.condition({
            type: 'Ready',
            status: false,
            reason: 'CleanupFailed',
            message: 'the bucket is not empty',
          })
          throw new RetryableError('the bucket is not empty')
        })
        .reconcile(reconcileApp),
    )
    await all.client.create(App, app('a'))
    await all.settle()
    await all.client.delete(App, key('a'))
    await all.env.advanceAsync(10_000)
    const { metadata, status } = await all.client.get(App, key('a'))
    expect(metadata.finalizers).toEqual(['example.dev/app'])
    expect(status?.conditions).toMatchObject([
      { type: 'Ready', status: 'False', reason: 'CleanupFailed', message: 'the bucket is not empty' },
    ])
  })

  // Known failure: client 19.
  it('nothing that an author’s code does ends the process, or the controller', async () => {
    const exit = vi.spyOn(process, 'exit').mockImplementation(() => {
      throw new Error('the process would have ended')
    })
    const unhandled: unknown[] = []
    const onUnhandled = (error: unknown): void => void unhandled.push(error)
    process.on('unhandledRejection', onUnhandled)
    try {
      const all = await start(
        bareApps
          .when(() => {
            throw new Error('a filter')
          })
          .watches(Secret, {
            map: () => {
              throw new Error('a mapper')
            },
          })
          .gone(() => Promise.reject(new Error('gone')))
          .reconcile(({ object: { metadata, spec } }) => {
            if (metadata.name === 'bad') throw new Error(spec.text)
          }),
      )
      await all.client.create(Secret, { metadata: { name: 's', namespace: 'default' } })
      await all.client.create(App, app('bad'))
      await all.client.patch(App, key('bad'), { type: 'merge', patch: { spec: { text: 'x' } } })
      await all.client.delete(App, key('bad'))
      await all.client.create(App, app('good'))
      await all.settle()
      expect(all.metrics.text()).toMatch(/reconcile_total\{controller="app",result="success"\} [1-9]/)
      expect(exit).not.toHaveBeenCalled()
      expect(unhandled).toEqual([])
    } finally {
      process.off('unhandledRejection', onUnhandled)
      exit.mockRestore()
    }
  })

  // Known failure: client 20.
  it('a run may happen twice, and a crash anywhere ends in the same state', async () => {
    const all = await start(apps.reconcile(reconcileApp))
    // The process crashes after the ConfigMap and before the status.
    all.intercept = ({ path, method }) => {
      if (method === 'PATCH' && path.includes('/status')) throw new Error('dead')
    }
    await all.client.create(App, app('a'))
    await all.settle()
    all.intercept = () => undefined
    const {
      metadata: { uid },
    } = await all.client.get(ConfigMap, key('a-text'))
    await all.restart(apps.reconcile(reconcileApp))
    expect((await all.client.get(App, key('a'))).status?.phase).toBe('Ready')
    expect((await all.client.get(ConfigMap, key('a-text'))).metadata.uid).toBe(uid)
    expect(all.writes.filter((write) => write.includes('configmaps'))).toHaveLength(1)
  })

  // Known failure: client 27.
  it('apply is the main verb, with an owner of fields that everybody can see', async () => {
    const all = await start(bareApps.options({ fieldManager: 'my-operator' }).reconcile(reconcileApp))
    await all.client.create(App, app('a'))
    await all.settle()
    const { metadata } = await all.client.get(ConfigMap, key('a-text'))
    expect(metadata.managedFields?.map(({ manager, operation }) => `${manager} ${operation}`)).toEqual([
      'my-operator Apply',
    ])
  })
})

describe('known failures of operator runtimes', () => {
  const threeChildren = async (context: ReconcileContext<AppObject>): Promise<void> => {
    const missing = 3 - (await context.owned(ConfigMap)).length
    for (let i = 0; i < missing; i++) {
      const { name, uid } = context.object.metadata
      await context.client.create(ConfigMap, {
        metadata: {
          generateName: `${name}-`,
          namespace: 'default',
          ownerReferences: [{ apiVersion: 'example.dev/v1', kind: 'App', name, uid, controller: true }],
        },
      })
    }
  }

  // Known failure: runtime 2.
  it('nobody counts expectations: a late watch makes no child too many', async () => {
    const all = await start(bareApps.reconcile(threeChildren), { watchDelay: 400 })
    await all.client.create(App, app('a'))
    await all.env.advanceAsync(2000)
    for (let i = 0; i < 5; i++) {
      all.controller.trigger('default/a')
      await all.env.advanceAsync(100)
    }
    await all.env.advanceAsync(20_000)
    expect(
      (await all.client.list(ConfigMap, { namespace: 'default' })).items.filter(({ metadata }) =>
        metadata.name.startsWith('a-'),
      ),
    ).toHaveLength(3)
  })

  // Known failure: runtime 1.
  it('a cache that stays behind our own writes is waited for, and then no failure', async () => {
    const all = await start(bareApps.reconcile(threeChildren), { watchDelay: 20_000 })
    await all.client.create(App, app('a'))
    await all.env.advanceAsync(300_000)
    expect(
      (await all.client.list(ConfigMap, { namespace: 'default' })).items.filter(({ metadata }) =>
        metadata.name.startsWith('a-'),
      ),
    ).toHaveLength(3)
    expect(all.metrics.text()).toMatch(/result="stale"\} [1-9]/)
    expect(all.metrics.text()).toContain('controller_runtime_reconcile_errors_total{controller="app"} 0')
  })

  // Known failure: runtime 8.
  it('what was there at the start waits behind what happens now', async () => {
    const order: string[] = []
    await start(
      bareApps.reconcile(async ({ object: { metadata }, client, get }) => {
        order.push(metadata.name)
        if (order.length > 1) return
        await client.patch(App, key('z'), { type: 'merge', patch: { spec: { text: 'now' } } })
        await get(App, 'z')
      }),
      {
        prepare: async (client) => {
          for (const name of ['a', 'b', 'c', 'y', 'z']) await client.create(App, app(name))
        },
      },
    )
    expect(order.slice(0, 2)).toEqual(['a', 'z'])
    expect(order.toSorted()).toEqual(['a', 'b', 'c', 'y', 'z'])
  })

  // Known failure: runtime 11.
  it('the backoff of a key grows with its failures, and starts afresh with its success', async () => {
    const at: number[] = []
    let failures = 5
    const all = await start(
      bareApps.reconcile(({ now }) => {
        at.push(now())
        if (failures-- > 0) throw new RetryableError('no')
      }),
    )
    await all.client.create(App, app('a'))
    await all.env.advanceAsync(10_000)
    const waits = gaps(at)
    for (const [index, wait] of waits.entries()) {
      expect(wait).toBeGreaterThanOrEqual(5 * 2 ** index * 0.8)
      expect(wait).toBeLessThanOrEqual(5 * 2 ** index * 1.2 + 1)
    }
    at.length = 0
    failures = 1
    all.controller.trigger('default/a')
    await all.env.advanceAsync(10_000)
    expect(gaps(at)[0]).toBeLessThan(8)
  })

  // Known failure: runtime 12.
  it('an order between resources is a wait for what comes first, without polling', async () => {
    const order: string[] = []
    const all = await start(
      bareApps
        .watches(Secret, { map: ({ metadata }) => [{ namespace: metadata.namespace, name: metadata.name }] })
        .reconcile(async (context) => {
          if ((await context.get(Secret, context.object.metadata.name)) === undefined) return void order.push('waits')
          order.push('goes on')
          await reconcileApp(context)
        }),
    )
    await all.client.create(App, app('a'))
    await all.env.advanceAsync(3_600_000)
    await all.client.create(Secret, { metadata: { name: 'a', namespace: 'default' } })
    await all.settle()
    expect(order.slice(0, 2)).toEqual(['waits', 'goes on'])
    expect((await all.client.get(ConfigMap, key('a-text'))).data).toEqual({ text: 'hello' })
  })

  // Known failure: runtime 15.
  it('every run is a span, if somebody wants it', async () => {
    const spans: { name: string; attributes: SpanAttributes; error?: unknown }[] = []
    const tracer: Tracer = {
      startSpan: (name, attributes) => ({
        within: (work) => work(),
        end: (error) => void spans.push(error === undefined ? { name, attributes } : { name, attributes, error }),
      }),
    }
    let broken = true
    const all = await start(
      bareApps.reconcile(() => {
        if (!broken) return
        broken = false
        throw new RetryableError('no')
      }),
      { tracer },
    )
    await all.client.create(App, app('a'))
    await all.settle()
    expect(spans).toMatchObject([
      {
        name: 'reconcile',
        attributes: { controller: 'app', kind: 'App', key: 'default/a', attempt: 1, triggers: 1 },
        error: { message: 'no' },
      },
      { name: 'reconcile', attributes: { attempt: 2 } },
    ])
  })

  // Known failure: runtime 13.
  it('a loop has a culprit, in the log and in an event', async () => {
    const all = await start(
      apps.reconcile(async (context) => {
        await context.apply(ConfigMap, { metadata: { name: 'm' }, data: { text: 'ours' } })
      }),
    )
    await all.client.create(App, app('a'))
    await all.settle()
    for (let i = 0; i < 12; i++) {
      await all.client.patch(
        ConfigMap,
        key('m'),
        { type: 'merge', patch: { data: { text: `theirs ${i}` } } },
        { fieldManager: 'other-operator' },
      )
      await all.settle()
    }
    const culprit = 'ConfigMap m (data.text, which other-operator changes)'
    expect(all.logs.find((line) => line.includes('reconcile loop'))).toContain(culprit)
    expect((await eventsOf(all)).find((event) => event.includes('ReconcileLoop'))).toContain(culprit)
  })
})

describe('a busy controller', () => {
  it('a busy controller does not block timers', async () => {
    // Every run requeues at once: without pauses, nothing else in the process would run.
    const most = 50_000
    let runs = 0
    const all = await start(
      bareApps.reconcile(() => {
        if (++runs < most) all.controller.trigger('default/a')
      }),
    )
    let runsBefore = 0
    await all.client.create(App, app('a'))
    all.env.after(100, () => {
      runsBefore = runs
      runs = most
    })
    await all.env.advanceAsync(100)
    expect(runsBefore).toBeGreaterThan(0)
    expect(runsBefore).toBeLessThan(most)
  })
})
