import { afterEach, describe, expect, it } from 'vitest'
import { PersistentVolume, PersistentVolumeClaim, Pod, type Live } from '../../index.ts'
import { embedded, type Embedded } from '../../testing/index.ts'
import { claimBinder, volumeBinder } from './index.ts'

const running: Embedded[] = []
afterEach(async () => {
  for (const cluster of running.splice(0)) await cluster.stop()
})

async function start(): Promise<Embedded> {
  const cluster = await embedded({ controllers: [claimBinder, volumeBinder] })
  running.push(cluster)
  return cluster
}

const namespace = 'default'
const claim = (name: string, spec: object = {}) => ({
  apiVersion: 'v1',
  kind: 'PersistentVolumeClaim',
  metadata: { name, namespace },
  spec: {
    accessModes: ['ReadWriteOnce'],
    resources: { requests: { storage: '1Gi' } },
    storageClassName: '',
    ...spec,
  },
})
const volume = (name: string, spec: object = {}, metadata: object = {}) => ({
  apiVersion: 'v1',
  kind: 'PersistentVolume',
  metadata: { name, ...metadata },
  spec: {
    accessModes: ['ReadWriteOnce'],
    capacity: { storage: '1Gi' },
    hostPath: { path: `/tmp/${name}` },
    persistentVolumeReclaimPolicy: 'Retain',
    ...spec,
  },
})
const storageClass = (name: string, fields: object = {}, annotations: Record<string, string> = {}) => ({
  apiVersion: 'storage.k8s.io/v1',
  kind: 'StorageClass',
  metadata: { name, annotations },
  provisioner: 'example.com/disk',
  ...fields,
})

const claimAt = ({ client }: Embedded, name: string): Promise<Live<PersistentVolumeClaim>> =>
  client.get(PersistentVolumeClaim, { namespace, name })
const volumeAt = ({ client }: Embedded, name: string): Promise<Live<PersistentVolume>> =>
  client.get(PersistentVolume, { name })

/** `Bound to small`. */
async function state(cluster: Embedded, name: string): Promise<string> {
  const { spec, status } = await claimAt(cluster, name)
  return `${status?.phase} to ${spec?.volumeName ?? 'none'}`
}
const reasons = async (cluster: Embedded, about: ReturnType<typeof claim>): Promise<string[]> =>
  (await cluster.events(about)).map(({ type, reason, message }) => `${type} ${reason} ${message}`)

/** Protection finalizers need their own controllers. */
async function remove(cluster: Embedded, name: string): Promise<void> {
  await cluster.client.delete(PersistentVolumeClaim, { namespace, name })
  await cluster.client.patch(
    PersistentVolumeClaim,
    { namespace, name },
    { type: 'merge', patch: { metadata: { finalizers: null } } },
  )
  await cluster.settle()
}

