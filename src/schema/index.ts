/** Schemas and kinds: what `coxswain/schema` exports. */
import type * as admissionregistrationV1 from './builtin/admissionregistration-v1.ts'
import type * as apiextensionsV1 from './builtin/apiextensions-v1.ts'
import type * as apiregistrationV1 from './builtin/apiregistration-v1.ts'
import type * as appsV1 from './builtin/apps-v1.ts'
import type * as authenticationV1 from './builtin/authentication-v1.ts'
import type * as authorizationV1 from './builtin/authorization-v1.ts'
import type * as autoscalingV1 from './builtin/autoscaling-v1.ts'
import type * as autoscalingV2 from './builtin/autoscaling-v2.ts'
import type * as batchV1 from './builtin/batch-v1.ts'
import type * as certificatesV1 from './builtin/certificates-v1.ts'
import type * as coordinationV1 from './builtin/coordination-v1.ts'
import type * as coreV1 from './builtin/core-v1.ts'
import type * as discoveryV1 from './builtin/discovery-v1.ts'
import type * as eventsV1 from './builtin/events-v1.ts'
import type * as flowcontrolV1 from './builtin/flowcontrol-v1.ts'
import type * as metaV1 from './builtin/meta-v1.ts'
import type * as networkingV1 from './builtin/networking-v1.ts'
import type * as nodeV1 from './builtin/node-v1.ts'
import type * as policyV1 from './builtin/policy-v1.ts'
import type * as rbacV1 from './builtin/rbac-v1.ts'
import type * as resourceV1 from './builtin/resource-v1.ts'
import type * as schedulingV1 from './builtin/scheduling-v1.ts'
import type * as storageV1 from './builtin/storage-v1.ts'

export { t } from './t.ts'
export { resource } from './resource.ts'
export type { CustomInput, CustomObject, Infer, Input, ResourceKind, ResourceOptions } from './resource.ts'
export type { ResourceRule, ScalePaths, VersionOptions } from './definition.ts'
export { age, column } from './columns.ts'
export type { Column, ColumnOptions, ColumnType } from './columns.ts'
export { kind, kindName } from './kind.ts'
export type { DefaultingKind, InputOf, Kind, KindNames, ObjectOf } from './kind.ts'
export { SchemaError } from './node.ts'
export type { Presence, RuleOptions, SchemaNode, StructuralSchema } from './node.ts'
export type { ArrayNode, Fields, MapNode, ObjectNode } from './collection-nodes.ts'
export type { NumberNode, StringFormat, StringNode } from './scalar-nodes.ts'
export type { EmbeddedObject } from './builders.ts'

/** The kinds that every cluster serves, each with its type: `Pod` is a value and a type. */
export {
  APIService,
  Binding,
  CSIDriver,
  CSINode,
  CSIStorageCapacity,
  CertificateSigningRequest,
  ClusterRole,
  ClusterRoleBinding,
  ComponentStatus,
  ConfigMap,
  ControllerRevision,
  CoreEvent,
  CronJob,
  CustomResourceDefinition,
  DaemonSet,
  Deployment,
  DeviceClass,
  EndpointSlice,
  Endpoints,
  Event,
  FlowSchema,
  HorizontalPodAutoscaler,
  HorizontalPodAutoscalerV1,
  IPAddress,
  Ingress,
  IngressClass,
  Job,
  Lease,
  LimitRange,
  LocalSubjectAccessReview,
  MutatingWebhookConfiguration,
  Namespace,
  NetworkPolicy,
  Node,
  PersistentVolume,
  PersistentVolumeClaim,
  Pod,
  PodDisruptionBudget,
  PodTemplate,
  PriorityClass,
  PriorityLevelConfiguration,
  ReplicaSet,
  ReplicationController,
  ResourceClaim,
  ResourceClaimTemplate,
  ResourceQuota,
  ResourceSlice,
  Role,
  RoleBinding,
  RuntimeClass,
  Secret,
  SelfSubjectAccessReview,
  SelfSubjectReview,
  SelfSubjectRulesReview,
  Service,
  ServiceAccount,
  ServiceCIDR,
  StatefulSet,
  StorageClass,
  SubjectAccessReview,
  TokenReview,
  ValidatingAdmissionPolicy,
  ValidatingAdmissionPolicyBinding,
  ValidatingWebhookConfiguration,
  VolumeAttachment,
  VolumeAttributesClass,
} from './builtin/kinds.ts'

/** The types of the API by group and version: `coreV1.Container`, `metaV1.Condition`. */
export type {
  admissionregistrationV1,
  apiextensionsV1,
  apiregistrationV1,
  appsV1,
  authenticationV1,
  authorizationV1,
  autoscalingV1,
  autoscalingV2,
  batchV1,
  certificatesV1,
  coordinationV1,
  coreV1,
  discoveryV1,
  eventsV1,
  flowcontrolV1,
  metaV1,
  networkingV1,
  nodeV1,
  policyV1,
  rbacV1,
  resourceV1,
  schedulingV1,
  storageV1,
}
