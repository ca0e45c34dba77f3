import { afterEach, describe, expect, it } from 'vitest'
import { Deployment, Node, Pod, type Live } from '../index.ts'
import { embedded, type Embedded } from '../testing/index.ts'
import type { BehaviourRule } from './index.ts'

const running: Embedded[] = []
afterEach(async () => {
  for (const cluster of running.splice(0)) await cluster.stop()
})

async function start(
  behaviours: readonly BehaviourRule[] = [],
  capacity?: Readonly<Record<string, string>>,
): Promise<Embedded> {
  const cluster = await embedded({ nodes: 2, behaviours, capacity })
  running.push(cluster)
  return cluster
}

const pod = (name: string, extra: object = {}, metadata: object = {}) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace: 'default', ...metadata },
  spec: { containers: [{ name: 'web', image: 'web:1' }], ...extra },
})
const get = ({ client }: Embedded, name: string): Promise<Live<Pod>> => client.get(Pod, { namespace: 'default', name })

describe('a simulated node', () => {
  it('a simulated node is ready and has room', async () => {
    const cluster = await start()
    const { items } = await cluster.client.list(Node)
    expect(items.map(({ metadata }) => metadata.name)).toEqual(['node-1', 'node-2'])
    expect(items[0]?.status?.conditions?.find(({ type }) => type === 'Ready')?.status).toBe('True')
  })

  it('a simulated node takes a pod from Pending to Running and Ready', async () => {
    const cluster = await start()
    await cluster.apply(pod('a'))
    await cluster.settle()
    const { status, spec } = await get(cluster, 'a')
    expect(spec?.nodeName).toBe('node-1')
    expect(status).toMatchObject({ phase: 'Running', podIP: '10.244.1.2', hostIP: '192.0.2.1' })
    expect(
      status?.conditions
        ?.filter(({ status: is }) => is === 'True')
        .map(({ type }) => type)
        .sort(),
    ).toEqual(['ContainersReady', 'Initialized', 'PodReadyToStartContainers', 'PodScheduled', 'Ready'])
    expect(
      (await cluster.events({ metadata: { name: 'a', namespace: 'default' } })).map(({ reason }) => reason),
    ).toEqual(['Scheduled', 'Pulled', 'Created', 'Started'])
  })

  it('a simulated node is at rest then', async () => {
    const cluster = await start()
    await cluster.apply(pod('a'))
    await cluster.settle()
    const { revision } = cluster.plane.store
    await cluster.advance(600_000)
    // Each node renews its lease every 10 seconds.
    expect(cluster.plane.store.revision).toBe(revision + 2 * 60)
  })

  it('a simulated node runs init containers first, and sidecars beside', async () => {
    const cluster = await start()
    await cluster.apply(
      pod('a', {
        initContainers: [
          { name: 'one', image: 'i' },
          { name: 'side', image: 's', restartPolicy: 'Always' },
          { name: 'two', image: 'i' },
        ],
      }),
    )
    await cluster.settle()
    const { status } = await get(cluster, 'a')
    expect(status?.phase).toBe('Running')
    expect(status?.initContainerStatuses?.map(({ name, state }) => `${name} ${Object.keys(state ?? {})[0]}`)).toEqual([
      'one terminated',
      'side running',
      'two terminated',
    ])
  })

  it('a simulated node stops a pod in its time', async () => {
    const cluster = await start()
    await cluster.apply(pod('a'))
    await cluster.settle()
    await cluster.client.delete(Pod, { namespace: 'default', name: 'a' })
    await cluster.settle()
    await expect(get(cluster, 'a')).rejects.toThrow('not found')
  })

  it.each([0, 400, 999])('a simulated node takes as long to stop a pod %i ms after a full second', async (ms) => {
    const cluster = await start()
    await cluster.apply(pod('a'))
    await cluster.settle()
    await cluster.advance(1000 - (cluster.env.now() % 1000) + ms)
    await cluster.client.delete(Pod, { namespace: 'default', name: 'a' })
    await cluster.advance(499)
    expect((await get(cluster, 'a')).metadata.deletionTimestamp).toBeDefined()
    await cluster.advance(1)
    await expect(get(cluster, 'a')).rejects.toThrow('not found')
  })

  it.each([
    ['image-pull', 'Pending', 'ImagePullBackOff'],
    ['crash-loop', 'Running', 'CrashLoopBackOff'],
    ['oom', 'Running', 'CrashLoopBackOff'],
  ])('a simulated node fails on request: %s', async (fault, phase, reason) => {
    const cluster = await start()
    await cluster.apply(pod('a', {}, { annotations: { 'coxswain.dev/fault': fault } }))
    await cluster.advance(15_000)
    const { status } = await get(cluster, 'a')
    expect([status?.phase, status?.containerStatuses?.[0]?.state?.waiting?.reason]).toEqual([phase, reason])
    if (fault === 'oom')
      expect(status?.containerStatuses?.[0]?.lastState?.terminated).toMatchObject({
        reason: 'OOMKilled',
        exitCode: 137,
      })
  })

  it('a simulated node restarts a container that crashes, later each time', async () => {
    const cluster = await start()
    await cluster.apply(pod('a', {}, { annotations: { 'coxswain.dev/fault': 'crash-loop' } }))
    await cluster.advance(60_000)
    const early = (await get(cluster, 'a')).status?.containerStatuses?.[0]?.restartCount as number
    await cluster.advance(3_600_000)
    const late = (await get(cluster, 'a')).status?.containerStatuses?.[0]?.restartCount as number
    expect(early).toBeGreaterThan(1)
    expect(late).toBeGreaterThan(early)
    expect(late).toBeLessThan(25)
  })

  it('a simulated node ends pods that end by themselves, by their restart policy', async () => {
    const cluster = await start([
      { image: /job/, behaviour: { exitAfterMs: 2000 } },
      { image: /bad/, behaviour: { exitAfterMs: 2000, exitCode: 3 } },
    ])
    await cluster.apply(
      pod('good', { restartPolicy: 'Never', containers: [{ name: 'x', image: 'job' }] }),
      pod('bad', { restartPolicy: 'Never', containers: [{ name: 'x', image: 'bad' }] }),
    )
    await cluster.settle()
    expect([(await get(cluster, 'good')).status?.phase, (await get(cluster, 'bad')).status?.phase]).toEqual([
      'Succeeded',
      'Failed',
    ])
    expect((await get(cluster, 'bad')).status?.containerStatuses?.[0]?.state?.terminated).toMatchObject({
      exitCode: 3,
      reason: 'Error',
    })
  })
})