describe('binding', () => {
  it('binding chooses the smallest volume that satisfies the claim, and rests', async () => {
    const cluster = await start()
    await cluster.apply(
      volume('big', { capacity: { storage: '5Gi' } }),
      volume('small', { capacity: { storage: '2Gi' } }),
      volume('tiny', { capacity: { storage: '500Mi' } }),
    )
    await cluster.settle()
    expect((await volumeAt(cluster, 'tiny')).status?.phase).toBe('Available')
    await cluster.apply(claim('data'))
    await cluster.settle()
    expect(await claimAt(cluster, 'data')).toMatchObject({
      metadata: {
        annotations: { 'pv.kubernetes.io/bind-completed': 'yes', 'pv.kubernetes.io/bound-by-controller': 'yes' },
      },
      spec: { volumeName: 'small' },
      status: { phase: 'Bound', accessModes: ['ReadWriteOnce'], capacity: { storage: '2Gi' } },
    })
    const { metadata } = await claimAt(cluster, 'data')
    expect(await volumeAt(cluster, 'small')).toMatchObject({
      metadata: { annotations: { 'pv.kubernetes.io/bound-by-controller': 'yes' } },
      spec: { claimRef: { kind: 'PersistentVolumeClaim', name: 'data', namespace, uid: metadata.uid } },
      status: { phase: 'Bound' },
    })
    const { revision } = cluster.plane.store
    await cluster.restart()
    await cluster.settle()
    expect(cluster.plane.store.revision).toBe(revision)
  })

  it('binding respects class, modes, labels and volume mode', async () => {
    const cluster = await start()
    await cluster.apply(
      storageClass('fast'),
      volume('plain'),
      volume('shared', { accessModes: ['ReadWriteOnce', 'ReadWriteMany'] }),
      volume('labelled', {}, { labels: { tier: 'db' } }),
      volume('fast', { storageClassName: 'fast' }),
      volume('block', { volumeMode: 'Block' }),
    )
    await cluster.settle()
    await cluster.apply(
      claim('many', { accessModes: ['ReadWriteMany'] }),
      claim('db', { selector: { matchLabels: { tier: 'db' } } }),
      claim('quick', { storageClassName: 'fast' }),
      claim('raw', { volumeMode: 'Block' }),
    )
    await cluster.settle()
    for (const [name, bound] of [
      ['many', 'shared'],
      ['db', 'labelled'],
      ['quick', 'fast'],
      ['raw', 'block'],
    ] as const)
      expect(await state(cluster, name)).toBe(`Bound to ${bound}`)
    expect((await volumeAt(cluster, 'plain')).status?.phase).toBe('Available')
  })

  it('binding happens as soon as a volume appears', async () => {
    const cluster = await start()
    await cluster.apply(claim('data'))
    await cluster.settle()
    expect(await state(cluster, 'data')).toBe('Pending to none')
    expect(await reasons(cluster, claim('data'))).toEqual([
      'Normal FailedBinding no persistent volumes available for this claim and no storage class is set',
    ])
    await cluster.apply(volume('late'))
    await cluster.settle()
    expect(await state(cluster, 'data')).toBe('Bound to late')
  })

  it('binding honours volumes that are reserved and claims that name their volume', async () => {
    const cluster = await start()
    await cluster.apply(
      volume('reserved', { claimRef: { namespace, name: 'owner' }, capacity: { storage: '9Gi' } }),
      volume('other'),
      claim('owner'),
      claim('second', { volumeName: 'reserved' }),
      claim('large', { volumeName: 'other', resources: { requests: { storage: '2Gi' } } }),
    )
    await cluster.settle()
    expect(await state(cluster, 'owner')).toBe('Bound to reserved')
    expect((await volumeAt(cluster, 'reserved')).metadata.annotations).toBeUndefined()
    expect(await state(cluster, 'second')).toBe('Pending to reserved')
    expect(await reasons(cluster, claim('second'))).toContain(
      'Warning FailedBinding volume "reserved" already bound to a different claim.',
    )
    expect(await reasons(cluster, claim('large'))).toContain(
      'Warning VolumeMismatch Cannot bind to requested volume "other": requested PV is too small',
    )
  })

  it('two claims never get one volume', async () => {
    const cluster = await start()
    await cluster.apply(volume('only'))
    await cluster.settle()
    await cluster.apply(claim('a'), claim('b'), claim('c'))
    await cluster.settle()
    const states = await Promise.all(['a', 'b', 'c'].map((name) => state(cluster, name)))
    expect(states.filter((each) => each === 'Bound to only')).toHaveLength(1)
    expect(states.filter((each) => each === 'Pending to none')).toHaveLength(2)
  })

  it('a bound claim is lost with its volume', async () => {
    const cluster = await start()
    await cluster.apply(volume('only'), claim('data'))
    await cluster.settle()
    await cluster.client.delete(PersistentVolume, { name: 'only' })
    await cluster.client.patch(
      PersistentVolume,
      { name: 'only' },
      { type: 'merge', patch: { metadata: { finalizers: null } } },
    )
    await cluster.settle()
    const { status } = await claimAt(cluster, 'data')
    expect(status).toEqual({ phase: 'Lost' })
    expect(await reasons(cluster, claim('data'))).toContain(
      'Warning ClaimLost Bound claim has lost its PersistentVolume. Data on the volume is lost!',
    )
  })
})

