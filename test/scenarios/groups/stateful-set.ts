/** StatefulSets: the order in which pods are created, replaced and deleted, their revisions and their volume claims. */
import type { JsonObject } from '../../../src/api/json.ts'
import { resource } from '../../differential/steps.ts'
import { byHand, configMap, image, object, pod, podSpec } from '../objects.ts'
import type { Act, Scenario, Until } from '../scenario.ts'
import {
  configMaps,
  count,
  each,
  exists,
  gone,
  look,
  observed,
  podEnds,
  podIs,
  pods,
  quotas,
  rest,
  until,
  valueAt,
} from '../steps.ts'

const statefulSets = resource('statefulsets', 'apps/v1')
const revisions = resource('controllerrevisions', 'apps/v1')
const claims = resource('persistentvolumeclaims')

const labels = { app: 'web' }
const statefulSet = (spec: JsonObject = {}, template: JsonObject = {}, metadata: JsonObject = {}): JsonObject =>
  object(
    'apps/v1',
    'StatefulSet',
    'web',
    {
      spec: {
        serviceName: 'web',
        selector: { matchLabels: labels },
        template: { metadata: { labels }, spec: podSpec(template) },
        ...spec,
      },
    },
    metadata,
  )

const web = statefulSets.get('web').path
const podAt = (ordinal: number): string => pods.get(`web-${ordinal}`).path
const create = (spec: JsonObject, template: JsonObject = {}): Act => statefulSets.create(statefulSet(spec, template))
const change = (spec: JsonObject): Act => statefulSets.merge('web', { spec })
const changeImage = (name: string): readonly Act[] => [statefulSets.strategic('web', image(name)), observed(web)]
const strategy = (type: string, rollingUpdate?: JsonObject): JsonObject => ({
  updateStrategy: { type, ...(rollingUpdate === undefined ? {} : { rollingUpdate }) },
})

/** Waits until all pods have the newest template and are ready. */
const complete = (replicas: number): Until => ({
  until: web,
  says: `${replicas} updated and ready`,
  holds: (found) =>
    observed(web).holds(found) &&
    ['replicas', 'readyReplicas', 'updatedReplicas'].every(
      (field) => (valueAt(found, `status.${field}`) ?? 0) === replicas,
    ),
})
/** On the node by-hand: makes the pod ready once it is there. */
const becomesReady = (ordinal: number): readonly Act[] => [
  exists(podAt(ordinal)),
  until(podAt(ordinal), { 'spec.nodeName': 'by-hand', 'metadata.deletionTimestamp': undefined }),
  podIs(`web-${ordinal}`, true),
]
const ending = (ordinal: number): Until => ({
  until: podAt(ordinal),
  says: 'ending',
  holds: (found) => valueAt(found ?? {}, 'metadata.deletionTimestamp') !== undefined,
})
const ends = (ordinal: number): readonly Act[] => [ending(ordinal), podEnds(`web-${ordinal}`)]
const readyByHand = (spec: JsonObject, ordinals: readonly number[]): readonly Act[] => [
  create({ replicas: ordinals.length, ...spec }, byHand),
  ...ordinals.flatMap(becomesReady),
  complete(ordinals.length),
  rest,
]

/** Of a volume that does not exist, so that no volume controller acts on the claim. */
const claimTemplate = {
  metadata: { name: 'data', labels: { tier: 'db' }, annotations: { note: 'x' } },
  spec: {
    accessModes: ['ReadWriteOnce'],
    resources: { requests: { storage: '1Gi' } },
    storageClassName: '',
    volumeName: 'none',
  },
}
/** Not scheduled: a scheduler waits until the claims are bound. */
const placed = { nodeName: 'by-hand' }
const withClaims = (ordinals: readonly number[], policy?: JsonObject): readonly Act[] => [
  create(
    {
      replicas: ordinals.length,
      volumeClaimTemplates: [claimTemplate],
      ...(policy === undefined ? {} : { persistentVolumeClaimRetentionPolicy: policy }),
    },
    placed,
  ),
  ...ordinals.flatMap(becomesReady),
  complete(ordinals.length),
  rest,
]
/** What protects claims: they end when no pod uses them. */
const unprotected = each(claims.path, (name, found) =>
  valueAt(found, 'metadata.deletionTimestamp') === undefined
    ? []
    : [claims.merge(name, { metadata: { finalizers: null } })],
)

