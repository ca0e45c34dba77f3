/** What every operator needs. The rest is under named subpaths: `coxswain/client`, `coxswain/flow`, and so on. */
import type * as admissionregistrationV1 from './schema/builtin/admissionregistration-v1.ts'
import type * as apiextensionsV1 from './schema/builtin/apiextensions-v1.ts'
import type * as apiregistrationV1 from './schema/builtin/apiregistration-v1.ts'
import type * as appsV1 from './schema/builtin/apps-v1.ts'
import type * as authenticationV1 from './schema/builtin/authentication-v1.ts'
import type * as authorizationV1 from './schema/builtin/authorization-v1.ts'
import type * as autoscalingV1 from './schema/builtin/autoscaling-v1.ts'
import type * as autoscalingV2 from './schema/builtin/autoscaling-v2.ts'
import type * as batchV1 from './schema/builtin/batch-v1.ts'
import type * as certificatesV1 from './schema/builtin/certificates-v1.ts'
import type * as coordinationV1 from './schema/builtin/coordination-v1.ts'
import type * as coreV1 from './schema/builtin/core-v1.ts'
import type * as discoveryV1 from './schema/builtin/discovery-v1.ts'
import type * as eventsV1 from './schema/builtin/events-v1.ts'
import type * as flowcontrolV1 from './schema/builtin/flowcontrol-v1.ts'
import type * as metaV1 from './schema/builtin/meta-v1.ts'
import type * as networkingV1 from './schema/builtin/networking-v1.ts'
import type * as nodeV1 from './schema/builtin/node-v1.ts'
import type * as policyV1 from './schema/builtin/policy-v1.ts'
import type * as rbacV1 from './schema/builtin/rbac-v1.ts'
import type * as resourceV1 from './schema/builtin/resource-v1.ts'
import type * as schedulingV1 from './schema/builtin/scheduling-v1.ts'
import type * as storageV1 from './schema/builtin/storage-v1.ts'

// Schemas: one value gives the type, the CRD, defaults and validation.
export { age, column } from './schema/columns.ts'
export { kind } from './schema/kind.ts'
export type { InputOf, Kind, ObjectOf } from './schema/kind.ts'
export { resource } from './schema/resource.ts'
export type { Infer, Input } from './schema/resource.ts'
export { t } from './schema/t.ts'

// Controllers.
export { controller } from './controller/builder.ts'
export type { ControllerBuilder } from './controller/builder.ts'
export { findCondition, isConditionTrue } from './controller/conditions.ts'
export type { Condition, ConditionUpdate } from './controller/conditions.ts'
export type { Applied, ApplyOwnedOptions, ReconcileContext } from './controller/context.ts'
export type {
  ControllerDefinition,
  ControllerOptions,
  ObjectFilter,
  Reconcile,
  UpdateFilter,
} from './controller/definition.ts'
export { NotOwnedError, PermanentError, RetryableError } from './controller/errors.ts'
export { flow } from './controller/flow.ts'
export { controllerOf, isControlledBy } from './controller/owner-references.ts'
export { requeueAfter } from './controller/result.ts'
export type { ReconcileResult } from './controller/result.ts'

// Objects and errors. All predicates of errors are in `coxswain/api`; these are the ones that most operators need.
export { isAlreadyExists, isConflict, isForbidden, isInvalid, isNotFound } from './api/error-reasons.ts'
export type { Json, JsonObject } from './api/json.ts'
export type { LabelSelector } from './api/label-selector-object.ts'
export { keyOf, keyText, mutableCopy } from './api/live-object.ts'
export type { ApiObject, Live, LiveObject, ObjectKey } from './api/live-object.ts'
export type { KubeObject, ObjectMeta, OwnerReference } from './api/object.ts'
export { ApiError } from './api/status.ts'

// Operators: a whole program.
export type { OperatorDefinition } from './manager/operator-definition.ts'
export type { OperatorDemo, Sample } from './operator/operator-demo.ts'
export { operator } from './operator/operator.ts'
export type { Operator } from './operator/operator.ts'
export { run } from './operator/run-operator.ts'
export type { RunOptions } from './operator/run-operator.ts'

// Handed to a reconcile.
export type { Client } from './client/client.ts'
export type { Logger } from './telemetry/logger.ts'

// The kinds that every cluster serves, each with its type: `Pod` is a value and a type.
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
} from './schema/builtin/kinds.ts'

// The types of the API by group and version: `coreV1.Container`, `metaV1.Condition`.
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
