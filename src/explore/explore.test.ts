import { describe, expect, it } from 'vitest'
import type { ApiObject } from '../api/live-object.ts'
import { controller } from '../controller/builder.ts'
import type { ControllerDefinition } from '../controller/definition.ts'
import { timestamp } from '../env/env.ts'
import { requeueAfter } from '../controller/result.ts'
import { ConfigMap, Secret } from '../schema/builtin/kinds.ts'
import { resource } from '../schema/resource.ts'
import { t } from '../schema/t.ts'
import { explore, type ExploreOptions } from './explore.ts'
import { joinReports } from './report/make-report.ts'
import { childrenGoFirst, declaredEdges, standardOracles } from './oracles.ts'
import type { ExploreReport } from './report/report.ts'
import type { ExploreStep } from './trial.ts'

const App = resource('example.dev/v1', 'App', {
  spec: t.object({ text: t.string() }),
  status: t.object({
    observedGeneration: t.int64().optional(),
    phase: t.string().optional(),
    runs: t.int().optional(),
    conditions: t.conditions().optional(),
  }),
})
const finalizer = 'example.dev/app'
const key = { namespace: 'default', name: 'a' }

const app = (text: string) => ({ apiVersion: 'example.dev/v1', kind: 'App', metadata: { name: 'a' }, spec: { text } })
const create: ExploreStep = { name: 'create', act: (cluster) => cluster.apply(app('one')) }
const update: ExploreStep = { name: 'update', act: (cluster) => cluster.apply(app('two')) }
const drift: ExploreStep = { name: 'drift', act: async ({ client }) => void (await client.delete(ConfigMap, key)) }
const remove: ExploreStep = { name: 'delete', act: async ({ client }) => void (await client.delete(App, key)) }

function exploring(
  controllers: ControllerDefinition | (() => readonly ControllerDefinition[]),
  steps: readonly ExploreStep[],
  more: Partial<ExploreOptions> = {},
): Promise<ExploreReport> {
  return explore({
    cluster: { controllers: typeof controllers === 'function' ? controllers : [controllers] },
    steps,
    ...more,
  })
}

const failed = ({ failures }: ExploreReport): readonly string[] => failures.map(({ id }) => id)

/** Two children, a phase, and a finalizer that deletes them in order. */
const sound = controller(App)
  .owns(ConfigMap, Secret)
  .finalizer(finalizer, async ({ delete: remove, owned }) => {
    // Not by name: somebody else may have it by now.
    for (const kind of [Secret, ConfigMap])
      for (const { metadata } of await owned<ApiObject>(kind)) {
        await remove<ApiObject>(kind, metadata.name)
        return requeueAfter(1000)
      }
    return undefined
  })
  .reconcile(async ({ object, apply, status, event }) => {
    const { outcome } = await apply(ConfigMap, { metadata: { name: 'a' }, data: { text: object.spec.text } })
    await apply(Secret, { metadata: { name: 'a' }, stringData: {}, type: 'Opaque' })
    if (outcome !== 'unchanged') event('Normal', 'Applied', object.spec.text)
    status.set({ phase: 'Running' })
    status.condition({ type: 'Ready', status: true, reason: 'Applied' })
    return requeueAfter(30_000)
  })

describe('an operator that is sound', () => {
  it('an operator that is sound ends the same whatever goes wrong at any call', { timeout: 120_000 }, async () => {
    const oracles = [
      ...standardOracles,
      childrenGoFirst(App, ConfigMap, Secret),
      declaredEdges(App, ({ status }) => status?.phase, { '': ['Running'] }),
    ]
    const report = await exploring(sound, [create, update, drift, remove], { oracles, atMost: 160 })
    expect(report.failures, report.text).toEqual([])
    expect(report.text).toMatch(/^4 steps, \d+ calls: 160 faults tried in .* all came to the same end\n/)
    expect(report.steps.map(({ name }) => name)).toEqual(['create', 'update', 'drift', 'delete'])
    const calls = report.steps.reduce((sum, step) => sum + step.calls.length, 0)
    expect(report.coverage.singles.total).toBeGreaterThan(calls * 12)
  })
})

