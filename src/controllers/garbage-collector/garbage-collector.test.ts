import { afterEach, describe, expect, it } from 'vitest'
import {
  ApiError,
  ConfigMap,
  CustomResourceDefinition,
  kind,
  type Kind,
  type KubeObject,
  type OwnerReference,
} from '../../index.ts'
import { kindName } from '../../schema/index.ts'
import { embedded, type ApplyObject, type Embedded, type EmbeddedOptions } from '../../testing/index.ts'
import { garbageCollector } from './index.ts'

const Widget = kind({ apiVersion: 'ex.io/v1', kind: 'Widget', plural: 'widgets', namespaced: true })
const Fleet = kind({ apiVersion: 'ex.io/v1', kind: 'Fleet', plural: 'fleets', namespaced: false })

const definition = (of: Kind): ApplyObject & { spec: object } => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: kindName(of) },
  spec: {
    group: of.group,
    scope: of.namespaced ? 'Namespaced' : 'Cluster',
    names: { plural: of.plural, kind: of.kind, singular: of.kind.toLowerCase() },
    versions: [
      {
        name: of.version,
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
      },
    ],
  },
})

const running: Embedded[] = []
afterEach(async () => {
  for (const cluster of running.splice(0)) await cluster.stop()
})

async function start(options: EmbeddedOptions = {}): Promise<Embedded> {
  const cluster = await embedded({
    tasks: [garbageCollector()],
    crds: [definition(Widget), definition(Fleet)],
    ...options,
  })
  running.push(cluster)
  return cluster
}

interface Options {
  readonly namespace?: string
  readonly owners?: readonly OwnerReference[]
  readonly finalizers?: readonly string[]
}

async function create(
  { client }: Embedded,
  of: Kind,
  name: string,
  { namespace = 'default', owners = [], finalizers = [] }: Options = {},
): Promise<OwnerReference> {
  const metadata = {
    name,
    ...(of.namespaced ? { namespace } : {}),
    ownerReferences: [...owners],
    finalizers: [...finalizers],
  }
  const {
    metadata: { uid },
  } = await client.create(of as Kind<KubeObject>, { apiVersion: of.apiVersion, kind: of.kind, metadata })
  return { apiVersion: of.apiVersion, kind: of.kind, name, uid }
}

const blocking = (owner: OwnerReference): OwnerReference => ({ ...owner, blockOwnerDeletion: true })
const absent = (name: string): OwnerReference => ({
  apiVersion: 'ex.io/v1',
  kind: 'Widget',
  name,
  uid: `00000000-0000-0000-0000-${name.padStart(12, '0')}`,
})

async function get(
  { client }: Embedded,
  of: Kind,
  name: string,
  namespace = 'default',
): Promise<KubeObject | undefined> {
  try {
    return (await client.get(of, of.namespaced ? { namespace, name } : { name })) as KubeObject
  } catch (error) {
    if (error instanceof ApiError && error.code === 404) return undefined
    throw error
  }
}
const isThere = async (cluster: Embedded, of: Kind, name: string, namespace?: string): Promise<boolean> =>
  (await get(cluster, of, name, namespace)) !== undefined

async function remove(
  cluster: Embedded,
  of: Kind,
  name: string,
  propagationPolicy: 'Background' | 'Foreground' | 'Orphan' = 'Background',
): Promise<void> {
  await cluster.client.delete(of, of.namespaced ? { namespace: 'default', name } : { name }, { propagationPolicy })
  await cluster.settle()
}

async function letGo(cluster: Embedded, of: Kind, name: string): Promise<void> {
  await cluster.client.patch(
    of,
    { namespace: 'default', name },
    { type: 'merge', patch: { metadata: { finalizers: null } } },
  )
  await cluster.settle()
}

