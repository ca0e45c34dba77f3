/**
 * Tests the runtime end to end on a real kube-apiserver: a manager with a controller (finalizer, status, owned objects,
 * drift, events), reads of own writes, broken connections, and leader election between two managers.
 */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { clusterTransport } from '../../src/client/cluster-access.ts'
import { loadAccess } from '../../src/client/load-access.ts'
import { fixedCredentials } from '../../src/client/credentials.ts'
import { HttpTransport } from '../../src/client/http-transport.ts'
import { RestClient } from '../../src/client/rest-client.ts'
import type { Transport } from '../../src/client/transport.ts'
import { controller } from '../../src/controller/builder.ts'
import { isConditionTrue } from '../../src/controller/conditions.ts'
import type { ControllerDefinition } from '../../src/controller/definition.ts'
import { controllerOf } from '../../src/controller/owner-references.ts'
import { realEnv } from '../../src/env/real.ts'
import { Manager, type ManagerOptions } from '../../src/manager/manager.ts'
import { ConfigMap, CoreEvent, CustomResourceDefinition, Lease, Namespace } from '../../src/schema/builtin/kinds.ts'
import { kindName } from '../../src/schema/kind.ts'
import { startCluster, type Cluster } from '../cluster/index.ts'
import { FaultProxy } from './fault-proxy.ts'
import { eventually } from './served-plane.ts'
import { Greeting } from './testdata/greeting.ts'
import { describe as describeObject, Transitions } from './transitions.ts'

const env = realEnv()
let cluster: Cluster
let client: RestClient
let userTransport: HttpTransport
const namespace = 'runtime'
const key = { namespace, name: 'hello' }

beforeAll(async () => {
  cluster = await startCluster()
  userTransport = clusterTransport(env, await loadAccess({ env, kubeconfig: cluster.kubeconfig }))
  client = new RestClient({ env, transport: userTransport, fieldManager: 'user' })
  await client.create(Namespace, { metadata: { name: namespace } })
  await client.create(CustomResourceDefinition, Greeting.crd)
  await eventually(
    await client.watch(CustomResourceDefinition),
    ({ metadata, status }) =>
      metadata.name === kindName(Greeting) && isConditionTrue((status?.conditions as never) ?? [], 'Established'),
  )
})
afterAll(async () => {
  await userTransport.close()
  await cluster.stop()
})

interface Running {
  readonly manager: Manager
  readonly writes: string[]
  readonly stop: () => Promise<void>
}

const running: Running[] = []
afterEach(async () => {
  for (const each of running.splice(0)) await each.stop()
  await client.deleteCollection(Greeting, { namespace })
  await client.deleteCollection(ConfigMap, { namespace })
})

async function start(options: Partial<ManagerOptions>, inner?: HttpTransport): Promise<Running> {
  const own = inner ?? clusterTransport(env, await loadAccess({ env, kubeconfig: cluster.kubeconfig }))
  const writes: string[] = []
  const transport: Transport = {
    host: own.host,
    request(request) {
      if (request.method !== 'GET' && !request.path.includes('/leases'))
        writes.push(`${request.method} ${request.path.split('?')[0]}`)
      return own.request(request)
    },
    close: () => own.close(),
  }
  const manager = new Manager({ env, transport, controllers: [], namespaces: [namespace], ...options })
  const stop = new AbortController()
  const ended = manager.run(stop.signal)
  const each = {
    manager,
    writes,
    async stop() {
      running.splice(running.indexOf(each), running.includes(each) ? 1 : 0)
      stop.abort()
      await ended
      await own.close()
      expect(own.connectionCount).toBe(0)
    },
  }
  running.push(each)
  return each
}

const cleaned: string[] = []

function greetings(by: string): ControllerDefinition {
  return controller(Greeting)
    .owns(ConfigMap)
    .finalizer('example.dev/greeting', ({ key: { name } }) => {
      cleaned.push(name)
    })
    .reconcile(async (context) => {
      const { object, status } = context
      const { outcome } = await context.apply(ConfigMap, {
        metadata: { name: object.metadata.name },
        data: { text: object.spec.text },
      })
      const map = await context.get(ConfigMap, object.metadata.name)
      if (map?.data?.['text'] !== object.spec.text) throw new Error('the cache does not show what was written just now')
      status.set({ said: object.spec.text, by })
      status.condition({ type: 'Ready', status: true, reason: 'Said' })
      if (outcome !== 'unchanged') context.event('Normal', 'Said', `${outcome}: ${object.spec.text}`)
    })
}

