/** What is left out of a comparison, and why: no more than differs between two runs on the same real cluster. */
import type { Json } from '../../src/api/json.ts'

export interface Rule {
  readonly what: string
  readonly why: string
}

/** As docs/internals/scenarios.md tells them. */
export const rules: readonly Rule[] = [
  {
    what:
      'times are `TIME`; uids are `uid of KIND NAME`; addresses of pods and Services are `IP of …` and ' +
      '`cluster IP`',
    why: 'they are of one run',
  },
  {
    what: 'random endings of names are `*`, hashes of templates are the revision: `web-#2-*`',
    why: 'they are random, or hashes of Go structures in memory',
  },
  {
    what: 'objects with such names stand together, each different one once, with how many there are',
    why: 'they have no order',
  },
  {
    what: 'resourceVersion, managedFields, creationTimestamp; generation, but for Deployments and disruption budgets',
    why: 'they tell how many writes there were and when; that observedGeneration is current is compared',
  },
  { what: 'conditions, endpoints, addresses, ports and taints have no order', why: 'the API defines none' },
  {
    what: '`node-1` to `node-3` are `node-N`, unless a scenario says that places count',
    why: 'the real scheduler throws dice among equals',
  },
  {
    what: "of a pod's status: what a kubelet says, but for phase and Ready",
    why: 'kwok is none either; test/kubectl and src/kubelet look at ours',
  },
  { what: 'events of kubelets and of kwok', why: 'as above' },
  {
    what: 'how often an event comes that tells of a failed attempt, or of each look at an object',
    why: 'how many there are depends on how long one waits; the texts are compared',
  },
  {
    what: 'when endpoints were last changed (`last-change-trigger-time`), of a headless Service without ports',
    why: 'upstream makes such a slice anew whenever it looks again, and then without it',
  },
  {
    what: "fields that have the server's default value are not written down",
    why: 'to keep records short; the differential suite compares them',
  },
  {
    what:
      'the namespace, its default service account and its root certificate are written down only where they ' +
      'are unusual or absent',
    why: 'they are in every namespace',
  },
]

/** Kinds whose generation only users raise; others count how many steps a controller took. */
export const usersOwn: ReadonlySet<string> = new Set(['Deployment', 'PodDisruptionBudget'])

/** A pod's conditions that its kubelet writes; Ready is compared. */
export const kubeletConditions: ReadonlySet<string> = new Set([
  'PodReadyToStartContainers',
  'Initialized',
  'ContainersReady',
])

/** Components whose events are not compared. */
export const notCompared: ReadonlySet<string> = new Set(['kubelet', 'kwok', 'kwok_controller'])

/** Reasons of events that come with every attempt, or with every look at an object. */
export const retried: readonly string[] = [
  'FailedCreate',
  'FailedScheduling',
  'FailedToCreateEndpoint',
  'FailedToUpdateEndpointSlices',
  'ReplicaSetCreateError',
  'NoPods',
  'UnmanagedPods',
]

/** By the field's name, wherever it stands; members by name. */
export const defaults: Readonly<Record<string, Json>> = {
  automountServiceAccountToken: false,
  dnsPolicy: 'ClusterFirst',
  enableServiceLinks: true,
  imagePullPolicy: 'IfNotPresent',
  internalTrafficPolicy: 'Cluster',
  ipFamilies: ['IPv4'],
  ipFamilyPolicy: 'SingleStack',
  loadBalancer: {},
  minReadySeconds: 0,
  preemptionPolicy: 'PreemptLowerPriority',
  priority: 0,
  progressDeadlineSeconds: 600,
  resources: {},
  restartPolicy: 'Always',
  revisionHistoryLimit: 10,
  schedulerName: 'default-scheduler',
  securityContext: {},
  serviceAccount: 'default',
  serviceAccountName: 'default',
  sessionAffinity: 'None',
  terminationGracePeriodSeconds: 1,
  terminationMessagePath: '/dev/termination-log',
  terminationMessagePolicy: 'File',
  tolerations: [
    { effect: 'NoExecute', key: 'node.kubernetes.io/not-ready', operator: 'Exists', tolerationSeconds: 300 },
    { effect: 'NoExecute', key: 'node.kubernetes.io/unreachable', operator: 'Exists', tolerationSeconds: 300 },
  ],
  type: 'ClusterIP',
}
