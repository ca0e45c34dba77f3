import { describe, expect, it } from 'vitest'
import { ConfigMap } from '../schema/builtin/kinds.ts'
import { WriteEchoes } from './write-echoes.ts'
import { controllerReference } from './owner-references.ts'
import { requeueAfter } from './result.ts'
import { App, app, apps, bareApps, key, start, stopAfterEach } from './testdata/app.ts'
import type { Trigger } from './triggers.ts'

stopAfterEach()

describe('the echo of own writes', () => {
  const update = (version: string): Trigger => ({ verb: 'update', kind: 'App', name: 'a', version, changed: [] })
  const of = (...first: readonly Trigger[]) => ({ first, count: first.length })

  it('the echo of own writes matches once, and has the time of the next run', () => {
    const echoes = new WriteEchoes()
    echoes.expect('a', ['7'], 5000)
    expect(echoes.match('a', of(update('7')))).toMatchObject({ dueAt: 5000 })
    expect(echoes.match('a', of(update('7')))).toBeUndefined()
  })

  it('the echo of several own writes matches until the last of them', () => {
    const echoes = new WriteEchoes()
    echoes.expect('a', ['7', '8'], undefined)
    expect(echoes.match('a', of(update('7')))).toBeDefined()
    expect(echoes.match('a', of(update('8')))).toBeDefined()
    expect(echoes.match('a', of(update('8')))).toBeUndefined()
  })

  it('the echoes of two runs match in any order', () => {
    const echoes = new WriteEchoes()
    echoes.expect('a', ['7', '8'], undefined)
    echoes.expect('a', ['9'], undefined)
    expect(echoes.match('a', of(update('9'), { ...update('8'), kind: 'ConfigMap', verb: 'add' }))).toBeDefined()
    expect(echoes.match('a', of(update('7')))).toBeDefined()
    expect(echoes.match('a', of(update('7')))).toBeUndefined()
  })

  it('an event is no echo if anything else has happened, or may have', () => {
    const others: readonly [string, ReturnType<typeof of>][] = [
      ['another version', of(update('9'))],
      ['another beside it', of(update('7'), update('9'))],
      ['no reason', of()],
      ['a delete', of({ ...update('7'), verb: 'delete' })],
      ['its time', of(update('7'), { verb: 'requeue', kind: 'App', name: 'a', changed: [] })],
      ['more than is told', { first: [update('7')], count: 2 }],
    ]
    const found = others.filter(([, triggers]) => {
      const echoes = new WriteEchoes()
      echoes.expect('a', ['7'], undefined)
      return echoes.match('a', triggers) !== undefined
    })
    expect(found).toEqual([])
  })

  it('the echo of own writes is forgotten with the next run that writes nothing', () => {
    const echoes = new WriteEchoes()
    echoes.expect('a', ['7'], undefined)
    echoes.expect('a', [], undefined)
    expect(echoes.match('a', of(update('7')))).toBeUndefined()
  })
})

