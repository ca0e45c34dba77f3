import { afterEach, describe, expect, it } from 'vitest'
import { Pod, type Live } from '../index.ts'
import { embedded, type Embedded } from '../testing/index.ts'

const running: Embedded[] = []
afterEach(async () => {
  for (const cluster of running.splice(0)) await cluster.stop()
})

async function start(nodes: number, cpu = '2'): Promise<Embedded> {
  const cluster = await embedded({ nodes, capacity: { cpu }, behaviours: [{ behaviour: { stopTakesMs: 5000 } }] })
  running.push(cluster)
  await cluster.apply(
    ...([
      ['low', 1],
      ['middle', 100],
      ['high', 1000],
      ['patient', 1000, 'Never'],
    ].map(([name, value, preemptionPolicy]) => ({
      apiVersion: 'scheduling.k8s.io/v1',
      kind: 'PriorityClass',
      metadata: { name },
      value,
      preemptionPolicy,
    })) as never[]),
  )
  return cluster
}

interface Wants {
  readonly cpu?: string
  readonly node?: string
  readonly labels?: Record<string, string>
}

const pod = (name: string, priorityClassName: string, { cpu = '1', node, labels = {} }: Wants = {}) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace: 'default', labels },
  spec: {
    priorityClassName,
    containers: [{ name: 'c', image: 'i', resources: { requests: { cpu } } }],
    ...(node === undefined ? {} : { nodeSelector: { 'kubernetes.io/hostname': node } }),
  },
})
const find = async ({ client }: Embedded): Promise<ReadonlyMap<string, Live<Pod>>> =>
  new Map((await client.list(Pod, { namespace: 'default' })).items.map((each) => [each.metadata.name, each]))
const names = async (cluster: Embedded): Promise<string[]> => [...(await find(cluster)).keys()].sort()
const why = async (cluster: Embedded, name: string): Promise<string | undefined> =>
  (await find(cluster)).get(name)?.status?.conditions?.find(({ type }) => type === 'PodScheduled')?.message

