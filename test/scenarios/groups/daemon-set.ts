/** DaemonSets: their pods, updates and history. Pods on the node by-hand become ready only in steps of the scenario. */
import type { Json, JsonObject } from '../../../src/api/json.ts'
import { byHand, daemonSet, image, object, pod } from '../objects.ts'
import type { Act, Scenario } from '../scenario.ts'
import {
  count,
  daemonSets,
  each,
  gone,
  look,
  observed,
  podEnds,
  podIs,
  pods,
  quotas,
  rest,
  revisions,
  until,
  valueAt,
} from '../steps.ts'

const web = daemonSets.get('web').path
const hashLabel = 'controller-revision-hash'

/** All pods have the newest template and are available. */
export const rolledOut = (nodes: number): readonly Act[] => [
  observed(web),
  until(web, {
    'status.desiredNumberScheduled': nodes,
    'status.updatedNumberScheduled': nodes,
    'status.numberAvailable': nodes,
  }),
  count(pods.path, nodes),
]
const created = (spec: JsonObject = {}, template: JsonObject = {}, metadata: JsonObject = {}, nodes = 3): Act[] => [
  daemonSets.create(daemonSet(spec, template, metadata)),
  ...rolledOut(nodes),
  rest,
]
const updated = (name: string, nodes = 3): Act[] => [
  daemonSets.strategic('web', image(name)),
  ...rolledOut(nodes),
  rest,
]
const rollingWith = (maxSurge: Json, maxUnavailable: Json): JsonObject => ({
  updateStrategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge, maxUnavailable } },
})
const onDelete: JsonObject = { updateStrategy: { type: 'OnDelete', rollingUpdate: null } }

/** One pod, on the node by-hand, ready or not. */
const oneByHand = (spec: JsonObject, ready: boolean): Act[] => [
  daemonSets.create(daemonSet(spec, byHand)),
  count(pods.path, 1),
  rest,
  each(pods.path, (name) => [podIs(name, ready)]),
  until(web, { 'status.numberReady': ready ? 1 : 0, 'status.currentNumberScheduled': 1 }),
  rest,
]
const isTerminating = (found: JsonObject): boolean => valueAt(found, 'metadata.deletionTimestamp') !== undefined
const allEnd = each(pods.path, (name, found) => (isTerminating(found) ? [podEnds(name)] : []))
const imageOf = (found: JsonObject): Json | undefined => valueAt(found, 'spec.containers[c].image')
const readyOf = (wanted: string): Act =>
  each(pods.path, (name, found) => (imageOf(found) === wanted ? [podIs(name, true)] : []))
const finished = (phase: string): Act =>
  each(pods.path, (name) => [pods.sub('status').strategic(name, { status: { phase } })])

/** With a surge, upstream may delete a pod again, since its cache does not show the first deletion yet. */
const deletedTwice = ['SuccessfulDelete']

