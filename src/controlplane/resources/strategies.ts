/**
 * Strategy facts of every stable built-in resource, as upstream's registry has them: how it is named, whether
 * it counts generations, what a PUT may do, what a delete answers, which fields can be selected, which a
 * write cannot set. A resource that is not listed has the defaults of {@link StrategyFacts}.
 */
import type { MetadataSteps, NameRule, ResetFields } from '../contract/resource.ts'

export interface StrategyFacts {
  /** Default `subdomain`. */
  readonly name?: NameRule
  /**
   * Default `none`. `fixed`: 1 at creation and never more. Kinds whose rule is a function are in their
   * folder.
   */
  readonly generation?: 'none' | 'spec' | 'fixed'
  /** The first change of the spec makes generation 1. Default: the creation does. */
  readonly startsWithoutGeneration?: true
  /** PUT to a missing name creates. Default no. */
  readonly createOnUpdate?: true
  /** PUT without resourceVersion is refused. Default: it overwrites. */
  readonly needsVersion?: true
  /** A delete answers with the object even when it is gone at once. Default no. */
  readonly returnsDeleted?: true
  /** The default propagation is Orphan. Default Background. */
  readonly orphans?: true
  /** The group under which validation names the kind. Default: its own. */
  readonly errorGroup?: string
  /** Lists come from storage and not from a cache. */
  readonly uncached?: true
  /** Propagation policies have no effect. */
  readonly ignoresDependents?: true
  /** Told to who deletes without saying what shall become of dependents. */
  readonly deleteWarning?: string
  readonly selectable?: readonly string[]
  /**
   * What the status subresource cannot set. Present means that the kind has a status which the main resource
   * cannot set, and which is cleared at creation unless `keepsStatus`.
   */
  readonly status?: StatusResets
  /** Warned of on every request. */
  readonly deprecation?: string
  /** A status given at creation is kept: nodes register with theirs. */
  readonly keepsStatus?: true
  /** The main resource writes the status too. */
  readonly opensStatus?: true
  /** How often and where the kind's validation checks metadata. Default {@link once}. */
  readonly metadata?: MetadataSteps
}

type StatusResets = 'spec' | 'spec, keeping metadata' | 'spec+metadata' | 'spec+labels' | 'pod' | 'csr'

export const once: MetadataSteps = { create: ['full', 'own'], update: ['change', 'own'], status: ['change', 'own'] }
const twice: MetadataSteps = { ...once, update: ['change', 'full', 'own'] }
const around: MetadataSteps = { ...once, update: ['full', 'own', 'change'] }
const fullOnly: MetadataSteps = { ...once, update: ['full', 'own'] }
const never: MetadataSteps = { create: ['own'], update: ['own'], status: ['own'] }
const plain: MetadataSteps = { create: ['plain', 'own'], update: ['plain', 'own'], status: ['plain', 'own'] }

const rbac: StrategyFacts = { metadata: around, name: 'pathSegment', createOnUpdate: true }
const webhook: StrategyFacts = { metadata: plain, generation: 'spec', needsVersion: true }
const workload: StrategyFacts = { generation: 'spec', status: 'spec' }
const eventFields = ['kind', 'namespace', 'name', 'uid', 'apiVersion', 'resourceVersion', 'fieldPath']

