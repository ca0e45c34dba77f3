/** The three controllers that protect storage objects in use. */
import { afterEach, describe, expect, it } from 'vitest'
import { PersistentVolume, PersistentVolumeClaim, Pod, VolumeAttributesClass, type Kind } from '../../index.ts'
import { embedded, type Embedded } from '../../testing/index.ts'
import { claimProtection } from '../persistent-volume-claim-protection/index.ts'
import { volumeProtection } from '../persistent-volume-protection/index.ts'
import { attributesClassProtection } from '../volume-attributes-class-protection/index.ts'

const running: Embedded[] = []
afterEach(async () => {
  for (const cluster of running.splice(0)) await cluster.stop()
})

async function start(): Promise<Embedded> {
  const cluster = await embedded({ controllers: [claimProtection, volumeProtection, attributesClassProtection] })
  running.push(cluster)
  return cluster
}

const namespace = 'default'
const claim = (fields: object = {}) => ({
  apiVersion: 'v1',
  kind: 'PersistentVolumeClaim',
  metadata: { name: 'data', namespace },
  spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } }, ...fields },
})
const pod = (nodeName?: string) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'web', namespace },
  spec: {
    containers: [{ name: 'c', image: 'i' }],
    volumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'data' } }],
    ...(nodeName === undefined ? {} : { nodeName }),
  },
})
const key = { namespace, name: 'data' }
const names = async ({ client }: Embedded, kind: Kind): Promise<string[]> =>
  (await client.list(kind)).items.map(({ metadata }) => metadata.name)

describe('protection', () => {
  it('protection of a claim lasts until no pod on a node uses it', async () => {
    const cluster = await start()
    await cluster.apply(claim(), pod('node-1'))
    await cluster.client.delete(PersistentVolumeClaim, key)
    await cluster.settle()
    expect(await names(cluster, PersistentVolumeClaim)).toEqual(['data'])
    await cluster.client.delete(Pod, { namespace, name: 'web' }, { gracePeriodSeconds: 0 })
    await cluster.settle()
    expect(await names(cluster, PersistentVolumeClaim)).toEqual([])
  })

  it('protection does not count pods without a node', async () => {
    const cluster = await start()
    await cluster.apply(claim(), pod())
    await cluster.client.delete(PersistentVolumeClaim, key)
    await cluster.settle()
    expect(await names(cluster, PersistentVolumeClaim)).toEqual([])
  })

  it('protection comes back if somebody removes it', async () => {
    const cluster = await start()
    await cluster.apply(claim())
    await cluster.client.patch(PersistentVolumeClaim, key, {
      type: 'merge',
      patch: { metadata: { finalizers: null } },
    })
    await cluster.settle()
    const { metadata } = await cluster.client.get(PersistentVolumeClaim, key)
    expect(metadata.finalizers).toEqual(['kubernetes.io/pvc-protection'])
  })

  it('protection of a volume lasts while it is bound', async () => {
    const cluster = await start()
    const volume = {
      apiVersion: 'v1',
      kind: 'PersistentVolume',
      metadata: { name: 'data' },
      spec: { accessModes: ['ReadWriteOnce'], capacity: { storage: '1Gi' }, hostPath: { path: '/tmp/data' } },
    }
    const phase = (is: string) => ({ type: 'merge', patch: { status: { phase: is } } }) as const
    await cluster.apply(volume)
    await cluster.client.patch(PersistentVolume, { name: 'data' }, phase('Bound'), { subresource: 'status' })
    await cluster.client.delete(PersistentVolume, { name: 'data' })
    await cluster.settle()
    expect(await names(cluster, PersistentVolume)).toEqual(['data'])
    await cluster.client.patch(PersistentVolume, { name: 'data' }, phase('Released'), { subresource: 'status' })
    await cluster.settle()
    expect(await names(cluster, PersistentVolume)).toEqual([])
  })

  it('protection of a volume attributes class lasts while a claim names it', async () => {
    const cluster = await start()
    const gold = {
      apiVersion: 'storage.k8s.io/v1',
      kind: 'VolumeAttributesClass',
      metadata: { name: 'gold' },
      driverName: 'example.com',
      parameters: { iops: '1' },
    }
    await cluster.apply(gold, claim({ volumeAttributesClassName: 'gold' }))
    await cluster.client.delete(VolumeAttributesClass, { name: 'gold' })
    await cluster.settle()
    expect(await names(cluster, VolumeAttributesClass)).toEqual(['gold'])
    await cluster.client.delete(PersistentVolumeClaim, key)
    await cluster.settle()
    expect(await names(cluster, VolumeAttributesClass)).toEqual([])
  })
})
