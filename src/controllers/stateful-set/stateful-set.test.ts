import { afterEach, describe, expect, it } from 'vitest'
import { timestamp } from '../../env/index.ts'
import {
  controller,
  ControllerRevision,
  keyOf,
  PersistentVolumeClaim,
  Pod,
  StatefulSet,
  type Live,
} from '../../index.ts'
import { embedded, type Embedded } from '../../testing/index.ts'
import { statefulSets } from './index.ts'
import { membersOf } from './members.ts'

/** Replaces a node: makes every pod Ready, unless its image is broken, and removes deleted ones. */
const nodes = controller(Pod)
  .named('nodes')
  .deleting(async ({ object: pod, client }) => {
    await client.delete(Pod, keyOf(pod), { gracePeriodSeconds: 0, uid: pod.metadata.uid })
  })
  .reconcile(({ object: pod, status, now }) => {
    if (pod.status?.phase !== 'Pending' || pod.spec?.containers[0]?.image === 'broken') return
    status.set({
      phase: 'Running',
      conditions: [{ type: 'Ready', status: 'True', lastTransitionTime: timestamp(now()) }],
    })
  })

const running: Embedded[] = []
afterEach(async () => {
  for (const cluster of running.splice(0)) await cluster.stop()
})

async function start(): Promise<Embedded> {
  const cluster = await embedded({ controllers: [statefulSets, nodes] })
  running.push(cluster)
  return cluster
}

const claimTemplate = {
  metadata: { name: 'data', labels: { tier: 'db' } },
  spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
}

const web = (image = 'web:1', spec: object = {}) => ({
  apiVersion: 'apps/v1',
  kind: 'StatefulSet',
  metadata: { name: 'web', namespace: 'default' },
  spec: {
    replicas: 3,
    serviceName: 'web',
    selector: { matchLabels: { app: 'web' } },
    template: { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'web', image }], nodeName: 'n' } },
    ...spec,
  },
})
const namespace = 'default'
const key = { namespace, name: 'web' }
const scaledTo = (replicas: number) => ({ type: 'merge', patch: { spec: { replicas } } }) as const

async function pods({ client }: Embedded): Promise<readonly Live<Pod>[]> {
  return (await client.list(Pod, { namespace })).items
}

/** `web-0 web:1`. */
async function images(cluster: Embedded): Promise<string[]> {
  return (await pods(cluster)).map(({ metadata, spec }) => `${metadata.name} ${spec?.containers[0]?.image}`)
}

async function actions(cluster: Embedded): Promise<string[]> {
  return (await cluster.events({ metadata: key })).map(
    ({ reason, message }) => `${reason} ${/\w+-\d+/.exec(message)?.[0] ?? message}`,
  )
}

