/** Volumes and claims: binding, provisioning, reclaiming, protection, expansion. Classes are `{{ns}}`. */
import type { JsonObject } from '../../../src/api/json.ts'
import { clusterResource, resource } from '../../differential/steps.ts'
import { object, pod } from '../objects.ts'
import type { Act, Scenario } from '../scenario.ts'
import { gone, look, pods, rest, until } from '../steps.ts'

export const claims = resource('persistentvolumeclaims')
export const volumes = clusterResource('persistentvolumes')
const classes = clusterResource('storageclasses', 'storage.k8s.io/v1')
const attributesClasses = clusterResource('volumeattributesclasses', 'storage.k8s.io/v1')

export const volumeName = (name: string): string => `{{ns}}-${name}`
export const claim = (name: string, spec: JsonObject = {}): Act =>
  claims.create(
    object('v1', 'PersistentVolumeClaim', name, {
      spec: {
        accessModes: ['ReadWriteOnce'],
        resources: { requests: { storage: '1Gi' } },
        storageClassName: '{{ns}}',
        ...spec,
      },
    }),
  )
export const volume = (name: string, spec: JsonObject = {}, metadata: JsonObject = {}): Act =>
  volumes.create(
    object(
      'v1',
      'PersistentVolume',
      volumeName(name),
      {
        spec: {
          accessModes: ['ReadWriteOnce'],
          capacity: { storage: '1Gi' },
          hostPath: { path: '/tmp/volume' },
          persistentVolumeReclaimPolicy: 'Retain',
          storageClassName: '{{ns}}',
          ...spec,
        },
      },
      metadata,
    ),
  )
export const storageClass = (fields: JsonObject = {}): Act =>
  classes.create(object('storage.k8s.io/v1', 'StorageClass', '{{ns}}', { provisioner: 'example.com/disk', ...fields }))
export const user = (name: string, claimName: string): Act =>
  pods.create(pod(name, { volumes: [{ name: 'data', persistentVolumeClaim: { claimName } }] }))

export const volumeIs = (name: string, phase: string): Act =>
  until(volumes.get(volumeName(name)).path, { 'status.phase': phase })
export const claimIs = (name: string, phase: string): Act => until(claims.get(name).path, { 'status.phase': phase })
export const bound = (name: string): readonly Act[] => [claimIs(name, 'Bound'), rest]
export const running = (name: string): Act => until(pods.get(name).path, { 'status.phase': 'Running' })
export const provisionerAsked = (name: string): Act => ({
  until: claims.get(name).path,
  says: 'asks a provisioner',
  holds: (found) => JSON.stringify(found ?? {}).includes('storage-provisioner'),
})
const removed = (name: string): readonly Act[] => [claims.delete(name), gone(claims.get(name).path)]
export const seeVolumes = (...names: readonly string[]): readonly string[] =>
  names.map((name) => volumes.get(volumeName(name)).path)