describe('a controller that does not run after its own writes', () => {
  const quiet = { reconcileOwnWrites: 'never', observedGeneration: false } as const

  it('a controller that ignores its own writes runs once where another runs twice', async () => {
    for (const [options, expected] of [
      [{}, 2],
      [quiet, 1],
    ] as const) {
      let runs = 0
      const all = await start(
        bareApps.options(options).reconcile(({ status }) => {
          runs++
          status.set({ phase: 'Ready' })
        }),
      )
      await all.client.create(App, app('a'))
      await all.settle()
      expect(runs).toBe(expected)
    }
  })

  it('a controller that ignores its own writes does not run after what it has applied', async () => {
    let runs = 0
    const all = await start(
      bareApps
        .finalizer('example.dev/app', () => {})
        .options(quiet)
        .reconcile(async ({ object, apply, status }) => {
          runs++
          await apply(ConfigMap, { metadata: { name: 'text' }, data: { text: object.spec.text } })
          status.set({ phase: object.spec.text })
        }),
    )
    await all.client.create(App, app('a'))
    await all.settle()
    expect(runs).toBe(1)
    await all.client.patch(ConfigMap, key('text'), { type: 'merge', patch: { data: { text: 'drift' } } })
    await all.settle()
    expect((await all.client.get(ConfigMap, key('text'))).data).toEqual({ text: 'hello' })
    expect(runs).toBe(2)
  })

  it('a controller that ignores its own writes does not run after what it has created', async () => {
    let runs = 0
    const all = await start(
      bareApps.options(quiet).reconcile(async ({ object, owned, client, status }) => {
        runs++
        const ownerReferences = [controllerReference(App, object)]
        if ((await owned(ConfigMap)).length === 0)
          await client.create(ConfigMap, { metadata: { name: `made-${runs}`, namespace: 'default', ownerReferences } })
        status.set({ phase: 'Ready' })
      }),
    )
    await all.client.create(App, app('a'))
    await all.settle()
    expect(runs).toBe(1)
    await all.client.delete(ConfigMap, key('made-1'))
    await all.settle()
    expect(runs).toBe(2)
    expect((await all.client.get(ConfigMap, key('made-2'))).metadata.name).toBe('made-2')
  })

  it('with ifRequeuedSoon, own writes trigger a run only after a requeue within a second', async () => {
    for (const [reconcileOwnWrites, expected] of [
      ['never', 1000],
      ['ifRequeuedSoon', 0],
    ] as const) {
      const runs: number[] = []
      const all = await start(
        bareApps.options({ ...quiet, reconcileOwnWrites }).reconcile(({ status, now }) => {
          runs.push(now())
          status.set({ phase: `Round${Math.min(runs.length, 2)}` })
          return runs.length === 1 ? requeueAfter(1000) : undefined
        }),
      )
      await all.client.create(App, app('a'))
      await all.env.advanceAsync(60_000)
      expect(runs).toHaveLength(2)
      expect((runs[1] ?? 0) - (runs[0] ?? 0)).toBe(expected)
    }
  })

  it('a controller that ignores its own writes still runs again when it asked to', async () => {
    const runs: number[] = []
    const all = await start(
      apps.options(quiet).reconcile(({ status, now }) => {
        runs.push(now())
        status.set({ phase: `Round${runs.length}` })
        return runs.length < 3 ? requeueAfter(10_000) : undefined
      }),
    )
    await all.client.create(App, app('a'))
    await all.env.advanceAsync(60_000)
    expect(runs.map((time) => time - (runs[0] ?? 0))).toEqual([0, 10_000, 20_000])
  })

  it('a controller that ignores its own writes runs when somebody else writes, also the status', async () => {
    let runs = 0
    const all = await start(
      apps.options(quiet).reconcile(({ status }) => {
        runs++
        status.set({ phase: 'Ready' })
      }),
    )
    await all.client.create(App, app('a'))
    await all.settle()
    await all.client.patch(
      App,
      key('a'),
      { type: 'merge', patch: { status: { phase: 'Lost' } } },
      { subresource: 'status' },
    )
    await all.settle()
    expect((await all.client.get(App, key('a'))).status?.phase).toBe('Ready')
    expect(runs).toBe(2)
  })
})

describe('a controller of some objects only', () => {
  it('a controller with a filter of objects runs for those that are, or were, its business', async () => {
    const runs: string[] = []
    const all = await start(
      bareApps
        .only(({ spec }) => spec.text === 'ours')
        .reconcile(({ object }) => {
          runs.push(`${object.metadata.name} ${object.spec.text}`)
        }),
    )
    await all.client.create(App, app('a', 'ours'))
    await all.client.create(App, app('b', 'theirs'))
    await all.settle()
    await all.client.patch(App, key('a'), { type: 'merge', patch: { spec: { text: 'given away' } } })
    await all.settle()
    await all.client.patch(App, key('a'), { type: 'merge', patch: { spec: { text: 'sold' } } })
    await all.client.patch(App, key('b'), { type: 'merge', patch: { spec: { text: 'ours' } } })
    await all.settle()
    expect(runs).toEqual(['a ours', 'a given away', 'b ours'])
  })
})