describe('a StatefulSet', () => {
  it('a StatefulSet creates pods with identities one after the other, and rests', async () => {
    const cluster = await start()
    await cluster.apply(web())
    await cluster.settle()
    const [first] = await pods(cluster)
    expect(first?.metadata.labels).toMatchObject({
      app: 'web',
      'statefulset.kubernetes.io/pod-name': 'web-0',
      'apps.kubernetes.io/pod-index': '0',
    })
    expect(first?.spec).toMatchObject({ hostname: 'web-0', subdomain: 'web' })
    const { status, metadata } = await cluster.client.get(StatefulSet, key)
    expect(status).toEqual({
      observedGeneration: metadata.generation,
      replicas: 3,
      readyReplicas: 3,
      availableReplicas: 3,
      currentReplicas: 3,
      updatedReplicas: 3,
      currentRevision: first?.metadata.labels?.['controller-revision-hash'],
      updateRevision: first?.metadata.labels?.['controller-revision-hash'],
      collisionCount: 0,
    })
    expect(await actions(cluster)).toEqual(['0', '1', '2'].map((ordinal) => `SuccessfulCreate web-${ordinal}`))
    const { revision } = cluster.plane.store
    await cluster.restart()
    await cluster.advance(3_600_000)
    expect(cluster.plane.store.revision).toBe(revision)
  })

  it('a StatefulSet waits for a pod that is not ready, unless its policy is Parallel', async () => {
    const cluster = await start()
    await cluster.apply(web('broken'))
    await cluster.settle()
    expect(await images(cluster)).toEqual(['web-0 broken'])
    await cluster.client.delete(StatefulSet, key)
    for (const pod of await pods(cluster)) await cluster.client.delete(Pod, keyOf(pod), { gracePeriodSeconds: 0 })
    await cluster.apply(web('broken', { podManagementPolicy: 'Parallel', ordinals: { start: 5 } }))
    await cluster.settle()
    expect(await images(cluster)).toEqual(['web-5 broken', 'web-6 broken', 'web-7 broken'])
  })

  it('a StatefulSet replaces pods from the highest ordinal down to the partition', async () => {
    const cluster = await start()
    await cluster.apply(web())
    await cluster.settle()
    await cluster.apply(web('web:2', { updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: 1 } } }))
    await cluster.settle()
    expect(await images(cluster)).toEqual(['web-0 web:1', 'web-1 web:2', 'web-2 web:2'])
    expect((await actions(cluster)).filter((each) => each.startsWith('SuccessfulDelete'))).toEqual([
      'SuccessfulDelete web-2',
      'SuccessfulDelete web-1',
    ])
    const { status } = await cluster.client.get(StatefulSet, key)
    expect(status).toMatchObject({ currentReplicas: 1, updatedReplicas: 2 })
    expect(status?.currentRevision).not.toBe(status?.updateRevision)
    // A pod below the partition keeps its version.
    await cluster.client.delete(Pod, { namespace, name: 'web-0' })
    await cluster.settle()
    expect(await images(cluster)).toEqual(['web-0 web:1', 'web-1 web:2', 'web-2 web:2'])
    await cluster.apply(web('web:2', { updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: 0 } } }))
    await cluster.settle()
    expect((await cluster.client.get(StatefulSet, key)).status?.currentRevision).toBe(status?.updateRevision)
  })

  it('a StatefulSet of two billion pods is considered in parts', () => {
    const metadata = { ...key, uid: 'u', resourceVersion: '1' }
    const set = { ...web('web:1', { replicas: 2_147_483_647, ordinals: { start: 7 } }), metadata } as Live<StatefulSet>
    const pod = (name: string): Live<Pod> => ({ metadata: { ...metadata, name } })
    const { replicas, condemned } = membersOf(set, ['web-3', 'web-8', 'web-2000000000', 'web-08'].map(pod))
    expect(replicas).toHaveLength(502)
    expect(replicas.filter((each) => each.pod !== undefined).map(({ ordinal }) => ordinal)).toEqual([8, 2_000_000_000])
    expect(condemned.map(({ ordinal }) => ordinal)).toEqual([3])
  })

  it('a StatefulSet with OnDelete replaces only what a user deletes', async () => {
    const cluster = await start()
    const strategy = { updateStrategy: { type: 'OnDelete' } }
    await cluster.apply(web('web:1', strategy))
    await cluster.settle()
    await cluster.apply(web('web:2', strategy))
    await cluster.settle()
    await cluster.client.delete(Pod, { namespace, name: 'web-1' })
    await cluster.settle()
    expect(await images(cluster)).toEqual(['web-0 web:1', 'web-1 web:2', 'web-2 web:1'])
  })

  it('a StatefulSet goes back to an old revision, and keeps only as many as it may', async () => {
    const cluster = await start()
    const limit = { replicas: 1, revisionHistoryLimit: 1 }
    for (const image of ['web:1', 'web:2', 'web:1', 'web:3', 'web:4']) {
      await cluster.apply(web(image, limit))
      await cluster.settle()
    }
    const { items } = await cluster.client.list(ControllerRevision, { namespace })
    expect(
      items.map(({ revision, data }) => `${revision} ${JSON.stringify(data).match(/web:\d/)?.[0]}`).sort(),
    ).toEqual(['4 web:3', '5 web:4'])
  })

  it('a StatefulSet replaces a pod that has failed', async () => {
    const cluster = await start()
    await cluster.apply(web())
    await cluster.settle()
    const [, first] = await pods(cluster)
    await cluster.client.patch(
      Pod,
      { namespace, name: 'web-1' },
      { type: 'merge', patch: { status: { phase: 'Failed' } } },
      { subresource: 'status' },
    )
    await cluster.settle()
    const [, second] = await pods(cluster)
    expect(second?.metadata.uid).not.toBe(first?.metadata.uid)
    expect((await cluster.client.get(StatefulSet, key)).status?.readyReplicas).toBe(3)
  })

  it('a StatefulSet scales down from the highest ordinal, one after the other', async () => {
    const cluster = await start()
    await cluster.apply(web())
    await cluster.settle()
    const before = (await actions(cluster)).length
    await cluster.client.patch(StatefulSet, key, scaledTo(0))
    await cluster.settle()
    expect((await actions(cluster)).slice(before)).toEqual(
      ['2', '1', '0'].map((each) => `SuccessfulDelete web-${each}`),
    )
    expect((await cluster.client.get(StatefulSet, key)).status).toMatchObject({ replicas: 0, availableReplicas: 0 })
  })

  it('a StatefulSet in deletion creates no pods, and its revision again when a pod changes', async () => {
    const cluster = await start()
    const { client } = cluster
    const set = web()
    await cluster.apply({ ...set, metadata: { ...set.metadata, finalizers: ['example.dev/kept'] } })
    await cluster.settle()
    const revisions = async () => (await client.list(ControllerRevision, { namespace })).items.length
    await client.delete(StatefulSet, key)
    await cluster.settle()
    await client.deleteCollection(ControllerRevision, { namespace })
    await cluster.settle()
    expect(await revisions()).toBe(0)
    await client.delete(Pod, { namespace, name: 'web-1' })
    await cluster.settle()
    expect((await client.get(StatefulSet, key)).status).toMatchObject({ replicas: 2, readyReplicas: 2 })
    expect(await revisions()).toBe(1)
  })

  it('a StatefulSet waits until a pod has been ready for minReadySeconds', async () => {
    const cluster = await start()
    await cluster.apply(web('web:1', { minReadySeconds: 30 }))
    await cluster.settle({ patienceMs: 1000 })
    expect(await images(cluster)).toHaveLength(1)
    await cluster.advance(31_000)
    expect(await images(cluster)).toHaveLength(2)
    await cluster.advance(62_000)
    expect((await cluster.client.get(StatefulSet, key)).status?.availableReplicas).toBe(3)
  })

  it('a StatefulSet adopts a pod with one of its names, and completes its identity', async () => {
    const cluster = await start()
    const metadata = { namespace, name: 'web-0', labels: { app: 'web' } }
    await cluster.client.create(Pod, { metadata, spec: { containers: [{ name: 'web', image: 'own' }], nodeName: 'n' } })
    await cluster.apply(web('web:1', { replicas: 1, updateStrategy: { type: 'OnDelete' } }))
    await cluster.settle()
    const [adopted] = await pods(cluster)
    expect(adopted?.metadata.ownerReferences?.[0]?.name).toBe('web')
    expect(adopted?.metadata.labels?.['apps.kubernetes.io/pod-index']).toBe('0')
    expect(await actions(cluster)).toEqual(['SuccessfulUpdate web-0'])
  })
})

