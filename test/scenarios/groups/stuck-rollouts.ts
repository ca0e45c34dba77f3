/** Deployments whose pods become ready only in steps of the scenario, to observe unfinished rollouts. */
import type { JsonObject } from '../../../src/api/json.ts'
import { byHand, deployment, image, rolling } from '../objects.ts'
import type { Act, Scenario } from '../scenario.ts'
import {
  count,
  deployments,
  each,
  look,
  observed,
  podEnds,
  podIs,
  pods,
  rest,
  rolledOut,
  until,
  valueAt,
} from '../steps.ts'

const web = deployments.get('web').path

const allReady = each(pods.path, (name) => [podIs(name, true)])
/** Removes the terminating pods. */
const allEnd = each(pods.path, (name, pod) =>
  valueAt(pod, 'metadata.deletionTimestamp') === undefined ? [] : [podEnds(name)],
)

function ready(spec: JsonObject): readonly Act[] {
  return [
    deployments.create(deployment(spec, byHand)),
    count(pods.path, Number(spec['replicas'])),
    rest,
    allReady,
    rolledOut('web'),
    rest,
  ]
}
const change = (to: string): readonly Act[] => [deployments.strategic('web', image(to)), observed(web), rest]

export const stuckRolloutScenarios: readonly Scenario[] = [
  {
    name: 'rollout-not-ready',
    steps: [
      deployments.create(deployment({ replicas: 2 }, byHand)),
      count(pods.path, 2),
      look('waiting'),
      allReady,
      rolledOut('web'),
    ],
  },
  {
    name: 'rollout-deadline',
    steps: [
      deployments.create(deployment({ replicas: 1, progressDeadlineSeconds: 2 }, byHand)),
      until(web, { 'status.conditions[Progressing].reason': 'ProgressDeadlineExceeded' }),
      look('exceeded'),
      allReady,
      rolledOut('web'),
    ],
  },
  {
    name: 'rollout-deadline-of-update',
    steps: [
      ...ready({ replicas: 1, progressDeadlineSeconds: 2, ...rolling(1, 0) }),
      ...change('i:2'),
      until(web, { 'status.conditions[Progressing].reason': 'ProgressDeadlineExceeded' }),
    ],
  },
  {
    // The controller may observe pods that become ready together in one run or in several.
    name: 'rollout-half-way',
    anyNumber: ['ScalingReplicaSet'],
    steps: [
      ...ready({ replicas: 4, ...rolling('25%', '25%') }),
      ...change('i:2'),
      look('begun'),
      allEnd,
      look('ended'),
      allReady,
      rest,
      allEnd,
      look('next'),
    ],
  },
  {
    name: 'rollout-proportional-up',
    steps: [
      ...ready({ replicas: 6, ...rolling(3, 2) }),
      ...change('i:2'),
      look('begun'),
      deployments.merge('web', { spec: { replicas: 10 } }),
      observed(web),
    ],
  },
  {
    name: 'rollout-proportional-down',
    steps: [
      ...ready({ replicas: 8, ...rolling(3, 2) }),
      ...change('i:2'),
      deployments.merge('web', { spec: { replicas: 4 } }),
      observed(web),
    ],
  },
  // The controller may observe pods that become ready together in one run or in several.
  {
    name: 'rollout-rolled-over',
    anyNumber: ['ScalingReplicaSet'],
    steps: [
      ...ready({ replicas: 3, ...rolling(1, 1) }),
      ...change('i:2'),
      allEnd,
      ...change('i:3'),
      look('over'),
      allEnd,
      allReady,
      rest,
    ],
  },
  {
    name: 'rollout-recreate-waits',
    steps: [
      ...ready({ replicas: 2, strategy: { type: 'Recreate' } }),
      ...change('i:2'),
      look('ending'),
      allEnd,
      count(pods.path, 2),
      look('new'),
      allReady,
      rolledOut('web'),
    ],
  },
  {
    name: 'rollout-min-ready',
    steps: [
      deployments.create(deployment({ replicas: 2, minReadySeconds: 3600, progressDeadlineSeconds: 7200 }, byHand)),
      count(pods.path, 2),
      rest,
      allReady,
      until(web, { 'status.readyReplicas': 2 }),
    ],
  },
  {
    name: 'rollout-min-ready-over',
    steps: [
      deployments.create(deployment({ replicas: 1, minReadySeconds: 2 }, byHand)),
      count(pods.path, 1),
      rest,
      allReady,
      rolledOut('web'),
    ],
  },
  {
    name: 'rollout-not-ready-again',
    steps: [
      ...ready({ replicas: 2 }),
      each(pods.path, (name) => [podIs(name, false)], 1),
      until(web, { 'status.availableReplicas': 1 }),
      look('one'),
      each(pods.path, (name) => [podIs(name, false)]),
      until(web, { 'status.availableReplicas': undefined }),
    ],
  },
  {
    name: 'rollout-paused-midway',
    steps: [
      ...ready({ replicas: 3, ...rolling(1, 0) }),
      ...change('i:2'),
      deployments.merge('web', { spec: { paused: true } }),
      observed(web),
      look('paused'),
      deployments.merge('web', { spec: { replicas: 6 } }),
      observed(web),
    ],
  },
  {
    name: 'rollout-undone-midway',
    steps: [...ready({ replicas: 3, ...rolling(1, 0) }), ...change('i:2'), ...change('i:1'), allEnd, rolledOut('web')],
  },
]
