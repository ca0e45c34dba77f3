/**
 * ReplicaSets: how many pods they create, and which ones they delete. Pods with known names are created first and
 * adopted.
 */
import type { JsonObject } from '../../../src/api/json.ts'
import { byHand, object, pod, replicaSet } from '../objects.ts'
import type { Act, Scenario } from '../scenario.ts'
import { count, each, gone, look, podEnds, podIs, pods, quotas, replicaSets, rest, until, valueAt } from '../steps.ts'

const web = replicaSets.get('web').path
const allReady = each(pods.path, (name) => [podIs(name, true)])
const allEnd = each(pods.path, (name, found) =>
  valueAt(found, 'metadata.deletionTimestamp') === undefined ? [] : [podEnds(name)],
)
const available = (replicas: number): Act => until(web, { 'status.availableReplicas': replicas })
const scaled = (replicas: number): Act => replicaSets.merge('web', { spec: { replicas } })

/** Creates pods without a controller on the node by-hand, ready or not, then a ReplicaSet that adopts them. */
function adopted(
  names: readonly string[],
  more: Readonly<Record<string, JsonObject>> = {},
  notReady: readonly string[] = [],
): readonly Act[] {
  return [
    ...names.map((name) => pods.create(pod(name, byHand, more[name] ?? {}))),
    rest,
    ...names.map((name) => podIs(name, !notReady.includes(name))),
    replicaSets.create(replicaSet({ replicas: names.length }, byHand)),
    until(web, { 'status.replicas': names.length }),
    rest,
  ]
}

const cost = (value: string): JsonObject => ({ annotations: { 'controller.kubernetes.io/pod-deletion-cost': value } })

export const replicaSetScenarios: readonly Scenario[] = [
  { name: 'replica-set-created', steps: [replicaSets.create(replicaSet({ replicas: 3 })), available(3)] },
  {
    name: 'replica-set-scaled',
    steps: [
      replicaSets.create(replicaSet({ replicas: 1 })),
      available(1),
      replicaSets.sub('scale').merge('web', { spec: { replicas: 5 } }),
      available(5),
      look('larger'),
      scaled(2),
      available(2),
    ],
  },
  { name: 'replica-set-adopts', steps: [...adopted(['a', 'b']), look('adopted'), scaled(3), count(pods.path, 3)] },
  {
    name: 'replica-set-releases',
    steps: [
      ...adopted(['a', 'b']),
      pods.merge('a', { metadata: { labels: { app: 'other' } } }),
      count(pods.path, 3),
      look('released'),
      pods.merge('a', { metadata: { labels: { app: 'web' } } }),
      rest,
    ],
  },
  {
    name: 'replica-set-not-ready-first',
    steps: [...adopted(['a', 'b', 'c', 'd'], {}, ['b', 'd']), scaled(2), rest, allEnd],
  },
  {
    name: 'replica-set-by-cost',
    steps: [...adopted(['a', 'b', 'c', 'd'], { a: cost('10'), b: cost('-5'), d: cost('3') }), scaled(2), rest, allEnd],
  },
  {
    name: 'replica-set-not-ready-before-cost',
    steps: [...adopted(['a', 'b', 'c'], { a: cost('10'), b: cost('-5') }, ['a']), scaled(2), rest, allEnd],
  },
  {
    name: 'replica-set-unscheduled-first',
    early: true,
    steps: [
      pods.create(pod('a', byHand)),
      pods.create(pod('b', { ...byHand, nodeSelector: { none: 'such' } })),
      pods.create(pod('c', byHand)),
      rest,
      podIs('a', true),
      podIs('c', true),
      replicaSets.create(replicaSet({ replicas: 3 }, byHand)),
      until(web, { 'status.replicas': 3 }),
      scaled(2),
      until(web, { 'status.replicas': 2 }),
      rest,
    ],
  },
  {
    name: 'replica-set-too-many-to-adopt',
    steps: [
      pods.create(pod('a', byHand)),
      pods.create(pod('b', byHand)),
      rest,
      podIs('a', true),
      podIs('b', false),
      replicaSets.create(replicaSet({ replicas: 1 }, byHand)),
      until(web, { 'status.replicas': 1 }),
      rest,
      allEnd,
    ],
  },
  {
    name: 'replica-set-terminating',
    steps: [
      replicaSets.create(replicaSet({ replicas: 3 }, byHand)),
      count(pods.path, 3),
      rest,
      allReady,
      available(3),
      rest,
      scaled(1),
      until(web, { 'status.terminatingReplicas': 2 }),
      look('ending'),
      allEnd,
      until(web, { 'status.terminatingReplicas': 0 }),
    ],
  },
  {
    name: 'replica-set-finished-pods',
    steps: [
      ...adopted(['a', 'b', 'c']),
      pods.sub('status').merge('a', { status: { phase: 'Failed' } }),
      pods.sub('status').merge('b', { status: { phase: 'Succeeded' } }),
      count(pods.path, 5),
      rest,
      each(pods.path, (name, found) => (valueAt(found, 'status.phase') === 'Pending' ? [podIs(name, true)] : [])),
    ],
  },
  {
    name: 'replica-set-min-ready',
    steps: [
      replicaSets.create(replicaSet({ replicas: 2, minReadySeconds: 3600 }, byHand)),
      count(pods.path, 2),
      rest,
      allReady,
      until(web, { 'status.readyReplicas': 2 }),
    ],
  },
  {
    name: 'replica-set-slow-start',
    steps: [
      quotas.create(object('v1', 'ResourceQuota', 'few', { spec: { hard: { pods: '3' } } })),
      until(quotas.get('few').path, { 'status.hard.pods': '3' }),
      replicaSets.create(replicaSet({ replicas: 8 })),
      until(web, {
        'status.conditions[ReplicaFailure].status': 'True',
        'status.replicas': 3,
        'status.availableReplicas': 3,
      }),
    ],
  },
  {
    name: 'replica-set-refused-template',
    steps: [
      replicaSets.create(replicaSet({ replicas: 2 }, { serviceAccountName: 'missing' })),
      until(web, { 'status.conditions[ReplicaFailure].status': 'True' }),
    ],
  },
  {
    name: 'replica-set-orphans',
    steps: [
      replicaSets.create(replicaSet({ replicas: 2 })),
      available(2),
      rest,
      replicaSets.delete('web', 'propagationPolicy=Orphan'),
      gone(web),
    ],
  },
  {
    name: 'replica-set-template-changed',
    steps: [
      ...adopted(['a']),
      replicaSets.merge('web', { spec: { template: { metadata: { labels: { app: 'web', more: 'x' } } } } }),
      rest,
    ],
  },
]
