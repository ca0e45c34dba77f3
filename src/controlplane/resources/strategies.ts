/**
 * The strategy of every stable built-in resource as a table, taken from upstream's registry: name rule, generation,
 * what a PUT may do, what a delete returns, selectable fields, and fields that a write cannot set. A resource that is
 * not listed has the defaults of {@link ListedStrategy}.
 */
import type { MetadataSteps, ResetFields, Strategy } from '../contract/resource.ts'

/** The part of a {@link Strategy} that is a table. Missing members have the default of most kinds. */
type Listed = Pick<
  Strategy,
  | 'nameRule'
  | 'metadataSteps'
  | 'startsWithoutGeneration'
  | 'allowCreateOnUpdate'
  | 'allowUnconditionalUpdate'
  | 'deleteReturnsObject'
  | 'defaultPropagation'
  | 'errorGroup'
  | 'uncached'
  | 'deleteWarning'
  | 'selectableFields'
  | 'deprecation'
  | 'opensStatus'
  | 'sharesSpec'
>

export interface ListedStrategy extends Partial<Listed> {
  /** Default `none`. `fixed`: always 1. Kinds with a function for it have that in their folder. */
  readonly generation?: 'none' | 'spec' | 'fixed'
  /**
   * The fields that a status update cannot set. If present, the kind has a status that the main resource cannot set,
   * and that a create clears, unless `keepsStatus`.
   */
  readonly status?: StatusResets
  /** A create keeps the status: nodes register with theirs. */
  readonly keepsStatus?: true
}

type StatusResets = 'spec' | 'spec, keeping metadata' | 'spec+metadata' | 'spec+labels' | 'pod' | 'csr'

export const once: MetadataSteps = { create: ['full', 'own'], update: ['change', 'own'], status: ['change', 'own'] }
const twice: MetadataSteps = { ...once, update: ['change', 'full', 'own'] }
const around: MetadataSteps = { ...once, update: ['full', 'own', 'change'] }
const fullOnly: MetadataSteps = { ...once, update: ['full', 'own'] }
const never: MetadataSteps = { create: ['own'], update: ['own'], status: ['own'] }
const plain: MetadataSteps = { create: ['plain', 'own'], update: ['plain', 'own'], status: ['plain', 'own'] }

const rbac: ListedStrategy = { metadataSteps: around, nameRule: 'pathSegment', allowCreateOnUpdate: true }
const webhook: ListedStrategy = { metadataSteps: plain, generation: 'spec', allowUnconditionalUpdate: false }
const workload: ListedStrategy = { generation: 'spec', status: 'spec' }
const eventFields = ['kind', 'namespace', 'name', 'uid', 'apiVersion', 'resourceVersion', 'fieldPath']

