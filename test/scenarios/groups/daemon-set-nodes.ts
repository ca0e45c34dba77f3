/** DaemonSets on a node that changes. */
import type { JsonObject } from '../../../src/api/json.ts'
import { daemonSet, object } from '../objects.ts'
import type { Act, Scenario } from '../scenario.ts'
import { fleetNode } from '../site.ts'
import { count, daemonSets, each, nodes, podEnds, podIs, pods, rest, until, look, valueAt } from '../steps.ts'

const web = daemonSets.get('web').path

/** A node that only the scenario changes and uses. */
const node = (labels: Readonly<Record<string, string>> = {}): Act => {
  const body = fleetNode({ name: '{{ns}}', cpu: '8', labels, taint: 'own', isSilent: true }, 0, {})
  const ready = { type: 'Ready', status: 'True', reason: 'Told', message: 'as told' }
  const times = { lastHeartbeatTime: '{{now}}', lastTransitionTime: '{{now}}' }
  const status = body['status'] as JsonObject
  return nodes.create({ ...body, status: { ...status, conditions: [{ ...ready, ...times }] } })
}
const lease: Act = {
  method: 'POST',
  path: '/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases',
  body: object('coordination.k8s.io/v1', 'Lease', '{{ns}}', {
    spec: { holderIdentity: '{{ns}}', leaseDurationSeconds: 40, renewTime: '{{microtime}}' },
  }),
}

const own: JsonObject = { key: 'own', value: 'yes', effect: 'NoSchedule' }
const onOwnNode: JsonObject = {
  nodeSelector: { 'kubernetes.io/hostname': '{{ns}}' },
  tolerations: [{ key: 'own', operator: 'Exists' }],
}
const running: readonly Act[] = [
  daemonSets.create(daemonSet({}, onOwnNode)),
  count(pods.path, 1),
  rest,
  each(pods.path, (name) => [podIs(name, true)]),
  until(web, { 'status.numberReady': 1 }),
  rest,
]
const taints = (...more: readonly JsonObject[]): Act => nodes.merge('{{ns}}', { spec: { taints: [own, ...more] } })
const allEnd = each(pods.path, (name, found) =>
  valueAt(found, 'metadata.deletionTimestamp') === undefined ? [] : [podEnds(name)],
)
const notReady: Act = {
  until: nodes.get('{{ns}}').path,
  says: 'not ready',
  holds: (found) =>
    ['NoSchedule', 'NoExecute'].every((effect) =>
      ((valueAt(found, 'spec.taints') ?? []) as JsonObject[]).some(
        (taint) => taint['key'] === 'node.kubernetes.io/not-ready' && taint['effect'] === effect,
      ),
    ),
}
/** A change that makes the controller look at the DaemonSet. */
const noticed: Act = daemonSets.merge('web', { metadata: { annotations: { noticed: 'yes' } } })

export const daemonSetNodeScenarios: readonly Scenario[] = (
  [
    {
      name: 'daemon-set-node-added',
      steps: [
        daemonSets.create(daemonSet({}, onOwnNode)),
        until(web, { 'status.observedGeneration': 1 }),
        rest,
        look('none'),
        node(),
        lease,
        count(pods.path, 1),
      ],
    },
    {
      name: 'daemon-set-node-labelled',
      steps: [
        node(),
        lease,
        daemonSets.create(daemonSet({}, { ...onOwnNode, nodeSelector: { own: '{{ns}}' } })),
        until(web, { 'status.observedGeneration': 1 }),
        rest,
        nodes.merge('{{ns}}', { metadata: { labels: { own: '{{ns}}' } } }),
        count(pods.path, 1),
        look('labelled'),
        nodes.merge('{{ns}}', { metadata: { labels: { own: null } } }),
        rest,
        allEnd,
        count(pods.path, 0),
      ],
    },
    {
      name: 'daemon-set-node-tainted',
      steps: [
        node(),
        lease,
        ...running,
        taints({ key: 'no', effect: 'NoSchedule' }),
        rest,
        look('tainted'),
        noticed,
        until(web, { 'status.numberMisscheduled': 1 }),
        look('misscheduled'),
        taints(),
        until(web, { 'status.numberMisscheduled': 0 }),
      ],
    },
    {
      name: 'daemon-set-node-evicts',
      steps: [
        node(),
        lease,
        ...running,
        taints({ key: 'no', effect: 'NoExecute' }),
        rest,
        look('evicted'),
        allEnd,
        count(pods.path, 0),
        rest,
        look('gone'),
        taints(),
        count(pods.path, 1),
      ],
    },
    {
      name: 'daemon-set-node-cordoned',
      steps: [
        node(),
        lease,
        nodes.merge('{{ns}}', { spec: { unschedulable: true } }),
        until(nodes.get('{{ns}}').path, { 'spec.unschedulable': true }),
        rest,
        ...running,
      ],
    },
    {
      name: 'daemon-set-node-not-ready',
      steps: [
        node(),
        lease,
        ...running,
        nodes.sub('status').strategic('{{ns}}', {
          status: {
            conditions: [
              { type: 'Ready', status: 'False', lastHeartbeatTime: '{{now}}', lastTransitionTime: '{{now}}' },
            ],
          },
        }),
        notReady,
        rest,
        noticed,
        until(web, { 'status.numberMisscheduled': 1 }),
      ],
    },
  ] satisfies readonly Scenario[]
).map((scenario) => ({ late: true, ...scenario }))