describe('a pod for which there is no room', () => {
  it('a pod that does not fit preempts one of lower priority, and is bound once that is gone', async () => {
    const cluster = await start(1)
    await cluster.apply(pod('a', 'low'), pod('b', 'middle'))
    await cluster.settle()
    await cluster.apply(pod('c', 'high'))
    await cluster.advance(100)
    const during = await find(cluster)
    expect(during.get('c')?.status).toMatchObject({ phase: 'Pending', nominatedNodeName: 'node-1' })
    expect(await why(cluster, 'c')).toBe('0/1 nodes are available: 1 Insufficient cpu.')
    expect(during.get('a')?.metadata.deletionTimestamp).toBeDefined()
    expect(during.get('a')?.status?.conditions?.find(({ type }) => type === 'DisruptionTarget')).toMatchObject({
      status: 'True',
      reason: 'PreemptionByScheduler',
      message: 'default-scheduler: preempting to accommodate a higher priority pod',
    })
    await cluster.settle()
    const after = await find(cluster)
    expect([...after.keys()].sort()).toEqual(['b', 'c'])
    expect(after.get('c')?.status?.phase).toBe('Running')
    expect(after.get('c')?.status?.nominatedNodeName).toBeUndefined()
    expect(
      (await cluster.events({ metadata: { name: 'a', namespace: 'default' } })).filter(
        ({ reason }) => reason === 'Preempted',
      ),
    ).toEqual([
      {
        type: 'Normal',
        reason: 'Preempted',
        message: `Preempted by pod ${after.get('c')?.metadata.uid ?? ''} on node node-1`,
        count: 1,
      },
    ])
    expect(
      (await cluster.events({ metadata: { name: 'c', namespace: 'default' } })).map(({ reason }) => reason),
    ).toEqual(['FailedScheduling', 'Scheduled', 'Pulled', 'Created', 'Started'])
  })

  it('preemption evicts no more pods than needed, and none where it does not help', async () => {
    const cluster = await start(1, '4')
    await cluster.apply(pod('a', 'low'), pod('b', 'low'), pod('c', 'low', { cpu: '2' }))
    await cluster.settle()
    await cluster.apply(pod('d', 'high', { cpu: '2' }), pod('e', 'high', { cpu: '5' }))
    await cluster.settle()
    expect(await names(cluster)).toEqual(['a', 'b', 'd', 'e'])
    expect(await why(cluster, 'e')).toBe(
      '0/1 nodes are available: 1 Insufficient cpu. no new claims to deallocate, preemption: 0/1 nodes are ' +
        'available: 1 Preemption is not helpful for scheduling.',
    )
    await cluster.apply(pod('f', 'low'))
    await cluster.settle()
    expect(await why(cluster, 'f')).toBe(
      '0/1 nodes are available: 1 Insufficient cpu. no new claims to deallocate, preemption: 0/1 nodes are ' +
        'available: 1 No preemption victims found for incoming pod.',
    )
  })

  it('a pod with preemptionPolicy Never preempts no pods', async () => {
    const cluster = await start(1)
    await cluster.apply(pod('a', 'low', { cpu: '2' }))
    await cluster.settle()
    await cluster.apply(pod('b', 'patient'))
    await cluster.settle()
    expect(await names(cluster)).toEqual(['a', 'b'])
    expect(await why(cluster, 'b')).toBe(
      '0/1 nodes are available: 1 Insufficient cpu. no new claims to deallocate, preemption: not eligible ' +
        'due to preemptionPolicy=Never.',
    )
  })

  it('preemption chooses a node by disruption budgets, then priorities, then the number of victims', async () => {
    const cluster = await start(3)
    await cluster.apply(
      pod('a', 'low', { cpu: '2', node: 'node-1', labels: { app: 'guarded' } }),
      pod('b', 'middle', { cpu: '2', node: 'node-2' }),
      pod('c1', 'low', { node: 'node-3' }),
      pod('c2', 'low', { node: 'node-3' }),
      {
        apiVersion: 'policy/v1',
        kind: 'PodDisruptionBudget',
        metadata: { name: 'guard', namespace: 'default' },
        spec: { minAvailable: 1, selector: { matchLabels: { app: 'guarded' } } },
      } as never,
    )
    await cluster.settle()
    await cluster.apply(pod('d', 'high', { cpu: '2' }))
    await cluster.settle()
    expect(await names(cluster)).toEqual(['a', 'b', 'd'])
    await cluster.apply(pod('e', 'high', { cpu: '2' }))
    await cluster.settle()
    expect(await names(cluster)).toEqual(['a', 'd', 'e'])
    await cluster.apply(pod('f', 'high', { cpu: '2' }))
    await cluster.settle()
    expect(await names(cluster)).toEqual(['d', 'e', 'f'])
  })

  it('a pod that does not fit keeps the node that it is nominated for', async () => {
    const cluster = await start(1)
    await cluster.apply(pod('a', 'low', { cpu: '2' }))
    await cluster.settle()
    await cluster.apply(pod('b', 'high', { cpu: '2' }))
    await cluster.advance(1000)
    await cluster.apply(pod('c', 'low'))
    await cluster.settle()
    const after = await find(cluster)
    expect([after.get('b')?.status?.phase, after.get('c')?.status?.phase]).toEqual(['Running', 'Pending'])
  })

  it('pods of higher priority are scheduled first, whatever their order of arrival', async () => {
    const cluster = await start(1)
    await cluster.apply(pod('full', 'high', { cpu: '2' }))
    await cluster.settle()
    await cluster.apply(pod('a', 'low'), pod('b', 'low'), pod('c', 'middle', { cpu: '2' }))
    await cluster.settle()
    await cluster.client.delete(Pod, { namespace: 'default', name: 'full' })
    await cluster.settle()
    expect((await find(cluster)).get('c')?.status?.phase).toBe('Running')
    expect(await names(cluster)).toEqual(['a', 'b', 'c'])
  })

  it('a pod that does not fit anywhere causes no further writes', async () => {
    const cluster = await start(1)
    await cluster.apply(pod('a', 'high', { cpu: '2' }), pod('b', 'middle'), pod('c', 'low'))
    await cluster.settle()
    const before = JSON.stringify([...(await find(cluster))])
    await cluster.advance(600_000)
    expect(JSON.stringify([...(await find(cluster))])).toBe(before)
  })
})
