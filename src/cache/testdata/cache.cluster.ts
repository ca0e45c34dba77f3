/**
 * Tests the cache on a real kube-apiserver, over real sockets: the guarantees that the other tests check with the
 * embedded server and a simulated clock.
 */
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { keyOf, keyText, type ApiObject, type Live } from '../../api/live-object.ts'
import { apiError } from '../../api/status.ts'
import { fixedCredentials } from '../../client/credentials.ts'
import { HttpTransport } from '../../client/http-transport.ts'
import { RestClient } from '../../client/rest-client.ts'
import type { TransportRequest } from '../../client/transport.ts'
import { realEnv } from '../../env/real.ts'
import type { Kind } from '../../schema/kind.ts'
import { startCluster, type Cluster } from '../../../test/cluster/index.ts'
import type { Cache, Handler, Informer } from '../cache.ts'
import { createCache, type CacheOptions } from '../create-cache.ts'
import { FaultyTransport, rejection } from './faulty-transport.ts'
import { ConfigMap, configMap } from './plane.ts'

const env = realEnv()
let cluster: Cluster
let transport: HttpTransport
let network: FaultyTransport
let client: RestClient
let stop = new AbortController()
let ended: Promise<void>[] = []
let asked: TransportRequest[] = []

beforeAll(async () => {
  cluster = await startCluster()
  const trust = { ca: cluster.ca }
  transport = new HttpTransport({
    env,
    server: cluster.url,
    trust: () => Promise.resolve(trust),
    credentials: fixedCredentials({ authorization: `Bearer ${cluster.token}` }),
  })
  network = new FaultyTransport(transport)
  const counted = {
    request(request: TransportRequest) {
      asked.push(request)
      return network.request(request)
    },
    close: () => network.close(),
  }
  client = new RestClient({ env, transport: counted, fieldManager: 'cache-test' })
})

afterAll(async () => {
  await transport.close()
  await cluster.stop()
})

afterEach(async () => {
  stop.abort()
  await Promise.all(ended)
  network.fault = () => undefined
  stop = new AbortController()
  ended = []
  asked = []
  // Closing a socket takes time.
  await vi.waitFor(() => expect(network.streams.size).toBe(0))
})

function run(options: Partial<CacheOptions> = {}): Cache {
  const cache = createCache({ client, env, ...options })
  ended.push(cache.run(stop.signal))
  return cache
}

/** The paths of the list requests. */
const lists = (): string[] =>
  asked.map(({ path }) => path).filter((path) => /[?&](sendInitialEvents|limit)=/.test(path))
const content = (objects: readonly Live<ApiObject>[]): string[] =>
  objects.map((each) => `${keyText(keyOf(each))} ${each.metadata.uid} ${each.metadata.resourceVersion}`).sort()

/** Waits with a handler until the store meets the condition. */
function until<T extends ApiObject>(informer: Informer<T>, isThere: () => boolean): Promise<void> {
  return new Promise((resolve) => {
    const look = (): void => {
      if (!isThere()) return
      registration?.remove()
      resolve()
    }
    const handler: Handler<T> = { onAdd: look, onUpdate: look, onDelete: look }
    const registration = informer.addHandler(handler)
    look()
  })
}