/** By plural name and group: `deployments.apps`, `pods`. */
export const strategies: Readonly<Record<string, StrategyFacts>> = {
  bindings: {},
  componentstatuses: {},
  configmaps: {},
  endpoints: {
    metadata: twice,
    createOnUpdate: true,
    deprecation: 'v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice',
  },
  events: {
    uncached: true,
    ignoresDependents: true,
    metadata: never,
    createOnUpdate: true,
    selectable: [
      ...eventFields.map((field) => `involvedObject.${field}`),
      'reason',
      'reportingComponent',
      'source',
      'type',
    ],
  },
  limitranges: { metadata: fullOnly, createOnUpdate: true },
  namespaces: { metadata: around, name: 'label', returnsDeleted: true, selectable: ['status.phase'], status: 'spec' },
  nodes: { metadata: fullOnly, selectable: ['spec.unschedulable'], status: 'spec', keepsStatus: true },
  persistentvolumeclaims: { metadata: twice, returnsDeleted: true, status: 'spec' },
  persistentvolumes: { metadata: fullOnly, returnsDeleted: true, status: 'spec' },
  pods: {
    metadata: twice,
    generation: 'spec',
    returnsDeleted: true,
    status: 'pod',
    selectable: [
      'spec.nodeName',
      'spec.restartPolicy',
      'spec.schedulerName',
      'spec.serviceAccountName',
      'spec.hostNetwork',
      'status.phase',
      'status.podIP',
      'status.podIPs',
      'status.nominatedNodeName',
    ],
  },
  podtemplates: { generation: 'spec', returnsDeleted: true },
  replicationcontrollers: {
    metadata: { ...once, create: ['fullButPrefix', 'own'] },
    ...workload,
    orphans: true,
    selectable: ['status.replicas'],
  },
  resourcequotas: { returnsDeleted: true, status: 'spec' },
  secrets: { selectable: ['type'] },
  serviceaccounts: { metadata: twice, returnsDeleted: true },
  services: {
    name: 'label1035',
    createOnUpdate: true,
    returnsDeleted: true,
    selectable: ['spec.clusterIP', 'spec.type'],
    status: 'spec',
  },

  'apiservices.apiregistration.k8s.io': {
    name: 'own',
    metadata: { create: ['own'], update: ['plainChange', 'own'], status: plain.status },
    needsVersion: true,
    status: 'spec+metadata',
  },

  'controllerrevisions.apps': { metadata: twice },
  'daemonsets.apps': workload,
  'deployments.apps': { generation: 'spec', status: 'spec+labels' },
  'replicasets.apps': workload,
  'statefulsets.apps': { ...workload, name: 'label' },

  'events.events.k8s.io': {
    errorGroup: '',
    uncached: true,
    metadata: never,
    ignoresDependents: true,
    createOnUpdate: true,
    selectable: [...eventFields.map((field) => `regarding.${field}`), 'reason', 'reportingController', 'type'],
  },

  'horizontalpodautoscalers.autoscaling': { status: 'spec' },

  'cronjobs.batch': { ...workload, metadata: { ...once, status: ['own'] } },
  'jobs.batch': {
    ...workload,
    metadata: fullOnly,
    orphans: true,
    selectable: ['status.successful'],
    deleteWarning:
      'child pods are preserved by default when jobs are deleted; set propagationPolicy=Background to remove them or ' +
      'set propagationPolicy=Orphan to suppress this warning',
  },

  'certificatesigningrequests.certificates.k8s.io': {
    metadata: { ...around, status: around.update },
    name: 'pathSegment',
    selectable: ['spec.signerName'],
    status: 'csr',
  },

  'ingressclasses.networking.k8s.io': { generation: 'spec' },
  'ingresses.networking.k8s.io': { ...workload, metadata: twice },
  'ipaddresses.networking.k8s.io': { metadata: never, name: 'own' },
  'networkpolicies.networking.k8s.io': { metadata: fullOnly, generation: 'spec' },
  'servicecidrs.networking.k8s.io': { status: 'spec, keeping metadata', keepsStatus: true, opensStatus: true },

  'poddisruptionbudgets.policy': { metadata: never, ...workload, needsVersion: true },

  'clusterrolebindings.rbac.authorization.k8s.io': { ...rbac, metadata: fullOnly },
  'clusterroles.rbac.authorization.k8s.io': rbac,
  'rolebindings.rbac.authorization.k8s.io': { ...rbac, metadata: fullOnly },
  'roles.rbac.authorization.k8s.io': rbac,

  'csidrivers.storage.k8s.io': { startsWithoutGeneration: true, needsVersion: true, returnsDeleted: true },
  'csinodes.storage.k8s.io': { metadata: fullOnly, needsVersion: true, returnsDeleted: true },
  'csistoragecapacities.storage.k8s.io': { metadata: fullOnly, needsVersion: true },
  'storageclasses.storage.k8s.io': { metadata: fullOnly, returnsDeleted: true },
  'volumeattachments.storage.k8s.io': {
    metadata: fullOnly,
    needsVersion: true,
    returnsDeleted: true,
    status: 'spec+metadata',
  },
  'volumeattributesclasses.storage.k8s.io': { returnsDeleted: true },

  'mutatingwebhookconfigurations.admissionregistration.k8s.io': webhook,
  'validatingadmissionpolicies.admissionregistration.k8s.io': { ...webhook, status: 'spec+metadata' },
  'validatingadmissionpolicybindings.admissionregistration.k8s.io': webhook,
  'validatingwebhookconfigurations.admissionregistration.k8s.io': webhook,

  'customresourcedefinitions.apiextensions.k8s.io': {
    metadata: { ...plain, update: ['plainChange', 'own'] },
    generation: 'spec',
    needsVersion: true,
    status: 'spec+metadata',
  },

  'priorityclasses.scheduling.k8s.io': { generation: 'fixed' },
  'leases.coordination.k8s.io': {
    metadata: { ...plain, update: ['plainChange', 'own'] },
    createOnUpdate: true,
    needsVersion: true,
  },
  'runtimeclasses.node.k8s.io': { metadata: plain, createOnUpdate: true, needsVersion: true },
  'endpointslices.discovery.k8s.io': { metadata: fullOnly, generation: 'spec' },

  'deviceclasses.resource.k8s.io': {
    metadata: { ...once, create: ['fullButPrefix', 'own'], update: ['fullButPrefix', 'change', 'own'] },
    generation: 'spec',
    returnsDeleted: true,
  },
  'resourceclaims.resource.k8s.io': {
    metadata: { ...once, update: ['full', 'change', 'own'] },
    returnsDeleted: true,
    status: 'spec+metadata',
  },
  'resourceclaimtemplates.resource.k8s.io': { metadata: fullOnly, returnsDeleted: true },
  'resourceslices.resource.k8s.io': {
    generation: 'fixed',
    returnsDeleted: true,
    selectable: ['spec.nodeName', 'spec.driver'],
  },

  'flowschemas.flowcontrol.apiserver.k8s.io': { metadata: fullOnly, ...workload, status: 'spec+metadata' },
  'prioritylevelconfigurations.flowcontrol.apiserver.k8s.io': {
    metadata: fullOnly,
    ...workload,
    status: 'spec+metadata',
  },
}

const none: ResetFields = { main: [], status: [] }

const resets: Readonly<Record<StatusResets, ResetFields>> = {
  spec: { main: [['status']], status: [['spec']] },
  'spec, keeping metadata': { main: [['status']], status: [['spec']] },
  'spec+metadata': { main: [['status']], status: [['spec'], ['metadata']] },
  'spec+labels': { main: [['status']], status: [['spec'], ['metadata', 'labels']] },
  pod: {
    main: [['status']],
    status: [['spec'], ['metadata', 'deletionTimestamp'], ['metadata', 'ownerReferences']],
  },
  csr: { main: [['spec'], ['status']], status: [['spec'], ['status', 'conditions']] },
}

export function resetFieldsOf(facts: StrategyFacts): ResetFields {
  if (facts.status === undefined) return none
  const found = resets[facts.status]
  return facts.opensStatus === true ? { ...found, main: [] } : found
}
