/** The scheduler: where pods are placed, and the messages for unschedulable pods. */
import type { JsonObject } from '../../../src/api/json.ts'
import { clusterResource } from '../../differential/steps.ts'
import { object, pod, replicaSet } from '../objects.ts'
import type { Act, Scenario } from '../scenario.ts'
import { count, gone, pods, replicaSets, rest, until } from '../steps.ts'

const running = (name: string): Act => until(pods.get(name).path, { 'status.phase': 'Running' })
const refused = (name: string): Act =>
  until(pods.get(name).path, { 'status.conditions[PodScheduled].reason': 'Unschedulable' })
const toSmall = {
  nodeSelector: { 'kubernetes.io/hostname': 'small' },
  tolerations: [{ key: 'size', operator: 'Exists' }],
} satisfies JsonObject
const toTight = {
  nodeSelector: { 'kubernetes.io/hostname': 'tight' },
  tolerations: [{ key: 'room', operator: 'Exists' }],
} satisfies JsonObject
const cpu = (amount: string): JsonObject => ({
  containers: [{ name: 'c', image: 'i:1', resources: { requests: { cpu: amount } } }],
})
const web = { labelSelector: { matchLabels: { app: 'web' } } }
const apart: JsonObject = {
  affinity: {
    podAntiAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: [{ ...web, topologyKey: 'kubernetes.io/hostname' }],
    },
  },
}
const nodeAffinity = (...matchExpressions: JsonObject[]): JsonObject => ({
  affinity: {
    nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [{ matchExpressions }] } },
  },
})
const priorities = clusterResource('priorityclasses', 'scheduling.k8s.io/v1')

