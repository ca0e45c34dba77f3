import { afterEach, describe, expect, it } from 'vitest'
import { ControllerRevision, DaemonSet, keyOf, mutableCopy, Node, Pod, type Live } from '../../index.ts'
import { embedded, type Embedded } from '../../testing/index.ts'

const running: Embedded[] = []
afterEach(async () => {
  for (const cluster of running.splice(0)) await cluster.stop()
})

async function start(nodes = 3): Promise<Embedded> {
  const builtin = ['daemonset-controller', 'garbage-collector-controller', 'node-lifecycle-controller']
  const cluster = await embedded({ builtin, nodes })
  running.push(cluster)
  return cluster
}

const agent = (spec: object = {}, podSpec: object = {}, image = 'agent:1') => ({
  apiVersion: 'apps/v1',
  kind: 'DaemonSet',
  metadata: { name: 'agent', namespace: 'default' },
  spec: {
    selector: { matchLabels: { app: 'agent' } },
    template: { metadata: { labels: { app: 'agent' } }, spec: { containers: [{ name: 'agent', image }], ...podSpec } },
    ...spec,
  },
})
const key = { namespace: 'default', name: 'agent' }

async function pods({ client }: Embedded): Promise<readonly Live<Pod>[]> {
  return (await client.list(Pod, { namespace: 'default' })).items
}
const byText = (a = '', b = ''): number => (a < b ? -1 : 1)
const nodesOf = async (cluster: Embedded): Promise<(string | undefined)[]> =>
  (await pods(cluster)).map(({ spec }) => spec?.nodeName).sort(byText)
const images = async (cluster: Embedded): Promise<(string | undefined)[]> =>
  (await pods(cluster)).map(({ spec }) => spec?.containers[0]?.image).sort(byText)
const statusOf = async ({ client }: Embedded) => (await client.get(DaemonSet, key)).status
const newImage = (image: string) => ({ spec: { template: { spec: { containers: [{ name: 'agent', image }] } } } })
const update = async (cluster: Embedded, patch: object): Promise<void> => {
  await cluster.client.patch(DaemonSet, key, { type: 'strategic', patch: patch as never })
  await cluster.settle()
}
const updateNode = async (cluster: Embedded, name: string, patch: object): Promise<void> => {
  await cluster.client.patch(Node, { name }, { type: 'merge', patch: patch as never })
  await cluster.settle()
}