describe('many pods at once', () => {
  it('many pods at once have addresses of their own, and are spread over the nodes', async () => {
    const cluster = await start()
    await cluster.apply(...Array.from({ length: 12 }, (_, i) => pod(`p${i}`)))
    await cluster.settle()
    const { items } = await cluster.client.list(Pod, { namespace: 'default' })
    expect(new Set(items.map(({ status }) => status?.podIP)).size).toBe(12)
    expect(items.filter(({ spec }) => spec?.nodeName === 'node-1')).toHaveLength(6)
  })
})

describe('the scheduler', () => {
  it('the scheduler fills nodes evenly and refuses what does not fit, until it does', async () => {
    const cluster = await start([], { cpu: '2', memory: '4Gi', pods: '10' })
    const big = { containers: [{ name: 'web', image: 'w', resources: { requests: { cpu: '1500m' } } }] }
    await cluster.apply(pod('a', big), pod('b', big), pod('c', big))
    await cluster.settle()
    const nodes = await Promise.all(['a', 'b'].map(async (name) => (await get(cluster, name)).spec?.nodeName))
    expect(new Set(nodes)).toEqual(new Set(['node-1', 'node-2']))
    const waiting = await get(cluster, 'c')
    expect(waiting.status?.conditions?.find(({ type }) => type === 'PodScheduled')).toMatchObject({
      status: 'False',
      reason: 'Unschedulable',
      message: expect.stringContaining('0/2 nodes are available: 2 Insufficient cpu.') as string,
    })
    await cluster.client.delete(Pod, { namespace: 'default', name: 'a' })
    await cluster.settle()
    expect((await get(cluster, 'c')).status?.phase).toBe('Running')
  })

  it.each([
    ['selectors', { nodeSelector: { 'kubernetes.io/hostname': 'node-2' } }, 'node-2'],
    [
      'node affinity',
      {
        affinity: {
          nodeAffinity: {
            requiredDuringSchedulingIgnoredDuringExecution: {
              nodeSelectorTerms: [
                { matchExpressions: [{ key: 'kubernetes.io/hostname', operator: 'NotIn', values: ['node-1'] }] },
              ],
            },
          },
        },
      },
      'node-2',
    ],
    ['what no node has', { nodeSelector: { disk: 'ssd' } }, undefined],
  ])('the scheduler respects %s', async (_, extra, node) => {
    const cluster = await start()
    await cluster.apply(pod('a', extra))
    await cluster.settle()
    expect((await get(cluster, 'a')).spec?.nodeName).toBe(node)
  })

  it('the scheduler leaves cordoned nodes alone', async () => {
    const cluster = await start()
    await cluster.client.patch(Node, { name: 'node-1' }, { type: 'merge', patch: { spec: { unschedulable: true } } })
    await cluster.apply(pod('a'), pod('b'))
    await cluster.settle()
    expect([(await get(cluster, 'a')).spec?.nodeName, (await get(cluster, 'b')).spec?.nodeName]).toEqual([
      'node-2',
      'node-2',
    ])
  })

  it('the scheduler respects taints, anti-affinity and spread', async () => {
    const cluster = await start()
    await cluster.client.patch(
      Node,
      { name: 'node-1' },
      { type: 'merge', patch: { spec: { taints: [{ key: 'k', effect: 'NoSchedule' }] } } },
    )
    const apart = {
      affinity: {
        podAntiAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: [
            { topologyKey: 'kubernetes.io/hostname', labelSelector: { matchLabels: { app: 'x' } } },
          ],
        },
      },
    }
    await cluster.apply(pod('a', apart, { labels: { app: 'x' } }))
    await cluster.settle()
    await cluster.apply(
      pod('b', apart, { labels: { app: 'x' } }),
      pod('c', { ...apart, tolerations: [{ key: 'k', operator: 'Exists' }] }, { labels: { app: 'x' } }),
    )
    await cluster.settle()
    const nodes = await Promise.all(['a', 'b', 'c'].map(async (name) => (await get(cluster, name)).spec?.nodeName))
    expect(nodes).toEqual(['node-2', undefined, 'node-1'])
  })
})

