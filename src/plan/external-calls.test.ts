/** A plan reports calls of external systems and makes none. */
import { expect, it } from 'vitest'
import { controller } from '../controller/builder.ts'
import { generationChanged } from '../controller/update-filters.ts'
import { external } from '../external/external.ts'
import { ConfigMap } from '../schema/builtin/kinds.ts'
import { resource } from '../schema/resource.ts'
import { t } from '../schema/t.ts'
import { validating } from '../webhooks/admission-webhook.ts'
import { countChanges, planText } from './plan-text.ts'
import { plan, type PlanOptions } from './plan.ts'

const App = resource('example.dev/v1', 'App', {
  spec: t.object({ size: t.int() }),
  status: t.object({ id: t.string().optional(), conditions: t.conditions().optional() }),
})
const app = { apiVersion: 'example.dev/v1', kind: 'App', metadata: { name: 'a' }, spec: { size: 1 } }

interface Registry {
  ensure(request: { readonly key: string; readonly password: string }): Promise<string>
  find(key: string): Promise<string | undefined>
}
const registry = external<Registry>('registry', {
  connect: () => {
    throw new Error('a plan must not connect')
  },
  reads: ['find'],
})
const fake = registry.model((items: Record<string, string> = {}) => ({
  ensure: ({ key }) => Promise.resolve((items[key] = `id of ${key}`)),
  find: (key: string) => Promise.resolve(items[key]),
  state: () => items,
}))

let caught = 0
const apps = controller(App)
  .when(generationChanged)
  .owns(ConfigMap)
  .uses(registry)
  .reconcile(async ({ object, use, apply, status }) => {
    const { name } = object.metadata
    await apply(ConfigMap, { metadata: { name } })
    try {
      const id = (await use(registry).find(name)) ?? (await use(registry).ensure({ key: name, password: 'hunter2' }))
      status.set({ id })
      status.condition({ type: 'Ready', status: true, reason: 'Ensured' })
    } catch (error) {
      caught++
      status.condition({ type: 'Ready', status: false, reason: 'Failed' })
      throw error
    }
  })

const planned = (more: Partial<PlanOptions>) =>
  plan({
    operator: { name: 'apps', controllers: [apps] },
    apply: [app],
    now: Date.parse('2026-11-17T00:00:00Z'),
    ...more,
  })

it('a plan of an external call ends at it, and the code of the operator cannot catch that', async () => {
  const made = await planned({})
  const call = {
    controller: 'app',
    object: 'App default/a',
    system: 'registry',
    method: 'find',
    args: ['a'],
    isEnd: true,
  }
  expect(made.work.calls).toEqual([call])
  expect(made.failures).toEqual([])
  expect(made.work.changes.map(({ kind }) => kind)).toEqual(['ConfigMap'])
  expect(countChanges(made)).toEqual({ create: 1, update: 0, delete: 0 })
  expect(caught).toBe(0)
  const text = planText(made)
  expect(text).toContain(
    '  ! call registry.find("a"), for App default/a\n      what the operator does after this call is',
  )
  expect(text).toMatch(/1 external call.* It ends at these calls: a plan makes none\.$/)
})

it('a plan of external calls goes on where a model answers, and reports those that change something', async () => {
  const made = await planned({ externals: [fake] })
  const args = [{ key: 'a', password: '***' }]
  expect(made.work.calls).toMatchObject([{ system: 'registry', method: 'ensure', args, isEnd: false }])
  expect(made.outcomes).toMatchObject([{ status: { id: 'id of a' } }])
  expect(planText(made)).toMatch(/1 external call[^.]*\.$/)
})

it('a plan of an external call in a webhook takes its answer for yes, and says so', async () => {
  const known = validating(
    App,
    { create: async ({ name, use }) => ((await use(registry).find(name)) === undefined ? 'unknown' : undefined) },
    { uses: [registry] },
  )
  const idle = controller(App).reconcile(({ status }) => status.set({ id: 'a' }))
  const made = await planned({ operator: { name: 'apps', controllers: [idle], webhooks: [known] } })
  const controllerPath = '/validate-example-dev-v1-app'
  expect([...made.pending.calls, ...made.work.calls]).toEqual([
    {
      controller: controllerPath,
      object: 'App default/a',
      system: 'registry',
      method: 'find',
      args: ['a'],
      isEnd: true,
    },
  ])
  expect(made.warnings).toContain(
    `what ${controllerPath} answers is not known, and taken for yes: a plan makes no external calls`,
  )
  expect(made.outcomes).toMatchObject([{ status: { id: 'a' } }])
})