export const schedulingScenarios: readonly Scenario[] = (
  [
    { name: 'schedule-node-selector', steps: [pods.create(pod('a', { nodeSelector: { disk: 'ssd' } })), running('a')] },
    {
      name: 'schedule-no-such-label',
      steps: [pods.create(pod('a', { nodeSelector: { disk: 'tape' } })), refused('a')],
    },
    {
      name: 'schedule-node-affinity',
      steps: [
        pods.create(
          pod(
            'a',
            nodeAffinity(
              { key: 'disk', operator: 'NotIn', values: ['ssd'] },
              { key: 'zone', operator: 'In', values: ['a', 'c'] },
            ),
          ),
        ),
        running('a'),
      ],
    },
    {
      name: 'schedule-preferred-affinity',
      steps: [
        pods.create(
          pod('a', {
            affinity: {
              nodeAffinity: {
                preferredDuringSchedulingIgnoredDuringExecution: [
                  { weight: 100, preference: { matchExpressions: [{ key: 'zone', operator: 'In', values: ['b'] }] } },
                ],
              },
            },
          }),
        ),
        running('a'),
      ],
    },
    {
      name: 'schedule-apart',
      steps: [
        replicaSets.create(replicaSet({ replicas: 4 }, apart)),
        until(replicaSets.get('web').path, { 'status.availableReplicas': 3 }),
        count(pods.path, 1, { 'status.conditions[PodScheduled].reason': 'Unschedulable' }),
      ],
    },
    {
      name: 'schedule-together',
      steps: [
        pods.create(pod('a', { nodeSelector: { zone: 'b' } })),
        running('a'),
        pods.create(
          pod('b', {
            affinity: {
              podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [{ ...web, topologyKey: 'zone' }] },
            },
          }),
        ),
        running('b'),
      ],
    },
    {
      name: 'schedule-no-friend',
      steps: [
        pods.create(
          pod('a', {
            affinity: {
              podAffinity: {
                requiredDuringSchedulingIgnoredDuringExecution: [
                  { labelSelector: { matchLabels: { app: 'nobody' } }, topologyKey: 'zone' },
                ],
              },
            },
          }),
        ),
        refused('a'),
      ],
    },
    {
      name: 'schedule-spread',
      steps: [
        replicaSets.create(
          replicaSet(
            { replicas: 6 },
            {
              topologySpreadConstraints: [
                { maxSkew: 1, topologyKey: 'zone', whenUnsatisfiable: 'DoNotSchedule', ...web },
              ],
            },
          ),
        ),
        until(replicaSets.get('web').path, { 'status.availableReplicas': 6 }),
      ],
    },
    {
      name: 'schedule-spread-refused',
      steps: [
        pods.create(pod('a', { nodeSelector: { zone: 'a' } })),
        running('a'),
        pods.create(pod('b', { nodeName: 'node-1' })),
        running('b'),
        pods.create(
          pod('c', {
            nodeSelector: { zone: 'a' },
            topologySpreadConstraints: [
              {
                maxSkew: 1,
                topologyKey: 'kubernetes.io/hostname',
                whenUnsatisfiable: 'DoNotSchedule',
                nodeAffinityPolicy: 'Ignore',
                ...web,
              },
            ],
          }),
        ),
        refused('c'),
      ],
    },
    { name: 'schedule-tolerated', steps: [pods.create(pod('a', toSmall)), running('a')] },
    {
      name: 'schedule-not-tolerated',
      steps: [pods.create(pod('a', { nodeSelector: { 'kubernetes.io/hostname': 'small' } })), refused('a')],
    },
    { name: 'schedule-too-large', steps: [pods.create(pod('a', cpu('9'))), refused('a')] },
    {
      name: 'schedule-unknown-resource',
      steps: [
        pods.create(
          pod('a', { containers: [{ name: 'c', image: 'i:1', resources: { limits: { 'example.com/gpu': '1' } } }] }),
        ),
        refused('a'),
      ],
    },
    { name: 'schedule-node-name', steps: [pods.create(pod('a', { nodeName: 'node-2' })), running('a')] },
    {
      name: 'schedule-gated',
      steps: [
        pods.create(pod('a', { schedulingGates: [{ name: 'example.com/wait' }] })),
        rest,
        pods.json('a', [{ op: 'remove', path: '/spec/schedulingGates/0' }]),
        running('a'),
      ],
      places: false,
    },
    { name: 'schedule-other-scheduler', steps: [pods.create(pod('a', { schedulerName: 'mine' })), rest] },
    {
      name: 'schedule-room-comes',
      steps: [
        pods.create(pod('a', { ...toTight, ...cpu('1500m') })),
        running('a'),
        pods.create(pod('b', { ...toTight, ...cpu('1') })),
        refused('b'),
        rest,
        pods.delete('a'),
        gone(pods.get('a').path),
        running('b'),
      ],
    },
    {
      name: 'schedule-host-ports',
      steps: [
        ...['a', 'b'].flatMap((name) => [
          pods.create(
            pod(name, {
              ...toSmall,
              containers: [{ name: 'c', image: 'i:1', ports: [{ containerPort: 80, hostPort: 8080 }] }],
            }),
          ),
          rest,
        ]),
        refused('b'),
      ],
    },
    {
      name: 'schedule-preemption',
      steps: [
        priorities.create(object('scheduling.k8s.io/v1', 'PriorityClass', '{{ns}}', { value: 1000 })),
        pods.create(pod('a', { ...toSmall, ...cpu('1500m') })),
        running('a'),
        pods.create(pod('b', { ...toSmall, ...cpu('1'), priorityClassName: '{{ns}}' })),
        gone(pods.get('a').path),
        running('b'),
        priorities.delete('{{ns}}'),
      ],
    },
    {
      name: 'schedule-preferred-neighbours',
      steps: [
        pods.create(pod('a', { nodeName: 'node-3' })),
        running('a'),
        pods.create(
          pod('b', {
            affinity: {
              podAffinity: {
                preferredDuringSchedulingIgnoredDuringExecution: [
                  { weight: 100, podAffinityTerm: { ...web, topologyKey: 'kubernetes.io/hostname' } },
                ],
              },
            },
          }),
        ),
        running('b'),
      ],
    },
    {
      name: 'schedule-priority',
      steps: [
        priorities.create(object('scheduling.k8s.io/v1', 'PriorityClass', '{{ns}}', { value: 1000 })),
        pods.create(pod('a', { priorityClassName: '{{ns}}', nodeSelector: { disk: 'ssd' } })),
        running('a'),
        pods.create(pod('b', { priorityClassName: 'missing' })),
        priorities.delete('{{ns}}'),
      ],
    },
  ] satisfies readonly Scenario[]
).map((scenario) => ({ places: true, early: true, ...scenario }))
