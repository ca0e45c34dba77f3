/**
 * Other versions of a kind. A real server can still decode versions that it no longer serves, and some kinds exist in
 * two groups. A body of such a version is decoded, and rejected only because it was sent to another version's URL.
 */

/** Kinds by version, for versions that can be decoded but are not served. */
const unserved: Readonly<Record<string, string>> = {
  'admissionregistration.k8s.io/v1alpha1': 'ValidatingAdmissionPolicy ValidatingAdmissionPolicyBinding',
  'admissionregistration.k8s.io/v1beta1':
    'MutatingWebhookConfiguration ValidatingAdmissionPolicy ValidatingAdmissionPolicyBinding ' +
    'ValidatingWebhookConfiguration',
  'apiextensions.k8s.io/v1beta1': 'CustomResourceDefinition',
  'apiregistration.k8s.io/v1beta1': 'APIService',
  'apps/v1beta1': 'ControllerRevision Deployment StatefulSet',
  'apps/v1beta2': 'ControllerRevision DaemonSet Deployment ReplicaSet StatefulSet',
  'authentication.k8s.io/v1alpha1': 'SelfSubjectReview',
  'authentication.k8s.io/v1beta1': 'SelfSubjectReview TokenReview',
  'authorization.k8s.io/v1beta1':
    'LocalSubjectAccessReview SelfSubjectAccessReview SelfSubjectRulesReview SubjectAccessReview',
  'autoscaling/v2beta1': 'HorizontalPodAutoscaler',
  'autoscaling/v2beta2': 'HorizontalPodAutoscaler',
  'batch/v1beta1': 'CronJob',
  'certificates.k8s.io/v1beta1': 'CertificateSigningRequest',
  'coordination.k8s.io/v1beta1': 'Lease',
  'discovery.k8s.io/v1beta1': 'EndpointSlice',
  'events.k8s.io/v1beta1': 'Event',
  'extensions/v1beta1': 'DaemonSet Deployment Ingress NetworkPolicy ReplicaSet',
  'flowcontrol.apiserver.k8s.io/v1beta1': 'FlowSchema PriorityLevelConfiguration',
  'flowcontrol.apiserver.k8s.io/v1beta2': 'FlowSchema PriorityLevelConfiguration',
  'flowcontrol.apiserver.k8s.io/v1beta3': 'FlowSchema PriorityLevelConfiguration',
  'networking.k8s.io/v1beta1': 'IPAddress Ingress IngressClass ServiceCIDR',
  'node.k8s.io/v1alpha1': 'RuntimeClass',
  'node.k8s.io/v1beta1': 'RuntimeClass',
  'policy/v1beta1': 'PodDisruptionBudget',
  'rbac.authorization.k8s.io/v1alpha1': 'ClusterRole ClusterRoleBinding Role RoleBinding',
  'rbac.authorization.k8s.io/v1beta1': 'ClusterRole ClusterRoleBinding Role RoleBinding',
  'resource.k8s.io/v1beta1': 'DeviceClass ResourceClaim ResourceClaimTemplate ResourceSlice',
  'resource.k8s.io/v1beta2': 'DeviceClass ResourceClaim ResourceClaimTemplate ResourceSlice',
  'scheduling.k8s.io/v1alpha1': 'PriorityClass',
  'scheduling.k8s.io/v1beta1': 'PriorityClass',
  'storage.k8s.io/v1alpha1': 'CSIStorageCapacity VolumeAttachment VolumeAttributesClass',
  'storage.k8s.io/v1beta1': 'CSIDriver CSINode CSIStorageCapacity StorageClass VolumeAttachment VolumeAttributesClass',
}

/** Kinds that are served in two versions or two groups. */
const served: Readonly<Record<string, readonly string[]>> = {
  Event: ['v1', 'events.k8s.io/v1'],
  HorizontalPodAutoscaler: ['autoscaling/v1', 'autoscaling/v2'],
}

/** Whether this version of the kind can be decoded, but is not served. */
export function isUnserved(apiVersion: string, kind: string): boolean {
  return Object.hasOwn(unserved, apiVersion) && (unserved[apiVersion] as string).split(' ').includes(kind)
}

/** Whether both are versions of the same kind. */
export function isOtherVersion(
  apiVersion: string,
  wanted: { readonly apiVersion: string; readonly kind: string },
): boolean {
  const { kind } = wanted
  if (
    Object.hasOwn(served, kind) &&
    served[kind]?.includes(wanted.apiVersion) === true &&
    served[kind].includes(apiVersion)
  )
    return true
  return isUnserved(apiVersion, kind) && homeOf(apiVersion, kind) === homeOf(wanted.apiVersion, kind)
}

/** The group of the kind today. */
function homeOf(apiVersion: string, kind: string): string {
  const group = apiVersion.includes('/') ? (apiVersion.split('/', 1)[0] as string) : ''
  if (group === 'extensions') return kind === 'Ingress' || kind === 'NetworkPolicy' ? 'networking.k8s.io' : 'apps'
  return group === 'events.k8s.io' ? '' : group
}