describe('on a real server', () => {
  const ways = [
    { watchList: true, via: 'watch-list' },
    { watchList: false, via: 'list' },
  ]
  it.each(ways)('lists via $via, follows, and reads own writes', async ({ watchList, via }) => {
    const namespace = 'default'
    const name = `own-${via}`
    const reported: string[] = []
    const cache = run({ watchList, pageSize: 2, observer: { listed: (_kind, info) => reported.push(info.via) } })
    const informer = cache.informer(ConfigMap, { labelSelector: `suite=${via}` })
    await cache.whenSynced()
    const labels = { suite: via }
    for (let i = 0; i < 30; i++) {
      await cache.client.create(ConfigMap, configMap(name, { v: '1' }, { labels }))
      expect((await cache.get(ConfigMap, { namespace, name }))?.data).toEqual({ v: '1' })
      await cache.client.update(ConfigMap, configMap(name, { v: '2' }, { labels }))
      expect((await cache.list(ConfigMap)).map((each) => each.data)).toEqual([{ v: '2' }])
      await cache.client.apply(ConfigMap, { metadata: { name, namespace }, data: { w: '3' } })
      expect((await cache.get(ConfigMap, { namespace, name }))?.data).toEqual({ v: '2', w: '3' })
      if (i % 2 === 0) await cache.client.delete(ConfigMap, { namespace, name })
      else await cache.client.deleteCollection(ConfigMap, { namespace, labelSelector: `suite=${via}` })
      expect(await cache.get(ConfigMap, { namespace, name })).toBeUndefined()
    }
    expect(informer.lister.size).toBe(0)
    expect(reported).toEqual([via])
  })

  it('a cache on a real server does not wait for writes that it will not be shown', async () => {
    const cache = run()
    cache.informer(ConfigMap, { labelSelector: 'suite=none' })
    await cache.whenSynced()
    await cache.client.create(ConfigMap, configMap('outside'))
    expect(await cache.list(ConfigMap)).toEqual([])
    await cache.client.delete(ConfigMap, { namespace: 'default', name: 'outside' })
  })

  it('a cache on a real server continues without a list after resets, ends and refusals', async () => {
    const cache = run()
    const informer = cache.informer(ConfigMap, { namespaces: ['default'], labelSelector: 'suite=cut' })
    await cache.whenSynced()
    const labels = { suite: 'cut' }
    for (let i = 0; i < 6; i++) {
      for (const stream of network.streams) stream.report(i % 2 === 0 ? 'cut' : 'end')
      network.fault = ({ path }) =>
        i === 4 && path.includes('watch=true') ? rejection(429, 'TooManyRequests') : undefined
      await client.create(ConfigMap, configMap(`cut-${i}`, {}, { labels }))
      if (i > 1) await client.delete(ConfigMap, { namespace: 'default', name: `cut-${i - 2}` })
      network.fault = () => undefined
    }
    await until(
      informer,
      () =>
        informer.lister
          .list()
          .map((each) => each.metadata.name)
          .sort()
          .join() === 'cut-4,cut-5',
    )
    const { items } = await client.list(ConfigMap, { namespace: 'default', labelSelector: 'suite=cut' })
    expect(content(informer.lister.list())).toEqual(content(items))
    expect(lists().filter((path) => path.includes('sendInitialEvents'))).toHaveLength(1)
    await client.deleteCollection(ConfigMap, { namespace: 'default', labelSelector: 'suite=cut' })
  })

  it('lists anew after a 410, no older than what was seen', async () => {
    const relists: boolean[] = []
    const cache = run({ observer: { listed: (_kind, { relist }) => relists.push(relist) } })
    const informer = cache.informer(ConfigMap, { namespaces: ['default'], labelSelector: 'suite=gone' })
    await cache.whenSynced()
    const [stream] = network.streams
    stream?.inject({
      type: 'ERROR',
      object: apiError.expired('too old resource version').status,
    })
    await client.create(ConfigMap, configMap('gone', {}, { labels: { suite: 'gone' } }))
    await until(informer, () => informer.lister.size === 1)
    await client.delete(ConfigMap, { namespace: 'default', name: 'gone' })
    await until(informer, () => informer.lister.size === 0)
    expect(relists).toEqual([false, true])
    expect(lists().map((path) => path.includes('resourceVersion='))).toEqual([false, true])
  })

  it('a cache on a real server holds metadata only, and waits for a kind that comes later', async () => {
    const Gadget: Kind = {
      group: 'cache.test',
      version: 'v1',
      apiVersion: 'cache.test/v1',
      kind: 'Gadget',
      plural: 'gadgets',
      namespaced: true,
    }
    const anything = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true }
    const missing: boolean[] = []
    const cache = run({ observer: { retrying: (_kind, { isMissing }) => missing.push(isMissing) } })
    const informer = cache.informer(Gadget, { projection: 'metadata' })
    await client.raw('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', {
      body: {
        apiVersion: 'apiextensions.k8s.io/v1',
        kind: 'CustomResourceDefinition',
        metadata: { name: 'gadgets.cache.test' },
        spec: {
          group: 'cache.test',
          scope: 'Namespaced',
          names: { plural: 'gadgets', kind: 'Gadget', singular: 'gadget', listKind: 'GadgetList' },
          versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: anything } }],
        },
      },
    })
    await cache.whenSynced()
    expect(missing.every(Boolean)).toBe(true)
    const gadget = { metadata: { name: 'a', namespace: 'default' }, spec: { secret: 'x' } }
    await cache.client.create(Gadget, gadget)
    const read = await cache.get(Gadget, { namespace: 'default', name: 'a' }, { projection: 'metadata' })
    expect(Object.keys(read ?? {}).sort()).toEqual(['apiVersion', 'kind', 'metadata'])
    expect(read).toMatchObject({ apiVersion: 'cache.test/v1', kind: 'Gadget' })
    expect(informer.lister.size).toBe(1)
  })
})