describe('the garbage collector', () => {
  it('the garbage collector takes what a deleted owner leaves behind, level by level', async () => {
    const cluster = await start()
    const top = await create(cluster, Widget, 'top')
    const middle = await create(cluster, ConfigMap, 'middle', { owners: [top] })
    await create(cluster, Widget, 'bottom', { owners: [middle] })
    await create(cluster, ConfigMap, 'free')
    await cluster.settle()
    expect(await isThere(cluster, ConfigMap, 'middle')).toBe(true)
    await remove(cluster, Widget, 'top')
    expect(await isThere(cluster, ConfigMap, 'middle')).toBe(false)
    expect(await isThere(cluster, Widget, 'bottom')).toBe(false)
    expect(await isThere(cluster, ConfigMap, 'free')).toBe(true)
  })

  it('the garbage collector takes objects whose owner is not there, or another one of its name', async () => {
    const cluster = await start()
    const widget = await create(cluster, Widget, 'here')
    await create(cluster, ConfigMap, 'absent', { owners: [absent('1')] })
    await create(cluster, ConfigMap, 'mismatch', { owners: [{ ...absent('2'), name: 'here' }] })
    await create(cluster, ConfigMap, 'renamed', { owners: [{ ...widget, name: 'elsewhere' }] })
    await cluster.settle()
    expect(await isThere(cluster, ConfigMap, 'absent')).toBe(false)
    expect(await isThere(cluster, ConfigMap, 'mismatch')).toBe(false)
    expect(await isThere(cluster, ConfigMap, 'renamed')).toBe(false)
  })

  it('the garbage collector takes only the references to owners that are gone while one is left', async () => {
    const cluster = await start()
    const [a, b] = [await create(cluster, Widget, 'a'), await create(cluster, Widget, 'b')]
    await create(cluster, ConfigMap, 'two', { owners: [a, b, absent('3')] })
    await remove(cluster, Widget, 'a')
    expect((await get(cluster, ConfigMap, 'two'))?.metadata.ownerReferences).toEqual([b])
    await remove(cluster, Widget, 'b')
    expect(await isThere(cluster, ConfigMap, 'two')).toBe(false)
  })

  it('foreground deletion keeps the owner until its blocking dependents are gone, and deletes the others', async () => {
    const cluster = await start()
    const owner = await create(cluster, Widget, 'owner')
    const blocker = await create(cluster, ConfigMap, 'blocker', { owners: [blocking(owner)] })
    await create(cluster, ConfigMap, 'deep', { owners: [blocking(blocker)], finalizers: ['ex.io/hold'] })
    await create(cluster, ConfigMap, 'loose', { owners: [owner], finalizers: ['ex.io/hold'] })
    await cluster.settle()
    await remove(cluster, Widget, 'owner', 'Foreground')
    expect((await get(cluster, Widget, 'owner'))?.metadata.finalizers).toEqual(['foregroundDeletion'])
    expect((await get(cluster, ConfigMap, 'blocker'))?.metadata.finalizers).toEqual(['foregroundDeletion'])
    for (const name of ['deep', 'loose'])
      expect((await get(cluster, ConfigMap, name))?.metadata.deletionTimestamp).toBeDefined()
    await letGo(cluster, ConfigMap, 'deep')
    expect(await isThere(cluster, ConfigMap, 'blocker')).toBe(false)
    expect(await isThere(cluster, Widget, 'owner')).toBe(false)
    expect(await isThere(cluster, ConfigMap, 'loose')).toBe(true)
  })

  it('foreground deletion goes on when a dependent stops blocking', async () => {
    const cluster = await start()
    const owner = await create(cluster, Widget, 'owner')
    await create(cluster, ConfigMap, 'blocker', { owners: [blocking(owner)], finalizers: ['ex.io/hold'] })
    await cluster.settle()
    await remove(cluster, Widget, 'owner', 'Foreground')
    expect(await isThere(cluster, Widget, 'owner')).toBe(true)
    await cluster.client.patch(
      ConfigMap,
      { namespace: 'default', name: 'blocker' },
      { type: 'merge', patch: { metadata: { ownerReferences: [{ ...owner, blockOwnerDeletion: false }] } } },
    )
    await cluster.settle()
    expect(await isThere(cluster, Widget, 'owner')).toBe(false)
  })

  it('the garbage collector breaks circles of objects that wait for each other', async () => {
    const cluster = await start()
    const a = await create(cluster, Widget, 'a')
    const b = await create(cluster, Widget, 'b', { owners: [blocking(a)] })
    const c = await create(cluster, Widget, 'c', { owners: [blocking(b)] })
    await cluster.client.patch(
      Widget,
      { namespace: 'default', name: 'a' },
      { type: 'merge', patch: { metadata: { ownerReferences: [{ ...blocking(c) }] } } },
    )
    await cluster.settle()
    for (const name of ['a', 'b', 'c']) expect(await isThere(cluster, Widget, name)).toBe(true)
    await remove(cluster, Widget, 'a', 'Foreground')
    for (const name of ['a', 'b', 'c']) expect(await isThere(cluster, Widget, name)).toBe(false)
  })

  it('the garbage collector orphans: the dependents stay, without the reference', async () => {
    const cluster = await start()
    const [owner, other] = [await create(cluster, Widget, 'owner'), await create(cluster, Widget, 'other')]
    await create(cluster, ConfigMap, 'one', { owners: [owner] })
    await create(cluster, ConfigMap, 'two', { owners: [owner, other] })
    await cluster.settle()
    await remove(cluster, Widget, 'owner', 'Orphan')
    expect(await isThere(cluster, Widget, 'owner')).toBe(false)
    expect((await get(cluster, ConfigMap, 'one'))?.metadata.ownerReferences).toBeUndefined()
    expect((await get(cluster, ConfigMap, 'two'))?.metadata.ownerReferences).toEqual([other])
  })

  it('the garbage collector takes an object whose owner lives in another namespace, and says why', async () => {
    const cluster = await start()
    await cluster.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'ns2' } })
    const owner = await create(cluster, Widget, 'xns')
    await cluster.settle()
    await create(cluster, ConfigMap, 'xnsdep', { namespace: 'ns2', owners: [owner] })
    await cluster.settle()
    expect(await isThere(cluster, ConfigMap, 'xnsdep', 'ns2')).toBe(false)
    expect(await cluster.events({ metadata: { name: 'xnsdep', namespace: 'ns2' } })).toEqual([
      {
        type: 'Warning',
        reason: 'OwnerRefInvalidNamespace',
        count: 1,
        message:
          `ownerRef [ex.io/v1/Widget, namespace: ns2, name: xns, uid: ${owner.uid}] does not exist in ` +
          'namespace "ns2"',
      },
    ])
    expect(await isThere(cluster, Widget, 'xns')).toBe(true)
  })

  it('the garbage collector never looks for the owner of a cluster-scoped object in a namespace', async () => {
    const cluster = await start()
    await create(cluster, Fleet, 'stays', { owners: [absent('4')] })
    const fleet = await create(cluster, Fleet, 'fleet')
    await create(cluster, ConfigMap, 'ship', { owners: [fleet] })
    await cluster.settle()
    await remove(cluster, Fleet, 'fleet')
    expect(await isThere(cluster, Fleet, 'stays')).toBe(true)
    expect(await isThere(cluster, ConfigMap, 'ship')).toBe(false)
  })

  it('the garbage collector leaves objects with owners of an unknown kind alone until the kind comes', async () => {
    const cluster = await start({ crds: [] })
    await create(cluster, ConfigMap, 'waits', { owners: [absent('5')] })
    await cluster.settle()
    await cluster.advance(3_600_000)
    expect(await isThere(cluster, ConfigMap, 'waits')).toBe(true)
    await cluster.client.create(CustomResourceDefinition, definition(Widget) as unknown as CustomResourceDefinition)
    await cluster.advance(10_000)
    await cluster.settle()
    expect(await isThere(cluster, ConfigMap, 'waits')).toBe(false)
  })

  it('the garbage collector follows kinds that go and come again', async () => {
    const cluster = await start()
    await cluster.client.delete(CustomResourceDefinition, { name: 'widgets.ex.io' })
    await cluster.advance(10_000)
    await cluster.settle()
    await cluster.client.create(CustomResourceDefinition, definition(Widget) as unknown as CustomResourceDefinition)
    await cluster.advance(10_000)
    await cluster.settle()
    const owner = await create(cluster, Widget, 'owner')
    await create(cluster, ConfigMap, 'dependent', { owners: [owner] })
    await create(cluster, Widget, 'widget', { owners: [owner] })
    await cluster.settle()
    await remove(cluster, Widget, 'owner')
    expect(await isThere(cluster, ConfigMap, 'dependent')).toBe(false)
    expect(await isThere(cluster, Widget, 'widget')).toBe(false)
  })

  it('the garbage collector does not wait for a kind that cannot be listed, and sees it once it can', async () => {
    let isBroken = true
    const cluster = await start({
      crds: [],
      faults: ({ path }) =>
        isBroken && path.startsWith('/apis/ex.io/v1/widgets')
          ? { type: 'answer', status: 404, reason: 'NotFound' }
          : undefined,
    })
    await cluster.client.create(CustomResourceDefinition, definition(Widget) as unknown as CustomResourceDefinition)
    await cluster.advance(1000)
    await create(cluster, ConfigMap, 'absent', { owners: [absent('6')] })
    const owner = await create(cluster, Widget, 'owner')
    await create(cluster, ConfigMap, 'kept', { owners: [owner] })
    await cluster.advance(10_000)
    expect(await isThere(cluster, ConfigMap, 'absent')).toBe(false)
    isBroken = false
    await cluster.advance(10_000)
    await cluster.settle()
    await remove(cluster, Widget, 'owner', 'Orphan')
    expect(await isThere(cluster, Widget, 'owner')).toBe(false)
    expect((await get(cluster, ConfigMap, 'kept'))?.metadata.ownerReferences).toBeUndefined()
  })

  it('the garbage collector survives crashes and lost answers in the middle of a cascade', async () => {
    const cluster = await start({
      faults: ({ method }, index) =>
        method !== 'GET' && index % 3 === 0 ? { type: index % 2 === 0 ? 'drop-after' : 'drop-before' } : undefined,
    })
    const owner = await create(cluster, Widget, 'owner')
    for (let index = 0; index < 20; index++)
      await create(cluster, ConfigMap, `part-${index}`, { owners: [blocking(owner)] })
    await cluster.client.delete(Widget, { namespace: 'default', name: 'owner' }, { propagationPolicy: 'Foreground' })
    await cluster.crash()
    await cluster.settle()
    expect(await isThere(cluster, Widget, 'owner')).toBe(false)
    expect(
      (await cluster.client.list(ConfigMap, { namespace: 'default' })).items.filter(({ metadata }) =>
        metadata.name.startsWith('part-'),
      ),
    ).toEqual([])
  })

  it('the garbage collector neither reads nor writes at rest', async () => {
    const cluster = await start()
    const owner = await create(cluster, Widget, 'owner')
    for (let index = 0; index < 10; index++) await create(cluster, ConfigMap, `part-${index}`, { owners: [owner] })
    await cluster.settle()
    await cluster.restart()
    await cluster.settle()
    const before = cluster.requests.length
    await cluster.client.patch(
      ConfigMap,
      { namespace: 'default', name: 'part-1' },
      { type: 'merge', patch: { data: { changed: 'yes' } } },
    )
    await cluster.advance(240_000)
    await cluster.settle()
    expect(cluster.requests.slice(before)).toEqual([])
  })
})