describe('classes', () => {
  it('classes ask their provisioner for a volume', async () => {
    const cluster = await start()
    await cluster.apply(storageClass('fast'), claim('data', { storageClassName: 'fast' }))
    await cluster.settle()
    expect((await claimAt(cluster, 'data')).metadata.annotations).toEqual({
      'volume.beta.kubernetes.io/storage-provisioner': 'example.com/disk',
      'volume.kubernetes.io/storage-provisioner': 'example.com/disk',
    })
    expect((await reasons(cluster, claim('data'))).join()).toContain('Normal ExternalProvisioning Waiting for a volume')
  })

  it('classes that wait for a consumer leave the claim to the scheduler', async () => {
    const cluster = await start()
    await cluster.apply(
      storageClass('late', { volumeBindingMode: 'WaitForFirstConsumer' }),
      volume('free', { storageClassName: 'late' }),
      claim('data', { storageClassName: 'late' }),
    )
    await cluster.settle()
    expect(await state(cluster, 'data')).toBe('Pending to none')
    expect(await reasons(cluster, claim('data'))).toEqual([
      'Normal WaitForFirstConsumer waiting for first consumer to be created before binding',
    ])
  })

  it('a new default class is given to claims that name none', async () => {
    const cluster = await start()
    const { storageClassName: _, ...spec } = claim('data').spec
    await cluster.apply({ ...claim('data'), spec })
    await cluster.settle()
    await cluster.apply(storageClass('main', {}, { 'storageclass.kubernetes.io/is-default-class': 'true' }))
    await cluster.settle()
    expect((await claimAt(cluster, 'data')).spec?.storageClassName).toBe('main')
  })

  it('a class that does not exist is reported', async () => {
    const cluster = await start()
    await cluster.apply(claim('data', { storageClassName: 'none' }))
    await cluster.settle()
    expect(await reasons(cluster, claim('data'))).toEqual([
      'Warning ProvisioningFailed storageclass.storage.k8s.io "none" not found',
    ])
  })
})

describe('reclaiming', () => {
  it.each([
    ['Retain', '/tmp/only', 'Released'],
    ['Delete', '/data/only', 'Failed'],
    ['Recycle', '/tmp/only', 'Available'],
  ])('with the policy %s a volume in %s becomes %s', async (persistentVolumeReclaimPolicy, path, phase) => {
    const cluster = await start()
    await cluster.apply(volume('only', { persistentVolumeReclaimPolicy, hostPath: { path } }), claim('data'))
    await cluster.settle()
    await remove(cluster, 'data')
    const { status, spec } = await volumeAt(cluster, 'only')
    expect(status?.phase).toBe(phase)
    expect(spec?.claimRef === undefined).toBe(phase === 'Available')
    if (phase === 'Failed')
      expect(status?.message).toBe('host_path deleter only supports /tmp/.+ but received provided /data/only')
  })

  it('with the policy Delete a volume below /tmp is deleted', async () => {
    const cluster = await start()
    await cluster.apply(volume('only', { persistentVolumeReclaimPolicy: 'Delete' }), claim('data'))
    await cluster.settle()
    await remove(cluster, 'data')
    expect((await volumeAt(cluster, 'only')).metadata.deletionTimestamp).toBeDefined()
  })

  it('a volume is recycled when no pod names its claim any more', async () => {
    const cluster = await start()
    const pod = {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'waits', namespace },
      spec: {
        containers: [{ name: 'c', image: 'i' }],
        volumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'data' } }],
      },
    }
    await cluster.apply(volume('only', { persistentVolumeReclaimPolicy: 'Recycle' }), claim('data'), pod)
    await cluster.settle()
    await remove(cluster, 'data')
    expect((await volumeAt(cluster, 'only')).status?.phase).toBe('Released')
    await cluster.client.delete(Pod, { namespace, name: 'waits' }, { gracePeriodSeconds: 0 })
    await cluster.advance(20_000)
    expect((await volumeAt(cluster, 'only')).status?.phase).toBe('Available')
  })

  it('a released volume is not bound again', async () => {
    const cluster = await start()
    await cluster.apply(volume('only'), claim('data'))
    await cluster.settle()
    await remove(cluster, 'data')
    await cluster.apply(claim('data'))
    await cluster.settle()
    expect(await state(cluster, 'data')).toBe('Pending to none')
    expect((await volumeAt(cluster, 'only')).status?.phase).toBe('Released')
  })
})