/** By plural name and group: `deployments.apps`, `pods`. */
export const strategies: Readonly<Record<string, ListedStrategy>> = {
  bindings: {},
  componentstatuses: {},
  configmaps: {},
  endpoints: {
    metadataSteps: twice,
    allowCreateOnUpdate: true,
    deprecation: 'v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice',
  },
  events: {
    uncached: true,
    defaultPropagation: 'None',
    metadataSteps: never,
    allowCreateOnUpdate: true,
    selectableFields: [
      ...eventFields.map((field) => `involvedObject.${field}`),
      'reason',
      'reportingComponent',
      'source',
      'type',
    ],
  },
  limitranges: { metadataSteps: fullOnly, allowCreateOnUpdate: true },
  namespaces: {
    metadataSteps: around,
    nameRule: 'label',
    deleteReturnsObject: true,
    selectableFields: ['status.phase'],
    status: 'spec',
  },
  nodes: { metadataSteps: fullOnly, selectableFields: ['spec.unschedulable'], status: 'spec', keepsStatus: true },
  persistentvolumeclaims: { metadataSteps: twice, deleteReturnsObject: true, status: 'spec' },
  persistentvolumes: { metadataSteps: fullOnly, deleteReturnsObject: true, status: 'spec' },
  pods: {
    metadataSteps: twice,
    generation: 'spec',
    deleteReturnsObject: true,
    status: 'pod',
    sharesSpec: 'status',
    selectableFields: [
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
  podtemplates: { generation: 'spec', deleteReturnsObject: true },
  replicationcontrollers: {
    metadataSteps: { ...once, create: ['fullButPrefix', 'own'] },
    ...workload,
    defaultPropagation: 'Orphan',
    selectableFields: ['status.replicas'],
  },
  resourcequotas: { deleteReturnsObject: true, status: 'spec' },
  secrets: { selectableFields: ['type'] },
  serviceaccounts: { metadataSteps: twice, deleteReturnsObject: true },
  services: {
    nameRule: 'label1035',
    allowCreateOnUpdate: true,
    deleteReturnsObject: true,
    selectableFields: ['spec.clusterIP', 'spec.type'],
    status: 'spec',
  },

  'apiservices.apiregistration.k8s.io': {
    nameRule: 'own',
    metadataSteps: { create: ['own'], update: ['plainChange', 'own'], status: plain.status },
    allowUnconditionalUpdate: false,
    status: 'spec+metadata',
  },

  'controllerrevisions.apps': { metadataSteps: twice },
  'daemonsets.apps': workload,
  'deployments.apps': { generation: 'spec', status: 'spec+labels' },
  'replicasets.apps': workload,
  'statefulsets.apps': { ...workload, nameRule: 'label' },

  'events.events.k8s.io': {
    errorGroup: '',
    uncached: true,
    metadataSteps: never,
    defaultPropagation: 'None',
    allowCreateOnUpdate: true,
    selectableFields: [...eventFields.map((field) => `regarding.${field}`), 'reason', 'reportingController', 'type'],
  },

  'horizontalpodautoscalers.autoscaling': { status: 'spec' },

  'cronjobs.batch': { ...workload, metadataSteps: { ...once, status: ['own'] } },
  'jobs.batch': {
    ...workload,
    metadataSteps: fullOnly,
    defaultPropagation: 'Orphan',
    selectableFields: ['status.successful'],
    deleteWarning:
      'child pods are preserved by default when jobs are deleted; set propagationPolicy=Background to remove them or ' +
      'set propagationPolicy=Orphan to suppress this warning',
  },

  'certificatesigningrequests.certificates.k8s.io': {
    metadataSteps: { ...around, status: around.update },
    nameRule: 'pathSegment',
    selectableFields: ['spec.signerName'],
    status: 'csr',
  },

  'ingressclasses.networking.k8s.io': { generation: 'spec' },
  'ingresses.networking.k8s.io': { ...workload, metadataSteps: twice },
  'ipaddresses.networking.k8s.io': { metadataSteps: never, nameRule: 'own' },
  'networkpolicies.networking.k8s.io': { metadataSteps: fullOnly, generation: 'spec' },
  'servicecidrs.networking.k8s.io': { status: 'spec, keeping metadata', keepsStatus: true, opensStatus: true },

  'poddisruptionbudgets.policy': { metadataSteps: never, ...workload, allowUnconditionalUpdate: false },

  'clusterrolebindings.rbac.authorization.k8s.io': { ...rbac, metadataSteps: fullOnly },
  'clusterroles.rbac.authorization.k8s.io': rbac,
  'rolebindings.rbac.authorization.k8s.io': { ...rbac, metadataSteps: fullOnly },
  'roles.rbac.authorization.k8s.io': rbac,

  'csidrivers.storage.k8s.io': {
    startsWithoutGeneration: true,
    allowUnconditionalUpdate: false,
    deleteReturnsObject: true,
  },
  'csinodes.storage.k8s.io': { metadataSteps: fullOnly, allowUnconditionalUpdate: false, deleteReturnsObject: true },
  'csistoragecapacities.storage.k8s.io': { metadataSteps: fullOnly, allowUnconditionalUpdate: false },
  'storageclasses.storage.k8s.io': { metadataSteps: fullOnly, deleteReturnsObject: true },
  'volumeattachments.storage.k8s.io': {
    metadataSteps: fullOnly,
    allowUnconditionalUpdate: false,
    deleteReturnsObject: true,
    status: 'spec+metadata',
  },
  'volumeattributesclasses.storage.k8s.io': { deleteReturnsObject: true },

  'mutatingadmissionpolicies.admissionregistration.k8s.io': webhook,
  'mutatingadmissionpolicybindings.admissionregistration.k8s.io': webhook,
  'mutatingwebhookconfigurations.admissionregistration.k8s.io': webhook,
  'validatingadmissionpolicies.admissionregistration.k8s.io': { ...webhook, status: 'spec+metadata' },
  'validatingadmissionpolicybindings.admissionregistration.k8s.io': webhook,
  'validatingwebhookconfigurations.admissionregistration.k8s.io': webhook,

  'customresourcedefinitions.apiextensions.k8s.io': {
    metadataSteps: { ...plain, update: ['plainChange', 'own'] },
    generation: 'spec',
    allowUnconditionalUpdate: false,
    status: 'spec+metadata',
  },

  'priorityclasses.scheduling.k8s.io': { generation: 'fixed' },
  'leases.coordination.k8s.io': {
    metadataSteps: { ...plain, update: ['plainChange', 'own'] },
    allowCreateOnUpdate: true,
    allowUnconditionalUpdate: false,
  },
  'runtimeclasses.node.k8s.io': { metadataSteps: plain, allowCreateOnUpdate: true, allowUnconditionalUpdate: false },
  'endpointslices.discovery.k8s.io': { metadataSteps: fullOnly, generation: 'spec' },

  'deviceclasses.resource.k8s.io': {
    metadataSteps: { ...once, create: ['fullButPrefix', 'own'], update: ['fullButPrefix', 'change', 'own'] },
    generation: 'spec',
    deleteReturnsObject: true,
  },
  'resourceclaims.resource.k8s.io': {
    metadataSteps: { ...once, update: ['full', 'change', 'own'] },
    deleteReturnsObject: true,
    status: 'spec+metadata',
  },
  'resourceclaimtemplates.resource.k8s.io': { metadataSteps: fullOnly, deleteReturnsObject: true },
  'resourceslices.resource.k8s.io': {
    generation: 'fixed',
    deleteReturnsObject: true,
    selectableFields: ['spec.nodeName', 'spec.driver'],
  },

  'flowschemas.flowcontrol.apiserver.k8s.io': { metadataSteps: fullOnly, ...workload, status: 'spec+metadata' },
  'prioritylevelconfigurations.flowcontrol.apiserver.k8s.io': {
    metadataSteps: fullOnly,
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

export function resetFieldsOf(facts: ListedStrategy): ResetFields {
  if (facts.status === undefined) return none
  const found = resets[facts.status]
  return facts.opensStatus === true ? { ...found, main: [] } : found
}