export const statefulSetScenarios: readonly Scenario[] = [
  { name: 'stateful-set-created', steps: [create({ replicas: 3 }), complete(3)] },
  { name: 'stateful-set-parallel', steps: [create({ replicas: 5, podManagementPolicy: 'Parallel' }), complete(5)] },
  { name: 'stateful-set-none', steps: [create({ replicas: 0 }), observed(web)] },
  {
    name: 'stateful-set-waits',
    steps: [
      create({ replicas: 3 }, byHand),
      exists(podAt(0)),
      look('first'),
      ...becomesReady(0),
      exists(podAt(1)),
      look('second'),
      podIs('web-0', false),
      rest,
      ...becomesReady(1),
      look('first is not ready'),
      podIs('web-0', true),
      ...becomesReady(2),
      complete(3),
    ],
  },
  {
    name: 'stateful-set-scaled',
    steps: [
      create({ replicas: 1 }),
      complete(1),
      statefulSets.sub('scale').merge('web', { spec: { replicas: 4 } }),
      complete(4),
      look('larger'),
      change({ replicas: 2 }),
      complete(2),
      look('smaller'),
      change({ replicas: 0 }),
      complete(0),
    ],
  },
  {
    name: 'stateful-set-scaled-down-in-order',
    steps: [
      ...readyByHand({}, [0, 1, 2]),
      podIs('web-1', false),
      rest,
      change({ replicas: 0 }),
      look('waits'),
      podIs('web-1', true),
      ...ends(2),
      rest,
      podIs('web-0', false),
      rest,
      ...ends(1),
      look('one is left'),
      ...ends(0),
      complete(0),
    ],
  },
  {
    name: 'stateful-set-scaled-down-in-parallel',
    steps: [
      create({ replicas: 3, podManagementPolicy: 'Parallel' }, byHand),
      count(pods.path, 3),
      rest,
      podIs('web-1', true),
      rest,
      change({ replicas: 1 }),
      look('ending'),
      ...ends(1),
      ...ends(2),
      rest,
    ],
  },
  {
    name: 'stateful-set-rolled-out',
    steps: [create({ replicas: 3 }), complete(3), rest, ...changeImage('i:2'), complete(3)],
  },
  {
    name: 'stateful-set-rolled-out-in-order',
    steps: [
      ...readyByHand({}, [0, 1]),
      ...changeImage('i:2'),
      look('begun'),
      ...ends(1),
      exists(podAt(1)),
      look('not ready'),
      ...becomesReady(1),
      look('next'),
      ...ends(0),
      ...becomesReady(0),
      complete(2),
    ],
  },
  {
    name: 'stateful-set-rolled-out-in-parallel',
    steps: [
      create({ replicas: 3, podManagementPolicy: 'Parallel' }, byHand),
      count(pods.path, 3),
      ...[0, 1, 2].flatMap(becomesReady),
      complete(3),
      rest,
      ...changeImage('i:2'),
      look('begun'),
      ...ends(2),
      ...becomesReady(2),
      look('next'),
    ],
  },
  {
    // Upstream does not replace a pod that never became ready, even if the template is repaired.
    name: 'stateful-set-stuck',
    steps: [
      ...readyByHand({}, [0, 1]),
      ...changeImage('i:broken'),
      ...ends(1),
      exists(podAt(1)),
      rest,
      podIs('web-1', false),
      look('stuck'),
      ...changeImage('i:1'),
      look('undone'),
      pods.delete('web-1'),
      ...ends(1),
      ...becomesReady(1),
      complete(2),
    ],
  },
  {
    name: 'stateful-set-partition',
    steps: [
      create({ replicas: 3, ...strategy('RollingUpdate', { partition: 2 }) }),
      complete(3),
      rest,
      ...changeImage('i:2'),
      until(web, { 'status.updatedReplicas': 1, 'status.readyReplicas': 3 }),
      look('last'),
      pods.delete('web-0'),
      rest,
      until(web, { 'status.readyReplicas': 3 }),
      look('first keeps its version'),
      change(strategy('RollingUpdate', { partition: 0 })),
      complete(3),
    ],
  },
  {
    name: 'stateful-set-partition-beyond',
    steps: [
      create({ replicas: 2, ...strategy('RollingUpdate', { partition: 5 }) }),
      complete(2),
      rest,
      ...changeImage('i:2'),
      look('changed'),
      change({ replicas: 3 }),
      until(web, { 'status.readyReplicas': 3 }),
    ],
  },
  {
    name: 'stateful-set-on-delete',
    steps: [
      create({ replicas: 3, ...strategy('OnDelete') }),
      complete(3),
      rest,
      ...changeImage('i:2'),
      look('changed'),
      pods.delete('web-1'),
      until(web, { 'status.updatedReplicas': 1, 'status.readyReplicas': 3 }),
      look('one'),
      change(strategy('RollingUpdate', { partition: 0 })),
      complete(3),
    ],
  },
  {
    name: 'stateful-set-max-unavailable',
    steps: [...readyByHand(strategy('RollingUpdate', { maxUnavailable: 2 }), [0, 1, 2]), ...changeImage('i:2'), rest],
  },
  {
    name: 'stateful-set-undone',
    steps: [
      create({ replicas: 2 }),
      complete(2),
      rest,
      ...changeImage('i:2'),
      complete(2),
      rest,
      ...changeImage('i:3'),
      complete(2),
      rest,
      ...changeImage('i:1'),
      complete(2),
    ],
  },
  {
    name: 'stateful-set-history-limit',
    steps: [
      create({ replicas: 1, revisionHistoryLimit: 1 }),
      complete(1),
      rest,
      ...['i:2', 'i:3', 'i:4'].flatMap((name) => [...changeImage(name), complete(1), rest]),
      change({ revisionHistoryLimit: 0 }),
      rest,
    ],
  },
  {
    name: 'stateful-set-restarted',
    steps: [
      statefulSets.create(statefulSet({ replicas: 2 }, {}, { annotations: { note: 'x' } })),
      complete(2),
      rest,
      change({ template: { metadata: { annotations: { 'kubectl.kubernetes.io/restartedAt': 'now <&>' } } } }),
      complete(2),
    ],
  },
  {
    name: 'stateful-set-start-ordinal',
    steps: [
      create({ replicas: 3, ordinals: { start: 5 } }),
      complete(3),
      look('from 5'),
      change({ ordinals: { start: 4 } }),
      gone(podAt(7)),
      complete(3),
    ],
  },
  {
    name: 'stateful-set-start-ordinal-partition',
    steps: [
      create({ replicas: 3, ordinals: { start: 2 }, ...strategy('RollingUpdate', { partition: 1 }) }),
      complete(3),
      rest,
      ...changeImage('i:2'),
      until(web, { 'status.updatedReplicas': 2, 'status.readyReplicas': 3 }),
    ],
  },
  {
    name: 'stateful-set-min-ready',
    steps: [
      create({ replicas: 2, minReadySeconds: 3600 }, byHand),
      ...becomesReady(0),
      until(web, { 'status.readyReplicas': 1 }),
      look('one'),
      change({ minReadySeconds: 0 }),
      ...becomesReady(1),
      complete(2),
    ],
  },
  {
    name: 'stateful-set-min-ready-over',
    steps: [create({ replicas: 2, minReadySeconds: 2 }), until(web, { 'status.availableReplicas': 2 })],
  },
  {
    name: 'stateful-set-failed-pod',
    steps: [
      ...readyByHand({}, [0, 1]),
      pods.sub('status').merge('web-0', { status: { phase: 'Failed' } }),
      until(podAt(0), { 'status.phase': 'Pending' }),
      look('again'),
      ...becomesReady(0),
      rest,
      pods.sub('status').merge('web-1', { status: { phase: 'Succeeded' } }),
      until(podAt(1), { 'status.phase': 'Pending' }),
      ...becomesReady(1),
      complete(2),
    ],
  },
  {
    name: 'stateful-set-pod-deleted',
    steps: [
      ...readyByHand({}, [0, 1]),
      pods.delete('web-0'),
      look('ending'),
      podEnds('web-0'),
      ...becomesReady(0),
      complete(2),
    ],
  },
  {
    name: 'stateful-set-adopts',
    steps: [
      ...['web-0', 'web-3', 'web-a', 'other-1'].map((name) => pods.create(pod(name, byHand))),
      rest,
      ...['web-0', 'web-3', 'web-a', 'other-1'].map((name) => podIs(name, true)),
      create({ replicas: 1, ...strategy('OnDelete') }, byHand),
      gone(podAt(9)),
      rest,
      ...ends(3),
      gone(podAt(3)),
    ],
  },
  {
    name: 'stateful-set-releases',
    steps: [
      ...readyByHand({}, [0, 1]),
      pods.merge('web-1', { metadata: { labels: { app: 'other' } } }),
      rest,
      look('released'),
      pods.delete('web-1', 'gracePeriodSeconds=0'),
      ...becomesReady(1),
      complete(2),
    ],
  },
  {
    name: 'stateful-set-name-taken',
    steps: [
      pods.create(pod('web-1', byHand, { labels: { app: 'other' } })),
      create({ replicas: 3 }, byHand),
      ...becomesReady(0),
      rest,
    ],
  },
  {
    name: 'stateful-set-quota',
    steps: [
      quotas.create(object('v1', 'ResourceQuota', 'few', { spec: { hard: { pods: '2' } } })),
      until(quotas.get('few').path, { 'status.hard.pods': '2' }),
      create({ replicas: 3 }),
      until(web, { 'status.readyReplicas': 2 }),
    ],
  },
  {
    name: 'stateful-set-refused-template',
    steps: [create({ replicas: 2 }, { serviceAccountName: 'missing' }), observed(web)],
  },
  {
    name: 'stateful-set-deleted-in-background',
    steps: [create({ replicas: 2 }), complete(2), rest, statefulSets.delete('web'), count(pods.path, 0)],
  },
  {
    // Pods below the number of current ones are created again with their old version. The steps wait until that number
    // is written: upstream reads it from its cache, and may create and delete a pod of the old version once more.
    name: 'stateful-set-rolling-without-options',
    steps: [
      ...readyByHand(strategy('RollingUpdate'), [0, 1, 2]),
      ...changeImage('i:2'),
      ending(2),
      rest,
      podEnds('web-2'),
      exists(podAt(2)),
      rest,
      look('one updated'),
      pods.delete('web-0'),
      ending(0),
      rest,
      podEnds('web-0'),
      exists(podAt(0)),
      rest,
      look('first of old version'),
      ...becomesReady(0),
      rest,
      pods.delete('web-1'),
      ending(1),
      rest,
      podEnds('web-1'),
      exists(podAt(1)),
      rest,
      look('second of new version'),
    ],
  },
  {
    name: 'stateful-set-rolling-without-options-in-parallel',
    steps: [
      ...readyByHand({ podManagementPolicy: 'Parallel', ordinals: { start: 3 } }, [3, 4, 5]),
      statefulSets.merge('web', { spec: { updateStrategy: { rollingUpdate: null } } }),
      ...changeImage('i:2'),
      ending(5),
      rest,
      podEnds('web-5'),
      exists(podAt(5)),
      rest,
      pods.delete('web-3'),
      ending(3),
      rest,
      pods.delete('web-4'),
      ending(4),
      rest,
      look('all current ones end'),
      podEnds('web-4'),
      exists(podAt(4)),
      rest,
      podEnds('web-3'),
      exists(podAt(3)),
    ],
  },
  {
    name: 'stateful-set-deleted-slowly',
    steps: [
      ...readyByHand({}, [0, 1]),
      statefulSets.delete('web', 'propagationPolicy=Foreground'),
      ending(0),
      ending(1),
      rest,
      podIs('web-1', false),
      rest,
      look('a pod changed'),
      ...ends(1),
      rest,
      podIs('web-0', false),
      rest,
      look('one pod left'),
      ...ends(0),
      gone(web),
    ],
  },
  {
    // Not observed midway: upstream creates the deleted revision again if a pod changes before the next deletion.
    name: 'stateful-set-deleted-in-foreground',
    steps: [
      ...readyByHand({}, [0, 1]),
      statefulSets.delete('web', 'propagationPolicy=Foreground'),
      ...ends(0),
      ...ends(1),
      gone(web),
    ],
  },
  {
    name: 'stateful-set-orphans-and-adopts',
    steps: [
      create({ replicas: 2 }),
      complete(2),
      rest,
      statefulSets.delete('web', 'propagationPolicy=Orphan'),
      gone(web),
      look('orphans'),
      create({ replicas: 2 }),
      complete(2),
    ],
  },
  {
    name: 'stateful-set-collision',
    steps: [
      create({ replicas: 1 }),
      complete(1),
      rest,
      statefulSets.delete('web', 'propagationPolicy=Orphan'),
      gone(web),
      rest,
      pods.delete('web-0'),
      gone(podAt(0)),
      each(revisions.path, (name) => [
        revisions.delete(name),
        revisions.create(object('apps/v1', 'ControllerRevision', name, { data: { other: true }, revision: 7 })),
      ]),
      create({ replicas: 1 }),
      complete(1),
    ],
  },
  { name: 'stateful-set-claims', steps: [...withClaims([0, 1]), change({ replicas: 1 }), ...ends(1), complete(1)] },
  {
    name: 'stateful-set-claims-deleted-with-set',
    steps: [
      ...withClaims([0, 1], { whenDeleted: 'Delete', whenScaled: 'Retain' }),
      look('owned'),
      statefulSets.delete('web'),
      ...ends(0),
      ...ends(1),
      count(pods.path, 0),
      rest,
      unprotected,
      count(claims.path, 0),
    ],
  },
  {
    name: 'stateful-set-claims-scaled',
    steps: [
      ...withClaims([0, 1, 2], { whenDeleted: 'Retain', whenScaled: 'Delete' }),
      look('owned'),
      change({ replicas: 1 }),
      rest,
      look('ending'),
      ...ends(2),
      ...ends(1),
      rest,
      unprotected,
      count(claims.path, 1),
    ],
  },
  {
    name: 'stateful-set-claims-policy-changed',
    steps: [
      ...withClaims([0, 1]),
      change({ persistentVolumeClaimRetentionPolicy: { whenDeleted: 'Delete', whenScaled: 'Delete' } }),
      rest,
      look('owned'),
      change({ replicas: 1 }),
      look('scaled'),
      change({ persistentVolumeClaimRetentionPolicy: { whenDeleted: 'Retain', whenScaled: 'Retain' } }),
      rest,
    ],
  },
  {
    // The event is emitted with every check of a pod that is pending.
    name: 'stateful-set-claims-of-others',
    anyNumber: ['ConflictingController'],
    steps: [
      configMaps.create(configMap('other')),
      claims.create(
        object(
          'v1',
          'PersistentVolumeClaim',
          'data-web-0',
          { spec: claimTemplate.spec },
          {
            ownerReferences: [
              { apiVersion: 'v1', kind: 'ConfigMap', name: 'other', uid: '{{0.metadata.uid}}', controller: true },
            ],
          },
        ),
      ),
      claims.create(object('v1', 'PersistentVolumeClaim', 'data-web-1', { spec: claimTemplate.spec })),
      rest,
      ...withClaims([0, 1], { whenDeleted: 'Delete', whenScaled: 'Delete' }),
    ],
  },
  {
    name: 'stateful-set-claim-deleted',
    steps: [
      create({ replicas: 1, volumeClaimTemplates: [claimTemplate] }, placed),
      exists(podAt(0)),
      rest,
      claims.delete('data-web-0'),
      claims.merge('data-web-0', { metadata: { finalizers: null } }),
      pods.merge('web-0', { metadata: { labels: { touched: 'yes' } } }),
      exists(claims.get('data-web-0').path),
    ],
  },
]
