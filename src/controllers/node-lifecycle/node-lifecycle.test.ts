import { afterEach, describe, expect, it } from 'vitest'
import { isNotFound, Lease, Node, Pod, type coreV1, type Live } from '../../index.ts'
import { microTime } from '../../api/index.ts'
import { embedded, type Embedded } from '../../testing/index.ts'
import { taintEviction } from '../taint-eviction/index.ts'
import { nodeLifecycle } from './index.ts'
import { podsOnUnreachableNodes } from './unreachable-pods.ts'

const running: Embedded[] = []
afterEach(async () => {
  for (const cluster of running.splice(0)) await cluster.stop()
})

const name = 'a'
const key = { namespace: 'kube-node-lease', name }

async function start(conditions: Record<string, string> = { Ready: 'True' }): Promise<Embedded> {
  const cluster = await embedded({ controllers: [nodeLifecycle(), podsOnUnreachableNodes(), taintEviction()] })
  running.push(cluster)
  await cluster.client.create(Node, { metadata: { name, labels: { 'kubernetes.io/os': 'linux' } } })
  await says(cluster, conditions)
  await renew(cluster)
  await cluster.settle({ patienceMs: 0 })
  return cluster
}

async function says({ client }: Embedded, conditions: Record<string, string>): Promise<void> {
  const list = Object.entries(conditions).map(([type, status]) => ({ type, status }))
  await client.patch(
    Node,
    { name },
    { type: 'strategic', patch: { status: { conditions: list } } as never },
    { subresource: 'status' },
  )
}

async function renew({ client, env }: Embedded): Promise<void> {
  await client.apply(
    Lease,
    { metadata: key, spec: { holderIdentity: name, renewTime: microTime(env.now()) } },
    { force: true },
  )
}

async function runPod({ client }: Embedded, pod: string, tolerations: coreV1.Toleration[] = []): Promise<void> {
  await client.create(Pod, {
    metadata: { name: pod, namespace: 'default' },
    spec: { nodeName: name, tolerations, containers: [{ name: 'c', image: 'i' }] },
  })
  await client.patch(
    Pod,
    { namespace: 'default', name: pod },
    { type: 'merge', patch: { status: { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] } } },
    { subresource: 'status' },
  )
}

const taintsOf = ({ spec }: Live<Node>): string[] =>
  (spec?.taints ?? []).map(({ key: taint, effect }) => `${taint.replace('node.kubernetes.io/', '')}:${effect}`).sort()
const node = (cluster: Embedded): Promise<Live<Node>> => cluster.client.get(Node, { name })
const pod = (cluster: Embedded, called: string): Promise<Live<Pod> | undefined> =>
  cluster.client.get(Pod, { namespace: 'default', name: called }).catch((error: unknown) => {
    if (isNotFound(error)) return undefined
    throw error
  })

describe('a node', () => {
  it('a node that renews its lease is left alone, for an hour and without a write', async () => {
    const cluster = await start()
    expect(taintsOf(await node(cluster))).toEqual([])
    const { resourceVersion } = (await node(cluster)).metadata
    for (let minute = 0; minute < 60; minute += 0.5) {
      await renew(cluster)
      await cluster.advance(30_000)
    }
    expect((await node(cluster)).metadata.resourceVersion).toBe(resourceVersion)
  })

  it('a node silent for 50 s is Unknown; its pods are not ready, and evicted without a toleration', async () => {
    const cluster = await start()
    await runPod(cluster, 'stays', [{ operator: 'Exists' }])
    await runPod(cluster, 'goes', [
      { key: 'node.kubernetes.io/unreachable', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 5 },
    ])
    await cluster.advance(49_000)
    expect(taintsOf(await node(cluster))).toEqual([])
    await cluster.advance(2000)
    const lost = await node(cluster)
    expect(lost.status?.conditions?.map(({ type, status, reason }) => [type, status, reason]).sort()).toEqual([
      ['DiskPressure', 'Unknown', 'NodeStatusNeverUpdated'],
      ['MemoryPressure', 'Unknown', 'NodeStatusNeverUpdated'],
      ['PIDPressure', 'Unknown', 'NodeStatusNeverUpdated'],
      ['Ready', 'Unknown', 'NodeStatusUnknown'],
    ])
    expect(taintsOf(lost)).toEqual(['unreachable:NoExecute', 'unreachable:NoSchedule'])
    expect((await pod(cluster, 'stays'))?.status?.conditions).toMatchObject([{ type: 'Ready', status: 'False' }])
    expect((await pod(cluster, 'goes'))?.metadata.deletionTimestamp).toBeUndefined()
    await cluster.advance(5000)
    expect((await pod(cluster, 'goes'))?.metadata.deletionTimestamp).toBeDefined()
    expect((await pod(cluster, 'stays'))?.metadata.deletionTimestamp).toBeUndefined()
  })

  it('a node that speaks again loses the taints; a pod that would have gone stays', async () => {
    const cluster = await start()
    await runPod(cluster, 'waits', [
      { key: 'node.kubernetes.io/unreachable', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 60 },
    ])
    await cluster.advance(55_000)
    expect(taintsOf(await node(cluster))).toHaveLength(2)
    await renew(cluster)
    await says(cluster, { Ready: 'True', MemoryPressure: 'False', DiskPressure: 'False', PIDPressure: 'False' })
    await cluster.advance(40_000)
    expect(taintsOf(await node(cluster))).toEqual([])
    await cluster.advance(10_000)
    expect((await pod(cluster, 'waits'))?.metadata.deletionTimestamp).toBeUndefined()
    const said = await cluster.events({ metadata: { name: 'waits', namespace: 'default' } })
    expect(said.map(({ message }) => message)).toEqual([
      'Node is not ready',
      'Cancelling deletion of Pod default/waits',
    ])
  })

  it('a node gets the taints of its conditions and of its cordon, beside those that people gave it', async () => {
    const cluster = await start({ Ready: 'False', DiskPressure: 'True' })
    expect(taintsOf(await node(cluster))).toEqual([
      'disk-pressure:NoSchedule',
      'not-ready:NoExecute',
      'not-ready:NoSchedule',
    ])
    const own = { key: 'mine', effect: 'NoSchedule' }
    await cluster.client.patch(
      Node,
      { name },
      { type: 'merge', patch: { spec: { unschedulable: true, taints: [own] } } as never },
    )
    await says(cluster, { Ready: 'True', DiskPressure: 'False' })
    await cluster.settle({ patienceMs: 0 })
    expect(taintsOf(await node(cluster))).toEqual(['mine:NoSchedule', 'unschedulable:NoSchedule'])
    expect((await node(cluster)).metadata.labels).toEqual({
      'kubernetes.io/os': 'linux',
      'beta.kubernetes.io/os': 'linux',
    })
  })
})
