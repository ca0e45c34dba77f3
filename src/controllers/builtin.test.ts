import { afterEach, describe, expect, it } from 'vitest'
import {
  controller,
  Deployment,
  EndpointSlice,
  Endpoints,
  keyOf,
  Namespace,
  Pod,
  ReplicaSet,
  ServiceAccount,
  type Kind,
} from '../index.ts'
import { timestamp } from '../env/index.ts'
import { policyWarnings, quotaCount } from '../controlplane/index.ts'
import { embedded, type Embedded } from '../testing/index.ts'
import { builtinControllers, builtinNames } from './index.ts'

/** Replaces the nodes: gives pods an address, makes them Ready and removes deleted ones. */
const nodes = controller(Pod)
  .named('nodes')
  .deleting(async ({ object: pod, client }) => {
    await client.delete(Pod, keyOf(pod), { gracePeriodSeconds: 0, uid: pod.metadata.uid })
  })
  .reconcile(({ object: pod, status, now }) => {
    if (pod.status?.phase === 'Running') return
    const ip = `10.1.${pod.metadata.uid.charCodeAt(0)}.${pod.metadata.uid.charCodeAt(1)}`
    status.set({
      phase: 'Running',
      podIP: ip,
      podIPs: [{ ip }],
      conditions: [{ type: 'Ready', status: 'True', lastTransitionTime: timestamp(now()) }],
    })
  })

const running: Embedded[] = []
afterEach(async () => {
  for (const cluster of running.splice(0)) await cluster.stop()
})

async function start(): Promise<Embedded> {
  const { controllers, tasks } = builtinControllers(['all'], { ca: 'PEM', quota: quotaCount })
  const cluster = await embedded({ controllers: [...controllers, nodes], tasks })
  running.push(cluster)
  return cluster
}

const namespace = 'shop'
const app = [
  { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } },
  { apiVersion: 'v1', kind: 'ResourceQuota', metadata: { name: 'limits', namespace }, spec: { hard: { pods: '10' } } },
  {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: 'web', namespace },
    spec: { selector: { app: 'web' }, ports: [{ port: 80 }] },
  },
  {
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata: { name: 'web', namespace },
    spec: { maxUnavailable: 1, selector: { matchLabels: { app: 'web' } } },
  },
  {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'web', namespace },
    spec: {
      replicas: 3,
      selector: { matchLabels: { app: 'web' } },
      template: { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'c', image: 'i' }] } },
    },
  },
]

describe('all controllers together', () => {
  it('all controllers together bring an application up, and rest', async () => {
    const cluster = await start()
    const { client } = cluster
    await cluster.apply(...app)
    await cluster.settle()
    expect((await client.get(Deployment, { namespace, name: 'web' })).status?.availableReplicas).toBe(3)
    expect((await client.list(EndpointSlice, { namespace })).items.map(({ endpoints }) => endpoints?.length)).toEqual([
      3,
    ])
    expect((await client.get(Endpoints, { namespace, name: 'web' })).subsets?.[0]?.addresses).toHaveLength(3)
    expect(await client.raw('GET', `/api/v1/namespaces/${namespace}/resourcequotas/limits/status`)).toMatchObject({
      status: { used: { pods: '3' } },
    })
    expect(await client.raw('GET', `/apis/policy/v1/namespaces/${namespace}/poddisruptionbudgets/web`)).toMatchObject({
      status: { expectedPods: 3, currentHealthy: 3, desiredHealthy: 2, disruptionsAllowed: 1 },
    })
    expect(await client.get(ServiceAccount, { namespace, name: 'default' })).toBeDefined()
    const { revision } = cluster.plane.store
    await cluster.restart()
    await cluster.settle()
    expect(cluster.plane.store.revision).toBe(revision)
  })

  it.each(['Background', 'Foreground'] as const)(
    'all controllers together take a Deployment down with all it made (%s)',
    async (propagationPolicy) => {
      const cluster = await start()
      const { client } = cluster
      await cluster.apply(...app)
      await cluster.settle()
      await client.delete(Deployment, { namespace, name: 'web' }, { propagationPolicy })
      await cluster.settle()
      for (const kind of [Deployment, ReplicaSet, Pod] as readonly Kind[])
        expect((await client.list(kind, { namespace })).items).toEqual([])
    },
  )

  it('all controllers together take a namespace down with all that is in it', async () => {
    const cluster = await start()
    await cluster.apply(...app)
    await cluster.settle()
    await cluster.client.delete(Namespace, { name: namespace })
    await cluster.settle()
    expect((await cluster.client.list(Namespace)).items.map(({ metadata }) => metadata.name)).not.toContain(namespace)
    expect((await cluster.client.list(Pod)).items).toEqual([])
  })
})

describe('the choice of controllers', () => {
  const chosen = (...names: string[]): string[] => {
    const inputs = { ca: 'PEM', quota: quotaCount, sign: () => '', typeCheck: policyWarnings }
    const { controllers, tasks } = builtinControllers(names, inputs)
    // Some names stand for two controllers.
    return [...new Set([...controllers, ...tasks].map(({ name }) => name.replace(/-(pods|volumes)$/, '')))].sort()
  }

  it('the choice of controllers is all, none, names, or all but some', () => {
    expect(chosen('all')).toEqual([...builtinNames].sort())
    expect(chosen('none')).toEqual([])
    expect(chosen('deployment-controller', 'garbage-collector-controller')).toEqual([
      'deployment-controller',
      'garbage-collector-controller',
    ])
    expect(chosen('all', '-endpoints-controller')).toEqual(
      builtinNames.filter((name) => name !== 'endpoints-controller').sort(),
    )
    expect(() => chosen('deployment')).toThrow('there is no controller called "deployment"')
  })
})