export const daemonSetScenarios: readonly Scenario[] = [
  { name: 'daemon-set-created', places: true, steps: created() },
  {
    name: 'daemon-set-node-selector',
    places: true,
    steps: created({}, { nodeSelector: { disk: 'hdd' } }, {}, 2),
  },
  {
    name: 'daemon-set-affinity',
    places: true,
    steps: created(
      {},
      {
        affinity: {
          nodeAffinity: {
            requiredDuringSchedulingIgnoredDuringExecution: {
              nodeSelectorTerms: [{ matchExpressions: [{ key: 'zone', operator: 'In', values: ['a', 'c'] }] }],
            },
            preferredDuringSchedulingIgnoredDuringExecution: [
              { weight: 1, preference: { matchExpressions: [{ key: 'disk', operator: 'Exists' }] } },
            ],
          },
        },
      },
      {},
      2,
    ),
  },
  { name: 'daemon-set-node-name', places: true, steps: created({}, { nodeName: 'node-2' }, {}, 1) },
  {
    name: 'daemon-set-no-node',
    steps: [
      daemonSets.create(daemonSet({}, { nodeSelector: { none: 'such' } })),
      observed(web),
      rest,
      daemonSets.merge('web', { spec: { template: { spec: { nodeSelector: { none: null } } } } }),
      ...rolledOut(3),
    ],
  },
  {
    name: 'daemon-set-tolerations',
    places: true,
    steps: created(
      {},
      {
        tolerations: [
          { key: 'size', operator: 'Exists' },
          { key: 'room', operator: 'Equal', value: 'yes' },
          { key: 'node.kubernetes.io/not-ready', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 5 },
        ],
      },
      {},
      5,
    ),
  },
  { name: 'daemon-set-host-network', steps: created({}, { hostNetwork: true }) },
  { name: 'daemon-set-too-large', early: true, steps: tooLarge() },
  { name: 'daemon-set-rolling', steps: [...created(), ...updated('i:2')] },
  {
    name: 'daemon-set-rolling-all-at-once',
    steps: [...created(rollingWith(0, '100%')), ...updated('i:2')],
  },
  {
    name: 'daemon-set-rolling-percent',
    steps: [...created(rollingWith(0, '34%')), ...updated('i:2')],
  },
  {
    name: 'daemon-set-surge',
    anyNumber: deletedTwice,
    steps: [...created(rollingWith(1, 0)), ...updated('i:2')],
  },
  {
    name: 'daemon-set-surge-all-at-once',
    anyNumber: deletedTwice,
    steps: [...created(rollingWith('100%', 0)), ...updated('i:2'), look('second'), ...updated('i:1')],
  },
  {
    name: 'daemon-set-surge-waits',
    steps: [
      ...oneByHand(rollingWith(1, 0), true),
      daemonSets.strategic('web', image('i:2')),
      count(pods.path, 2),
      look('both'),
      readyOf('i:2'),
      rest,
      look('old one ends'),
      allEnd,
      ...rolledOut(1),
    ],
  },
  {
    name: 'daemon-set-surge-old-not-ready',
    steps: [
      ...oneByHand(rollingWith(1, 0), false),
      daemonSets.strategic('web', image('i:2')),
      rest,
      allEnd,
      count(pods.path, 1),
      look('replaced'),
      readyOf('i:2'),
      ...rolledOut(1),
    ],
  },
  {
    name: 'daemon-set-update-waits',
    steps: [
      daemonSets.create(daemonSet({}, { tolerations: byHand.tolerations })),
      until(web, { 'status.numberAvailable': 3, 'status.currentNumberScheduled': 4 }),
      rest,
      daemonSets.strategic('web', image('i:2')),
      rest,
      allEnd,
      until(web, { 'status.updatedNumberScheduled': 1, 'status.currentNumberScheduled': 4 }),
      look('waits'),
      readyOf('i:2'),
      ...rolledOut(4),
    ],
  },
  {
    name: 'daemon-set-updated-twice',
    steps: [
      ...oneByHand({}, false),
      daemonSets.strategic('web', image('i:2')),
      rest,
      daemonSets.strategic('web', image('i:3')),
      rest,
      allEnd,
      rest,
      readyOf('i:3'),
      ...rolledOut(1),
    ],
  },
  {
    name: 'daemon-set-on-delete',
    steps: [
      ...created(onDelete),
      daemonSets.strategic('web', image('i:2')),
      observed(web),
      look('changed'),
      each(pods.path, (name) => [pods.delete(name)], 1),
      until(web, { 'status.updatedNumberScheduled': 1, 'status.numberAvailable': 3 }),
      look('one deleted'),
      daemonSets.merge('web', { spec: rollingWith(0, 1) }),
      ...rolledOut(3),
    ],
  },
  {
    name: 'daemon-set-min-ready',
    steps: [
      ...oneByHand({ minReadySeconds: 3600 }, true),
      look('ready'),
      daemonSets.merge('web', { spec: { minReadySeconds: 1 } }),
      ...rolledOut(1),
    ],
  },
  {
    name: 'daemon-set-history-limit',
    steps: [
      ...created({ revisionHistoryLimit: 1 }),
      ...updated('i:2'),
      ...updated('i:3'),
      look('third'),
      ...updated('i:4'),
    ],
  },
  { name: 'daemon-set-no-history', steps: [...created({ revisionHistoryLimit: 0 }), ...updated('i:2')] },
  { name: 'daemon-set-undone', steps: [...created(), ...updated('i:2'), look('second'), ...updated('i:1')] },
  {
    name: 'daemon-set-undone-by-revision',
    steps: [
      ...created(),
      ...updated('i:2'),
      // As kubectl rollout undo does.
      each(revisions.path, (_name, found) => [daemonSets.strategic('web', found['data'] as Json)], 1),
      ...rolledOut(3),
    ],
  },
  {
    name: 'daemon-set-restarted',
    steps: [
      ...created(rollingWith(0, 3)),
      daemonSets.strategic('web', {
        spec: { template: { metadata: { annotations: { 'kubectl.kubernetes.io/restartedAt': 'now' } } } },
      }),
      ...rolledOut(3),
    ],
  },
  {
    name: 'daemon-set-annotated',
    steps: [
      ...created({}, {}, { annotations: { 'kubernetes.io/change-cause': 'first', own: 'a' }, labels: { team: 'x' } }),
      daemonSets.merge('web', { metadata: { annotations: { own: 'b' } } }),
      rest,
      ...updated('i:2'),
    ],
  },
  {
    name: 'daemon-set-collision',
    steps: [
      ...created(),
      daemonSets.delete('web', 'propagationPolicy=Orphan'),
      gone(web),
      rest,
      each(revisions.path, (name, found) => [
        revisions.delete(name),
        revisions.create(
          object(
            'apps/v1',
            'ControllerRevision',
            name,
            { data: { spec: {} }, revision: 7 },
            { labels: { [hashLabel]: (valueAt(found, 'metadata.labels') as JsonObject)[hashLabel] as Json } },
          ),
        ),
      ]),
      daemonSets.create(daemonSet()),
      until(web, { 'status.collisionCount': 1 }),
      ...rolledOut(3),
    ],
  },
  {
    name: 'daemon-set-revision-deleted',
    steps: [...created(), each(revisions.path, (name) => [revisions.delete(name)]), count(revisions.path, 1)],
  },
  {
    name: 'daemon-set-adopts',
    steps: [
      ...created(),
      daemonSets.delete('web', 'propagationPolicy=Orphan'),
      gone(web),
      look('orphaned'),
      daemonSets.create(daemonSet()),
      ...rolledOut(3),
    ],
  },
  {
    name: 'daemon-set-adopts-pods',
    steps: [
      pods.create(pod('a', byHand)),
      rest,
      podIs('a', true),
      daemonSets.create(daemonSet(onDelete, byHand)),
      until(web, { 'status.numberReady': 1 }),
    ],
  },
  {
    name: 'daemon-set-releases',
    steps: [
      ...oneByHand({}, true),
      each(pods.path, (name) => [pods.merge(name, { metadata: { labels: { app: 'other' } } })]),
      count(pods.path, 2),
    ],
  },
  {
    name: 'daemon-set-pod-deleted',
    steps: [
      ...oneByHand({}, true),
      each(pods.path, (name) => [pods.delete(name)]),
      look('ending'),
      allEnd,
      until(web, { 'status.numberReady': 0, 'status.currentNumberScheduled': 1 }),
    ],
  },
  {
    name: 'daemon-set-failed-pod',
    steps: [
      ...oneByHand({}, true),
      finished('Failed'),
      rest,
      allEnd,
      until(web, { 'status.numberReady': 0, 'status.currentNumberScheduled': 1 }),
    ],
  },
  {
    name: 'daemon-set-succeeded-pod',
    steps: [
      ...oneByHand({}, true),
      finished('Succeeded'),
      rest,
      allEnd,
      until(web, { 'status.numberReady': 0, 'status.currentNumberScheduled': 1 }),
    ],
  },
  {
    name: 'daemon-set-quota',
    steps: [
      quotas.create(object('v1', 'ResourceQuota', 'few', { spec: { hard: { pods: '1' } } })),
      until(quotas.get('few').path, { 'status.hard.pods': '1' }),
      daemonSets.create(daemonSet()),
      until(web, { 'status.numberAvailable': 1, 'status.desiredNumberScheduled': 3 }),
      look('refused'),
      quotas.merge('few', { spec: { hard: { pods: '5' } } }),
      ...rolledOut(3),
    ],
  },
  {
    name: 'daemon-set-deleted-in-foreground',
    steps: [...created(), daemonSets.delete('web', 'propagationPolicy=Foreground'), gone(web)],
  },
  {
    name: 'daemon-set-deleted-in-background',
    steps: [...created(), daemonSets.delete('web', 'propagationPolicy=Background'), count(pods.path, 0)],
  },
]

/** No node has room: the pods wait, each for its node. */
function tooLarge(): readonly Act[] {
  const resources = { requests: { cpu: '100' } }
  return [
    daemonSets.create(daemonSet({}, { containers: [{ name: 'c', image: 'i:1', resources }] })),
    count(pods.path, 3),
    rest,
    look('pending'),
    daemonSets.strategic('web', {
      spec: { template: { spec: { containers: [{ name: 'c', resources: { requests: { cpu: '1m' } } }] } } },
    }),
    ...rolledOut(3),
  ]
}