describe('a bug that no run without faults shows', () => {
  it('children with generated names that nobody looks for: a crash makes another one', async () => {
    const forgetful = controller(App)
      .owns(ConfigMap)
      .reconcile(async ({ object, client, status, kind }) => {
        if (object.status?.phase === 'Running') return
        const { apiVersion, kind: name } = kind
        const owner = { apiVersion, kind: name, name: object.metadata.name, uid: object.metadata.uid, controller: true }
        await client.create(ConfigMap, {
          metadata: { generateName: 'a-', namespace: 'default', ownerReferences: [owner] },
        })
        status.set({ phase: 'Running' })
      })
    const report = await exploring(forgetful, [create], { faults: ['crash-before', 'crash-after', 'lost-reply'] })
    expect(failed(report)).toEqual(['create/1/crash-after', 'create/1/lost-reply', 'create/2/crash-before'])
    expect(report.failures[0]?.problems).toEqual([
      'created v1 ConfigMap default/a-* 2 times instead of once',
      'v1 ConfigMap default/a-* (2) should not be there',
    ])
    expect(report.text).toContain(
      `the shortest story: in the step "create", at call 1: POST /api/v1/namespaces/default/configmaps`,
    )
    expect(report.text).toContain(`only this again: COXSWAIN_EXPLORE='create/1/lost-reply' before the same command`)
  })

  it('a finalizer that goes before what it guards', async () => {
    const early = controller(App)
      .deleting(async ({ object, client }) => {
        if (object.metadata.finalizers?.includes(finalizer) === true) {
          await client.patch(App, key, { type: 'merge', patch: { metadata: { finalizers: [] } } })
          await client.delete(ConfigMap, key)
        }
      })
      .reconcile(async ({ object, client }) => {
        if (object.metadata.finalizers?.includes(finalizer) !== true)
          await client.patch(App, key, { type: 'merge', patch: { metadata: { finalizers: [finalizer] } } })
        await client.apply(ConfigMap, { metadata: key }, { fieldManager: 'app', force: true })
      })
    const report = await exploring(early, [create, remove], { faults: ['crash-before', 'crash-after'] })
    expect(failed(report)).toEqual(['delete/1/crash-after', 'delete/2/crash-before'])
    expect(report.failures.map(({ problems }) => problems)).toEqual([
      ['v1 ConfigMap default/a should not be there'],
      ['v1 ConfigMap default/a should not be there'],
    ])
    const guarded = controller(App)
      .owns(ConfigMap)
      .finalizer(finalizer, () => undefined)
      .reconcile(async ({ apply }) => void (await apply(ConfigMap, { metadata: { name: 'a' } })))
    const { failures } = await exploring(guarded, [create, remove], {
      faults: [],
      oracles: [childrenGoFirst(App, ConfigMap)],
    })
    expect(failures.map(({ id, problems }) => [id, ...problems])).toEqual([
      ['delete/0/none', 'children go first: App a is gone, and ConfigMap a is still there'],
    ])
  })

  it('a read that does not wait for what was written: a late watch makes another child', async () => {
    const hasty = controller(App)
      .owns(ConfigMap)
      .reconcile(async ({ list, client, object, status }) => {
        const there = await list(ConfigMap, { waitMs: 0 })
        if (!there.some(({ metadata }) => metadata.generateName === 'a-'))
          await client.create(ConfigMap, { metadata: { generateName: 'a-', namespace: 'default' } })
        status.set({ phase: object.spec.text })
      })
    const report = await exploring(hasty, [create], { faults: ['stale-kind'] })
    expect(failed(report)).toEqual(['create/1/stale-kind'])
    expect(report.failures[0]?.problems).toContain('v1 ConfigMap default/a-* (2) should not be there')
  })

  it('what is counted twice', async () => {
    const counting = controller(App).reconcile(async ({ object, client }) => {
      if (object.status?.phase === object.spec.text) return
      const runs = (object.status?.runs ?? 0) + 1
      await client.patch(App, key, { type: 'merge', patch: { status: { runs } } }, { subresource: 'status' })
      await client.patch(
        App,
        key,
        { type: 'merge', patch: { status: { phase: object.spec.text } } },
        { subresource: 'status' },
      )
    })
    const report = await exploring(counting, [create], { faults: ['crash-before', 'crash-after'] })
    expect(failed(report)).toEqual(['create/1/crash-after', 'create/2/crash-before'])
    expect(report.failures[0]?.problems).toEqual(['example.dev/v1 App default/a: status.runs: 2 instead of 1'])
    expect(
      (await exploring(counting, [create], { faults: ['crash-after'], ignore: ['status.runs'] })).failures,
    ).toEqual([])
  })

  it('what only memory knows', async () => {
    const remembering = (): readonly ControllerDefinition[] => {
      const made = new Set<string>()
      return [
        controller(App)
          .owns(ConfigMap)
          .reconcile(async ({ object, client, status }) => {
            if (!made.has(object.metadata.uid)) await client.create(ConfigMap, { metadata: key })
            made.add(object.metadata.uid)
            status.set({ phase: 'Running' })
          }),
      ]
    }
    const report = await exploring(remembering, [create, update], { faults: ['crash-before'] })
    expect(failed(report).slice(0, 2)).toEqual(['create/0/restart', 'update/0/restart'])
    expect(report.failures[0]?.problems.join()).toContain('restarted at rest, a key keeps failing')
    expect(report.failures[1]?.problems).toContain(
      'example.dev/v1 App default/a: status.observedGeneration: 1 instead of 2',
    )
  })

  it('a restart that is not at rest', async () => {
    const busy = (): readonly ControllerDefinition[] => {
      let isFirst = true
      return [
        controller(App).reconcile(async ({ object, client, status }) => {
          if (isFirst)
            await client.patch(App, key, {
              type: 'merge',
              patch: { metadata: { annotations: { started: object.metadata.resourceVersion } } },
            })
          isFirst = false
          status.set({ phase: 'Running' })
        }),
      ]
    }
    const report = await exploring(busy, [create, { name: 'nothing', act: () => undefined }], { faults: [] })
    expect(report.failures.map(({ id, problems: [first] }) => [id, first])).toEqual([
      ['nothing/0/restart', 'restarted before the step, when all was at rest, it wrote example.dev/v1 App a'],
    ])
  })

  it('edges that were not declared, and times that move', async () => {
    const phases = controller(App).reconcile(({ object, status, now }) => {
      const [phase, at] = object.status?.phase === undefined ? ['Pending', now()] : ['Running', now() + 60_000]
      status.set({
        phase,
        conditions: [{ type: 'Ready', status: 'True', reason: 'Now', message: '', lastTransitionTime: timestamp(at) }],
      })
    })
    const edges = declaredEdges(App, ({ status }) => status?.phase, { '': ['Running'] })
    const {
      failures: [first],
    } = await exploring(phases, [create], { oracles: [...standardOracles, edges] })
    expect(first?.problems.toSorted()).toEqual(
      [
        'edges: App a went from no phase to Pending, which is not declared',
        'edges: App a went from Pending to Running, which is not declared',
        'conditions: Ready of App a is still True, but its lastTransitionTime changed',
      ].toSorted(),
    )
  })
})

