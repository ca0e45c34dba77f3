import { afterEach, describe, expect, it } from 'vitest'
import { controllerReference } from '../../controller/index.ts'
import { Pod, PodDisruptionBudget, ReplicaSet, type Live, type OwnerReference } from '../../index.ts'
import { timestamp } from '../../env/index.ts'
import { embedded, type Embedded } from '../../testing/index.ts'
import { podDisruptionBudgets } from './index.ts'

const running: Embedded[] = []
afterEach(async () => {
  for (const cluster of running.splice(0)) await cluster.stop()
})

async function start(): Promise<Embedded> {
  const cluster = await embedded({ controllers: [podDisruptionBudgets] })
  running.push(cluster)
  return cluster
}
const key = { namespace: 'default', name: 'web' }
const budget = (spec: object) => ({
  apiVersion: 'policy/v1',
  kind: 'PodDisruptionBudget',
  metadata: key,
  spec: { selector: { matchLabels: { app: 'web' } }, ...spec },
})

async function pod({ client }: Embedded, name: string, ready = true, owner?: OwnerReference): Promise<void> {
  const metadata = {
    namespace: 'default',
    name,
    labels: { app: 'web' },
    ...(owner === undefined ? {} : { ownerReferences: [owner] }),
  }
  await client.create(Pod, { metadata, spec: { containers: [{ name: 'c', image: 'i' }], nodeName: 'n1' } })
  const conditions = [{ type: 'Ready', status: ready ? 'True' : 'False', lastTransitionTime: '2024-01-01T00:00:00Z' }]
  await client.patch(
    Pod,
    { namespace: 'default', name },
    { type: 'merge', patch: { status: { phase: 'Running', conditions } } },
    { subresource: 'status' },
  )
}

async function replicaSet({ client }: Embedded, replicas: number): Promise<OwnerReference> {
  const template = { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'c', image: 'i' }] } }
  const set = await client.create(ReplicaSet, {
    metadata: { ...key },
    spec: { replicas, selector: { matchLabels: { app: 'web' } }, template },
  })
  return controllerReference(ReplicaSet, set)
}

async function status({ client }: Embedded): Promise<Live<PodDisruptionBudget>['status']> {
  return (await client.get(PodDisruptionBudget, key)).status
}
const numbers = (of: Live<PodDisruptionBudget>['status']): number[] => [
  of?.expectedPods ?? -1,
  of?.currentHealthy ?? -1,
  of?.desiredHealthy ?? -1,
  of?.disruptionsAllowed ?? -1,
]

describe('a disruption budget', () => {
  it('a disruption budget with a number counts the pods there are', async () => {
    const cluster = await start()
    await pod(cluster, 'a')
    await pod(cluster, 'b')
    await pod(cluster, 'c', false)
    await cluster.apply(budget({ minAvailable: 1 }))
    await cluster.settle()
    const reported = await status(cluster)
    expect(numbers(reported)).toEqual([3, 2, 1, 1])
    expect(reported?.observedGeneration).toBe(1)
    expect(reported?.conditions?.map(({ type, status: is, reason, message }) => [type, is, reason, message])).toEqual([
      ['DisruptionAllowed', 'True', 'SufficientPods', ''],
    ])
    await cluster.client.delete(Pod, { namespace: 'default', name: 'a' })
    await cluster.settle()
    expect(numbers(await status(cluster))).toEqual([3, 1, 1, 0])
    expect((await status(cluster))?.conditions?.[0]).toMatchObject({ status: 'False', reason: 'InsufficientPods' })
  })

  it('a disruption budget with a share asks those who control the pods how many there should be', async () => {
    const cluster = await start()
    const owner = await replicaSet(cluster, 5)
    for (const name of ['a', 'b', 'c', 'd']) await pod(cluster, name, true, owner)
    await cluster.apply(budget({ maxUnavailable: '50%' }))
    await cluster.settle()
    expect(numbers(await status(cluster))).toEqual([5, 4, 2, 2])
    await cluster.apply(budget({ minAvailable: '50%' }))
    await cluster.settle()
    expect(numbers(await status(cluster))).toEqual([5, 4, 3, 1])
  })

  it('a disruption budget allows nothing when it selects nothing, and says so', async () => {
    const cluster = await start()
    await cluster.apply(budget({ maxUnavailable: 1 }))
    await cluster.settle()
    expect(numbers(await status(cluster))).toEqual([0, 0, 0, 0])
    expect(await cluster.events({ metadata: key })).toMatchObject([
      { type: 'Normal', reason: 'NoPods', message: 'No matching pods found', count: 1 },
    ])
  })

  it('a disruption budget allows nothing when it cannot report, and says why', async () => {
    const cluster = await start()
    await pod(cluster, 'a', true, {
      apiVersion: 'apps/v1',
      kind: 'ReplicaSet',
      name: 'absent',
      uid: '1',
      controller: true,
    })
    await cluster.apply(budget({ maxUnavailable: 1 }))
    await cluster.advance(1000)
    expect(await status(cluster)).toMatchObject({
      disruptionsAllowed: 0,
      conditions: [{ status: 'False', reason: 'SyncFailed', message: 'found no controllers for pod "a"' }],
    })
  })

  it('a disruption budget does not count pods that were evicted, until it is clear that they stay', async () => {
    const cluster = await start()
    await pod(cluster, 'a')
    await pod(cluster, 'b')
    await cluster.apply(budget({ minAvailable: 1 }))
    await cluster.settle()
    const time = timestamp(cluster.env.now())
    await cluster.client.patch(
      PodDisruptionBudget,
      key,
      { type: 'merge', patch: { status: { disruptedPods: { a: time, gone: time } } } },
      { subresource: 'status' },
    )
    await cluster.advance(1000)
    expect(numbers(await status(cluster))).toEqual([2, 1, 1, 0])
    expect((await status(cluster))?.disruptedPods).toEqual({ a: time })
    await cluster.settle()
    expect(numbers(await status(cluster))).toEqual([2, 2, 1, 1])
    expect((await status(cluster))?.disruptedPods).toBeUndefined()
  })
})
