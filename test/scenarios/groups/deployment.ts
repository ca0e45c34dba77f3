/** Deployments that roll out on nodes whose pods become ready at once. */
import { deployment, image, object, rolling } from '../objects.ts'
import type { Act, Scenario } from '../scenario.ts'
import {
  configMaps,
  deployments,
  exists,
  look,
  observed,
  pods,
  quotas,
  replicaSets,
  rest,
  rolledOut,
  until,
  each,
  count,
} from '../steps.ts'

const created = (spec: Parameters<typeof deployment>[0], template = {}, metadata = {}): readonly Act[] => [
  deployments.create(deployment(spec, template, metadata)),
  rolledOut('web'),
  rest,
]
const updated = (to: string): readonly Act[] => [deployments.strategic('web', image(to)), rolledOut('web'), rest]
const scaled = (replicas: number): readonly Act[] => [
  deployments.merge('web', { spec: { replicas } }),
  rolledOut('web'),
  rest,
]

/** The number of steps of a rollout depends on the order in which pods become ready. */
const anySteps = { anyNumber: ['ScalingReplicaSet'] }

export const deploymentScenarios: readonly Scenario[] = [
  { name: 'deployment-created', steps: created({ replicas: 2 }) },
  { name: 'deployment-rolling-surge', steps: [...created({ replicas: 3, ...rolling(1, 0) }), ...updated('i:2')] },
  {
    name: 'deployment-rolling-unavailable',
    steps: [...created({ replicas: 3, ...rolling(0, 1) }), ...updated('i:2')],
    ...anySteps,
  },
  {
    name: 'deployment-rolling-percent',
    steps: [...created({ replicas: 4, ...rolling('50%', '25%') }), ...updated('i:2')],
    ...anySteps,
  },
  {
    name: 'deployment-rolling-all-at-once',
    steps: [...created({ replicas: 3, ...rolling('100%', '100%') }), ...updated('i:2')],
    ...anySteps,
  },
  {
    name: 'deployment-recreate',
    steps: [...created({ replicas: 2, strategy: { type: 'Recreate' } }), look('first'), ...updated('i:2')],
  },
  { name: 'deployment-scaled', steps: [...created({ replicas: 1 }), ...scaled(4), look('larger'), ...scaled(0)] },
  { name: 'deployment-without-pods', steps: [...created({ replicas: 0 }), ...updated('i:2'), ...scaled(1)] },
  {
    name: 'deployment-paused',
    steps: [
      ...created({ replicas: 2, ...rolling(1, 0) }),
      deployments.merge('web', { spec: { paused: true } }),
      observed(deployments.get('web').path),
      look('paused'),
      deployments.strategic('web', image('i:2')),
      observed(deployments.get('web').path),
      look('changed'),
      deployments.merge('web', { spec: { replicas: 3 } }),
      until(deployments.get('web').path, { 'status.availableReplicas': 3 }),
      look('scaled'),
      deployments.merge('web', { spec: { paused: null } }),
      rolledOut('web'),
    ],
  },
  {
    name: 'deployment-undone',
    steps: [...created({ replicas: 2, ...rolling(1, 0) }), ...updated('i:2'), look('second'), ...updated('i:1')],
  },
  {
    name: 'deployment-history-limit',
    steps: [
      ...created({ replicas: 1, revisionHistoryLimit: 1, ...rolling(1, 0) }),
      ...updated('i:2'),
      ...updated('i:3'),
      look('third'),
      ...updated('i:4'),
    ],
  },
  {
    name: 'deployment-no-history',
    steps: [...created({ replicas: 1, revisionHistoryLimit: 0, ...rolling(1, 0) }), ...updated('i:2')],
  },
  {
    name: 'deployment-restarted',
    steps: [
      ...created({ replicas: 2, ...rolling(1, 0) }),
      deployments.strategic('web', {
        spec: { template: { metadata: { annotations: { 'kubectl.kubernetes.io/restartedAt': 'now' } } } },
      }),
      rolledOut('web'),
    ],
  },
  {
    name: 'deployment-annotated',
    steps: [
      ...created({ replicas: 1 }, {}, { annotations: { 'kubernetes.io/change-cause': 'first', own: 'a' } }),
      deployments.merge('web', { metadata: { annotations: { own: 'b' }, labels: { team: 'x' } } }),
      rolledOut('web'),
      rest,
      deployments.merge('web', { spec: { minReadySeconds: 1, progressDeadlineSeconds: 100 } }),
      rolledOut('web'),
    ],
  },
  {
    name: 'deployment-adopts-replica-set',
    steps: [
      ...created({ replicas: 2 }),
      deployments.delete('web', 'propagationPolicy=Orphan'),
      count(deployments.path, 0),
      look('orphaned'),
      deployments.create(deployment({ replicas: 2 })),
      rolledOut('web'),
    ],
  },
  {
    name: 'deployment-collision',
    steps: [
      ...created({ replicas: 1 }),
      deployments.delete('web', 'propagationPolicy=Orphan'),
      count(deployments.path, 0),
      rest,
      each(replicaSets.path, (name) => [
        replicaSets.strategic(name, { metadata: { labels: { app: 'other' } }, ...image('i:other') }),
      ]),
      rest,
      deployments.create(deployment({ replicas: 1 })),
      rolledOut('web'),
    ],
  },
  {
    name: 'deployment-quota',
    steps: [
      quotas.create(object('v1', 'ResourceQuota', 'few', { spec: { hard: { pods: '1' } } })),
      until(quotas.get('few').path, { 'status.hard.pods': '1' }),
      deployments.create(deployment({ replicas: 3 })),
      until(deployments.get('web').path, {
        'status.conditions[ReplicaFailure].status': 'True',
        'status.availableReplicas': 1,
      }),
      look('refused'),
      quotas.merge('few', { spec: { hard: { pods: '5' } } }),
      rolledOut('web'),
    ],
  },
  {
    name: 'deployment-pod-deleted',
    steps: [...created({ replicas: 2 }), each(pods.path, (name) => [pods.delete(name)], 1), rest, rolledOut('web')],
  },
  {
    name: 'deployment-replica-set-deleted',
    steps: [
      ...created({ replicas: 1 }),
      each(replicaSets.path, (name) => [replicaSets.delete(name)]),
      rest,
      rolledOut('web'),
    ],
  },
  {
    name: 'deployment-deleted-in-foreground',
    steps: [
      ...created({ replicas: 2 }),
      deployments.delete('web', 'propagationPolicy=Foreground'),
      count(deployments.path, 0),
    ],
  },
  {
    name: 'deployment-deleted-in-background',
    steps: [
      ...created({ replicas: 2 }),
      deployments.delete('web', 'propagationPolicy=Background'),
      count(pods.path, 0),
    ],
  },
  {
    name: 'deployment-beside-others',
    steps: [
      // A pod with the same labels and another owner, and a ReplicaSet with another selector, must not be changed.
      configMaps.create(object('v1', 'ConfigMap', 'owner')),
      exists(configMaps.get('owner').path),
      pods.create(
        object(
          'v1',
          'Pod',
          'owned',
          {
            spec: {
              automountServiceAccountToken: false,
              terminationGracePeriodSeconds: 1,
              containers: [{ name: 'c', image: 'i:1' }],
            },
          },
          {
            labels: { app: 'web' },
            ownerReferences: [
              { apiVersion: 'v1', kind: 'ConfigMap', name: 'owner', uid: '{{0.metadata.uid}}', controller: true },
            ],
          },
        ),
      ),
      ...created({ replicas: 1 }),
    ],
  },
]
