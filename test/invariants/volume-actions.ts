/** What users do with volumes, claims, and the pods and StatefulSets that use them. */
import fc from 'fast-check'
import {
  keyOf,
  PersistentVolume,
  PersistentVolumeClaim,
  Pod,
  StatefulSet,
  StorageClass,
  type Kind,
  type LiveObject,
} from '../../src/index.ts'
import { simulatedDriver } from '../../src/kubelet/index.ts'
import { crash, mishap, pick, policy, removePod, told, withPause, type Action, type Choice } from './actions.ts'

const namespace = 'default'
const accessModes = ['ReadWriteOnce' as const]
const claimName = fc.constantFrom('a', 'b', 'c')
const volumeName = fc.constantFrom('v1', 'v2', 'v3')
const size = fc.constantFrom('1Gi', '2Gi')
const which = fc.nat({ max: 5 })

/** No class: only volumes that exist. `standard` waits for a pod, `fast` does not. */
const className = fc.constantFrom('', 'standard', 'fast')

const createVolume = fc
  .record({
    name: volumeName,
    storage: size,
    storageClassName: fc.constantFrom('', '', 'standard'),
    reclaim: fc.constantFrom('Retain' as const, 'Delete' as const),
    reservedFor: fc.option(claimName, { nil: undefined, freq: 4 }),
  })
  .map(({ name, storage, storageClassName, reclaim, reservedFor }): Choice => ({
    what: `create volume ${name} "${storageClassName}" ${storage} ${reclaim} for ${reservedFor ?? 'any'}`,
    act: ({ world: { client } }) =>
      client.create(PersistentVolume, {
        metadata: { name },
        spec: {
          accessModes,
          capacity: { storage },
          hostPath: { path: `/tmp/${name}` },
          storageClassName,
          persistentVolumeReclaimPolicy: reclaim,
          ...(reservedFor === undefined ? {} : { claimRef: { namespace, name: reservedFor } }),
        },
      }),
  }))

const createClaim = fc
  .record({
    name: claimName,
    storage: size,
    storageClassName: className,
    wants: fc.option(volumeName, { nil: undefined, freq: 4 }),
  })
  .map(({ name, storage, storageClassName, wants }): Choice => ({
    what: `create claim ${name} "${storageClassName}" ${storage} of ${wants ?? 'any'}`,
    act: ({ world: { client } }) =>
      client.create(PersistentVolumeClaim, {
        metadata: { name, namespace },
        spec: {
          accessModes,
          resources: { requests: { storage } },
          storageClassName,
          ...(wants === undefined ? {} : { volumeName: wants }),
        },
      }),
  }))

const containers = [{ name: 'main', image: 'db' }]
const claimSpec = { accessModes, resources: { requests: { storage: '1Gi' } } }

const createPod = fc
  .record({ name: fc.constantFrom('p', 'q'), claim: claimName, isEphemeral: fc.boolean(), ends: fc.boolean() })
  .map(({ name, claim, isEphemeral, ends }): Choice => ({
    what: `create pod ${name} with ${isEphemeral ? 'an ephemeral volume' : claim}${ends ? ', which ends' : ''}`,
    act: ({ world: { client } }) =>
      client.create(Pod, {
        metadata: { name, namespace, annotations: { 'coxswain.dev/exit-after': ends ? '2s' : 'never' } },
        spec: {
          containers,
          restartPolicy: 'Never',
          terminationGracePeriodSeconds: 2,
          volumes: [
            isEphemeral
              ? { name: 'data', ephemeral: { volumeClaimTemplate: { spec: claimSpec } } }
              : { name: 'data', persistentVolumeClaim: { claimName: claim } },
          ],
        },
      }),
  }))

const retention = fc.constantFrom('Retain' as const, 'Delete' as const)
const createSet = fc
  .record({ replicas: fc.nat({ max: 2 }), whenDeleted: retention, whenScaled: retention, storageClassName: className })
  .map(({ replicas, whenDeleted, whenScaled, storageClassName }): Choice => ({
    what: `create set with ${replicas} of "${storageClassName}", deleted ${whenDeleted}, scaled ${whenScaled}`,
    act: ({ world: { client } }) =>
      client.create(StatefulSet, {
        metadata: { name: 'set', namespace },
        spec: {
          replicas,
          serviceName: 'set',
          podManagementPolicy: 'Parallel',
          persistentVolumeClaimRetentionPolicy: { whenDeleted, whenScaled },
          selector: { matchLabels: { app: 'set' } },
          template: { metadata: { labels: { app: 'set' } }, spec: { containers, terminationGracePeriodSeconds: 2 } },
          volumeClaimTemplates: [{ metadata: { name: 'data' }, spec: { ...claimSpec, storageClassName } }],
        },
      }),
  }))
const set = { namespace, name: 'set' }
const scaleSet = fc.nat({ max: 3 }).map((replicas): Choice => ({
  what: `scale set to ${replicas}`,
  act: ({ world: { client } }) => client.patch(StatefulSet, set, { type: 'merge', patch: { spec: { replicas } } }),
}))
const removeSet = policy.map((how): Choice => ({
  what: `delete set (${how})`,
  act: ({ world: { client } }) => client.delete(StatefulSet, set, { propagationPolicy: how as 'Orphan' }),
}))

const expand = which.map((index): Choice => ({
  what: `expand claim ${index}`,
  act: async ({ world: { client }, rules }) => {
    const claim = pick(rules.state.claims, index)
    const patch = { spec: { resources: { requests: { storage: '3Gi' } } } }
    if (claim !== undefined) await client.patch(PersistentVolumeClaim, keyOf(claim), { type: 'merge', patch })
  },
}))
const remove = (what: 'claims' | 'volumes', kind: Kind): fc.Arbitrary<Choice> =>
  which.map((index): Choice => ({
    what: `delete ${index} of the ${what}`,
    act: async ({ world: { client }, rules }) => {
      const object = pick<LiveObject>(rules.state[what], index)
      if (object !== undefined) await client.delete(kind, keyOf(object))
    },
  }))

const choice = fc.oneof(
  { weight: 4, arbitrary: createVolume },
  { weight: 6, arbitrary: createClaim },
  { weight: 5, arbitrary: createPod },
  { weight: 3, arbitrary: createSet },
  { weight: 2, arbitrary: scaleSet },
  { weight: 1, arbitrary: removeSet },
  { weight: 3, arbitrary: expand },
  { weight: 4, arbitrary: remove('claims', PersistentVolumeClaim) },
  { weight: 3, arbitrary: remove('volumes', PersistentVolume) },
  { weight: 3, arbitrary: removePod },
  { weight: 2, arbitrary: crash },
  { weight: 6, arbitrary: mishap },
)

const createClass: Choice = {
  what: 'create class fast',
  act: ({ world: { client } }) =>
    client.create(StorageClass, {
      metadata: { name: 'fast' },
      provisioner: simulatedDriver,
      volumeBindingMode: 'Immediate',
      allowVolumeExpansion: true,
    }),
}

/** Starts with a second storage class. */
export const volumeStory: fc.Arbitrary<readonly Action[]> = fc
  .array(withPause(choice), { minLength: 4, maxLength: 20 })
  .map((actions) => [told(createClass, 'rest'), ...actions])
