/**
 * Enumerations that the OpenAPI document of a server does not mark as such: the values that its validation accepts, by
 * the field's type in the schemas. `test/schema/closed-values.test.ts` compares each with the response of a server.
 *
 * A field is listed only if a server refuses every other value. Fields in which other programs may have values of their
 * own (the type of a condition, a LimitRange or a Secret, the medium of a volume) stay strings.
 */

const presence = ['DoesNotExist', 'Exists', 'In', 'NotIn']
const retention = ['Delete', 'Retain']
const sources = ['ContainerResource', 'External', 'Object', 'Pods', 'Resource']
const subjects = ['Group', 'ServiceAccount', 'User']
const restarts = ['Always', 'Never', 'OnFailure']

/** `GROUP.VERSION.TYPE.FIELD`, as at the end of the name of a schema. */
export const closedValues: Readonly<Record<string, readonly string[]>> = {
  'admissionregistration.v1.ParamRef.parameterNotFoundAction': ['Allow', 'Deny'],
  'admissionregistration.v1.Validation.reason': ['Forbidden', 'Invalid', 'RequestEntityTooLarge'],
  'apiextensions.v1.CustomResourceConversion.strategy': ['None', 'Webhook'],
  'apiextensions.v1.CustomResourceDefinitionSpec.scope': ['Cluster', 'Namespaced'],
  'apiextensions.v1.JSONSchemaProps.type': ['array', 'boolean', 'integer', 'number', 'object', 'string'],
  'apiextensions.v1.JSONSchemaProps.x-kubernetes-list-type': ['atomic', 'map', 'set'],
  'apiextensions.v1.JSONSchemaProps.x-kubernetes-map-type': ['atomic', 'granular'],
  'apps.v1.StatefulSetPersistentVolumeClaimRetentionPolicy.whenDeleted': retention,
  'apps.v1.StatefulSetPersistentVolumeClaimRetentionPolicy.whenScaled': retention,
  'autoscaling.v2.HPAScalingPolicy.type': ['Percent', 'Pods'],
  'autoscaling.v2.HPAScalingRules.selectPolicy': ['Disabled', 'Max', 'Min'],
  'autoscaling.v2.MetricSpec.type': sources,
  'autoscaling.v2.MetricTarget.type': ['AverageValue', 'Utilization', 'Value'],
  'core.v1.Container.restartPolicy': restarts,
  'core.v1.ContainerResizePolicy.resourceName': ['cpu', 'memory'],
  'core.v1.ContainerResizePolicy.restartPolicy': ['NotRequired', 'RestartContainer'],
  'core.v1.ContainerRestartRule.action': ['Restart'],
  'core.v1.ContainerRestartRuleOnExitCodes.operator': ['In', 'NotIn'],
  'core.v1.LoadBalancerIngress.ipMode': ['Proxy', 'VIP'],
  'core.v1.PodOS.name': ['linux', 'windows'],
  'core.v1.PodSecurityContext.seLinuxChangePolicy': ['MountOption', 'Recursive'],
  'core.v1.ServiceSpec.trafficDistribution': ['PreferClose', 'PreferSameNode', 'PreferSameZone'],
  'core.v1.VolumeMount.recursiveReadOnly': ['Disabled', 'Enabled', 'IfPossible'],
  'flowcontrol.v1.FlowDistinguisherMethod.type': ['ByNamespace', 'ByUser'],
  'flowcontrol.v1.LimitResponse.type': ['Queue', 'Reject'],
  'flowcontrol.v1.PriorityLevelConfigurationSpec.type': ['Exempt', 'Limited'],
  'flowcontrol.v1.Subject.kind': subjects,
  'meta.v1.LabelSelectorRequirement.operator': presence,
  'networking.v1.IngressClassParametersReference.scope': ['Cluster', 'Namespace'],
  'rbac.v1.RoleRef.kind': ['ClusterRole', 'Role'],
  'rbac.v1.Subject.kind': subjects,
  'storage.v1.CSIDriverSpec.fsGroupPolicy': ['File', 'None', 'ReadWriteOnceWithFSType'],
}

/** The same for the items of lists. */
export const closedItems: Readonly<Record<string, readonly string[]>> = {
  'storage.v1.CSIDriverSpec.volumeLifecycleModes': ['Ephemeral', 'Persistent'],
}

/**
 * Written by a kubelet or a controller for a field above, or validated only in a subresource: the same values, on which
 * the API reference agrees.
 */
export const mirroredValues: Readonly<Record<string, readonly string[]>> = {
  'core.v1.EphemeralContainer.restartPolicy': restarts,
  'core.v1.VolumeMountStatus.recursiveReadOnly': ['Disabled', 'Enabled', 'IfPossible'],
  'meta.v1.DeleteOptions.propagationPolicy': ['Background', 'Foreground', 'Orphan'],
}

/** The status of every condition, by the API conventions. */
const conditionStatus = ['False', 'True', 'Unknown']

/** The values of a field (or of its items), if it is an enumeration that the schema does not mark. */
export function closedValuesOf(schemaName: string, field: string): readonly string[] | undefined {
  const name = `${schemaName.split('.').slice(-3).join('.')}.${field}`
  const known = closedValues[name] ?? closedItems[name] ?? mirroredValues[name]
  if (known !== undefined) return known
  return field === 'status' && /(Condition|PodConditionsPattern)$/.test(schemaName) ? conditionStatus : undefined
}