describe('volume claims', () => {
  const withClaims = (policy: object = {}, replicas = 2) =>
    web('web:1', { replicas, volumeClaimTemplates: [claimTemplate], persistentVolumeClaimRetentionPolicy: policy })

  async function claims({ client }: Embedded): Promise<readonly Live<PersistentVolumeClaim>[]> {
    return (await client.list(PersistentVolumeClaim, { namespace })).items
  }
  async function owners(cluster: Embedded): Promise<string[]> {
    return (await claims(cluster)).map(
      ({ metadata }) => `${metadata.name} ${(metadata.ownerReferences ?? []).map(({ kind }) => kind).join()}`,
    )
  }

  it('volume claims are created for each pod, and kept by default', async () => {
    const cluster = await start()
    await cluster.apply(withClaims())
    await cluster.settle()
    expect((await claims(cluster)).map(({ metadata }) => [metadata.name, metadata.labels])).toEqual([
      ['data-web-0', { app: 'web', tier: 'db' }],
      ['data-web-1', { app: 'web', tier: 'db' }],
    ])
    expect((await pods(cluster))[1]?.spec?.volumes?.[0]).toEqual({
      name: 'data',
      persistentVolumeClaim: { claimName: 'data-web-1' },
    })
    await cluster.client.patch(StatefulSet, key, scaledTo(1))
    await cluster.settle()
    expect(await owners(cluster)).toEqual(['data-web-0 ', 'data-web-1 '])
  })

  it('volume claims follow the retention policy', async () => {
    const cluster = await start()
    await cluster.apply(withClaims({ whenDeleted: 'Delete', whenScaled: 'Delete' }))
    await cluster.settle()
    expect(await owners(cluster)).toEqual(['data-web-0 StatefulSet', 'data-web-1 StatefulSet'])
    await cluster.client.patch(StatefulSet, key, scaledTo(1))
    await cluster.settle()
    expect(await owners(cluster)).toEqual(['data-web-0 StatefulSet', 'data-web-1 Pod'])
    await cluster.apply(withClaims({ whenDeleted: 'Retain', whenScaled: 'Retain' }, 1))
    await cluster.settle()
    expect(await owners(cluster)).toEqual(['data-web-0 ', 'data-web-1 Pod'])
  })

  it('a pod waits until the claim of its predecessor is gone', async () => {
    const cluster = await start()
    await cluster.apply(withClaims({ whenDeleted: 'Retain', whenScaled: 'Delete' }))
    await cluster.settle()
    await cluster.client.patch(StatefulSet, key, scaledTo(1))
    await cluster.settle()
    await cluster.client.patch(StatefulSet, key, scaledTo(2))
    await cluster.settle()
    expect(await images(cluster)).toEqual(['web-0 web:1'])
    const claim = { namespace, name: 'data-web-1' }
    await cluster.client.patch(PersistentVolumeClaim, claim, {
      type: 'merge',
      patch: { metadata: { finalizers: null } },
    })
    await cluster.client.delete(PersistentVolumeClaim, claim)
    await cluster.settle()
    expect(await images(cluster)).toEqual(['web-0 web:1', 'web-1 web:1'])
    expect(await owners(cluster)).toEqual(['data-web-0 ', 'data-web-1 '])
  })
})
