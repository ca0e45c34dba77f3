/** Tests of operators: the embedded cluster, a simulated clock, faults, the explorer. */
export { AccessRecorder } from '../cluster/access-recorder.ts'
export type { AccessDifference, UsedAccess } from '../cluster/access-recorder.ts'
export { embedded } from '../cluster/embedded.ts'
export type { ApplyObject, Embedded, EmbeddedOptions, SeenEvent, Snapshot } from '../cluster/embedded.ts'
export { explore, joinReports } from './explore.ts'
export type { ExploreOptions, ExploreReport, ExploreFailure } from './explore.ts'
export type { ObservedChange, Oracle, ClusterView } from './explore-changes.ts'
export type { FaultName } from './explore-faults.ts'
export { childrenGoFirst, declaredEdges, standardOracles } from './explore-oracles.ts'
export type { ExploredCluster, ExploreStep } from './explore-trial.ts'
export { faultyTransport } from '../cluster/faulty-transport.ts'
export type { Fault, FaultPlan } from '../cluster/faulty-transport.ts'
export type { Behaviour, BehaviourRule, LogEntry } from '../kubelet/index.ts'
export type {
  MetricsQuery,
  MetricsSource,
  PodMetric,
  PodMetrics,
  PodsQuery,
} from '../controllers/horizontal-pod-autoscaler/metrics.ts'
export { matchers } from './matchers.ts'
export { NotSettledError, settle } from '../cluster/settle.ts'
export type { SettleOptions } from '../cluster/settle.ts'
