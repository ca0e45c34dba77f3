/** Tests of operators: the embedded cluster, a simulated clock, faults, the explorer. */
export { AccessRecorder } from '../cluster/access-recorder.ts'
export type { AccessDifference, UsedAccess } from '../cluster/access-recorder.ts'
export { embedded } from '../cluster/embedded.ts'
export type {
  ApplyObject,
  Embedded,
  Instance,
  RestoreOptions,
  SeenEvent,
  Snapshot,
} from '../cluster/embedded-handle.ts'
export type { TestedExternal } from '../cluster/external-systems.ts'
export type { EmbeddedOptions } from '../cluster/embedded-options.ts'
export { explore } from '../explore/explore.ts'
export type { ExploreOptions } from '../explore/explore.ts'
export type { ExploreCoverage } from '../explore/coverage.ts'
export { parseReplay, replay, replayText } from '../explore/replay.ts'
export type { Replay, ReplayedFault } from '../explore/replay.ts'
export { reportHtml } from '../explore/report/html/page.ts'
export { reportJunit } from '../explore/report/junit.ts'
export { joinReports, reportJson } from '../explore/report/make-report.ts'
export type { ExploredCall, ExploredStep, ExploreFailure, ExploreReport, TriedFault } from '../explore/report/report.ts'
export type { Timeline, TimelineEntry, TimelineRow } from '../explore/timeline.ts'
export type { ShrunkFailure } from '../explore/shrunk.ts'
export type { InjectedFault } from '../explore/schedule.ts'
export type { ClusterView, ObservedChange, OperatorView, Oracle } from '../explore/changes.ts'
export type { StepExpectation } from '../explore/expectations.ts'
export { faultNames } from '../explore/faults.ts'
export type { FaultName } from '../explore/faults.ts'
export { childrenGoFirst, declaredEdges, standardOracles } from '../explore/oracles.ts'
export type { ExploredCluster, ExploreStep } from '../explore/trial.ts'
export { exploreSpec } from '../explore/spec/explore-spec.ts'
export type { ExploreSpecOptions } from '../explore/spec/explore-spec.ts'
export type { OperationClass } from '../explore/spec/operations.ts'
export { specHtml } from '../explore/spec/spec-page.ts'
export { joinSpecReports, specSummary } from '../explore/spec/spec-report.ts'
export type { PlayedOperation, SpecNote, SpecOutcome, SpecProperty, SpecReport } from '../explore/spec/spec-report.ts'
export type { GivenValues } from '../explore/spec/values.ts'
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
export type { FailingKey } from '../cluster/failing-keys.ts'
export { UndeclaredConnectionError } from '../cluster/outgoing-guard.ts'
export { NotSettledError, settle } from '../cluster/settle.ts'
export type { SettleOptions } from '../cluster/settle.ts'
