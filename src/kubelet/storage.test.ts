/** Simulated storage together with the binder and the scheduler. */
import { afterEach, describe, expect, it } from 'vitest'
import { Node, PersistentVolume, PersistentVolumeClaim, Pod, StatefulSet, StorageClass, type Live } from '../index.ts'
import { embedded, type Embedded } from '../testing/index.ts'

const running: Embedded[] = []
afterEach(async () => {
  for (const cluster of running.splice(0)) await cluster.stop()
})

async function start(): Promise<Embedded> {
  const cluster = await embedded({ nodes: 2 })
  running.push(cluster)
  return cluster
}

const namespace = 'default'
const spec = (fields: object = {}) => ({
  accessModes: ['ReadWriteOnce'],
  resources: { requests: { storage: '1Gi' } },
  ...fields,
})
const claim = (fields: object = {}) => ({
  apiVersion: 'v1',
  kind: 'PersistentVolumeClaim',
  metadata: { name: 'data', namespace },
  spec: spec(fields),
})
const volumes = [{ name: 'data', persistentVolumeClaim: { claimName: 'data' } }]
const pod = (fields: object = { volumes }) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'web', namespace },
  spec: { containers: [{ name: 'c', image: 'i' }], ...fields },
})
const claimOf = ({ client }: Embedded, name = 'data'): Promise<Live<PersistentVolumeClaim>> =>
  client.get(PersistentVolumeClaim, { namespace, name })
const podOf = ({ client }: Embedded): Promise<Live<Pod>> => client.get(Pod, { namespace, name: 'web' })
const problemOf = async (cluster: Embedded): Promise<string | undefined> =>
  (await podOf(cluster)).status?.conditions?.find(({ type }) => type === 'PodScheduled')?.message

describe('simulated storage', () => {
  it('simulated storage provisions a volume on the node of the first pod, and deletes it with its claim', async () => {
    const cluster = await start()
    const { client } = cluster
    await cluster.apply(claim())
    await cluster.settle()
    expect((await claimOf(cluster)).status?.phase).toBe('Pending')
    await cluster.apply(pod())
    await cluster.settle()
    const { nodeName = '' } = (await podOf(cluster)).spec ?? {}
    const { metadata, status, spec: bound } = await claimOf(cluster)
    expect(metadata.annotations?.['volume.kubernetes.io/selected-node']).toBe(nodeName)
    expect(status).toMatchObject({ phase: 'Bound', capacity: { storage: '1Gi' } })
    expect(bound?.volumeName).toBe(`pvc-${metadata.uid}`)
    expect((await podOf(cluster)).status?.phase).toBe('Running')
    await client.delete(PersistentVolumeClaim, { namespace, name: 'data' })
    await cluster.settle()
    expect((await claimOf(cluster)).metadata.deletionTimestamp).toBeDefined()
    await client.delete(Pod, { namespace, name: 'web' })
    await cluster.settle()
    expect((await client.list(PersistentVolumeClaim)).items).toEqual([])
    expect((await client.list(PersistentVolume)).items).toEqual([])
  })

  it('simulated storage expands a claim', async () => {
    const cluster = await start()
    await cluster.apply(claim(), pod())
    await cluster.settle()
    const patch = { spec: { resources: { requests: { storage: '3Gi' } } } }
    await cluster.client.patch(PersistentVolumeClaim, { namespace, name: 'data' }, { type: 'merge', patch })
    await cluster.settle()
    const { status, spec: { volumeName = '' } = {} } = await claimOf(cluster)
    expect(status).toMatchObject({ capacity: { storage: '3Gi' }, allocatedResources: { storage: '3Gi' } })
    expect((await cluster.client.get(PersistentVolume, { name: volumeName })).spec?.capacity).toEqual({
      storage: '3Gi',
    })
  })

  it('simulated storage serves the claims of StatefulSets', async () => {
    const cluster = await start()
    await cluster.apply({
      apiVersion: 'apps/v1',
      kind: 'StatefulSet',
      metadata: { name: 'db', namespace },
      spec: {
        replicas: 2,
        serviceName: 'db',
        selector: { matchLabels: { app: 'db' } },
        template: { metadata: { labels: { app: 'db' } }, spec: { containers: [{ name: 'c', image: 'i' }] } },
        volumeClaimTemplates: [{ metadata: { name: 'data' }, spec: spec() }],
      },
    })
    await cluster.settle()
    expect((await cluster.client.get(StatefulSet, { namespace, name: 'db' })).status?.readyReplicas).toBe(2)
    expect((await claimOf(cluster, 'data-db-1')).status?.phase).toBe('Bound')
  })

  it('simulated storage serves ephemeral volumes, which end with their pod', async () => {
    const cluster = await start()
    await cluster.apply(pod({ volumes: [{ name: 'tmp', ephemeral: { volumeClaimTemplate: { spec: spec() } } }] }))
    await cluster.settle()
    expect((await podOf(cluster)).status?.phase).toBe('Running')
    expect((await claimOf(cluster, 'web-tmp')).status?.phase).toBe('Bound')
    await cluster.client.delete(Pod, { namespace, name: 'web' })
    await cluster.settle()
    expect((await cluster.client.list(PersistentVolumeClaim)).items).toEqual([])
  })
})