export const storageScenarios: readonly Scenario[] = [
  {
    name: 'claim-bound',
    also: seeVolumes('a', 'b', 'c'),
    steps: [
      volume('a', { capacity: { storage: '5Gi' } }),
      volume('b', { capacity: { storage: '2Gi' } }),
      volume('c', { capacity: { storage: '500Mi' } }),
      ...['a', 'b', 'c'].map((name) => volumeIs(name, 'Available')),
      claim('data'),
      ...bound('data'),
    ],
  },
  {
    name: 'claim-bound-later',
    also: seeVolumes('a'),
    steps: [storageClass(), claim('data'), provisionerAsked('data'), look('waits'), volume('a'), ...bound('data')],
  },
  {
    name: 'claim-selector',
    also: seeVolumes('a', 'b'),
    steps: [
      volume('a'),
      volume('b', { capacity: { storage: '9Gi' } }, { labels: { tier: 'db' } }),
      volumeIs('a', 'Available'),
      volumeIs('b', 'Available'),
      claim('data', { selector: { matchLabels: { tier: 'db' } } }),
      ...bound('data'),
    ],
  },
  {
    name: 'claim-modes',
    also: seeVolumes('a', 'b', 'c'),
    steps: [
      volume('a'),
      volume('b', { accessModes: ['ReadWriteOnce', 'ReadWriteMany'] }),
      volume('c', { volumeMode: 'Block' }),
      ...['a', 'b', 'c'].map((name) => volumeIs(name, 'Available')),
      claim('many', { accessModes: ['ReadWriteMany'] }),
      claim('raw', { volumeMode: 'Block' }),
      ...bound('many'),
      ...bound('raw'),
    ],
  },
  {
    name: 'claim-names-volume',
    also: seeVolumes('a'),
    steps: [volume('a'), volumeIs('a', 'Available'), claim('data', { volumeName: volumeName('a') }), ...bound('data')],
  },
  {
    name: 'claim-names-small-volume',
    also: seeVolumes('a'),
    steps: [
      volume('a', { capacity: { storage: '500Mi' } }),
      volumeIs('a', 'Available'),
      claim('data', { volumeName: volumeName('a') }),
      rest,
    ],
  },
  {
    name: 'claim-names-taken-volume',
    also: seeVolumes('a'),
    steps: [
      volume('a'),
      volumeIs('a', 'Available'),
      claim('first'),
      ...bound('first'),
      claim('second', { volumeName: volumeName('a') }),
      rest,
    ],
  },
  {
    name: 'volume-reserved',
    also: seeVolumes('a', 'b'),
    steps: [
      volume('a', { claimRef: { namespace: '{{ns}}', name: 'data' }, capacity: { storage: '9Gi' } }),
      volume('b'),
      volumeIs('a', 'Available'),
      volumeIs('b', 'Available'),
      claim('data'),
      ...bound('data'),
    ],
  },
  {
    name: 'volume-reserved-of-other-mode',
    also: seeVolumes('a'),
    steps: [
      claim('data'),
      rest,
      volume('a', { claimRef: { namespace: '{{ns}}', name: 'data', uid: '{{0.metadata.uid}}' }, volumeMode: 'Block' }),
      rest,
    ],
  },
  {
    name: 'claim-without-class',
    steps: [claim('data', { storageClassName: 'missing-{{ns}}' }), rest],
  },
  { name: 'claim-provisioned', steps: [storageClass(), claim('data'), provisionerAsked('data'), rest] },
  { name: 'claim-not-provisioned', steps: [storageClass({ provisioner: 'kubernetes.io/none' }), claim('data'), rest] },
  {
    name: 'volume-retained',
    also: seeVolumes('a'),
    steps: [
      volume('a'),
      volumeIs('a', 'Available'),
      claim('data'),
      ...bound('data'),
      ...removed('data'),
      volumeIs('a', 'Released'),
      claim('data'),
      rest,
    ],
  },
  {
    name: 'volume-deleted-with-claim',
    also: seeVolumes('a'),
    steps: [
      volume('a', { persistentVolumeReclaimPolicy: 'Delete' }),
      volumeIs('a', 'Available'),
      claim('data'),
      ...bound('data'),
      ...removed('data'),
      gone(volumes.get(volumeName('a')).path),
    ],
  },
  {
    name: 'volume-not-deletable',
    also: seeVolumes('a', 'b'),
    steps: [
      volume('a', { persistentVolumeReclaimPolicy: 'Delete', hostPath: { path: '/data' } }),
      volume('b', {
        persistentVolumeReclaimPolicy: 'Delete',
        capacity: { storage: '2Gi' },
        nfs: { server: 's', path: '/' },
        hostPath: null,
      }),
      volumeIs('a', 'Available'),
      volumeIs('b', 'Available'),
      claim('first'),
      ...bound('first'),
      claim('second'),
      ...bound('second'),
      ...removed('first'),
      ...removed('second'),
      volumeIs('a', 'Failed'),
      volumeIs('b', 'Failed'),
    ],
  },
  {
    name: 'claim-lost',
    also: seeVolumes('a'),
    steps: [
      volume('a'),
      volumeIs('a', 'Available'),
      claim('data'),
      ...bound('data'),
      volumes.delete(volumeName('a')),
      look('protected'),
      volumes.merge(volumeName('a'), { metadata: { finalizers: null } }),
      claimIs('data', 'Lost'),
    ],
  },
  {
    name: 'claim-protected',
    also: seeVolumes('a'),
    steps: [
      volume('a'),
      volumeIs('a', 'Available'),
      claim('data'),
      ...bound('data'),
      user('web', 'data'),
      running('web'),
      claims.delete('data'),
      look('protected'),
      pods.delete('web'),
      gone(claims.get('data').path),
      volumeIs('a', 'Released'),
    ],
  },
  {
    name: 'attributes-class-protected',
    also: [attributesClasses.get('{{ns}}').path],
    steps: [
      attributesClasses.create(
        object('storage.k8s.io/v1', 'VolumeAttributesClass', '{{ns}}', {
          driverName: 'example.com',
          parameters: { iops: '1' },
        }),
      ),
      claim('data', { volumeAttributesClassName: '{{ns}}', volumeName: 'none' }),
      attributesClasses.delete('{{ns}}'),
      look('protected'),
      ...removed('data'),
      gone(attributesClasses.get('{{ns}}').path),
    ],
  },
  {
    name: 'claim-expanded',
    also: seeVolumes('a'),
    steps: [
      storageClass({ allowVolumeExpansion: true }),
      volume('a', { capacity: { storage: '2Gi' } }),
      volumeIs('a', 'Available'),
      claim('data'),
      ...bound('data'),
      claims.merge('data', { spec: { resources: { requests: { storage: '2Gi' } } } }),
      rest,
      claims.merge('data', { spec: { resources: { requests: { storage: '3Gi' } } } }),
    ],
  },
  {
    name: 'volume-policy-changed',
    also: seeVolumes('a'),
    steps: [
      volume('a'),
      volumeIs('a', 'Available'),
      claim('data'),
      ...bound('data'),
      ...removed('data'),
      volumeIs('a', 'Released'),
      volumes.merge(volumeName('a'), { spec: { persistentVolumeReclaimPolicy: 'Delete' } }),
      gone(volumes.get(volumeName('a')).path),
    ],
  },
  {
    name: 'volume-used-again',
    also: seeVolumes('a'),
    steps: [
      volume('a'),
      volumeIs('a', 'Available'),
      claim('first'),
      ...bound('first'),
      ...removed('first'),
      volumeIs('a', 'Released'),
      volumes.merge(volumeName('a'), { spec: { claimRef: null } }),
      volumeIs('a', 'Available'),
      claim('second'),
      ...bound('second'),
    ],
  },
  {
    name: 'claim-names-volume-of-wrong-class',
    also: seeVolumes('a'),
    steps: [
      volume('a', { storageClassName: 'other-{{ns}}' }),
      volumeIs('a', 'Available'),
      claim('data', { volumeName: volumeName('a') }),
      rest,
    ],
  },
]
