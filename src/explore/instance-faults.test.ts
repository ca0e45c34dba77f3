/** Faults of instances and of their server: what they find that a crash does not, and that a sound operator passes. */
import { afterEach, describe, expect, it, vi } from 'vitest'
import { ObjectStore } from '../cache/object-store.ts'
import { controller } from '../controller/builder.ts'
import type { ControllerDefinition } from '../controller/definition.ts'
import { requeueAfter } from '../controller/result.ts'
import { ConfigMap, Secret } from '../schema/builtin/kinds.ts'
import { LeaseElection } from '../manager/lease-election.ts'
import { resource } from '../schema/resource.ts'
import { t } from '../schema/t.ts'
import { explore, type ExploreOptions } from './explore.ts'
import type { FaultName } from './faults.ts'
import type { ExploreReport } from './report/report.ts'
import type { ExploreStep } from './trial.ts'

const App = resource('example.dev/v1', 'App', {
  spec: t.object({ text: t.string() }),
  status: t.object({ observedGeneration: t.int64().optional(), phase: t.string().optional() }),
})
const key = { namespace: 'default', name: 'a' }
const app = (text: string) => ({ apiVersion: 'example.dev/v1', kind: 'App', metadata: { name: 'a' }, spec: { text } })
const create: ExploreStep = { name: 'create', act: (cluster) => cluster.apply(app('one')) }
const update: ExploreStep = { name: 'update', act: (cluster) => cluster.apply(app('two')) }
const remove: ExploreStep = { name: 'delete', act: async ({ client }) => void (await client.delete(App, key)) }
const leaderElection = { namespace: 'default', name: 'apps' }

const crashes: readonly FaultName[] = ['crash-before', 'crash-after', 'late-arrival', 'lost-reply', 'stale-cache']
const instances: readonly FaultName[] = ['second-instance', 'hand-over', 'pause', 'lease-reassigned', 'clock-jump']
const servers: readonly FaultName[] = ['server-set-back', 'server-lost-writes']

/** Two children, a phase, a check every half a minute, and a finalizer that deletes the children in order. */
const sound = (): ControllerDefinition =>
  controller(App)
    .owns(ConfigMap, Secret)
    .finalizer('example.dev/app', async ({ delete: remove, get }) => {
      await remove(Secret, 'a')
      if ((await get(Secret, 'a')) !== undefined) return requeueAfter(1000)
      await remove(ConfigMap, 'a')
      return (await get(ConfigMap, 'a')) === undefined ? undefined : requeueAfter(1000)
    })
    .reconcile(async ({ object, apply, status }) => {
      await apply(ConfigMap, { metadata: { name: 'a' }, data: { text: object.spec.text } })
      await apply(Secret, { metadata: { name: 'a' }, stringData: {}, type: 'Opaque' })
      status.set({ phase: 'Running' })
      return requeueAfter(30_000)
    })

function exploring(
  made: () => ControllerDefinition,
  faults: readonly FaultName[],
  { cluster, ...more }: Partial<ExploreOptions> = {},
): Promise<ExploreReport> {
  return explore({ cluster: { controllers: () => [made()], ...cluster }, steps: [create], faults, ...more })
}

const failed = ({ failures }: ExploreReport): readonly string[] => failures.map(({ id }) => id)
const problems = ({ failures }: ExploreReport): string => failures.flatMap((each) => each.problems).join('\n')

describe('an operator that is sound', () => {
  it('an operator that is sound passes all faults of instances and servers', { timeout: 120_000 }, async () => {
    const report = await exploring(sound, [...instances, ...servers], { steps: [create, update, remove] })
    expect(report.failures, report.text).toEqual([])
    expect(report.tried).toBeGreaterThan(50)
    const faults = new Set(report.singleFaults.map(({ fault }) => fault))
    expect(faults).toEqual(new Set([...instances, ...servers].filter((name) => name !== 'lease-reassigned')))
  })

  it('an operator with leader election passes them, too', { timeout: 120_000 }, async () => {
    const cluster = { leaderElection }
    const limited = { steps: [create, update, remove], cluster, atMost: 70 }
    const report = await exploring(sound, [...instances, ...servers], limited)
    expect(report.failures, report.text).toEqual([])
    const faults = new Set(report.singleFaults.map(({ fault }) => fault))
    expect(faults).toEqual(new Set([...instances, ...servers]))
  })
})