describe('the scheduler', () => {
  const local = (name: string, node: string) => ({
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: { name },
    spec: {
      accessModes: ['ReadWriteOnce'],
      capacity: { storage: '1Gi' },
      local: { path: '/disk' },
      storageClassName: 'local',
      nodeAffinity: {
        required: {
          nodeSelectorTerms: [
            { matchExpressions: [{ key: 'kubernetes.io/hostname', operator: 'In', values: [node] }] },
          ],
        },
      },
    },
  })
  const localClass = {
    apiVersion: 'storage.k8s.io/v1',
    kind: 'StorageClass',
    metadata: { name: 'local' },
    provisioner: 'kubernetes.io/no-provisioner',
    volumeBindingMode: 'WaitForFirstConsumer',
  }

  it('the scheduler places a pod where its volume is', async () => {
    const cluster = await start()
    await cluster.apply(localClass, local('disk', 'node-2'), claim({ storageClassName: 'local' }))
    await cluster.settle()
    await cluster.apply(pod())
    await cluster.settle()
    expect((await podOf(cluster)).spec?.nodeName).toBe('node-2')
    expect((await claimOf(cluster)).spec?.volumeName).toBe('disk')
  })

  it('the scheduler reports why no volume can be bound, and continues when one can', async () => {
    const cluster = await start()
    await cluster.apply(localClass, claim({ storageClassName: 'local' }), pod())
    await cluster.settle()
    expect(await problemOf(cluster)).toBe(
      "0/2 nodes are available: 2 node(s) didn't find available persistent volumes to bind. " +
        'no new claims to deallocate, preemption: 0/2 nodes are available: 2 Preemption is not helpful for scheduling.',
    )
    await cluster.apply(local('disk', 'node-1'))
    await cluster.settle()
    expect((await podOf(cluster)).spec?.nodeName).toBe('node-1')
  })

  it('the scheduler waits for claims that are missing or not bound', async () => {
    const cluster = await start()
    await cluster.apply(pod())
    await cluster.settle()
    expect(await problemOf(cluster)).toBe(`0/2 nodes are available: persistentvolumeclaim "data" not found. not found`)
    await cluster.apply(claim({ storageClassName: '' }))
    await cluster.settle()
    expect(await problemOf(cluster)).toBe(
      `0/2 nodes are available: pod has unbound immediate PersistentVolumeClaims. not found`,
    )
    const { storageClassName: _, ...volumeSpec } = local('disk', 'node-2').spec
    await cluster.apply({ ...local('disk', 'node-2'), spec: volumeSpec })
    await cluster.settle()
    expect((await podOf(cluster)).spec?.nodeName).toBe('node-2')
  })

  it('the scheduler gives a claim of a single pod to one pod, and respects zones', async () => {
    const cluster = await start()
    const { client } = cluster
    for (const [name, zone] of [
      ['node-1', 'a'],
      ['node-2', 'b'],
    ] as const) {
      const patch = { metadata: { labels: { 'topology.kubernetes.io/zone': zone } } }
      await client.patch(Node, { name }, { type: 'merge', patch })
    }
    const accessModes = ['ReadWriteOncePod']
    await cluster.apply(
      {
        apiVersion: 'v1',
        kind: 'PersistentVolume',
        metadata: { name: 'disk', labels: { 'topology.kubernetes.io/zone': 'b' } },
        spec: { accessModes, capacity: { storage: '1Gi' }, hostPath: { path: '/disk' } },
      },
      claim({ storageClassName: '', accessModes }),
      pod(),
    )
    await cluster.settle()
    expect((await podOf(cluster)).spec?.nodeName).toBe('node-2')
    await cluster.apply({ ...pod(), metadata: { name: 'other', namespace } })
    await cluster.settle()
    const { status } = await client.get(Pod, { namespace, name: 'other' })
    expect(status?.conditions?.find(({ type }) => type === 'PodScheduled')?.message).toContain(
      '2 node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode already in-use',
    )
  })

  it('the default class is created only if the cluster has none', async () => {
    const cluster = await start()
    expect((await cluster.client.list(StorageClass)).items.map(({ metadata }) => metadata.name)).toEqual(['standard'])
  })
})
