/** ReplicationControllers: the same controller as that of ReplicaSets, with another selector and status. */
import type { JsonObject } from '../../../src/api/json.ts'
import { resource } from '../../differential/steps.ts'
import { byHand, object, pod, podSpec } from '../objects.ts'
import type { Act, Scenario } from '../scenario.ts'
import { count, each, gone, look, podEnds, podIs, pods, quotas, rest, until, valueAt } from '../steps.ts'

const controllers = resource('replicationcontrollers')
const web = controllers.get('web').path
const labels = { app: 'web' }

const create = (spec: JsonObject, template: JsonObject = {}): Act =>
  controllers.create(
    object('v1', 'ReplicationController', 'web', {
      spec: { selector: labels, template: { metadata: { labels }, spec: podSpec(template) }, ...spec },
    }),
  )
const available = (replicas: number): Act => until(web, { 'status.availableReplicas': replicas })
const scaled = (replicas: number): Act => controllers.merge('web', { spec: { replicas } })
const allEnd = each(pods.path, (name, found) =>
  valueAt(found, 'metadata.deletionTimestamp') === undefined ? [] : [podEnds(name)],
)

export const replicationControllerScenarios: readonly Scenario[] = [
  {
    name: 'replication-controller-scaled',
    steps: [
      create({ replicas: 2 }),
      available(2),
      look('created'),
      controllers.sub('scale').merge('web', { spec: { replicas: 4 } }),
      available(4),
      rest,
      scaled(1),
      available(1),
    ],
  },
  {
    name: 'replication-controller-adopts',
    steps: [
      pods.create(pod('a', byHand)),
      pods.create(pod('b', byHand)),
      rest,
      podIs('a', true),
      podIs('b', false),
      create({ replicas: 2 }, byHand),
      until(web, { 'status.replicas': 2 }),
      look('adopted'),
      pods.merge('a', { metadata: { labels: { app: 'other' } } }),
      count(pods.path, 3),
      look('released'),
      scaled(1),
      rest,
      allEnd,
    ],
  },
  {
    name: 'replication-controller-min-ready',
    steps: [
      pods.create(pod('a', byHand)),
      rest,
      podIs('a', true),
      create({ replicas: 1, minReadySeconds: 3600 }, byHand),
      until(web, { 'status.readyReplicas': 1 }),
    ],
  },
  {
    name: 'replication-controller-quota',
    steps: [
      quotas.create(object('v1', 'ResourceQuota', 'few', { spec: { hard: { pods: '2' } } })),
      until(quotas.get('few').path, { 'status.hard.pods': '2' }),
      create({ replicas: 4 }),
      until(web, { 'status.conditions[ReplicaFailure].status': 'True', 'status.replicas': 2 }),
      look('refused'),
      scaled(2),
      until(web, { 'status.conditions': undefined }),
    ],
  },
  {
    name: 'replication-controller-orphans',
    steps: [
      create({ replicas: 2 }),
      available(2),
      rest,
      controllers.delete('web', 'propagationPolicy=Orphan'),
      gone(web),
    ],
  },
  {
    name: 'replication-controller-deleted',
    steps: [
      create({ replicas: 2 }),
      available(2),
      rest,
      controllers.delete('web', 'propagationPolicy=Background'),
      count(pods.path, 0),
    ],
  },
]