describe('a mistake that no fault of a single process shows', () => {
  it('two instances that both find nothing both make a child', async () => {
    const hasty = () =>
      controller(App)
        .owns(ConfigMap)
        .reconcile(async ({ object, client, list, kind: { apiVersion, kind } }) => {
          if ((await list(ConfigMap)).length > 0) return
          const { name, uid } = object.metadata
          const ownerReferences = [{ apiVersion, kind, name, uid, controller: true }]
          await client.create(ConfigMap, { metadata: { generateName: 'a-', namespace: 'default', ownerReferences } })
        })
    expect(failed(await exploring(hasty, ['crash-before', 'crash-after', 'lost-reply']))).toEqual([])
    const report = await exploring(hasty, ['second-instance'])
    expect(failed(report)).toEqual(['create/1/second-instance'])
    expect(problems(report)).toContain('v1 ConfigMap default/a-* (2) should not be there')
    // With a lease they do not work at the same time.
    const led = await exploring(hasty, ['second-instance', 'hand-over', 'pause'], { cluster: { leaderElection } })
    expect(failed(led)).toEqual([])
  })

  it('a wall clock that measures a delay', async () => {
    const patient = () => {
      let since: number | undefined
      return controller(App)
        .owns(ConfigMap, Secret)
        .reconcile(async ({ object, apply, status, now }) => {
          await apply(ConfigMap, { metadata: { name: 'a' }, data: { text: object.spec.text } })
          since ??= now()
          const leftMs = object.status?.phase === 'Running' ? 0 : since + 10_000 - now()
          if (leftMs > 0) return requeueAfter(leftMs)
          await apply(Secret, { metadata: { name: 'a' }, stringData: {}, type: 'Opaque' })
          status.set({ phase: 'Running' })
        })
    }
    expect(problems(await exploring(patient, []))).toEqual('')
    expect(problems(await exploring(patient, ['clock-jump']))).toContain('v1 Secret default/a is missing')
  })

  it('a memory of what was made, which the server has lost', async () => {
    const forgetful = () => {
      const made = new Set<string>()
      return controller(App)
        .owns(ConfigMap)
        .reconcile(async ({ object, apply }) => {
          const { text } = object.spec
          if (made.has(text)) return
          await apply(ConfigMap, { metadata: { name: 'a' }, data: { text } })
          made.add(text)
        })
    }
    const steps = [create, update]
    expect(failed(await exploring(forgetful, crashes, { steps }))).toEqual([])
    const report = await exploring(forgetful, servers, { steps: [...steps, { ...create, name: 'back' }] })
    expect(failed(report)).not.toEqual([])
  })
})

describe('a mistake of the runtime', () => {
  afterEach(() => void vi.restoreAllMocks())

  it('an instance that was paused beyond its lease, and writes', async () => {
    vi.spyOn(LeaseElection.prototype, 'mayWrite', 'get').mockReturnValue(true)
    const report = await exploring(sound, ['pause'], { cluster: { leaderElection } })
    expect(failed(report)).toContain('create/2/pause')
    expect(problems(report)).toMatch(
      /^PATCH \/api\/v1\/namespaces\/default\/configmaps\/a came from an instance that had lost the lease: another/m,
    )
  })

  it('a cache that takes a restored server for the same', async () => {
    // Whatever the server has is what the cache knows.
    vi.spyOn(ObjectStore.prototype, 'counterpart').mockImplementation((object) => object)
    const report = await exploring(sound, ['server-lost-writes'], { stopAtFirst: true, shrink: 0, timelines: 0 })
    expect(problems(report)).toContain('example.dev/v1 App default/a')
  }, 120_000)
})
