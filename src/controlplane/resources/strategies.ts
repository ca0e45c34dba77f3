/**
 * Strategy facts of every stable built-in resource, as upstream's registry has them: how it is named, whether
 * it counts generations, what a PUT may do, what a delete answers, which fields can be selected, which a
 * write cannot set. A resource that is not listed has the defaults of {@link StrategyFacts}.
 */
import type { NameRule, ResetFields } from '../registry/resource.ts'

export interface StrategyFacts {
  /** Default `subdomain`. */
  readonly name?: NameRule
  /**
   * Default `none`. `fixed`: 1 at creation and never more. Kinds whose rule is a function are in their
   * folder.
   */
  readonly generation?: 'none' | 'spec' | 'fixed'
  /** PUT to a missing name creates. Default no. */
  readonly createOnUpdate?: true
  /** PUT without resourceVersion is refused. Default: it overwrites. */
  readonly needsVersion?: true
  /** A delete answers with the object even when it is gone at once. Default no. */
  readonly returnsDeleted?: true
  /** The default propagation is Orphan. Default Background. */
  readonly orphans?: true
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
}

type StatusResets = 'spec' | 'spec+metadata' | 'spec+labels' | 'pod' | 'csr'

const rbac: StrategyFacts = { name: 'pathSegment', createOnUpdate: true }
const webhook: StrategyFacts = { generation: 'spec', needsVersion: true }
const workload: StrategyFacts = { generation: 'spec', status: 'spec' }
const eventFields = ['kind', 'namespace', 'name', 'uid', 'apiVersion', 'resourceVersion', 'fieldPath']

/** By plural name and group: `deployments.apps`, `pods`. */
export const strategies: Readonly<Record<string, StrategyFacts>> = {
  bindings: {},
  componentstatuses: {},
  configmaps: {},
  endpoints: {
    createOnUpdate: true,
    deprecation: 'v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice',
  },
  events: {
    createOnUpdate: true,
    selectable: [
      ...eventFields.map((field) => `involvedObject.${field}`),
      'reason',
      'reportingComponent',
      'source',
      'type',
    ],
  },
  limitranges: { createOnUpdate: true },
  namespaces: { name: 'label', returnsDeleted: true, selectable: ['status.phase'], status: 'spec' },
  nodes: { selectable: ['spec.unschedulable'], status: 'spec', keepsStatus: true },
  persistentvolumeclaims: { returnsDeleted: true, status: 'spec' },
  persistentvolumes: { returnsDeleted: true, status: 'spec' },
  pods: {
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
  replicationcontrollers: { ...workload, orphans: true, selectable: ['status.replicas'] },
  resourcequotas: { returnsDeleted: true, status: 'spec' },
  secrets: { selectable: ['type'] },
  serviceaccounts: { returnsDeleted: true },
  services: {
    name: 'label1035',
    createOnUpdate: true,
    returnsDeleted: true,
    selectable: ['spec.clusterIP', 'spec.type'],
    status: 'spec',
  },

  'apiservices.apiregistration.k8s.io': { needsVersion: true, status: 'spec+metadata' },

  'controllerrevisions.apps': {},
  'daemonsets.apps': workload,
  'deployments.apps': { generation: 'spec', status: 'spec+labels' },
  'replicasets.apps': workload,
  'statefulsets.apps': { ...workload, name: 'label' },

  'events.events.k8s.io': {
    createOnUpdate: true,
    selectable: [
      ...eventFields.map((field) => `regarding.${field}`),
      'reason',
      'reportingController',
      'type',
    ],
  },

  'horizontalpodautoscalers.autoscaling': { status: 'spec' },

  'cronjobs.batch': workload,
  'jobs.batch': { ...workload, orphans: true, selectable: ['status.successful'] },

  'certificatesigningrequests.certificates.k8s.io': {
    name: 'pathSegment',
    selectable: ['spec.signerName'],
    status: 'csr',
  },

  'ingressclasses.networking.k8s.io': { generation: 'spec' },
  'ingresses.networking.k8s.io': workload,
  'ipaddresses.networking.k8s.io': { name: 'pathSegment' },
  'networkpolicies.networking.k8s.io': { generation: 'spec' },
  'servicecidrs.networking.k8s.io': { status: 'spec', keepsStatus: true },

  'poddisruptionbudgets.policy': { ...workload, needsVersion: true },

  'clusterrolebindings.rbac.authorization.k8s.io': rbac,
  'clusterroles.rbac.authorization.k8s.io': rbac,
  'rolebindings.rbac.authorization.k8s.io': rbac,
  'roles.rbac.authorization.k8s.io': rbac,

  'csidrivers.storage.k8s.io': { needsVersion: true, returnsDeleted: true },
  'csinodes.storage.k8s.io': { needsVersion: true, returnsDeleted: true },
  'csistoragecapacities.storage.k8s.io': { needsVersion: true },
  'storageclasses.storage.k8s.io': { returnsDeleted: true },
  'volumeattachments.storage.k8s.io': { needsVersion: true, returnsDeleted: true, status: 'spec+metadata' },
  'volumeattributesclasses.storage.k8s.io': { returnsDeleted: true },

  'mutatingwebhookconfigurations.admissionregistration.k8s.io': webhook,
  'validatingadmissionpolicies.admissionregistration.k8s.io': { ...webhook, status: 'spec+metadata' },
  'validatingadmissionpolicybindings.admissionregistration.k8s.io': webhook,
  'validatingwebhookconfigurations.admissionregistration.k8s.io': webhook,

  'customresourcedefinitions.apiextensions.k8s.io': {
    generation: 'spec',
    needsVersion: true,
    status: 'spec+metadata',
  },

  'priorityclasses.scheduling.k8s.io': { generation: 'fixed' },
  'leases.coordination.k8s.io': { createOnUpdate: true, needsVersion: true },
  'runtimeclasses.node.k8s.io': { createOnUpdate: true, needsVersion: true },
  'endpointslices.discovery.k8s.io': { generation: 'spec' },

  'deviceclasses.resource.k8s.io': { generation: 'spec', returnsDeleted: true },
  'resourceclaims.resource.k8s.io': { returnsDeleted: true, status: 'spec+metadata' },
  'resourceclaimtemplates.resource.k8s.io': { returnsDeleted: true },
  'resourceslices.resource.k8s.io': {
    generation: 'spec',
    returnsDeleted: true,
    selectable: ['spec.nodeName', 'spec.driver'],
  },

  'flowschemas.flowcontrol.apiserver.k8s.io': { ...workload, status: 'spec+metadata' },
  'prioritylevelconfigurations.flowcontrol.apiserver.k8s.io': { ...workload, status: 'spec+metadata' },
}

const none: ResetFields = { main: [], status: [] }

const resets: Readonly<Record<StatusResets, ResetFields>> = {
  spec: { main: [['status']], status: [['spec']] },
  'spec+metadata': { main: [['status']], status: [['spec'], ['metadata']] },
  'spec+labels': { main: [['status']], status: [['spec'], ['metadata', 'labels']] },
  pod: {
    main: [['status']],
    status: [['spec'], ['metadata', 'deletionTimestamp'], ['metadata', 'ownerReferences']],
  },
  csr: { main: [['spec'], ['status']], status: [['spec'], ['status', 'conditions']] },
}

export function resetFieldsOf(facts: StrategyFacts): ResetFields {
  return facts.status === undefined ? none : resets[facts.status]
}
