/** The exceptions of a comparison, with reasons: only values that differ between two runs on the same real cluster. */
import type { Json } from '../../src/api/json.ts'

export interface Rule {
  readonly what: string
  readonly why: string
}

/** Listed in docs/internals/scenarios.md. */
export const rules: readonly Rule[] = [
  {
    what:
      'times are `TIME`; uids are `uid of KIND NAME`; addresses of pods and Services are `IP of …` and ' +
      '`cluster IP`',
    why: 'they differ in every run',
  },
  {
    what: 'random endings of names are `*`, hashes of templates are the revision: `web-#2-*`',
    why: 'they are random, or hashes of Go structures in memory',
  },
  {
    what:
      'issued certificates are shown as their subject, names, usages, extensions and duration; certificate requests ' +
      'are `CERTIFICATE REQUEST`',
    why: 'keys, serial numbers and signatures are random; the requests are constants of the scenarios',
  },
  {
    what: 'objects with such names are grouped: each distinct one once, with a count',
    why: 'they have no order',
  },
  {
    what: 'resourceVersion, managedFields, creationTimestamp; generation, except of Deployments and disruption budgets',
    why: 'they depend on the number and time of writes; whether observedGeneration is current is compared',
  },
  { what: 'conditions, endpoints, addresses, ports and taints have no order', why: 'the API defines none' },
  {
    what: '`node-1` to `node-3` are `node-N`, unless a scenario says that placement counts',
    why: 'the real scheduler chooses among equals at random',
  },
  {
    what: 'the part of a pod’s status that a kubelet writes, except phase and Ready; Ready of pods that completed',
    why: 'kwok is not a kubelet either; test/kubectl and src/kubelet test ours',
  },
  { what: 'events of kubelets and of kwok', why: 'as above' },
  {
    what: 'the count of events that are repeated with every failed attempt or every check of an object',
    why: 'it depends on how long the test waits; the messages are compared',
  },
  {
    what: '`last-change-trigger-time` of the endpoints of a headless Service without ports',
    why: 'upstream recreates such a slice at every check, then without it',
  },
  {
    what: 'fields with the server’s default value are not recorded',
    why: 'to keep recordings short; the differential suite compares them',
  },
  {
    what:
      'the namespace, its default service account and its root certificate are recorded only if they are ' +
      'unusual or absent',
    why: 'every namespace has them',
  },
]

/** Kinds whose generation only users increase; that of other kinds depends on the writes of controllers. */
export const usersOwn: ReadonlySet<string> = new Set(['Deployment', 'PodDisruptionBudget'])

/** Conditions of a pod that its kubelet writes. Ready is compared nevertheless. */
export const kubeletConditions: ReadonlySet<string> = new Set([
  'PodReadyToStartContainers',
  'Initialized',
  'ContainersReady',
])

/** Components whose events are not compared. */
export const notCompared: ReadonlySet<string> = new Set(['kubelet', 'kwok', 'kwok_controller'])

/** Reasons of events that are emitted again with every attempt or sync. */
export const retried: readonly string[] = [
  'FailedCreate',
  'FailedScheduling',
  'FailedToCreateEndpoint',
  'FailedToUpdateEndpointSlices',
  'ReplicaSetCreateError',
  'NoPods',
  'UnmanagedPods',
  'UnexpectedJob',
  'ExternalProvisioning',
  'FailedBinding',
  'ProvisioningFailed',
  'VolumeMismatch',
  'WaitForFirstConsumer',
]

/** Default values by field name, at any depth; sorted by name. */
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
