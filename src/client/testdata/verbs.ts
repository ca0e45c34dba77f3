/** Tests every verb of the client on a given server: the embedded one, with and without sockets, or a real one. */
import { afterAll, beforeAll, beforeEach, describe, expect, expectTypeOf, it } from 'vitest'
import type { ApiObject, Live } from '../../api/live-object.ts'
import { isAlreadyExists, isConflict, isForbidden, isInvalid, isNotFound } from '../../api/error-reasons.ts'
import { ApiError } from '../../api/status.ts'
import type { Env } from '../../env/env.ts'
import type { Kind } from '../../schema/kind.ts'
import type { Client, Partially, WatchEvent } from '../client.ts'
import { RestClient } from '../rest-client.ts'
import type { Transport } from '../transport.ts'

export interface Connected {
  readonly transport: Transport
  close(): Promise<void>
}

interface ConfigMap extends ApiObject {
  data?: Record<string, string>
}
interface Deployment extends ApiObject {
  spec?: { replicas?: number; selector: object; template: object }
}
interface Scale extends ApiObject {
  spec: { replicas: number }
}

const core = { group: '', version: 'v1', apiVersion: 'v1' }
const ConfigMap: Kind<ConfigMap> = { ...core, kind: 'ConfigMap', plural: 'configmaps', namespaced: true }
const Namespace: Kind = { ...core, kind: 'Namespace', plural: 'namespaces', namespaced: false }
const ServiceAccount: Kind = { ...core, kind: 'ServiceAccount', plural: 'serviceaccounts', namespaced: true }
const Pod: Kind = { ...core, kind: 'Pod', plural: 'pods', namespaced: true }
const Deployment: Kind<Deployment> = {
  group: 'apps',
  version: 'v1',
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  plural: 'deployments',
  namespaced: true,
}
function deployment(name: string, namespace: string, replicas?: number): Deployment {
  const labels = { app: name }
  return {
    metadata: { name, namespace },
    spec: {
      ...(replicas === undefined ? {} : { replicas }),
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name: 'c', image: 'i' }] } },
    },
  }
}

async function first<T extends ApiObject>(
  events: AsyncIterable<readonly WatchEvent<T>[]>,
  count: number,
): Promise<WatchEvent<T>[]> {
  const seen: WatchEvent<T>[] = []
  for await (const batch of events) {
    seen.push(...batch)
    if (seen.length >= count) break
  }
  return seen
}

/** `connect` returns a transport of an administrator. */
export function describeVerbs(name: string, env: Env, connect: () => Promise<Connected>): void {
  describe(name, () => verbs(env, connect))
}

