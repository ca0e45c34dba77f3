/** The explorer and external systems: faults at their calls, their state, and memory that outlives a process. */
import { describe, expect, it } from 'vitest'
import { controller } from '../controller/builder.ts'
import type { Reconcile } from '../controller/definition.ts'
import { external } from '../external/external.ts'
import type { ObjectOf } from '../schema/kind.ts'
import { resource } from '../schema/resource.ts'
import { t } from '../schema/t.ts'
import { explore } from './explore.ts'
import type { ExploreReport } from './report/report.ts'
import type { ExploreStep } from './trial.ts'

const App = resource('example.dev/v1', 'App', {
  spec: t.object({ size: t.int() }),
  status: t.object({ id: t.string().optional(), conditions: t.conditions().optional() }),
})
type App = ObjectOf<typeof App>
const key = { namespace: 'default', name: 'a' }
const create: ExploreStep = {
  name: 'create',
  act: (cluster) =>
    cluster.apply({ apiVersion: 'example.dev/v1', kind: 'App', metadata: { name: 'a' }, spec: { size: 1 } }),
}
const remove: ExploreStep = { name: 'delete', act: async ({ client }) => void (await client.delete(App, key)) }

interface Registry {
  create(size: number): Promise<string>
  ensure(item: string, size: number): Promise<string>
  remove(item: string): Promise<void>
}
type Metadata = Readonly<Record<'uid' | 'name', string>>
interface Item {
  readonly key: string
  readonly size: number
}
const registry = external<Registry>('registry', { connect: () => Promise.reject(new Error('there is none')) })
const fake = registry.model((state?: { items: Item[] }) => {
  let items = state?.items ?? []
  const put = (item: Item): Promise<string> => {
    items = [...items.filter(({ key: other }) => other !== item.key), item]
    return Promise.resolve(item.key)
  }
  return {
    create: (size) => put({ key: `item-${items.length}`, size }),
    ensure: (item, size) => put({ key: item, size }),
    remove: (item) => {
      items = items.filter(({ key: other }) => other !== item)
      return Promise.resolve()
    },
    state: () => ({ items }),
  }
})

const exploring = (run: Reconcile<App>, cleanup: Reconcile<App>, steps = [create, remove]): Promise<ExploreReport> => {
  const apps = controller(App).uses(registry).finalizer('example.dev/app', cleanup).reconcile(run)
  return explore({ cluster: { controllers: [apps], externals: [fake] }, steps })
}
const problemsOf = ({ failures }: ExploreReport): string =>
  failures.map(({ id, problems }) => `${id}: ${problems.join('; ')}`).join('\n')

const ensuring: Reconcile<App> = async ({ object, use, status }) => {
  status.set({ id: await use(registry).ensure(object.metadata.uid, object.spec.size) })
  status.condition({ type: 'Ready', status: true, reason: 'Ensured' })
}
const removing: Reconcile<App> = ({ object, use }) => use(registry).remove(object.metadata.uid)

describe('external calls in an exploration', () => {
  it('external calls in an exploration that are idempotent come to the same end', async () => {
    const report = await exploring(ensuring, removing)
    expect(report.failures, report.text).toEqual([])
  })

  it('external calls in an exploration that create again after a lost reply are found', async () => {
    const report = await exploring(
      async ({ object, use, status }) => {
        if (object.status?.id === undefined) status.set({ id: await use(registry).create(object.spec.size) })
        status.condition({ type: 'Ready', status: true, reason: 'Created' })
      },
      async ({ object, use }) => use(registry).remove(object.status?.id ?? ''),
      [create],
    )
    expect(problemsOf(report)).toMatch(/^create\/\d+\/crash-after: .*external registry: items\.1: .*"item-1"/m)
    expect(problemsOf(report)).toMatch(/^create\/\d+\/lost-reply: /m)
    expect(report.failures.flatMap(({ calls }) => calls)).toContain('call registry.create')
    // At the call itself only a lost reply does harm; at the next one, the write of the status, whatever loses it.
    expect(problemsOf(report)).not.toMatch(/^create\/2\/(crash-before|lost-call|error)/m)
  })

  it('external calls in an exploration that are forgotten in the cleanup leave something behind', async () => {
    const report = await exploring(ensuring, async ({ object, use }) => {
      await use(registry)
        .remove(object.metadata.uid)
        .catch(() => undefined)
    })
    expect(problemsOf(report)).toMatch(/^delete\/\d+\/error: external registry: items\.0: \{.*\} instead of nothing$/m)
  })

  it.each([
    ['keyed by uid', ({ uid }: Metadata) => uid],
    ['keyed by name', ({ name }: Metadata) => name],
  ])('external calls in an exploration that memory of a module saves are found: %s', async (_, keyOf) => {
    const known = new Map<string, string>()
    const report = await exploring(async (context) => {
      const { object, use, status } = context
      const item = keyOf(object.metadata)
      const id = known.get(item) ?? (await use(registry).ensure(item, 1))
      known.set(item, id)
      status.set({ id })
      status.condition({ type: 'Ready', status: true, reason: 'Ensured' })
    }, removing)
    expect(report.tried).toBe(0)
    expect(problemsOf(report)).toMatch(
      /^create\/0\/none: .*in a second new cluster, call \d+ was .*, and call registry\.ensure in the first/,
    )
  })
})
