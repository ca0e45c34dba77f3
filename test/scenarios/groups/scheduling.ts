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
/** A pod on the node `small` that uses a port of it, which no other scenario uses. */
const listens = (name: string, port: JsonObject, spec: JsonObject = {}): readonly Act[] => [
  pods.create(
    pod(name, {
      ...toSmall,
      containers: [{ name: 'c', image: 'i:1', ports: [{ containerPort: 80, ...port }] }],
      ...spec,
    }),
  ),
  rest,
]
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
      steps: [...listens('a', { hostPort: 8080 }), ...listens('b', { hostPort: 8080 }), refused('b')],
    },
    {
      // Those that can be together: other protocols, other ports, other addresses.
      name: 'schedule-host-ports-apart',
      steps: [
        ...listens('tcp', { hostPort: 8090, hostIP: '192.0.2.1' }),
        ...listens('udp', { hostPort: 8090, protocol: 'UDP' }),
        ...listens('sctp', { hostPort: 8090, protocol: 'SCTP' }),
        ...listens('port', { hostPort: 8091 }),
        ...listens('address', { hostPort: 8090, hostIP: '192.0.2.2' }),
        ...listens('none', {}),
        ...['tcp', 'udp', 'sctp', 'port', 'address', 'none'].map(running),
      ],
    },
    {
      name: 'schedule-host-ports-any-address',
      steps: [
        ...listens('one', { hostPort: 8100, hostIP: '192.0.2.1' }),
        running('one'),
        ...listens('same', { hostPort: 8100, hostIP: '192.0.2.1' }),
        ...listens('all', { hostPort: 8100, hostIP: '0.0.0.0' }),
        ...listens('default', { hostPort: 8100 }),
        ...listens('both', { hostPort: 8100, hostIP: '::' }),
        ...['same', 'all', 'default'].map(refused),
        running('both'),
      ],
    },
    {
      name: 'schedule-host-ports-after-any-address',
      steps: [
        ...listens('all', { hostPort: 8110, hostIP: '0.0.0.0', protocol: 'UDP' }),
        running('all'),
        ...listens('one', { hostPort: 8110, hostIP: '192.0.2.1', protocol: 'UDP' }),
        ...listens('tcp', { hostPort: 8110, hostIP: '192.0.2.1' }),
        refused('one'),
        running('tcp'),
      ],
    },
    {
      name: 'schedule-host-ports-freed',
      steps: [
        ...listens('a', { hostPort: 8120 }),
        running('a'),
        ...listens('b', { hostPort: 8120 }),
        refused('b'),
        pods.delete('a'),
        running('b'),
      ],
    },
    {
      name: 'schedule-host-ports-of-init-containers',
      steps: [
        pods.create(
          pod('a', {
            ...toSmall,
            initContainers: [
              { name: 'init', image: 'i:1', ports: [{ containerPort: 80, hostPort: 8130 }] },
              {
                name: 'sidecar',
                image: 'i:1',
                restartPolicy: 'Always',
                ports: [{ containerPort: 80, hostPort: 8131 }],
              },
            ],
          }),
        ),
        running('a'),
        ...listens('b', { hostPort: 8130 }),
        ...listens('c', { hostPort: 8131 }),
        running('b'),
        refused('c'),
      ],
    },
    {
      name: 'schedule-host-ports-of-host-network',
      steps: [
        pods.create(
          pod('a', {
            ...toSmall,
            hostNetwork: true,
            containers: [{ name: 'c', image: 'i:1', ports: [{ containerPort: 8140 }] }],
          }),
        ),
        running('a'),
        ...listens('b', { hostPort: 8140 }),
        refused('b'),
      ],
    },
    {
      // Only the pods in the way are evicted.
      name: 'schedule-host-ports-preemption',
      steps: [
        priorities.create(object('scheduling.k8s.io/v1', 'PriorityClass', '{{ns}}', { value: 1000 })),
        ...listens('a', { hostPort: 8150 }),
        ...listens('b', { hostPort: 8151 }),
        running('a'),
        running('b'),
        ...listens('c', { hostPort: 8150 }, { priorityClassName: '{{ns}}' }),
        gone(pods.get('a').path),
        running('c'),
        priorities.delete('{{ns}}'),
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
