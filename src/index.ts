/** What an operator author imports. */
export { ApiError } from './api/status.ts'
export type { Status, StatusCause, StatusDetails } from './api/status.ts'
export { equalJson } from './api/json.ts'
export type { FrozenJson, Json, JsonObject } from './api/json.ts'
export type { GroupVersionKind, KubeObject, ManagedFieldsEntry, ObjectMeta, OwnerReference } from './api/object.ts'
export { keyOf, keyText, mutableCopy, parseKey } from './api/live-object.ts'
export type { ApiObject, DeepReadonly, Live, LiveMeta, LiveObject, ObjectKey } from './api/live-object.ts'

export { labelSelectorFrom } from './api/label-selector-object.ts'
export type { LabelSelector } from './api/label-selector-object.ts'
export type { Selector } from './api/label-selector.ts'
export { canonicalQuantity, integerValue, milliValue, parseQuantity } from './api/quantity.ts'
export type { Quantity } from './api/quantity.ts'

export { timestamp } from './env/env.ts'
export { pause } from './env/pause.ts'
export type { Env, Timer } from './env/env.ts'
export { realEnv } from './env/real.ts'
export { simulatedEnv } from './env/simulated.ts'
export type { SimulatedEnv, SimulatedEnvOptions } from './env/simulated.ts'

export { age, column, kind, kindName, resource, t } from './schema/index.ts'
export type { Infer, Input, InputOf, Kind, ObjectOf } from './schema/index.ts'
export {
  ConfigMap,
  CoreEvent,
  CustomResourceDefinition,
  Deployment,
  EndpointSlice,
  Endpoints,
  HorizontalPodAutoscaler,
  Ingress,
  Job,
  Lease,
  Namespace,
  Node,
  PersistentVolumeClaim,
  Pod,
  PodDisruptionBudget,
  ReplicaSet,
  ResourceQuota,
  Secret,
  Service,
  ServiceAccount,
  StatefulSet,
} from './schema/index.ts'
export type { appsV1, autoscalingV2, coreV1, discoveryV1, metaV1, networkingV1, policyV1 } from './schema/index.ts'

export type {
  ApplyOptions,
  CallOptions,
  Client,
  DeleteOptions,
  GetOptions,
  ListOptions,
  LiveList,
  Partially,
  Patch,
  WatchEvent,
  WatchEvents,
  WriteOptions,
} from './client/client.ts'
export { RestClient } from './client/rest-client.ts'
export { KindNotServedError, RestMapper } from './client/rest-mapper.ts'
export { KubeconfigError } from './client/kubeconfig-file.ts'
export { createOrGet, retryOnConflict } from './client/write-races.ts'
export {
  isAlreadyExists,
  isConflict,
  isExpired,
  isForbidden,
  isInvalid,
  isNamespaceTerminating,
  isNotFound,
  isTooManyRequests,
  retryAfter,
} from './api/error-reasons.ts'
export { microTime } from './api/micro-time.ts'
export type { ServedKind } from './client/discovery.ts'
export { inProcessTransport } from './client/in-process-transport.ts'
export { HttpTransport } from './client/http-transport.ts'
export { loadAccess } from './client/load-access.ts'
export { clusterTransport } from './client/cluster-access.ts'
export { TransportError } from './client/transport.ts'
export type { Transport } from './client/transport.ts'

export { createCache } from './cache/create-cache.ts'
export type { Cache, CacheListOptions, Handler, Informer, InformerOptions, Lister } from './cache/cache.ts'
export { StaleCacheError } from './cache/cache-error.ts'

export {
  bucketLimiter,
  exponentialLimiter,
  fastSlowLimiter,
  fifoQueue,
  limiterWithMaxWait,
  maxOfLimiters,
  priorityQueue,
} from './queue/index.ts'
export type { AddOptions, Item, QueueOptions, RateLimiter, WorkQueue } from './queue/index.ts'