describe('a DaemonSet', () => {
  it('runs one pod on each node, and writes nothing at rest', async () => {
    const cluster = await start()
    await cluster.apply(agent())
    await cluster.settle()
    expect(await nodesOf(cluster)).toEqual(['node-1', 'node-2', 'node-3'])
    const set = await cluster.client.get(DaemonSet, key)
    expect(set.status).toEqual({
      currentNumberScheduled: 3,
      desiredNumberScheduled: 3,
      numberAvailable: 3,
      numberMisscheduled: 0,
      numberReady: 3,
      observedGeneration: 1,
      updatedNumberScheduled: 3,
    })
    const { items } = await cluster.client.list(ControllerRevision, { namespace: 'default' })
    expect(items.map(({ revision }) => revision)).toEqual([1])
    expect((await pods(cluster))[0]?.metadata.labels).toEqual({
      app: 'agent',
      'controller-revision-hash': items[0]?.metadata.labels?.['controller-revision-hash'],
      'pod-template-generation': '1',
    })
    await cluster.advance(300_000)
    expect((await cluster.client.get(DaemonSet, key)).metadata.resourceVersion).toBe(set.metadata.resourceVersion)
  })

  it('follows labels and taints of nodes', async () => {
    const cluster = await start()
    await cluster.apply(agent({}, { nodeSelector: { disk: 'ssd' } }))
    await cluster.settle()
    expect(await nodesOf(cluster)).toEqual([])
    await updateNode(cluster, 'node-2', { metadata: { labels: { disk: 'ssd' } } })
    expect(await nodesOf(cluster)).toEqual(['node-2'])
    await updateNode(cluster, 'node-2', { spec: { taints: [{ key: 'own', effect: 'NoSchedule' }] } })
    expect(await nodesOf(cluster)).toEqual(['node-2'])
    await updateNode(cluster, 'node-2', { spec: { taints: [{ key: 'own', effect: 'NoExecute' }] } })
    expect(await nodesOf(cluster)).toEqual([])
    await updateNode(cluster, 'node-2', { spec: { taints: null, unschedulable: true } })
    expect(await nodesOf(cluster)).toEqual(['node-2'])
    await updateNode(cluster, 'node-2', { metadata: { labels: { disk: null } } })
    expect(await nodesOf(cluster)).toEqual([])
    expect(await statusOf(cluster)).toMatchObject({ desiredNumberScheduled: 0, currentNumberScheduled: 0 })
  })

  it('replaces pods one by one, and keeps the limit of its history', async () => {
    const cluster = await start()
    await cluster.apply(agent({ revisionHistoryLimit: 1 }))
    await cluster.settle()
    for (const image of ['agent:2', 'agent:3', 'agent:4']) await update(cluster, newImage(image))
    expect(await images(cluster)).toEqual(['agent:4', 'agent:4', 'agent:4'])
    expect(await statusOf(cluster)).toMatchObject({ updatedNumberScheduled: 3, numberAvailable: 3 })
    const revisions = async () =>
      (await cluster.client.list(ControllerRevision, { namespace: 'default' })).items
        .map(({ revision }) => revision)
        .sort((a, b) => a - b)
    expect(await revisions()).toEqual([3, 4])
    await update(cluster, newImage('agent:3'))
    expect(await images(cluster)).toEqual(['agent:3', 'agent:3', 'agent:3'])
    expect(await revisions()).toEqual([4, 5])
  })

  it('surges: a new pod beside each old one, which ends when the new one is ready', async () => {
    const cluster = await start()
    const updateStrategy = { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } }
    await cluster.apply(agent({ updateStrategy }))
    await cluster.settle()
    await update(cluster, newImage('agent:2'))
    expect(await images(cluster)).toEqual(['agent:2', 'agent:2', 'agent:2'])
    expect(await nodesOf(cluster)).toEqual(['node-1', 'node-2', 'node-3'])
  })

  it('waits for deletions with OnDelete', async () => {
    const cluster = await start()
    await cluster.apply(agent({ updateStrategy: { type: 'OnDelete' } }))
    await cluster.settle()
    await update(cluster, newImage('agent:2'))
    expect(await images(cluster)).toEqual(['agent:1', 'agent:1', 'agent:1'])
    expect((await statusOf(cluster))?.updatedNumberScheduled).toBeUndefined()
    const [first] = await pods(cluster)
    if (first === undefined) throw new Error('no pod')
    await cluster.client.delete(Pod, keyOf(first))
    await cluster.settle()
    expect(await images(cluster)).toEqual(['agent:1', 'agent:1', 'agent:2'])
    expect(await statusOf(cluster)).toMatchObject({ updatedNumberScheduled: 1, numberAvailable: 3 })
  })

  it('counts pods as available after minReadySeconds', async () => {
    const cluster = await start(1)
    await cluster.apply(agent({ minReadySeconds: 30 }))
    await cluster.advance(10_000)
    expect(await statusOf(cluster)).toMatchObject({ numberReady: 1, numberUnavailable: 1 })
    await cluster.advance(30_000)
    expect(await statusOf(cluster)).toMatchObject({ numberReady: 1, numberAvailable: 1 })
  })

  it('deletes failed pods, each time after a longer delay', async () => {
    const cluster = await start(1)
    await cluster.apply(agent())
    await cluster.settle()
    const fail = async (): Promise<string> => {
      const [pod] = await pods(cluster)
      if (pod === undefined) throw new Error('no pod')
      const patch = { status: { phase: 'Failed', conditions: [{ type: 'Ready', status: 'False' }] } }
      await cluster.client.patch(Pod, keyOf(pod), { type: 'strategic', patch }, { subresource: 'status' })
      return pod.metadata.uid
    }
    const first = await fail()
    await cluster.settle()
    const second = await fail()
    expect(second).not.toBe(first)
    await cluster.settle()
    expect((await pods(cluster)).map(({ metadata }) => metadata.uid)).not.toContain(second)
    const events = (await cluster.events({ metadata: key })).filter(({ reason }) => reason === 'FailedDaemonPod')
    expect(events).toHaveLength(2)
    expect(events[0]?.message).toMatch(
      /^Found failed daemon pod default\/agent-\w+ on node node-1, will try to kill it$/,
    )
  })

  it('leaves a second revision of its template alone until something else changes', async () => {
    const cluster = await start(1)
    await cluster.apply(agent())
    await cluster.settle()
    const revisions = async () => (await cluster.client.list(ControllerRevision, { namespace: 'default' })).items
    const [first] = await revisions()
    if (first === undefined) throw new Error('no revision')
    const { metadata, data = {} } = mutableCopy(first)
    const { labels, ownerReferences = [] } = metadata
    const hash = { 'controller-revision-hash': 'second' }
    await cluster.client.create(ControllerRevision, {
      metadata: { namespace: 'default', name: 'second', labels: { ...labels, ...hash }, ownerReferences },
      data,
      revision: 2,
    })
    await cluster.settle({ patienceMs: 0 })
    expect(await revisions()).toHaveLength(2)
    await cluster.client.delete(ControllerRevision, keyOf(first))
    await cluster.settle({ patienceMs: 0 })
    expect((await revisions()).map(({ metadata }) => metadata.name)).toEqual(['second'])
  })

  it('takes another hash if a name is taken', async () => {
    const cluster = await start(1)
    await cluster.apply(agent())
    await cluster.settle()
    const { items } = await cluster.client.list(ControllerRevision, { namespace: 'default' })
    const [revision] = items
    if (revision === undefined) throw new Error('no revision')
    await cluster.client.delete(DaemonSet, key)
    await cluster.settle()
    await cluster.client.create(ControllerRevision, {
      metadata: { namespace: 'default', name: revision.metadata.name },
      data: { spec: {} },
      revision: 1,
    })
    await cluster.apply(agent())
    await cluster.settle()
    expect(await statusOf(cluster)).toMatchObject({ collisionCount: 1, numberReady: 1 })
  })
})