describe('an exploration', () => {
  it('an exploration runs one alone, as the report names it', async () => {
    const report = await exploring(sound, [create, update], { only: 'update/1/lost-reply' })
    expect([report.tried, report.failures]).toEqual([1, []])
    await expect(exploring(sound, [create], { only: 'update/1/lost-reply' })).rejects.toThrow(
      '"update/1/lost-reply" is not the name of a run',
    )
    await expect(exploring(sound, [create, create])).rejects.toThrow('"create" cannot name a step')
  })

  it('an exploration runs as many as it may, from the first to the last', async () => {
    expect((await exploring(sound, [create], { atMost: 5, faults: ['error'] })).tried).toBe(5)
  })

  it('an exploration can be shared by several processes', async () => {
    const part = (index: number) => exploring(sound, [create], { atMost: 5, faults: ['error'], part: { index, of: 2 } })
    const reports = [await part(0), await part(1)]
    expect(reports.map(({ tried }) => tried)).toEqual([3, 2])
    expect(joinReports(reports)).toMatchObject({ tried: 5, steps: reports[0]?.steps, failures: [] })
    const failure = {
      id: 'create/0/restart',
      step: 'create',
      run: 'restart',
      faults: [],
      calls: [],
      problems: ['both saw it'],
    } as const
    expect(joinReports(reports.map((each) => ({ ...each, failures: [failure] }))).text).toContain('; 1 failed')
  })

  it('an exploration can end with the first failure, and its steps take turns', async () => {
    const careless = controller(App)
      .owns(ConfigMap)
      .reconcile(async ({ apply }) => {
        await apply(ConfigMap, { metadata: { name: 'a' } }).catch(() => undefined)
      })
    const all = await exploring(careless, [create, drift], { faults: ['error', 'conflict', 'lost-call'] })
    const first = await exploring(careless, [create, drift], {
      faults: ['error', 'conflict', 'lost-call'],
      stopAtFirst: true,
    })
    expect(all.failures.length).toBeGreaterThan(1)
    expect([first.failures.length, first.tried < all.tried]).toEqual([1, true])
    const sequence: number[] = []
    const sane = await exploring(sound, [create, update], {
      faults: ['error'],
      stopAtFirst: true,
      onProgress: (done) => sequence.push(done),
    })
    expect([sane.failures.length, sane.tried]).toEqual([0, sequence.length])
    expect(sane.tried).toBe((await exploring(sound, [create, update], { faults: ['error'] })).tried)
  })

  it('an exploration tells of an operator that does not do the same in the same situation', async () => {
    let runs = 0
    const moody = controller(App).reconcile(async ({ client }) => {
      runs++
      await client.apply(
        ConfigMap,
        { metadata: { ...key, name: runs > 5 ? 'later' : 'first' } },
        { fieldManager: 'app' },
      )
    })
    const report = await exploring(moody, [create], { faults: ['error'] })
    expect(report.failures.flatMap(({ problems }) => problems).join()).toContain(
      'the operator does not do the same in the same situation',
    )
  })

  it('an exploration stops at a step that fails by itself', async () => {
    const broken = controller(App).reconcile(() => {
      throw new TypeError('not a function')
    })
    const report = await exploring(broken, [create, update])
    expect([report.tried, failed(report)]).toEqual([0, ['create/0/none']])
    expect(report.failures[0]?.problems).toContain('the operator threw TypeError: not a function')
  })
})
