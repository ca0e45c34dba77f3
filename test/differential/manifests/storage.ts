/** storage.k8s.io/v1. */
import { badMetadata, fullMetadata, long, variants, type KindManifests } from './manifest.ts'

const storage = { group: 'storage.k8s.io', version: 'v1' } as const
const apiVersion = 'storage.k8s.io/v1'

export const storageManifests: readonly KindManifests[] = [
  {
    ...storage, resource: 'storageclasses', kind: 'StorageClass', namespaced: false,
    minimal: { apiVersion, kind: 'StorageClass', metadata: { name: 'manifest-min' }, provisioner: 'example.com/p' },
    full: {
      apiVersion, kind: 'StorageClass', metadata: fullMetadata('manifest-full'), provisioner: 'example.com/p', parameters: { type: 'ssd' },
      reclaimPolicy: 'Retain', mountOptions: ['hard', 'nfsvers=4'], allowVolumeExpansion: true, volumeBindingMode: 'WaitForFirstConsumer',
      allowedTopologies: [{ matchLabelExpressions: [{ key: 'zone', values: ['a', 'b'] }] }],
    },
    change: { allowVolumeExpansion: false, mountOptions: ['soft'] },
    bad: variants({
      ...badMetadata,
      'no provisioner': { provisioner: '' },
      'bad provisioner': { provisioner: 'A b' },
      'other provisioner': { provisioner: 'example.com/q' },
      'other parameters': { parameters: { type: 'hdd' } },
      'empty parameter key': { parameters: { '': 'x' } },
      'unknown policy': { reclaimPolicy: 'Keep' },
      'unknown mode': { volumeBindingMode: 'Odd' },
      'topology without values': { allowedTopologies: [{ matchLabelExpressions: [{ key: 'zone', values: [] }] }] },
      'topology value twice': { allowedTopologies: [{ matchLabelExpressions: [{ key: 'zone', values: ['a', 'a'] }] }] },
      'parameter too long': { parameters: { x: long(262200) } },
    }),
  },
  {
    ...storage, resource: 'volumeattributesclasses', kind: 'VolumeAttributesClass', namespaced: false,
    minimal: { apiVersion, kind: 'VolumeAttributesClass', metadata: { name: 'manifest-min' }, driverName: 'csi.example.com', parameters: { a: 'b' } },
    full: { apiVersion, kind: 'VolumeAttributesClass', metadata: fullMetadata('manifest-full'), driverName: 'csi.example.com', parameters: { iops: '100', tier: 'gold' } },
    change: { metadata: { labels: { more: 'yes' } } },
    bad: variants({
      ...badMetadata,
      'no driver': { driverName: '' },
      'bad driver': { driverName: 'A b' },
      'other driver': { driverName: 'csi.other.com' },
      'no parameters': { parameters: null },
      'other parameters': { parameters: { iops: '200' } },
      'empty key': { parameters: { '': 'x' } },
      'number': { parameters: { iops: 1 } },
    }),
  },
  {
    ...storage, resource: 'csidrivers', kind: 'CSIDriver', namespaced: false,
    minimal: { apiVersion, kind: 'CSIDriver', metadata: { name: 'manifest-min.example.com' }, spec: {} },
    full: {
      apiVersion, kind: 'CSIDriver', metadata: fullMetadata('manifest-full.example.com'),
      spec: {
        attachRequired: true, podInfoOnMount: true, volumeLifecycleModes: ['Persistent', 'Ephemeral'], storageCapacity: true, fsGroupPolicy: 'File',
        tokenRequests: [{ audience: 'a', expirationSeconds: 3600 }, { audience: '' }], requiresRepublish: true, seLinuxMount: true, nodeAllocatableUpdatePeriodSeconds: 30,
      },
    },
    change: { spec: { podInfoOnMount: false, storageCapacity: false, requiresRepublish: false } },
    bad: variants({
      ...badMetadata,
      'attach changes': { spec: { attachRequired: false } },
      'modes change': { spec: { volumeLifecycleModes: ['Persistent'] } },
      'unknown mode': { spec: { volumeLifecycleModes: ['Odd'] } },
      'unknown group policy': { spec: { fsGroupPolicy: 'Odd' } },
      'audience twice': { spec: { tokenRequests: [{ audience: 'a' }, { audience: 'a' }] } },
      'token too short': { spec: { tokenRequests: [{ audience: 'a', expirationSeconds: 10 }] } },
      'period too short': { spec: { nodeAllocatableUpdatePeriodSeconds: 5 } },
      'attach text': { spec: { attachRequired: 'x' } },
    }),
  },
  {
    ...storage, resource: 'csinodes', kind: 'CSINode', namespaced: false,
    minimal: { apiVersion, kind: 'CSINode', metadata: { name: 'manifest-min' }, spec: { drivers: [] } },
    full: {
      apiVersion, kind: 'CSINode', metadata: fullMetadata('manifest-full'),
      spec: { drivers: [{ name: 'csi.example.com', nodeID: 'n1', topologyKeys: ['zone', 'rack'], allocatable: { count: 10 } }] },
    },
    change: { metadata: { labels: { more: 'yes' } } },
    bad: variants({
      ...badMetadata,
      'driver without name': { spec: { drivers: [{ name: '', nodeID: 'n1' }] } },
      'bad driver name': { spec: { drivers: [{ name: 'A b', nodeID: 'n1' }] } },
      'driver twice': { spec: { drivers: [{ name: 'a.b', nodeID: 'n1' }, { name: 'a.b', nodeID: 'n2' }] } },
      'no node id': { spec: { drivers: [{ name: 'a.b', nodeID: '' }] } },
      'node id too long': { spec: { drivers: [{ name: 'a.b', nodeID: long(257) }] } },
      'other node id': { spec: { drivers: [{ name: 'csi.example.com', nodeID: 'n2' }] } },
      'count below zero': { spec: { drivers: [{ name: 'a.b', nodeID: 'n', allocatable: { count: -1 } }] } },
      'topology twice': { spec: { drivers: [{ name: 'a.b', nodeID: 'n', topologyKeys: ['a', 'a', ''] }] } },
    }),
  },
  {
    ...storage, resource: 'csistoragecapacities', kind: 'CSIStorageCapacity', namespaced: true,
    minimal: { apiVersion, kind: 'CSIStorageCapacity', metadata: { name: 'min' }, storageClassName: 'slow' },
    full: {
      apiVersion, kind: 'CSIStorageCapacity', metadata: fullMetadata('full'), storageClassName: 'slow', capacity: '100Gi', maximumVolumeSize: '10Gi',
      nodeTopology: { matchLabels: { zone: 'a' }, matchExpressions: [{ key: 'rack', operator: 'In', values: ['1'] }] },
    },
    change: { capacity: '90Gi' },
    bad: variants({
      ...badMetadata,
      'no class': { storageClassName: '' },
      'bad class': { storageClassName: 'A b' },
      'other class': { storageClassName: 'fast' },
      'negative': { capacity: '-1' },
      'negative size': { maximumVolumeSize: '-1' },
      'bad quantity': { capacity: 'much' },
      'bad topology': { nodeTopology: { matchExpressions: [{ key: 'rack', operator: 'In' }] } },
      'other topology': { nodeTopology: { matchLabels: { zone: 'b' } } },
    }),
  },
  {
    ...storage, resource: 'volumeattachments', kind: 'VolumeAttachment', namespaced: false,
    minimal: { apiVersion, kind: 'VolumeAttachment', metadata: { name: 'manifest-min' }, spec: { attacher: 'csi.example.com', nodeName: 'n', source: { persistentVolumeName: 'pv' } } },
    full: {
      apiVersion, kind: 'VolumeAttachment', metadata: fullMetadata('manifest-full'),
      spec: {
        attacher: 'csi.example.com', nodeName: 'n',
        source: { inlineVolumeSpec: { accessModes: ['ReadWriteOnce'], csi: { driver: 'csi.example.com', volumeHandle: 'v' } } },
      },
    },
    change: { metadata: { labels: { more: 'yes' } } },
    status: { status: { attached: true, attachmentMetadata: { a: 'b' }, attachError: { time: '2026-01-02T03:04:05Z', message: 'm', errorCode: 3 } } },
    badStatus: variants({ 'message too long': { status: { detachError: { message: long(262145) } } } }),
    bad: variants({
      ...badMetadata,
      'no attacher': { spec: { attacher: '' } },
      'bad attacher': { spec: { attacher: 'A b' } },
      'no node': { spec: { nodeName: '' } },
      'bad node': { spec: { nodeName: 'A b' } },
      'no source': { spec: { source: { inlineVolumeSpec: null } } },
      'two sources': { spec: { source: { persistentVolumeName: 'pv' } } },
      'empty volume name': { spec: { source: { inlineVolumeSpec: null, persistentVolumeName: '' } } },
      'other node': { spec: { nodeName: 'm' } },
      'bad volume': { spec: { source: { inlineVolumeSpec: { csi: { driver: '' } } } } },
    }),
  },
]
