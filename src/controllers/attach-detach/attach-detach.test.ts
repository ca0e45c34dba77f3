import { afterEach, expect, it } from 'vitest'
import { Node, PersistentVolume, PersistentVolumeClaim, Pod, VolumeAttachment, type Live } from '../../index.ts'
import { embedded, type Embedded } from '../../testing/index.ts'
import { claimBinder, volumeBinder } from '../persistent-volume-binder/index.ts'
import { attachmentName } from './csi-volumes.ts'
import { attachDetach } from './index.ts'

const running: Embedded[] = []
afterEach(async () => {
  for (const cluster of running.splice(0)) await cluster.stop()
})

const namespace = 'default'
const csi = { driver: 'disk.example.com', volumeHandle: 'h1' }
const node = (name: string, annotations: Record<string, string> = {}) => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name, annotations },
})
const managed = { 'volumes.kubernetes.io/controller-managed-attach-detach': 'true' }
const pod = (name: string, nodeName: string) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace },
  spec: {
    nodeName,
    containers: [{ name: 'c', image: 'i' }],
    volumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'data' } }],
  },
})
const objects = [
  {
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: { name: 'disk' },
    spec: { accessModes: ['ReadWriteOnce'], capacity: { storage: '1Gi' }, csi },
  },
  {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { name: 'data', namespace },
    spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } }, storageClassName: '' },
  },
]

async function start(...others: readonly object[]): Promise<Embedded> {
  const cluster = await embedded({ controllers: [claimBinder, volumeBinder, attachDetach] })
  running.push(cluster)
  await cluster.apply(...objects, ...(others as typeof objects))
  await cluster.settle()
  return cluster
}

const attachments = async ({ client }: Embedded): Promise<readonly Live<VolumeAttachment>[]> =>
  (await client.list(VolumeAttachment)).items

it('a CSI volume is attached to the node of its pod, and detached when the pod is gone', async () => {
  const cluster = await start(node('n1', managed), pod('web', 'n1'))
  const name = attachmentName(csi, 'n1')
  expect(await attachments(cluster)).toMatchObject([
    { metadata: { name }, spec: { attacher: csi.driver, nodeName: 'n1', source: { persistentVolumeName: 'disk' } } },
  ])
  await cluster.client.patch(
    VolumeAttachment,
    { name },
    { type: 'merge', patch: { status: { attached: true } } },
    { subresource: 'status' },
  )
  await cluster.settle()
  expect((await cluster.client.get(Node, { name: 'n1' })).status?.volumesAttached).toEqual([
    { name: 'kubernetes.io/csi/disk.example.com^h1', devicePath: '' },
  ])
  await cluster.client.delete(Pod, { namespace, name: 'web' }, { gracePeriodSeconds: 0 })
  await cluster.settle()
  expect(await attachments(cluster)).toEqual([])
  expect((await cluster.client.get(Node, { name: 'n1' })).status?.volumesAttached).toBeUndefined()
})

it('a volume for one node is attached to the next node after it is detached from the first', async () => {
  const cluster = await start(node('n1', managed), node('n2', managed), pod('first', 'n1'))
  await cluster.apply(pod('second', 'n2'))
  await cluster.settle()
  expect((await attachments(cluster)).map(({ spec }) => spec.nodeName)).toEqual(['n1'])
  await cluster.client.delete(Pod, { namespace, name: 'first' }, { gracePeriodSeconds: 0 })
  await cluster.settle()
  expect((await attachments(cluster)).map(({ spec }) => spec.nodeName)).toEqual(['n2'])
})

it('nothing is attached to nodes that attach by themselves, or by drivers that need not attach', async () => {
  const unmanaged = await start(node('n1'), pod('web', 'n1'))
  expect(await attachments(unmanaged)).toEqual([])
  const driver = { apiVersion: 'storage.k8s.io/v1', kind: 'CSIDriver', metadata: { name: csi.driver } }
  const without = await start({ ...driver, spec: { attachRequired: false } }, node('n1', managed), pod('web', 'n1'))
  expect(await attachments(without)).toEqual([])
  expect((await without.client.get(PersistentVolumeClaim, { namespace, name: 'data' })).status?.phase).toBe('Bound')
  expect((await without.client.get(PersistentVolume, { name: 'disk' })).status?.phase).toBe('Bound')
})

it('attachments of others are left alone', async () => {
  const other = {
    apiVersion: 'storage.k8s.io/v1',
    kind: 'VolumeAttachment',
    metadata: { name: 'mine' },
    spec: { attacher: csi.driver, nodeName: 'n1', source: { persistentVolumeName: 'disk' } },
  }
  const cluster = await start(node('n1', managed), other)
  expect((await attachments(cluster)).map(({ metadata }) => metadata.name)).toEqual(['mine'])
})
