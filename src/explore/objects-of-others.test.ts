/** Operators that do harm to what is not theirs, tell what is none of a user's business, or notice too late. */
import { describe, expect, it } from 'vitest'
import { controller } from '../controller/builder.ts'
import type { ControllerDefinition } from '../controller/definition.ts'
import { requeueAfter } from '../controller/result.ts'
import { ConfigMap, Deployment } from '../schema/builtin/kinds.ts'
import { resource } from '../schema/resource.ts'
import { t } from '../schema/t.ts'
import { explore, type ExploreOptions } from './explore.ts'
import type { ExploreStep } from './trial.ts'

const App = resource('example.dev/v1', 'App', {
  spec: t.object({ text: t.string() }),
  status: t.object({ conditions: t.conditions().optional() }),
})
const key = { namespace: 'default', name: 'a' }
const app = (text: string) => ({ apiVersion: 'example.dev/v1', kind: 'App', metadata: { name: 'a' }, spec: { text } })
const create: ExploreStep = { name: 'create', act: (cluster) => cluster.apply(app('one')) }
const remove: ExploreStep = { name: 'delete', act: async ({ client }) => void (await client.delete(App, key)) }
const foreign: ExploreStep = {
  name: 'create with a foreign object',
  act: (cluster) => cluster.apply({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' } }, app('one')),
}

async function found(
  definition: ControllerDefinition,
  steps: readonly ExploreStep[],
  more: Partial<ExploreOptions> = {},
): Promise<string> {
  const { failures } = await explore({ cluster: { controllers: [definition] }, steps, faults: [], ...more })
  return failures.flatMap(({ id, problems }) => problems.map((problem) => `${id}: ${problem}`)).join('\n')
}

const wanted = { metadata: { name: 'a' }, data: { a: '1' } }

describe('an object of somebody else', { timeout: 120_000 }, () => {
  it('a foreign object that the operator takes over is found', async () => {
    const greedy = controller(App)
      .owns(ConfigMap)
      .reconcile(async ({ apply }) => void (await apply(ConfigMap, wanted, { adopt: true })))
    expect(await found(greedy, [foreign])).toBe(
      'create with a foreign object/0/none: foreign objects: the operator changed ConfigMap a, which it neither ' +
        'made nor controls',
    )
    expect(await found(greedy, [create])).toBe('')
  })

  it('a delete without a uid is found: somebody may have replaced the object', async () => {
    const careless = (uid: boolean) =>
      controller(App)
        .owns(ConfigMap)
        .finalizer('example.dev/app', async ({ get, client }) => {
          const existing = await get(ConfigMap, 'a')
          if (existing?.metadata.ownerReferences === undefined) return
          await client.delete(ConfigMap, key, uid ? { uid: existing.metadata.uid } : {})
        })
        .reconcile(async ({ apply }) => void (await apply(ConfigMap, wanted)))
    const faults = { faults: ['user-replaces-child'] } as const
    expect(await found(careless(false), [create, remove], faults)).toContain(
      'user-replaces-child: foreign objects: the operator deleted ConfigMap a, which it neither made nor controls',
    )
    expect(await found(careless(true), [create, remove], faults)).toBe('')
  })
})

it('a condition that reports a lost race is found', { timeout: 120_000 }, async () => {
  const chatty = (isQuiet: boolean) =>
    controller(App)
      .owns(ConfigMap)
      .reconcile(async ({ apply, status }) => {
        try {
          await apply(ConfigMap, wanted)
          status.condition({ type: 'Ready', status: true, reason: 'Applied' })
        } catch (error) {
          if (!isQuiet)
            status.condition({ type: 'Ready', status: false, reason: 'Failed', message: (error as Error).message })
          throw error
        }
      })
  const faults = { faults: ['conflict'] } as const
  expect(await found(chatty(false), [create], faults)).toMatch(
    /conflict: reported races: Ready of App a reports a lost race/,
  )
  expect(await found(chatty(true), [create], faults)).toBe('')
})

it('what others have made of an object that the operator orphans is found', { timeout: 120_000 }, async () => {
  const orphaning = (propagationPolicy: 'Orphan' | 'Background') =>
    controller(App)
      .owns(Deployment)
      .finalizer('example.dev/app', async ({ client }) => {
        await client.delete(Deployment, key, { propagationPolicy }).catch(() => undefined)
      })
      .reconcile(async ({ apply }) => {
        const labels = { app: 'a' }
        const template = { metadata: { labels }, spec: { containers: [{ name: 'a', image: 'nginx' }] } }
        await apply(Deployment, { metadata: { name: 'a' }, spec: { selector: { matchLabels: labels }, template } })
      })
  const exploring = (definition: ControllerDefinition): Promise<string> =>
    found(definition, [create, remove], {
      cluster: {
        controllers: [definition],
        builtin: ['deployment-controller', 'garbage-collector-controller'],
      },
    })
  expect(await exploring(orphaning('Orphan'))).toMatch(/leftovers: the operator created apps\/v1 ReplicaSet a-/)
  expect(await exploring(orphaning('Background'))).toBe('')
})

it(
  'a change that only a periodic check notices comes too late for a step that says so',
  { timeout: 120_000 },
  async () => {
    const drift: ExploreStep = {
      name: 'drift',
      act: async ({ client }) => void (await client.delete(ConfigMap, key)),
      withinMs: 5_000,
    }
    const checking = controller(App)
      .watches(ConfigMap, { map: () => [] })
      .reconcile(async ({ apply }) => {
        await apply(ConfigMap, wanted)
        return requeueAfter(60_000)
      })
    expect(await found(checking, [create, drift])).toMatch(
      /^drift\/0\/none: PATCH \S+ came 60 s after the act, and the step allows 5 s: does the operator watch/,
    )
  },
)