function verbs(env: Env, connect: () => Promise<Connected>): void {
  let connected: Connected
  let transport: Transport
  let client: RestClient
  let namespace: string
  let count = 0

  beforeAll(async () => {
    connected = await connect()
    transport = connected.transport
    client = new RestClient({ env, transport, fieldManager: 'tester' })
  })
  afterAll(() => connected.close())
  beforeEach(async () => {
    namespace = `verbs-${count++}`
    await client.create(Namespace, { metadata: { name: namespace } })
  })

  const map = (name: string, data: Record<string, string> = {}): ConfigMap => ({ metadata: { name, namespace }, data })

  it('a client creates, reads, updates and deletes', async () => {
    const made = await client.create(ConfigMap, map('a', { x: '1' }))
    expect(made).toMatchObject({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'a', namespace },
      data: { x: '1' },
    })
    expect(await client.get(ConfigMap, { namespace, name: 'a' })).toEqual(made)
    const changed = await client.update(ConfigMap, {
      ...map('a', { x: '2' }),
      metadata: { name: 'a', namespace, resourceVersion: made.metadata.resourceVersion },
    })
    expect(changed.data).toEqual({ x: '2' })
    expect(changed.metadata.managedFields?.[0]?.manager).toBe('tester')
    expect(await client.delete(ConfigMap, { namespace, name: 'a' })).toBeUndefined()
    await expect(client.get(ConfigMap, { namespace, name: 'a' })).rejects.toSatisfy(isNotFound)
  })

  it('a client leaves out fields that are undefined, as JSON does', async () => {
    const made = await client.create(ConfigMap, {
      ...map('a'),
      data: undefined,
      metadata: { name: 'a', namespace, labels: undefined },
    } as unknown as ConfigMap)
    expect(made).not.toHaveProperty('data')
    expect(Object.keys(made.metadata)).not.toContain('labels')
  })

  it('a client throws typed errors', async () => {
    const made = await client.create(ConfigMap, map('a'))
    await client.update(ConfigMap, map('a', { x: '1' }))
    await expect(client.create(ConfigMap, map('a'))).rejects.toSatisfy(isAlreadyExists)
    await expect(client.create(ConfigMap, map('NOT A NAME'))).rejects.toSatisfy(isInvalid)
    const stale = client.update(ConfigMap, {
      ...map('a'),
      metadata: { name: 'a', namespace, resourceVersion: made.metadata.resourceVersion },
    })
    await expect(stale).rejects.toSatisfy(isConflict)
    await expect(stale).rejects.toMatchObject({ name: 'ApiError', code: 409, reason: 'Conflict' })
    await expect(client.delete(ConfigMap, { namespace, name: 'a' }, { uid: 'another' })).rejects.toSatisfy(isConflict)
    await expect(client.delete(ConfigMap, { namespace, name: 'a' }, { resourceVersion: '1' })).rejects.toSatisfy(
      isConflict,
    )
    await client.delete(ConfigMap, { namespace, name: 'a' }, { uid: made.metadata.uid })
  })

  // Known failure: client 26.
  it('each of the four patches has its own content type', async () => {
    await client.create(Deployment, deployment('d', namespace))
    const key = { namespace, name: 'd' }
    const json = await client.patch(Deployment, key, {
      type: 'json',
      patch: [{ op: 'add', path: '/metadata/labels', value: { a: '1' } }],
    })
    expect(json.metadata.labels).toEqual({ a: '1' })
    const merge = await client.patch(Deployment, key, {
      type: 'merge',
      patch: { metadata: { labels: { b: '2', a: null } } },
    })
    expect(merge.metadata.labels).toEqual({ b: '2' })
    const strategic = await client.patch(Deployment, key, {
      type: 'strategic',
      patch: { spec: { template: { spec: { containers: [{ name: 'second', image: 'j' }] } } } },
    })
    expect(strategic).toMatchObject({
      spec: { template: { spec: { containers: [{ name: 'second' }, { name: 'c' }] } } },
    })
    const applied = await client.patch(
      Deployment,
      key,
      {
        type: 'apply',
        force: true,
        patch: { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'd' }, spec: { replicas: 3 } },
      },
      { fieldManager: 'scaler' },
    )
    expect(applied.spec?.replicas).toBe(3)
    expect(applied.metadata.managedFields?.find(({ manager }) => manager === 'scaler')?.operation).toBe('Apply')
  })

  // Known failure: client 27.
  it('apply is one verb; it creates, changes, and conflicts unless forced', async () => {
    const mine = { metadata: { name: 'a', namespace }, data: { x: '1' } }
    expect((await client.apply(ConfigMap, mine)).data).toEqual({ x: '1' })
    const other = client.with({ fieldManager: 'other' })
    const conflict = other.apply(ConfigMap, { ...mine, data: { x: '2' } })
    await expect(conflict).rejects.toSatisfy(isConflict)
    expect((await other.apply(ConfigMap, { ...mine, data: { x: '2' } }, { force: true })).data).toEqual({ x: '2' })
    await expect(new RestClient({ env, transport }).apply(ConfigMap, mine)).rejects.toThrow(/needs a fieldManager/)
  })

  it('a client writes status and scale apart from the rest', async () => {
    await client.create(Deployment, deployment('d', namespace, 1))
    const key = { namespace, name: 'd' }
    await client.patch(
      Deployment,
      key,
      { type: 'merge', patch: { status: { replicas: 1 }, spec: { replicas: 9 } } },
      { subresource: 'status' },
    )
    expect(await client.get(Deployment, key)).toMatchObject({ spec: { replicas: 1 }, status: { replicas: 1 } })
    const scale = (await client.get(Deployment, key, { subresource: 'scale' })) as unknown as Scale
    expect(scale).toMatchObject({ kind: 'Scale', spec: { replicas: 1 } })
    await client.update(Deployment, { ...scale, spec: { replicas: 4 } } as unknown as Deployment, {
      subresource: 'scale',
    })
    expect((await client.get(Deployment, key)).spec?.replicas).toBe(4)
  })

  it('a client creates on subresources that are no part of the object', async () => {
    await client.create(ServiceAccount, { metadata: { name: 'robot', namespace } })
    const token = await client.createSubresource<ApiObject, ApiObject & { status: { token: string } }>(
      ServiceAccount,
      { namespace, name: 'robot' },
      'token',
      { spec: { audiences: ['x'], expirationSeconds: 600 } },
    )
    expect(token.status.token.split('.')).toHaveLength(3)
  })

  it('a client dry runs change nothing', async () => {
    await client.create(ConfigMap, map('a'), { dryRun: true })
    await expect(client.get(ConfigMap, { namespace, name: 'a' })).rejects.toSatisfy(isNotFound)
    await client.create(ConfigMap, map('a'))
    await client.delete(ConfigMap, { namespace, name: 'a' }, { dryRun: true })
    await client.get(ConfigMap, { namespace, name: 'a' })
  })

  it('a delete returns whether the object is still there', async () => {
    await client.create(ConfigMap, { metadata: { name: 'held', namespace, finalizers: ['example.com/x'] } })
    const held = await client.delete(ConfigMap, { namespace, name: 'held' })
    expect(held?.metadata.deletionTimestamp).toBeDefined()
    // One of these responds with the object although it is gone, the other because it still exists.
    await client.create(ServiceAccount, { metadata: { name: 's', namespace } })
    expect(await client.delete(ServiceAccount, { namespace, name: 's' })).toBeUndefined()
    expect((await client.delete(Namespace, { name: namespace }))?.metadata.deletionTimestamp).toBeDefined()
  })

  // Known failure: client 9.
  it('lists come in pages; items have kind and apiVersion', async () => {
    const names = Array.from({ length: 7 }, (_, i) => `m${i}`)
    await Promise.all(names.map((name) => client.create(ConfigMap, map(name))))
    const sizes: number[] = []
    for await (const page of client.pages(ConfigMap, { namespace, limit: 3 })) sizes.push(page.items.length)
    expect(sizes).toEqual([3, 3, 1])
    const all = await client.list(ConfigMap, { namespace })
    expect(all.items.map(({ metadata }) => metadata.name)).toEqual(names)
    expect(all.items.every(({ kind, apiVersion }) => kind === 'ConfigMap' && apiVersion === 'v1')).toBe(true)
    expect(all.metadata).toEqual({ resourceVersion: expect.stringMatching(/^\d+$/) })
    const one = await client.list(ConfigMap, { namespace, limit: 2 })
    expect(one.items).toHaveLength(2)
    expect((await client.list(ConfigMap, { namespace, continue: one.metadata.continue })).items).toHaveLength(5)
  })

  it('a client selects, across namespaces, and only metadata', async () => {
    await client.create(ConfigMap, { ...map('a'), metadata: { name: 'a', namespace, labels: { pick: namespace } } })
    await client.create(ConfigMap, map('b'))
    expect(
      (await client.list(ConfigMap, { labelSelector: `pick=${namespace}` })).items.map(({ metadata }) => metadata.name),
    ).toEqual(['a'])
    expect((await client.list(ConfigMap, { namespace, fieldSelector: 'metadata.name=b' })).items).toHaveLength(1)
    const [item] = (await client.list(ConfigMap, { namespace, metadataOnly: true })).items
    expect(item).toMatchObject({ kind: 'ConfigMap', apiVersion: 'v1', metadata: { name: 'a' } })
    expect(item).not.toHaveProperty('data')
  })

  it('a client deletes collections by selector, in one namespace', async () => {
    await client.create(ConfigMap, { ...map('a'), metadata: { name: 'a', namespace, labels: { go: 'y' } } })
    await client.create(ConfigMap, map('b'))
    await client.deleteCollection(ConfigMap, { namespace, labelSelector: 'go=y' })
    expect((await client.list(ConfigMap, { namespace })).items.map(({ metadata }) => metadata.name)).toEqual(['b'])
    await expect(client.deleteCollection(ConfigMap)).rejects.toThrow(/pass a namespace/)
  })

  it('a client watches: events in order, bookmarks, the end of the initial ones', async () => {
    await client.create(ConfigMap, map('a'))
    const events = await client.watch(ConfigMap, {
      namespace,
      sendInitialEvents: true,
      resourceVersionMatch: 'NotOlderThan',
      allowWatchBookmarks: true,
      timeoutSeconds: 60,
    })
    await client.create(ConfigMap, map('b'))
    await client.update(ConfigMap, map('b', { x: '1' }))
    await client.delete(ConfigMap, { namespace, name: 'b' })
    const seen = await first(events, 5)
    expect(
      seen.map((event) => (event.type === 'BOOKMARK' ? event : `${event.type} ${event.object.metadata.name}`)),
    ).toEqual([
      'ADDED a',
      { type: 'BOOKMARK', resourceVersion: expect.stringMatching(/^\d+$/), initialEventsEnd: true },
      'ADDED b',
      'MODIFIED b',
      'DELETED b',
    ])
  })

  it('watches metadata only', async () => {
    await client.create(ConfigMap, map('a', { x: '1' }))
    const [event] = await first(await client.watch(ConfigMap, { namespace, metadataOnly: true }), 1)
    expect(event).toMatchObject({ type: 'ADDED', object: { kind: 'ConfigMap', metadata: { name: 'a' } } })
    expect(event).not.toHaveProperty('object.data')
  })

  it('a watch that is aborted says so', async () => {
    const stop = new AbortController()
    const events = await client.watch(ConfigMap, { namespace, signal: stop.signal })
    const reading = first(events, 1)
    stop.abort()
    await expect(reading).rejects.toMatchObject({ name: 'TransportError', code: 'ABORTED' })
  })

  it('a watch that the server refuses rejects with its error', async () => {
    await expect(client.watch(ConfigMap, { namespace, resourceVersion: 'x' })).rejects.toBeInstanceOf(ApiError)
    await expect(client.watch(ConfigMap, { namespace, sendInitialEvents: true })).rejects.toSatisfy(
      (error) => isInvalid(error) || isForbidden(error),
    )
  })

  it('a call that is aborted before it begins was not sent', async () => {
    const call = client.get(ConfigMap, { namespace, name: 'a' }, { signal: AbortSignal.abort() })
    await expect(call).rejects.toMatchObject({ name: 'TransportError', code: 'ABORTED', sent: false })
  })

  it('a client reads any path', async () => {
    expect(await client.raw('GET', '/version')).toMatchObject({ major: '1', minor: '35' })
    expect(await client.raw('GET', '/healthz')).toBe('ok')
    await expect(client.raw('GET', '/nowhere')).rejects.toSatisfy(isNotFound)
  })

  // Known failure: client 21.
  it('a client times are the texts of the wire, from reads, lists and watches alike', async () => {
    const made = await client.create(ConfigMap, map('a'))
    const time = made.metadata.creationTimestamp
    expect(time).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/)
    expect((await client.list(ConfigMap, { namespace })).items[0]?.metadata.creationTimestamp).toBe(time)
    const [event] = await first(await client.watch(ConfigMap, { namespace }), 1)
    expect(event).toMatchObject({ object: { metadata: { creationTimestamp: time } } })
  })

  // Known failure: runtime 4.
  it('what an apply may say is typed by its kind', () => {
    expectTypeOf<Partially<ConfigMap>>().toExtend<{ metadata: { name: string } }>()
    expectTypeOf<{ metadata: { name: string }; data: { a: string } }>().toExtend<Partially<ConfigMap>>()
    expectTypeOf<{ data: { a: string } }>().not.toExtend<Partially<ConfigMap>>()
    expectTypeOf<{ metadata: { name: string }; data: { a: number } }>().not.toExtend<Partially<ConfigMap>>()
    expectTypeOf<ReturnType<Client['get']>>().toExtend<Promise<Live<ApiObject>>>()
  })

  it('a client refuses keys that do not fit the kind, before anything is sent', async () => {
    await expect(client.get(ConfigMap, { name: 'a' })).rejects.toThrow('configmaps are namespaced: pass a namespace')
    await expect(client.get(Namespace, { namespace: 'x', name: 'a' })).rejects.toThrow('namespaces are not namespaced')
    await expect(client.delete(Pod, { namespace, name: '' })).rejects.toThrow('a name is needed')
    await expect(client.delete(Pod, { namespace, name: '..' })).rejects.toThrow('cannot be a name')
    await expect(client.get(Pod, { namespace, name: 'a/log' })).rejects.toThrow('cannot be a name')
  })
}
