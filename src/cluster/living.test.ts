import { afterEach, describe, expect, it } from 'vitest'
import { controller } from '../controller/builder.ts'
import { Deployment, Lease, Node, Pod } from '../schema/builtin/kinds.ts'
import { resource } from '../schema/resource.ts'
import { t } from '../schema/t.ts'
import { embedded } from './embedded.ts'
import type { Embedded } from './embedded-handle.ts'
import type { EmbeddedOptions } from './embedded-options.ts'

const App = resource('example.dev/v1', 'App', {
  spec: t.object({ image: t.string(), replicas: t.int() }),
  status: t.object({ available: t.int().optional() }),
})

/** A minimal operator for web applications. */
const apps = controller(App)
  .owns(Deployment)
  .reconcile(async ({ object: app, apply, status }) => {
    const labels = { app: app.metadata.name }
    const { object } = await apply(Deployment, {
      metadata: { name: app.metadata.name },
      spec: {
        replicas: app.spec.replicas,
        selector: { matchLabels: labels },
        template: { metadata: { labels }, spec: { containers: [{ name: 'web', image: app.spec.image }] } },
      },
    })
    status.set({ available: object.status?.availableReplicas ?? 0 })
  })

const hello = (image = 'web:1', replicas = 3) => ({
  apiVersion: 'example.dev/v1',
  kind: 'App',
  metadata: { name: 'hello' },
  spec: { image, replicas },
})
const key = { namespace: 'default', name: 'hello' }

const running: Embedded[] = []
afterEach(async () => {
  for (const cluster of running.splice(0)) await cluster.stop()
})

async function start(options: EmbeddedOptions = {}): Promise<Embedded> {
  const cluster = await embedded({ controllers: [apps], nodes: 2, ...options })
  running.push(cluster)
  return cluster
}

async function available({ client }: Embedded): Promise<number | undefined> {
  return (await client.get(App, key)).status?.available
}

describe('a living cluster', () => {
  it('a living cluster has nodes that run what an operator deploys', async () => {
    const cluster = await start()
    await cluster.apply(hello())
    await cluster.settle()
    expect(await available(cluster)).toBe(3)
    const { items } = await cluster.client.list(Pod, { namespace: 'default' })
    expect(items.map(({ status }) => status?.phase)).toEqual(['Running', 'Running', 'Running'])
    expect(new Set(items.map(({ spec }) => spec?.nodeName))).toEqual(new Set(['node-1', 'node-2']))
  })

  it('a living cluster gives pods the token of their account, at once in a new namespace', async () => {
    const cluster = await start()
    const spec = { containers: [{ name: 'c', image: 'i:1' }] }
    await cluster.apply(
      { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'new' } },
      { apiVersion: 'v1', kind: 'Pod', metadata: { namespace: 'new', name: 'a' }, spec },
    )
    const pod = await cluster.client.get(Pod, { namespace: 'new', name: 'a' })
    expect(pod.spec?.serviceAccountName).toBe('default')
    expect(pod.spec?.volumes?.map(({ name }) => name)).toEqual([expect.stringMatching(/^kube-api-access-.{5}$/)])
    const without = await start({ controlPlane: { admission: { disable: ['ServiceAccount'] } } })
    await without.apply({ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a' }, spec })
    const plain = await without.client.get(Pod, { namespace: 'default', name: 'a' })
    expect(plain.spec?.volumes).toBeUndefined()
  })

  it('a living cluster is at rest then: in an hour only the leases of the nodes are renewed', async () => {
    const cluster = await start()
    await cluster.apply(hello())
    await cluster.settle()
    const { revision } = cluster.plane.store
    const leases = async (): Promise<number> =>
      (await cluster.client.list(Lease, { namespace: 'kube-node-lease' })).items.length
    expect(await leases()).toBe(2)
    await cluster.advance(3_600_000)
    expect(cluster.plane.store.revision - revision).toBe(2 * 360)
  })

  it('a living cluster goes on without the operator, whose requests alone are counted and disturbed', async () => {
    let disturbed = 0
    const cluster = await start({
      faults: ({ method }) => (method === 'PATCH' && disturbed++ < 1 ? { type: 'refuse' } : undefined),
    })
    await cluster.apply(hello())
    await cluster.crash()
    await cluster.settle()
    expect(await available(cluster)).toBe(3)
    expect(disturbed).toBeGreaterThan(1)
    expect(cluster.requests.some((line) => line.includes('/binding'))).toBe(false)
    await cluster.restart()
    await cluster.apply(hello('web:2', 2))
    await cluster.settle()
    expect(
      (await cluster.client.list(Pod, { namespace: 'default' })).items.map(({ spec }) => spec?.containers[0]?.image),
    ).toEqual(['web:2', 'web:2'])
  })

  it('a living cluster runs pods as the test says', async () => {
    const cluster = await start({
      behaviours: [{ image: 'broken', behaviour: { failPull: true } }],
      capacity: { pods: '2' },
    })
    await cluster.apply(hello('broken', 2))
    await cluster.settle()
    expect(await available(cluster)).toBe(0)
    await cluster.apply(hello('web:1', 7))
    await cluster.settle()
    expect(await available(cluster)).toBeLessThanOrEqual(4)
    expect((await cluster.client.list(Node)).items.map(({ status }) => status?.allocatable?.pods)).toEqual(['2', '2'])
  })

  it('a living cluster has only the controllers that were asked for', async () => {
    const cluster = await start({ nodes: 0, builtin: ['deployment-controller', 'replicaset-controller'] })
    await cluster.apply(hello())
    await cluster.settle()
    expect((await cluster.client.list(Pod, { namespace: 'default' })).items.map(({ status }) => status?.phase)).toEqual(
      ['Pending', 'Pending', 'Pending'],
    )
    await expect(embedded({ builtin: ['deployments'] })).rejects.toThrow('there is no controller called "deployments"')
  })

  it('a living cluster gives the same run for the same seed', async () => {
    const runs: unknown[] = []
    for (let i = 0; i < 2; i++) {
      const cluster = await start({ seed: 7 })
      await cluster.apply(hello())
      await cluster.settle()
      runs.push([cluster.requests, cluster.env.now(), (await cluster.client.list(Pod)).items])
    }
    expect(runs[0]).toEqual(runs[1])
  })
})
