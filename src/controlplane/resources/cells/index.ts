/** Which cells belong to which resource. One that is not listed shows its name and creation time. */
import {
  claimCells, componentStatusCells, configMapCells, eventCells, leaseCells, nameAndAge, namespaceCells, nodeCells,
  resourceQuotaCells, secretCells, volumeCells,
} from './core.ts'
import {
  admissionPolicyBindingCells, admissionPolicyCells, apiServiceCells, certificateRequestCells, csiDriverCells,
  csiNodeCells, flowSchemaCells, priorityClassCells, priorityLevelCells, resourceClaimCells, resourceSliceCells,
  roleBindingCells, runtimeClassCells, storageClassCells, volumeAttachmentCells, volumeAttributesClassCells, webhookCells,
} from './cluster.ts'
import type { Cells } from './format.ts'
import {
  endpointSliceCells, endpointsCells, ingressCells, ingressClassCells, ipAddressCells, networkPolicyCells, serviceCells,
  serviceCidrCells,
} from './network.ts'
import { podCells } from './pod.ts'
import {
  autoscalerCells, controllerRevisionCells, cronJobCells, daemonSetCells, deploymentCells, disruptionBudgetCells,
  jobCells, podTemplateCells, replicaSetCells, replicationControllerCells, statefulSetCells,
} from './workloads.ts'

/** By plural name and group, as in `strategies.ts`. */
export const cells: Readonly<Record<string, Cells>> = {
  componentstatuses: componentStatusCells,
  configmaps: configMapCells,
  endpoints: endpointsCells,
  events: eventCells,
  namespaces: namespaceCells,
  nodes: nodeCells,
  persistentvolumeclaims: claimCells,
  persistentvolumes: volumeCells,
  pods: podCells,
  podtemplates: podTemplateCells,
  replicationcontrollers: replicationControllerCells,
  resourcequotas: resourceQuotaCells,
  secrets: secretCells,
  serviceaccounts: nameAndAge,
  services: serviceCells,
  'apiservices.apiregistration.k8s.io': apiServiceCells,
  'controllerrevisions.apps': controllerRevisionCells,
  'daemonsets.apps': daemonSetCells,
  'deployments.apps': deploymentCells,
  'replicasets.apps': replicaSetCells,
  'statefulsets.apps': statefulSetCells,
  'events.events.k8s.io': eventCells,
  'horizontalpodautoscalers.autoscaling': autoscalerCells,
  'cronjobs.batch': cronJobCells,
  'jobs.batch': jobCells,
  'certificatesigningrequests.certificates.k8s.io': certificateRequestCells,
  'ingressclasses.networking.k8s.io': ingressClassCells,
  'ingresses.networking.k8s.io': ingressCells,
  'ipaddresses.networking.k8s.io': ipAddressCells,
  'networkpolicies.networking.k8s.io': networkPolicyCells,
  'servicecidrs.networking.k8s.io': serviceCidrCells,
  'poddisruptionbudgets.policy': disruptionBudgetCells,
  'clusterrolebindings.rbac.authorization.k8s.io': roleBindingCells,
  'rolebindings.rbac.authorization.k8s.io': roleBindingCells,
  'csidrivers.storage.k8s.io': csiDriverCells,
  'csinodes.storage.k8s.io': csiNodeCells,
  'storageclasses.storage.k8s.io': storageClassCells,
  'volumeattachments.storage.k8s.io': volumeAttachmentCells,
  'volumeattributesclasses.storage.k8s.io': volumeAttributesClassCells,
  'mutatingwebhookconfigurations.admissionregistration.k8s.io': webhookCells,
  'validatingadmissionpolicies.admissionregistration.k8s.io': admissionPolicyCells,
  'validatingadmissionpolicybindings.admissionregistration.k8s.io': admissionPolicyBindingCells,
  'validatingwebhookconfigurations.admissionregistration.k8s.io': webhookCells,
  'priorityclasses.scheduling.k8s.io': priorityClassCells,
  'leases.coordination.k8s.io': leaseCells,
  'runtimeclasses.node.k8s.io': runtimeClassCells,
  'endpointslices.discovery.k8s.io': endpointSliceCells,
  'deviceclasses.resource.k8s.io': nameAndAge,
  'resourceclaims.resource.k8s.io': resourceClaimCells,
  'resourceclaimtemplates.resource.k8s.io': nameAndAge,
  'resourceslices.resource.k8s.io': resourceSliceCells,
  'flowschemas.flowcontrol.apiserver.k8s.io': flowSchemaCells,
  'prioritylevelconfigurations.flowcontrol.apiserver.k8s.io': priorityLevelCells,
}