export { controller } from './controller/builder.ts'
export type { ControllerBuilder } from './controller/builder.ts'
export type {
  ControllerDefinition,
  ControllerOptions,
  MapReads,
  ObjectFilter,
  Reconcile,
  UpdateFilter,
} from './controller/definition.ts'
export type { Applied, ApplyOwnedOptions, ReconcileContext } from './controller/context.ts'
export { findCondition, isConditionTrue, withCondition, withoutCondition } from './controller/conditions.ts'
export type { Condition, ConditionStatus, ConditionUpdate } from './controller/conditions.ts'
export { BeingDeletedError, NotOwnedError, PermanentError, RetryableError } from './controller/errors.ts'
export {
  allOf,
  annotationsChanged,
  anyOf,
  changed,
  finalizersChanged,
  generationChanged,
  labelsChanged,
} from './controller/update-filters.ts'
export { controllerOf, controllerReference, isControlledBy } from './controller/owner-references.ts'
export { requeueAfter } from './controller/result.ts'
export type { ReconcileResult, Requeue } from './controller/result.ts'

export type { Access, AccessTarget, Verb } from './controller/access.ts'
export { operator } from './operator/operator.ts'
export type { Operator } from './operator/operator.ts'
export type { OperatorDemo, Sample } from './operator/operator-demo.ts'
export type { OperatorDefinition } from './manager/operator-definition.ts'
export { flow } from './controller/flow.ts'
export { done, goto, next, wait } from './flow/outcome.ts'
export type { Done, Goto, Next, Outcome, StepResult, Wait } from './flow/outcome.ts'
export { named, step } from './flow/step.ts'
export type { Step, StepFunction, StepLike } from './flow/step.ts'
export type { Scope } from './flow/scope.ts'
export { branch, parallel, pipeline, when } from './flow/compose.ts'
export { retried, StepTimeoutError, timed, traced } from './flow/decorators.ts'
export type { RetryOptions } from './flow/decorators.ts'
export { machine, MachineLoopError, UndeclaredEdgeError } from './flow/machine.ts'
export type { Machine, MachineOptions, Transition } from './flow/machine.ts'
export { execute } from './flow/execute.ts'
export type { ExecuteOptions, Execution } from './flow/execute.ts'
export { traceVersion } from './flow/trace.ts'
export type {
  CallTrace,
  ErrorTrace,
  EventTrace,
  FieldChange,
  StepTrace,
  Trace,
  TraceEntry,
  TraceSink,
  TraceValue,
  TransitionTrace,
  TriggerTrace,
} from './flow/trace.ts'
export { TraceRing } from './flow/trace-ring.ts'
export type { TraceRingOptions } from './flow/trace-ring.ts'
export { formatTraces, parseTraces, TraceFileError } from './flow/trace-file.ts'
export { traceLines } from './flow/trace-lines.ts'
export { emitSpans } from './flow/spans.ts'

export { run } from './operator/run-operator.ts'
export type { RunOptions, Surroundings } from './operator/run-operator.ts'
export { manifestDifferences, writeManifests } from './operator/manifest-files.ts'
export type { ManifestOptions, Manifests } from './manifests/manifests.ts'
export { Manager } from './manager/manager.ts'
export type { ManagerOptions, ManagerState, Task, TaskServices } from './manager/manager.ts'
export { CacheSyncError, LeaseLostError, StillWorkingError } from './manager/manager-errors.ts'
export { NotLeaderError } from './manager/fenced-transport.ts'
export type { Check } from './manager/health.ts'
export type { ElectionOptions, LeaseOptions } from './manager/lease-election.ts'

export { mutating, validating } from './webhooks/admission-webhook.ts'
export type {
  AdmissionContext,
  AdmissionOptions,
  AdmissionWebhook,
  FieldProblem,
  MutatingHandlers,
  ValidatingHandlers,
  Verdict,
} from './webhooks/admission-webhook.ts'
export { converting } from './webhooks/conversion-webhook.ts'
export type { Conversions, ConversionWebhook, Converted } from './webhooks/conversion-webhook.ts'
export type { Webhook } from './webhooks/webhook-server.ts'

export { createLogger } from './telemetry/log-writer.ts'
export type { LogFields, Logger, LogLevel } from './telemetry/logger.ts'
export { Metrics } from './telemetry/metrics.ts'
export { silentTracer } from './telemetry/tracer.ts'
export type { Span, Tracer } from './telemetry/tracer.ts'
export { tracedTransport } from './telemetry/traced-transport.ts'
