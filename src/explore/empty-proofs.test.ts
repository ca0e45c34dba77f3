/** An exploration proves something: operators that do nothing good, and mistakes that the standard oracles find. */
import { describe, expect, it } from 'vitest'
import { controller } from '../controller/builder.ts'
import type { ControllerDefinition } from '../controller/definition.ts'
import { requeueAfter } from '../controller/result.ts'
import { ConfigMap, Service } from '../schema/builtin/kinds.ts'
import { resource } from '../schema/resource.ts'
import { t } from '../schema/t.ts'
import { explore, type ExploreOptions } from './explore.ts'
import type { ExploreReport } from './report/report.ts'
import type { ExploreStep } from './trial.ts'

const App = resource('example.dev/v1', 'App', {
  spec: t.object({ text: t.string() }),
  status: t.object({
    observedGeneration: t.int64().optional(),
    phase: t.string().optional(),
    conditions: t.conditions().optional(),
  }),
})
const key = { namespace: 'default', name: 'a' }
const app = (text: string) => ({ apiVersion: 'example.dev/v1', kind: 'App', metadata: { name: 'a' }, spec: { text } })
const create: ExploreStep = { name: 'create', act: (cluster) => cluster.apply(app('one')) }
const update: ExploreStep = { name: 'update', act: (cluster) => cluster.apply(app('two')) }
const remove: ExploreStep = { name: 'delete', act: async ({ client }) => void (await client.delete(App, key)) }

async function exploring(
  definition: ControllerDefinition,
  steps: readonly ExploreStep[] = [create],
  more: Partial<ExploreOptions> = {},
): Promise<ExploreReport> {
  return explore({ cluster: { controllers: [definition] }, steps, faults: [], ...more })
}

const found = ({ failures }: ExploreReport): string =>
  failures.flatMap(({ id, problems }) => problems.map((problem) => `${id}: ${problem}`)).join('\n')

const good = controller(App)
  .owns(ConfigMap)
  .reconcile(async ({ apply, status }) => {
    await apply(ConfigMap, { metadata: { name: 'a' } })
    status.condition({ type: 'Ready', status: true, reason: 'Applied' })
  })
const ending = controller(App).reconcile(({ object, status }) => {
  if (object.spec.text === 'two') throw new Error('two is too many')
  status.condition({ type: 'Ready', status: object.spec.text === 'one', reason: 'Counted' })
})

