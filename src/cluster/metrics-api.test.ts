/** metrics.k8s.io of clusters with simulated nodes: what kubectl top and autoscalers read. */
import { afterEach, describe, expect, it } from 'vitest'
import { createControlPlane } from '../controlplane/index.ts'
import { simulatedEnv } from '../env/simulated.ts'
import { HorizontalPodAutoscaler } from '../schema/builtin/kinds.ts'
import { embedded } from './embedded.ts'
import type { Embedded } from './embedded-handle.ts'
import type { EmbeddedOptions } from './embedded-options.ts'

const running: Embedded[] = []
afterEach(async () => {
  for (const cluster of running.splice(0)) await cluster.stop()
})

async function start(options: EmbeddedOptions = { nodes: 2 }): Promise<Embedded> {
  const cluster = await embedded(options)
  running.push(cluster)
  return cluster
}

const group = '/apis/metrics.k8s.io/v1beta1'
const pod = (name: string, requests?: object, annotations: Record<string, string> = {}, more: object[] = []) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, annotations, labels: { app: name } },
  spec: { containers: [{ name: 'main', image: 'i', ...(requests && { resources: { requests } }) }, ...more] },
})

interface Metrics {
  readonly metadata: { readonly name: string; readonly namespace?: string }
  readonly usage?: object
  readonly containers?: readonly { readonly name: string; readonly usage: object }[]
}

async function read({ client }: Embedded, path: string): Promise<readonly Metrics[]> {
  const { items } = (await client.raw('GET', `${group}/${path}`)) as unknown as { items: readonly Metrics[] }
  return items
}

describe('metrics.k8s.io', () => {
  it('has the usage of pods that run: a share of their requests, or what annotations say', async () => {
    const cluster = await start()
    await cluster.apply(
      pod('asks', { cpu: '500m', memory: '1Gi' }),
      pod('idle'),
      pod('told', { cpu: '1' }, { 'coxswain.dev/cpu': '250m', 'coxswain.dev/memory': '64Mi' }, [
        { name: 'side', image: 'i' },
      ]),
      pod('each', {}, { 'coxswain.dev/cpu.main': '2', 'coxswain.dev/cpu.side': 'what' }, [
        { name: 'side', image: 'i' },
      ]),
      pod('pending', { cpu: '1000' }),
    )
    await cluster.settle()
    const used = (await read(cluster, 'pods')).map(({ metadata, containers }) => [metadata.name, containers])
    expect(Object.fromEntries(used)).toEqual({
      asks: [{ name: 'main', usage: { cpu: '50m', memory: '524288Ki' } }],
      idle: [{ name: 'main', usage: { cpu: '1m', memory: '8192Ki' } }],
      told: [
        { name: 'main', usage: { cpu: '250m', memory: '65536Ki' } },
        { name: 'side', usage: { cpu: '0m', memory: '0Ki' } },
      ],
      each: [
        { name: 'main', usage: { cpu: '2000m', memory: '8192Ki' } },
        { name: 'side', usage: { cpu: '1m', memory: '8192Ki' } },
      ],
    })
    expect(await read(cluster, 'namespaces/default/pods?labelSelector=app%3Didle')).toMatchObject([
      { kind: 'PodMetrics', metadata: { namespace: 'default', name: 'idle' }, window: '15s' },
    ])
    expect(await read(cluster, 'namespaces/kube-system/pods')).toEqual([])
    await expect(cluster.client.raw('GET', `${group}/namespaces/default/pods/pending`)).rejects.toThrow(
      'pods.metrics.k8s.io "pending" not found',
    )
  })

  it('has the usage of nodes: their own and that of their pods', async () => {
    const cluster = await start({ nodes: 1 })
    await cluster.apply(pod('asks', { cpu: '500m', memory: '1Gi' }))
    await cluster.settle()
    expect(await read(cluster, 'nodes')).toMatchObject([
      { kind: 'NodeMetrics', metadata: { name: 'node-1' }, usage: { cpu: '150m', memory: `${(512 + 512) * 1024}Ki` } },
    ])
  })

  it('is in discovery, has tables, and can only be read', async () => {
    const cluster = await start({ nodes: 1 })
    expect(await cluster.client.raw('GET', group)).toMatchObject({
      resources: [
        { name: 'nodes', singularName: '', namespaced: false, kind: 'NodeMetrics', verbs: ['get', 'list'] },
        { name: 'pods', singularName: '', namespaced: true, kind: 'PodMetrics', verbs: ['get', 'list'] },
      ],
    })
    const headers = { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' }
    expect(await cluster.client.raw('GET', `${group}/nodes`, { headers })).toMatchObject({
      columnDefinitions: [{ name: 'Name' }, { name: 'cpu' }, { name: 'memory' }, { name: 'Window' }],
      rows: [{ cells: ['node-1', '100m', '524288Ki', '15s'] }],
    })
    for (const [method, path] of [
      ['DELETE', `${group}/nodes/node-1`],
      ['GET', `${group}/nodes?watch=true`],
      ['POST', `${group}/nodes`],
    ] as const) {
      const body = method === 'POST' ? { metadata: { name: 'x' } } : undefined
      await expect(cluster.client.raw(method, path, { body })).rejects.toMatchObject({ code: 405 })
    }
  })

  it('is what autoscalers read', async () => {
    const cluster = await start()
    const template = {
      metadata: { labels: { app: 'web' } },
      spec: { containers: [{ name: 'c', image: 'i', resources: { requests: { cpu: '100m' } } }] },
    }
    await cluster.apply(
      {
        apiVersion: 'apps/v1',
        kind: 'Deployment',
        metadata: { name: 'web' },
        spec: { replicas: 2, selector: { matchLabels: { app: 'web' } }, template },
      },
      {
        apiVersion: 'autoscaling/v2',
        kind: 'HorizontalPodAutoscaler',
        metadata: { name: 'web' },
        spec: {
          maxReplicas: 6,
          scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' },
          metrics: [
            { type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 5 } } },
          ],
        },
      },
    )
    const read = () => cluster.client.get(HorizontalPodAutoscaler, { namespace: 'default', name: 'web' })
    await cluster.advance(300_000)
    const { status, metadata } = await read()
    expect(status).toMatchObject({
      currentMetrics: [{ resource: { current: { averageUtilization: 10 } } }],
      desiredReplicas: 6,
      currentReplicas: 6,
    })
    await cluster.advance(600_000)
    expect((await read()).metadata.resourceVersion).toBe(metadata.resourceVersion)
  })

  it('is not served without nodes, nor if a test says so', async () => {
    const plane = createControlPlane({ env: simulatedEnv() })
    expect((await plane.transport()({ method: 'GET', path: `${group}/nodes` })).status).toBe(404)
    await plane.close()
    const cluster = await start({ nodes: 1, metricsApi: false })
    await expect(cluster.client.raw('GET', `${group}/nodes`)).rejects.toMatchObject({ code: 404 })
  })
})
