/** Core kinds of storage: PersistentVolume, PersistentVolumeClaim. */
import { badMetadata, fullMetadata, variants, type KindManifests } from './manifest.ts'

const core = { group: '', version: 'v1' } as const

export const coreStorage: readonly KindManifests[] = [
  {
    ...core, resource: 'persistentvolumes', kind: 'PersistentVolume', namespaced: false,
    minimal: {
      apiVersion: 'v1', kind: 'PersistentVolume', metadata: { name: 'manifest-min' },
      spec: { capacity: { storage: '1Gi' }, accessModes: ['ReadWriteOnce'], hostPath: { path: '/data' } },
    },
    full: {
      apiVersion: 'v1', kind: 'PersistentVolume', metadata: fullMetadata('manifest-full'),
      spec: {
        capacity: { storage: '10Gi' }, accessModes: ['ReadWriteOnce', 'ReadOnlyMany'], persistentVolumeReclaimPolicy: 'Retain',
        storageClassName: 'slow', mountOptions: ['hard'], volumeMode: 'Filesystem', volumeAttributesClassName: 'gold',
        claimRef: { apiVersion: 'v1', kind: 'PersistentVolumeClaim', namespace: 'default', name: 'claim', uid: '11111111-2222-3333-4444-555555555555' },
        nodeAffinity: { required: { nodeSelectorTerms: [{ matchExpressions: [{ key: 'zone', operator: 'In', values: ['a'] }] }] } },
        csi: {
          driver: 'csi.example.com', volumeHandle: 'vol-1', readOnly: true, fsType: 'ext4', volumeAttributes: { a: 'b' },
          nodeStageSecretRef: { name: 's', namespace: 'default' }, controllerExpandSecretRef: { name: 's', namespace: 'default' },
        },
      },
    },
    change: { spec: { capacity: { storage: '20Gi' }, persistentVolumeReclaimPolicy: 'Delete', mountOptions: null } },
    status: { status: { phase: 'Bound', message: 'm', reason: 'R' } },
    bad: variants({
      ...badMetadata,
      'no capacity': { spec: { capacity: null } },
      'other capacity': { spec: { capacity: { storage: null, cpu: '1' } } },
      'zero capacity': { spec: { capacity: { storage: '0' } } },
      'no access modes': { spec: { accessModes: null } },
      'unknown access mode': { spec: { accessModes: ['ReadSome'] } },
      'two sources': { spec: { hostPath: { path: '/x' } } },
      'no source': { spec: { csi: null } },
      'other source': { spec: { csi: { volumeHandle: 'vol-2' } } },
      'driver missing': { spec: { csi: { driver: '' } } },
      'unknown reclaim policy': { spec: { persistentVolumeReclaimPolicy: 'Keep' } },
      'unknown volume mode': { spec: { volumeMode: 'Other' } },
      'bad class': { spec: { storageClassName: 'Not Valid' } },
      'bad affinity': { spec: { nodeAffinity: { required: { nodeSelectorTerms: [] } } } },
    }),
  },
  {
    ...core, resource: 'persistentvolumeclaims', kind: 'PersistentVolumeClaim', namespaced: true,
    minimal: {
      apiVersion: 'v1', kind: 'PersistentVolumeClaim', metadata: { name: 'min' },
      spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
    },
    full: {
      apiVersion: 'v1', kind: 'PersistentVolumeClaim', metadata: fullMetadata('full'),
      spec: {
        accessModes: ['ReadWriteMany', 'ReadOnlyMany'], resources: { requests: { storage: '5Gi' }, limits: { storage: '6Gi' } },
        storageClassName: 'slow', volumeMode: 'Filesystem', volumeName: 'pv', volumeAttributesClassName: 'gold',
        selector: { matchLabels: { a: 'b' }, matchExpressions: [{ key: 'c', operator: 'Exists' }] },
        dataSource: { apiGroup: 'snapshot.storage.k8s.io', kind: 'VolumeSnapshot', name: 'snap' },
      },
    },
    change: { metadata: { annotations: { note: 'changed' } } },
    status: {
      status: {
        phase: 'Bound', accessModes: ['ReadWriteMany'], capacity: { storage: '5Gi' },
        conditions: [{ type: 'Resizing', status: 'True', lastTransitionTime: '2026-01-02T03:04:05Z', reason: 'R', message: 'm' }],
      },
    },
    badStatus: variants({
      'bad mode': { status: { accessModes: ['Some'] } },
      'negative capacity': { status: { capacity: { storage: '-1' } } },
    }),
    bad: variants({
      ...badMetadata,
      'no access modes': { spec: { accessModes: null } },
      'unknown access mode': { spec: { accessModes: ['ReadSome'] } },
      'no request': { spec: { resources: null } },
      'zero request': { spec: { resources: { requests: { storage: '0' } } } },
      'less storage': { spec: { resources: { requests: { storage: '4Gi' } } } },
      'more storage': { spec: { resources: { requests: { storage: '7Gi' } } } },
      'other class': { spec: { storageClassName: 'fast' } },
      'bad class': { spec: { storageClassName: 'Not Valid' } },
      'bad selector': { spec: { selector: { matchExpressions: [{ key: 'c', operator: 'Exists', values: ['x'] }] } } },
      'unknown volume mode': { spec: { volumeMode: 'Other' } },
      'source without name': { spec: { dataSource: { name: '' } } },
      'two sources': { spec: { dataSourceRef: { apiGroup: 'x.example.com', kind: 'Other', name: 'o' } } },
    }),
  },
]