describe('a proof that would be empty', () => {
  it('a proof is empty if the operator only throws', async () => {
    const report = await exploring(
      controller(App).reconcile(() => {
        throw new Error('the database is down')
      }),
      [create, update],
      { faults: ['error'] },
    )
    expect(report.tried).toBe(0)
    expect(found(report)).toMatch(/create\/0\/none: a key keeps failing.*the database is down\n {4}at src\/explore\//s)
  })

  it('a proof is empty if a declaration was forgotten', async () => {
    const forgotten = controller(App).reconcile(
      async ({ apply }) => void (await apply(ConfigMap, { metadata: { name: 'a' } })),
    )
    expect(found(await exploring(forgotten))).toMatch(/UndeclaredKindError.*at src\/explore\/empty-proofs\.test\.ts/s)
  })

  it('a proof is empty if nothing is written', async () => {
    const idle = controller(App)
      .options({ observedGeneration: false })
      .reconcile(() => undefined)
    expect(found(await exploring(idle, [create, update]))).toMatch(
      /^create\/0\/none: the operator wrote nothing in the first step; .*: expects: 'no writes'$/,
    )
    expect(found(await exploring(idle, [{ ...create, expects: 'no writes' }, update]))).toContain(
      'update/0/none: the operator wrote nothing in the whole scenario',
    )
  })

  it('a proof is empty if the objects do not become ready', async () => {
    const waiting = controller(App).reconcile(({ status }) =>
      status.condition({ type: 'Ready', status: false, reason: 'Waiting', message: 'for rain' }),
    )
    expect(found(await exploring(waiting))).toContain(
      'create/0/none: example.dev/v1 App a is not ready: Ready is False (Waiting: for rain)',
    )
  })

  it('a proof stops at the step that is not as expected, and tries no faults of earlier ones', async () => {
    const report = await exploring(ending, [create, update], { faults: ['error'] })
    expect([report.tried, report.failures.map(({ id }) => id)]).toEqual([0, ['update/0/none']])
  })

  it('a proof may have steps that are meant to fail, and its report says so', async () => {
    const three: ExploreStep = { name: 'three', act: (cluster) => cluster.apply(app('three')), expects: 'not ready' }
    const report = await exploring(ending, [create, { ...update, expects: 'failing' }, three])
    expect(report.failures, report.text).toEqual([])
    expect(report.text).toContain("opted out, expects 'not ready': three\nopted out, expects 'failing': update")
  })

  it('a proof does not opt out where it need not', async () => {
    expect(found(await exploring(good, [{ ...create, expects: 'not ready' }]))).toContain('but all objects are ready')
    expect(found(await exploring(good, [{ ...create, expects: 'failing' }]))).toContain('but no key fails')
  })
})

describe('a standard oracle', () => {
  it('a standard oracle passes an operator that makes no mistake', async () => {
    const report = await exploring(good, [create, update, remove])
    expect(report.failures, report.text).toEqual([])
  })

  it.each([
    ['is Ready and Reconciling', ['Ready', 'Reconciling'], 'Now'],
    ['is Ready and Stalled', ['Ready', 'Stalled'], 'Now'],
    ['is Reconciling and Stalled', ['Reconciling', 'Stalled'], 'Now'],
  ])('a standard oracle finds a status that contradicts itself: %s', async (problem, types, reason) => {
    const contradicting = controller(App).reconcile(({ status }) => {
      for (const type of types) status.condition({ type, status: true, reason })
    })
    expect(found(await exploring(contradicting))).toContain(`kstatus: App a ${problem}`)
  })

  it('a standard oracle finds an object whose controller is gone, but that another owner keeps', async () => {
    const keeping = controller(App)
      .owns(ConfigMap)
      .reconcile(async ({ object, client, kind }) => {
        const settings = await client.get(ConfigMap, { namespace: 'default', name: 'settings' })
        const { name, uid } = object.metadata
        const ownerReferences = [
          { apiVersion: kind.apiVersion, kind: kind.kind, name, uid, controller: true },
          { apiVersion: 'v1', kind: 'ConfigMap', name: 'settings', uid: settings.metadata.uid },
        ]
        await client.apply(ConfigMap, { metadata: { ...key, ownerReferences } })
      })
    const settings = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'settings' } }
    const both: ExploreStep = { name: 'create', act: (cluster) => cluster.apply(settings, app('one')) }
    expect(found(await exploring(keeping, [both, remove]))).toContain(
      'delete/0/none: orphans: the controller of v1 ConfigMap a is gone, and nothing deletes it',
    )
  })

  it('a standard oracle finds what the operator leaves behind', async () => {
    const leaving = controller(App).reconcile(async ({ client }) => {
      await client.apply(ConfigMap, { metadata: key })
    })
    expect(found(await exploring(leaving, [create, remove]))).toContain(
      'delete/0/none: leftovers: the operator created v1 ConfigMap a, or its owner; nobody owns it now',
    )
  })

  it('a standard oracle does not take the address of a Service for something left behind', async () => {
    const serving = controller(App)
      .owns(Service)
      .reconcile(async ({ apply }) => {
        await apply(Service, { metadata: key, spec: { ports: [{ port: 80 }] } })
      })
    expect(found(await exploring(serving, [create, remove]))).not.toContain('leftovers')
  })

  it('a standard oracle finds a finalizer that nobody removes', async () => {
    const holding = controller(App).reconcile(async ({ object, patch }) => {
      if (object.metadata.finalizers === undefined) await patch({ metadata: { finalizers: ['example.dev/forgotten'] } })
    })
    expect(found(await exploring(holding, [create, remove]))).toContain(
      'delete/0/none: finalizers: nobody removes the finalizers of example.dev/v1 App a (example.dev/forgotten)',
    )
  })

  it('a standard oracle finds an update that removes what somebody else had set', async () => {
    const replacing = controller(App)
      .reads(ConfigMap)
      .reconcile(async ({ object, client, status }) => {
        status.set({ phase: 'Running' })
        const { metadata } = await client.get(ConfigMap, key)
        if (metadata.labels?.['text'] === object.spec.text) return
        await client.update(ConfigMap, { metadata: { ...key, labels: { text: object.spec.text } } })
      })
    const foreign = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, data: { colour: 'red' } }
    const both: ExploreStep = { name: 'create', act: (cluster) => cluster.apply(foreign, app('one')) }
    expect(found(await exploring(replacing, [both]))).toContain(
      'create/0/none: lost updates: the operator overwrote data.colour of ConfigMap a, which belongs to user',
    )
  })

  it('a standard oracle is not bothered by a patch of other fields, nor by fields that the operator owns', async () => {
    const adding = controller(App)
      .reads(ConfigMap)
      .reconcile(async ({ object, client }) => {
        const patch = { metadata: { labels: { text: object.spec.text }, finalizers: ['example.dev/other'] } }
        await client.patch(ConfigMap, key, { type: 'merge', patch })
      })
    const foreign = {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'a', labels: { a: 'b' } },
      data: { a: 'b' },
    }
    const both: ExploreStep = { name: 'create', act: (cluster) => cluster.apply(foreign, app('one')) }
    expect(found(await exploring(adding, [both, update]))).toBe('')
  })
})

describe('an operator at rest', () => {
  it('an operator at rest that writes is found', async () => {
    const ticking = controller(App).reconcile(async ({ now, client }) => {
      const patch = { metadata: { annotations: { minute: String(Math.floor(now() / 1_200_000)) } } }
      await client.patch(App, key, { type: 'merge', patch })
      return requeueAfter(1_200_000)
    })
    expect(found(await exploring(ticking))).toMatch(/create\/0\/restart: at rest it wrote PATCH .*within an hour/)
  })

  it('an operator at rest that is busy is found', async () => {
    const polling = controller(App).reconcile(() => requeueAfter(80))
    expect(found(await exploring(polling))).toMatch(/at rest it reconciled \d+ times within a minute/)
  })

  it('an operator that is busy after a fault is found', async () => {
    const panicking = (): readonly ControllerDefinition[] => {
      let tries = 0
      return [
        controller(App)
          .owns(ConfigMap)
          .reconcile(async ({ apply, client }) => {
            try {
              await apply(ConfigMap, { metadata: { name: 'a' } })
            } catch {
              while (tries++ < 170) await client.get(App, key)
            }
            return requeueAfter(1000)
          }),
      ]
    }
    const report = await explore({ cluster: { controllers: panicking }, steps: [create], faults: ['error'] })
    expect(found(report)).toMatch(/\d+ calls instead of \d: a hot loop/)
  })
})