async function said(text: string): Promise<void> {
  await eventually(await client.watch(Greeting, { namespace }), ({ status }) => status?.said === text)
}

describe('on a real kube-apiserver, a manager', () => {
  it('on a real kube-apiserver, a manager reconciles: owned object, status, finalizer, events, then rest', async () => {
    const { manager, writes, stop } = await start({ controllers: [greetings('a')] })
    await client.create(Greeting, { metadata: { ...key }, spec: { text: 'hi' } })
    await said('hi')
    const greeting = await client.get(Greeting, key)
    expect(greeting.metadata.finalizers).toEqual(['example.dev/greeting'])
    expect(greeting.status).toMatchObject({
      said: 'hi',
      observedGeneration: greeting.metadata.generation,
      conditions: [{ type: 'Ready', status: 'True', reason: 'Said' }],
    })
    const map = await client.get(ConfigMap, key)
    expect(map.data).toEqual({ text: 'hi' })
    expect(controllerOf(map)?.uid).toBe(greeting.metadata.uid)
    await manager.flush()
    const { items } = await client.list(CoreEvent, {
      namespace,
      fieldSelector: `involvedObject.uid=${greeting.metadata.uid}`,
    })
    expect(items.map(({ reason, message }) => `${reason} ${message}`)).toContain('Said created: hi')

    // Another run must not change anything.
    await settled(manager)
    const before = writes.length
    manager.controllers[0]?.trigger(`${namespace}/hello`)
    await settled(manager)
    expect(writes.slice(before)).toEqual([])

    await client.delete(Greeting, key)
    await gone()
    expect(cleaned).toContain('hello')
    await stop()
  })

  it('on a real kube-apiserver, a manager puts drift right, and tells it from a change of the spec', async () => {
    const { manager } = await start({ controllers: [greetings('a')] })
    await client.create(Greeting, { metadata: { ...key }, spec: { text: 'hi' } })
    await said('hi')
    await client.patch(ConfigMap, key, { type: 'merge', patch: { data: { text: 'spoilt' } } })
    await eventually(
      await client.watch(ConfigMap, { namespace, fieldSelector: 'metadata.name=hello' }),
      ({ data }) => data?.['text'] === 'hi',
    )
    await client.delete(ConfigMap, key)
    await eventually(
      await client.watch(ConfigMap, { namespace, fieldSelector: 'metadata.name=hello' }),
      ({ data }) => data?.['text'] === 'hi',
    )
    await client.patch(Greeting, key, { type: 'merge', patch: { spec: { text: 'ho' } } })
    await said('ho')
    await settled(manager)
    await manager.flush()
    const { items } = await client.list(CoreEvent, { namespace })
    const told = items.filter(({ reason }) => reason === 'Said').map(({ message = '' }) => message)
    expect(told).toEqual(expect.arrayContaining(['created: hi', 'drift: hi', 'updated: ho']))
    await client.delete(Greeting, key)
    await gone()
  })

  it('on a real kube-apiserver, a manager survives connections that are reset all the time', async () => {
    const { port } = new URL(cluster.url)
    const proxy = new FaultProxy(Number(port))
    const url = (await proxy.start()).replace('http:', 'https:')
    const trust = { ca: cluster.ca }
    const own = new HttpTransport({
      env,
      server: url,
      credentials: fixedCredentials({ authorization: `Bearer ${cluster.token}` }),
      trust: () => Promise.resolve(trust),
    })
    const { manager, stop } = await start({ controllers: [greetings('a')] }, own)
    const seen = new Transitions()
    manager.cache.informer(Greeting).addHandler(seen)
    for (let i = 0; i < 10; i++) {
      await client.create(Greeting, { metadata: { namespace, name: `greeting-${i}` }, spec: { text: `text ${i}` } })
      proxy.reset()
    }
    for (let i = 0; i < 10; i++) await said(`text ${i}`)
    await settled(manager)
    expect(seen.wrong).toEqual([])
    const there = (await client.list(Greeting, { namespace })).items.map((each) => describeObject(each as never)).sort()
    expect(
      manager.cache
        .informer(Greeting)
        .lister.list()
        .map((each) => describeObject(each as never))
        .sort(),
    ).toEqual(there)
    for (let i = 0; i < 10; i++) await client.delete(Greeting, { namespace, name: `greeting-${i}` })
    await gone()
    await stop()
    await proxy.whenEmpty()
    await proxy.stop()
  })

  it('on a real kube-apiserver, a manager hands its lease over after a clean stop, and writes no more', async () => {
    const lease = {
      namespace,
      name: 'greetings',
      retryPeriodMs: 1_000,
      renewDeadlineMs: 8_000,
      leaseDurationMs: 12_000,
    }
    const a = await start({ controllers: [greetings('a')], leaderElection: { ...lease, identity: 'a' } })
    await a.manager.whenWorking()
    const b = await start({ controllers: [greetings('b')], leaderElection: { ...lease, identity: 'b' } })
    await client.create(Greeting, { metadata: { ...key }, spec: { text: 'one' } })
    await said('one')
    expect((await client.get(Greeting, key)).status?.by).toBe('a')
    expect(b.writes).toEqual([])
    await a.stop()
    await b.manager.whenWorking()
    await client.patch(Greeting, key, { type: 'merge', patch: { spec: { text: 'two' } } })
    await said('two')
    expect((await client.get(Greeting, key)).status?.by).toBe('b')
    const { spec } = await client.get(Lease, lease)
    expect(spec).toMatchObject({ holderIdentity: 'b', leaseTransitions: 1, leaseDurationSeconds: 12 })
    await client.delete(Greeting, key)
    await gone()
    await b.stop()
    expect((await client.get(Lease, lease)).spec?.holderIdentity).toBe('')
  })

  it('on a real kube-apiserver, managers share keys, and take over those of a copy that stops', async () => {
    const lease = {
      namespace,
      name: 'sharing',
      retryPeriodMs: 500,
      renewDeadlineMs: 6_000,
      leaseDurationMs: 9_000,
      shards: 4,
    }
    const names = Array.from({ length: 12 }, (_, i) => `shared-${i}`)
    for (const name of names) await client.create(Greeting, { metadata: { namespace, name }, spec: { text: 'one' } })
    const copies = new Map<string, Running>()
    for (const identity of ['a', 'b'])
      copies.set(identity, await start({ controllers: [greetings(identity)], leaderElection: { ...lease, identity } }))
    const holders = (name: string): string[] =>
      [...copies]
        .filter(([, { manager }]) => manager.leadership.share?.holds(`${namespace}/${name}`) === true)
        .map(([identity]) => identity)
    const areShared = (): boolean =>
      names.every((name) => holders(name).length === 1) &&
      [...copies.keys()].every((identity) => names.some((name) => holders(name)[0] === identity))
    await until(areShared)
    for (const name of names)
      await client.patch(Greeting, { namespace, name }, { type: 'merge', patch: { spec: { text: 'two' } } })
    const by = async (text: string): Promise<readonly string[]> => {
      for (;;) {
        const { items } = await client.list(Greeting, { namespace })
        if (items.every(({ status }) => status?.said === text)) return items.map(({ status }) => status?.by ?? '')
        await new Promise((resolve) => setTimeout(resolve, 20))
      }
    }
    expect(new Set(await by('two'))).toEqual(new Set(['a', 'b']))
    await copies.get('a')?.stop()
    copies.delete('a')
    await until(areShared)
    for (const name of names)
      await client.patch(Greeting, { namespace, name }, { type: 'merge', patch: { spec: { text: 'three' } } })
    expect(new Set(await by('three'))).toEqual(new Set(['b']))
    for (const name of names) await client.delete(Greeting, { namespace, name })
    await gone()
    await copies.get('b')?.stop()
    const { items } = await client.list(Lease, { namespace })
    expect(
      items
        .filter(({ metadata }) => metadata.name.startsWith('sharing-'))
        .map(({ metadata, spec }) => `${metadata.name} ${spec?.holderIdentity ?? ''}`)
        .sort(),
    ).toEqual([0, 1, 2, 3].map((shard) => `sharing-${shard} `))
  })
})

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 20))
}

/** Waits until the queues are empty and the cache is up to date with the server. */
async function settled(manager: Manager): Promise<void> {
  for (;;) {
    const there = (await client.list(Greeting, { namespace })).items.map((each) => describeObject(each as never)).sort()
    const here = manager.cache
      .informer(Greeting)
      .lister.list()
      .map((each) => describeObject(each as never))
      .sort()
    if (JSON.stringify(there) === JSON.stringify(here) && manager.controllers.every(({ idle }) => idle)) return
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

/** Waits until all greetings are gone, which means that their finalizers were removed. */
async function gone(): Promise<void> {
  while ((await client.list(Greeting, { namespace })).items.length > 0)
    await new Promise((resolve) => setTimeout(resolve, 20))
}
