/** Nodes without heartbeats or with bad conditions, and the effects on their pods. */
import type { JsonObject } from '../../../src/api/json.ts'
import { object, pod } from '../objects.ts'
import type { Act, Scenario } from '../scenario.ts'
import { fleetNode } from '../site.ts'
import { nodes, pods, rest, until, valueAt } from '../steps.ts'

const own = nodes.get('{{ns}}').path

/** A node that only the scenario changes and uses. */
function node(conditions: readonly JsonObject[] = []): Act {
  const body = fleetNode({ name: '{{ns}}', cpu: '8', labels: {}, taint: 'own', isSilent: true }, 0, {})
  const status = body['status'] as JsonObject
  return nodes.create({
    ...body,
    metadata: { ...(body['metadata'] as JsonObject), annotations: { 'node.alpha.kubernetes.io/ttl': '0' } },
    status: { ...status, conditions: [condition('Ready', 'True'), ...conditions] },
  })
}

function condition(type: string, status: string, reason = 'Told', message = 'as told'): JsonObject {
  return { type, status, reason, message, lastHeartbeatTime: '{{now}}', lastTransitionTime: '{{now}}' }
}

const lease: Act = {
  method: 'POST',
  path: '/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases',
  body: object('coordination.k8s.io/v1', 'Lease', '{{ns}}', {
    spec: { holderIdentity: '{{ns}}', leaseDurationSeconds: 40, renewTime: '{{microtime}}' },
  }),
}

const says = (...conditions: readonly JsonObject[]): Act =>
  nodes.sub('status').strategic('{{ns}}', { status: { conditions: [...conditions] } })

const tainted = (key: string, effect: string): Act => ({
  until: own,
  says: `taint ${key}:${effect}`,
  holds: (found) =>
    ((valueAt(found, 'spec.taints') ?? []) as JsonObject[]).some(
      (taint) => taint['key'] === key && taint['effect'] === effect,
    ),
})
const untainted = (key: string): Act => ({
  until: own,
  says: `no taint ${key}`,
  holds: (found) => !((valueAt(found, 'spec.taints') ?? []) as JsonObject[]).some((taint) => taint['key'] === key),
})
const here = (name: string, tolerations: readonly JsonObject[] = []): readonly Act[] => [
  pods.create(pod(name, { nodeName: '{{ns}}', tolerations: [{ key: 'own', operator: 'Exists' }, ...tolerations] })),
  rest,
  pods.sub('status').strategic(name, {
    status: { phase: 'Running', conditions: [{ type: 'Ready', status: 'True', lastTransitionTime: '{{now}}' }] },
  }),
]
const seconds = (key: string, tolerationSeconds: number): JsonObject => ({
  key,
  operator: 'Exists',
  effect: 'NoExecute',
  tolerationSeconds,
})
const ending = (name: string): Act => ({
  until: pods.get(name).path,
  says: 'is ending',
  holds: (found) => valueAt(found, 'metadata.deletionTimestamp') !== undefined,
})

export const nodeScenarios: readonly Scenario[] = (
  [
    {
      name: 'node-silent',
      steps: [
        node(),
        lease,
        ...here('a', [seconds('node.kubernetes.io/unreachable', 1)]),
        ...here('b'),
        until(own, { 'status.conditions[Ready].status': 'Unknown' }),
        tainted('node.kubernetes.io/unreachable', 'NoExecute'),
        ending('a'),
        rest,
      ],
    },
    {
      name: 'node-not-ready',
      steps: [
        node(),
        lease,
        ...here('a', [seconds('node.kubernetes.io/not-ready', 1)]),
        ...here('b'),
        says(condition('Ready', 'False')),
        tainted('node.kubernetes.io/not-ready', 'NoExecute'),
        ending('a'),
        rest,
      ],
    },
    {
      name: 'node-ready-again',
      steps: [
        node(),
        lease,
        ...here('a'),
        says(condition('Ready', 'False')),
        tainted('node.kubernetes.io/not-ready', 'NoExecute'),
        rest,
        says(condition('Ready', 'True')),
        untainted('node.kubernetes.io/not-ready'),
        rest,
      ],
    },
    {
      name: 'node-under-pressure',
      steps: [
        node(),
        lease,
        says(condition('MemoryPressure', 'True'), condition('DiskPressure', 'True')),
        tainted('node.kubernetes.io/memory-pressure', 'NoSchedule'),
        rest,
        says(condition('MemoryPressure', 'False')),
      ],
    },
    {
      name: 'node-cordoned',
      steps: [
        node(),
        lease,
        nodes.merge('{{ns}}', { spec: { unschedulable: true } }),
        tainted('node.kubernetes.io/unschedulable', 'NoSchedule'),
        rest,
      ],
    },
    {
      name: 'node-uncordoned',
      steps: [
        node(),
        lease,
        nodes.merge('{{ns}}', { spec: { unschedulable: true } }),
        tainted('node.kubernetes.io/unschedulable', 'NoSchedule'),
        rest,
        nodes.merge('{{ns}}', { spec: { unschedulable: null } }),
        untainted('node.kubernetes.io/unschedulable'),
        rest,
      ],
    },
    {
      name: 'node-tainted-by-user',
      steps: [
        node(),
        lease,
        ...here('a'),
        ...here('b', [{ key: 'out', operator: 'Exists' }]),
        ...here('c', [seconds('out', 2)]),
        ...here('d', [seconds('out', 3600)]),
        nodes.merge('{{ns}}', {
          spec: {
            taints: [
              { key: 'own', value: 'yes', effect: 'NoSchedule' },
              { key: 'out', effect: 'NoExecute' },
            ],
          },
        }),
        ending('a'),
        ending('c'),
        rest,
      ],
    },
  ] satisfies readonly Scenario[]
).map((scenario) => ({
  late: true,
  also: [
    '/api/v1/nodes/{{ns}}',
    '/api/v1/namespaces/default/events?fieldSelector=involvedObject.kind=Node,involvedObject.name={{ns}}',
  ],
  ...scenario,
}))