describe('a node that is lost', () => {
  it('a node that is lost becomes Unknown, and its pods go elsewhere when their tolerance is over', async () => {
    const cluster = await start()
    await cluster.apply({
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'web', namespace: 'default' },
      spec: {
        replicas: 2,
        selector: { matchLabels: { app: 'web' } },
        template: { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'web', image: 'w' }] } },
      },
    })
    await cluster.advance(30_000)
    await cluster.client.patch(
      Node,
      { name: 'node-1' },
      { type: 'merge', patch: { metadata: { annotations: { 'coxswain.dev/lost': '' } } } },
    )
    await cluster.advance(70_000)
    const lost = await cluster.client.get(Node, { name: 'node-1' })
    expect(lost.status?.conditions?.find(({ type }) => type === 'Ready')?.status).toBe('Unknown')
    expect(lost.spec?.taints?.map(({ key, effect }) => `${key} ${effect}`)).toEqual([
      'node.kubernetes.io/unreachable NoSchedule',
      'node.kubernetes.io/unreachable NoExecute',
    ])
    await cluster.advance(400_000)
    const { items } = await cluster.client.list(Pod, { namespace: 'default' })
    expect(
      items.filter(({ spec, metadata }) => spec?.nodeName === 'node-2' && metadata.deletionTimestamp === undefined),
    ).toHaveLength(2)
  })
})

describe('a whole cluster', () => {
  it('a simulated cluster rolls a Deployment out on its nodes, and hours pass in milliseconds', async () => {
    const cluster = await start()
    const web = (image: string) => ({
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'web', namespace: 'default' },
      spec: {
        replicas: 4,
        selector: { matchLabels: { app: 'web' } },
        template: { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'web', image }] } },
      },
    })
    await cluster.apply(web('web:1'))
    await cluster.settle()
    await cluster.apply(web('web:2'))
    await cluster.settle()
    expect((await cluster.client.get(Deployment, { namespace: 'default', name: 'web' })).status).toMatchObject({
      replicas: 4,
      availableReplicas: 4,
      updatedReplicas: 4,
    })
    const { items } = await cluster.client.list(Pod, { namespace: 'default' })
    expect(items.map(({ spec }) => spec?.containers[0]?.image)).toEqual(['web:2', 'web:2', 'web:2', 'web:2'])
  })
})
