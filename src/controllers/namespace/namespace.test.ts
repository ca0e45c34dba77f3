import { afterEach, describe, expect, it } from 'vitest'
import { ApiError, ConfigMap, kind, Namespace, Pod, type Live } from '../../index.ts'
import { embedded, type Embedded, type EmbeddedOptions } from '../../testing/index.ts'
import { namespaces } from './index.ts'

const Widget = kind({ apiVersion: 'ex.io/v1', kind: 'Widget', plural: 'widgets', namespaced: true })
const definition = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'widgets.ex.io' },
  spec: {
    group: 'ex.io',
    scope: 'Namespaced',
    names: { plural: 'widgets', kind: 'Widget', singular: 'widget' },
    versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
  },
}
const pod = (name: string, nodeName?: string): Pod => ({
  metadata: { namespace: 'blue', name },
  spec: { containers: [{ name: 'c', image: 'i' }], ...(nodeName === undefined ? {} : { nodeName }) },
})
const hold = { finalizers: ['ex.io/hold'] }

const running: Embedded[] = []
afterEach(async () => {
  for (const cluster of running.splice(0)) await cluster.stop()
})

async function start(options: EmbeddedOptions = {}): Promise<Embedded> {
  const cluster = await embedded({ controllers: [namespaces], crds: [definition], ...options })
  running.push(cluster)
  await cluster.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'blue' } })
  return cluster
}

async function blue({ client }: Embedded): Promise<Live<Namespace> | undefined> {
  try {
    return await client.get(Namespace, { name: 'blue' })
  } catch (error) {
    if (error instanceof ApiError && error.code === 404) return undefined
    throw error
  }
}

async function end(cluster: Embedded): Promise<void> {
  await cluster.client.delete(Namespace, { name: 'blue' })
  await cluster.settle()
}

const reported = (namespace: Live<Namespace> | undefined, type: string): string => {
  const condition = namespace?.status?.conditions?.find((each) => each.type === type)
  return `${condition?.status} ${condition?.reason}: ${condition?.message}`
}

describe('a namespace that is deleted', () => {
  it('a namespace that is deleted goes with all that is in it, custom resources included', async () => {
    const cluster = await start()
    const { client } = cluster
    await client.create(ConfigMap, { metadata: { namespace: 'blue', name: 'settings' } })
    await client.create(Widget, { apiVersion: 'ex.io/v1', kind: 'Widget', metadata: { namespace: 'blue', name: 'w' } })
    await client.create(Pod, pod('web'))
    await client.create(ConfigMap, { metadata: { namespace: 'default', name: 'settings' } })
    await end(cluster)
    expect(await blue(cluster)).toBeUndefined()
    expect((await client.list(ConfigMap)).items.map(({ metadata }) => metadata.namespace)).not.toContain('blue')
    expect((await client.list(Widget)).items).toEqual([])
    expect((await client.list(Pod)).items).toEqual([])
    expect(
      (await client.list(ConfigMap, { namespace: 'default' })).items.map(({ metadata }) => metadata.name),
    ).toContain('settings')
  })

  it('a namespace that is deleted says what holds it, and goes when that is gone', async () => {
    const cluster = await start()
    await cluster.client.create(ConfigMap, { metadata: { namespace: 'blue', name: 'held', ...hold } })
    await end(cluster)
    const held = await blue(cluster)
    expect(held?.status?.phase).toBe('Terminating')
    expect(held?.status?.conditions?.map(({ type, status }) => `${type} ${status}`)).toEqual([
      'NamespaceDeletionDiscoveryFailure False',
      'NamespaceDeletionGroupVersionParsingFailure False',
      'NamespaceDeletionContentFailure False',
      'NamespaceContentRemaining True',
      'NamespaceFinalizersRemaining True',
    ])
    expect(reported(held, 'NamespaceContentRemaining')).toBe(
      'True SomeResourcesRemain: Some resources are remaining: configmaps. has 1 resource instances',
    )
    expect(reported(held, 'NamespaceFinalizersRemaining')).toBe(
      'True SomeFinalizersRemain: Some content in the namespace has finalizers remaining: ex.io/hold in 1 ' +
        'resource instances',
    )
    await cluster.client.patch(
      ConfigMap,
      { namespace: 'blue', name: 'held' },
      { type: 'merge', patch: { metadata: { finalizers: null } } },
    )
    await cluster.advance(8_000)
    await cluster.settle()
    expect(await blue(cluster)).toBeUndefined()
  })

  it('a namespace that is deleted keeps everything else until its pods are gone', async () => {
    const cluster = await start()
    const { client } = cluster
    await client.create(ConfigMap, { metadata: { namespace: 'blue', name: 'settings' } })
    await client.create(Pod, pod('web', 'node-1'))
    await end(cluster)
    expect((await client.get(Pod, { namespace: 'blue', name: 'web' })).metadata.deletionTimestamp).toBeDefined()
    expect(
      (await client.get(ConfigMap, { namespace: 'blue', name: 'settings' })).metadata.deletionTimestamp,
    ).toBeUndefined()
    await client.delete(Pod, { namespace: 'blue', name: 'web' }, { gracePeriodSeconds: 0 })
    await cluster.advance(60_000)
    await cluster.settle()
    expect(await blue(cluster)).toBeUndefined()
  })

  it('a namespace that is deleted says what could not be deleted, deletes the rest, and tries again', async () => {
    let isBroken = true
    const cluster = await start({
      faults: ({ method, path }) =>
        isBroken && method === 'DELETE' && path.includes('/configmaps')
          ? { type: 'answer', status: 403, reason: 'Forbidden' }
          : undefined,
    })
    const { client } = cluster
    await client.create(ConfigMap, { metadata: { namespace: 'blue', name: 'settings' } })
    await client.create(Widget, { apiVersion: 'ex.io/v1', kind: 'Widget', metadata: { namespace: 'blue', name: 'w' } })
    await client.delete(Namespace, { name: 'blue' })
    await cluster.advance(5_000)
    expect(reported(await blue(cluster), 'NamespaceDeletionContentFailure')).toMatch(
      /^True ContentDeletionFailed: Failed to delete all resource types, 1 remaining: /,
    )
    expect((await client.list(Widget)).items).toEqual([])
    isBroken = false
    await cluster.settle()
    expect(await blue(cluster)).toBeUndefined()
  })

  it('a namespace that is deleted says that the server did not report its kinds', async () => {
    let isBroken = true
    const cluster = await start({
      faults: ({ path }) =>
        isBroken && (path === '/apis' || path === '/api')
          ? { type: 'answer', status: 403, reason: 'Forbidden' }
          : undefined,
    })
    await cluster.client.delete(Namespace, { name: 'blue' })
    await cluster.advance(5_000)
    expect(reported(await blue(cluster), 'NamespaceDeletionDiscoveryFailure')).toMatch(/^True DiscoveryFailed: /)
    isBroken = false
    await cluster.settle()
    expect(await blue(cluster)).toBeUndefined()
  })

  it('a namespace that is deleted waits for finalizers of others', async () => {
    const cluster = await start()
    await cluster.client.patch(Namespace, { name: 'blue' }, { type: 'merge', patch: { metadata: hold } })
    await end(cluster)
    expect((await blue(cluster))?.spec?.finalizers ?? []).toEqual([])
    await cluster.client.patch(
      Namespace,
      { name: 'blue' },
      { type: 'merge', patch: { metadata: { finalizers: null } } },
    )
    await cluster.settle()
    expect(await blue(cluster)).toBeUndefined()
  })
})
