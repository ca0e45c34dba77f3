/**
 * The strategies of the kind folders, by plural name and group as in `strategies.ts`. Functions, so that a strategy is
 * loaded only when it is used: the command line must start fast.
 */
import { apiService } from './api-service/index.ts'
import { certificateSigningRequest } from './certificate-signing-request/index.ts'
import { configMap } from './config-map/index.ts'
import { controllerRevision } from './controller-revision/index.ts'
import { cronJob } from './cron-job/index.ts'
import { csiDriver, csiNode, csiStorageCapacity, volumeAttachment } from './csi-driver/index.ts'
import { daemonSet } from './daemon-set/index.ts'
import { deviceClass, resourceClaim, resourceClaimTemplate } from './device-claim/index.ts'
import { deployment } from './deployment/index.ts'
import { endpointSlice } from './endpoint-slice/index.ts'
import { endpoints } from './endpoints/index.ts'
import { coreEvent, eventsEvent } from './event/index.ts'
import { flowSchema, priorityLevelConfiguration } from './flow-schema/index.ts'
import { horizontalPodAutoscaler } from './horizontal-pod-autoscaler/index.ts'
import { ingress, ingressClass } from './ingress/index.ts'
import { ipAddress } from './ip-address/index.ts'
import { job } from './job/index.ts'
import type { KindStrategy } from './kind-strategy.ts'
import { lease } from './lease/index.ts'
import { limitRange } from './limit-range/index.ts'
import { namespace } from './namespace/index.ts'
import { networkPolicy } from './network-policy/index.ts'
import { node } from './node/index.ts'
import { persistentVolumeClaim } from './persistent-volume-claim/index.ts'
import { persistentVolume } from './persistent-volume/index.ts'
import { podDisruptionBudget } from './pod-disruption-budget/index.ts'
import { podTemplate } from './pod-template/index.ts'
import { pod } from './pod/index.ts'
import { priorityClass } from './priority-class/index.ts'
import { replicaSet } from './replica-set/index.ts'
import { replicationController } from './replication-controller/index.ts'
import { resourceQuota } from './resource-quota/index.ts'
import { resourceSlice } from './resource-slice/index.ts'
import { clusterRoleBinding, roleBinding } from './role-binding/index.ts'
import { clusterRole, role } from './role/index.ts'
import { runtimeClass } from './runtime-class/index.ts'
import { secret } from './secret/index.ts'
import { serviceAccount } from './service-account/index.ts'
import { serviceCidr } from './service-cidr/index.ts'
import { service } from './service/index.ts'
import { statefulSet } from './stateful-set/index.ts'
import { storageClass, volumeAttributesClass } from './storage-class/index.ts'
import { mutatingAdmissionPolicy, mutatingAdmissionPolicyBinding } from './mutating-admission-policy/index.ts'
import { validatingAdmissionPolicy, validatingAdmissionPolicyBinding } from './validating-admission-policy/index.ts'
import { mutatingWebhookConfiguration, validatingWebhookConfiguration } from './webhook-configuration/index.ts'

export const kinds: Readonly<Record<string, () => KindStrategy>> = {
  configmaps: () => configMap,
  endpoints: () => endpoints,
  events: () => coreEvent,
  limitranges: () => limitRange,
  namespaces: () => namespace,
  nodes: () => node,
  persistentvolumeclaims: () => persistentVolumeClaim,
  persistentvolumes: () => persistentVolume,
  pods: () => pod,
  podtemplates: () => podTemplate,
  replicationcontrollers: () => replicationController,
  resourcequotas: () => resourceQuota,
  secrets: () => secret,
  serviceaccounts: () => serviceAccount,
  services: () => service,
  'controllerrevisions.apps': () => controllerRevision,
  'daemonsets.apps': () => daemonSet,
  'deployments.apps': () => deployment,
  'replicasets.apps': () => replicaSet,
  'statefulsets.apps': () => statefulSet,
  'events.events.k8s.io': () => eventsEvent,
  'horizontalpodautoscalers.autoscaling': () => horizontalPodAutoscaler,
  'cronjobs.batch': () => cronJob,
  'jobs.batch': () => job,
  'certificatesigningrequests.certificates.k8s.io': () => certificateSigningRequest,
  'apiservices.apiregistration.k8s.io': () => apiService,
  'ipaddresses.networking.k8s.io': () => ipAddress,
  'servicecidrs.networking.k8s.io': () => serviceCidr,
  'ingressclasses.networking.k8s.io': () => ingressClass,
  'ingresses.networking.k8s.io': () => ingress,
  'networkpolicies.networking.k8s.io': () => networkPolicy,
  'poddisruptionbudgets.policy': () => podDisruptionBudget,
  'clusterrolebindings.rbac.authorization.k8s.io': () => clusterRoleBinding,
  'clusterroles.rbac.authorization.k8s.io': () => clusterRole,
  'rolebindings.rbac.authorization.k8s.io': () => roleBinding,
  'roles.rbac.authorization.k8s.io': () => role,
  'csidrivers.storage.k8s.io': () => csiDriver,
  'csinodes.storage.k8s.io': () => csiNode,
  'csistoragecapacities.storage.k8s.io': () => csiStorageCapacity,
  'storageclasses.storage.k8s.io': () => storageClass,
  'volumeattachments.storage.k8s.io': () => volumeAttachment,
  'volumeattributesclasses.storage.k8s.io': () => volumeAttributesClass,
  'mutatingadmissionpolicies.admissionregistration.k8s.io': () => mutatingAdmissionPolicy,
  'mutatingadmissionpolicybindings.admissionregistration.k8s.io': () => mutatingAdmissionPolicyBinding,
  'mutatingwebhookconfigurations.admissionregistration.k8s.io': () => mutatingWebhookConfiguration,
  'validatingadmissionpolicies.admissionregistration.k8s.io': () => validatingAdmissionPolicy,
  'validatingadmissionpolicybindings.admissionregistration.k8s.io': () => validatingAdmissionPolicyBinding,
  'validatingwebhookconfigurations.admissionregistration.k8s.io': () => validatingWebhookConfiguration,
  'deviceclasses.resource.k8s.io': () => deviceClass,
  'resourceclaims.resource.k8s.io': () => resourceClaim,
  'resourceclaimtemplates.resource.k8s.io': () => resourceClaimTemplate,
  'resourceslices.resource.k8s.io': () => resourceSlice,
  'priorityclasses.scheduling.k8s.io': () => priorityClass,
  'leases.coordination.k8s.io': () => lease,
  'runtimeclasses.node.k8s.io': () => runtimeClass,
  'endpointslices.discovery.k8s.io': () => endpointSlice,
  'flowschemas.flowcontrol.apiserver.k8s.io': () => flowSchema,
  'prioritylevelconfigurations.flowcontrol.apiserver.k8s.io': () => priorityLevelConfiguration,
}
