/**
 * The metrics of controllers and their queues: controller-runtime's names, labels and buckets, so that existing
 * dashboards work; five plain names for the same values; and some that controller-runtime does not have. The metrics of
 * clients are in client-metrics.ts, those of caches in manager/cache-telemetry.ts.
 */
import type { Counter, Gauge, Histogram, Metrics } from './metrics.ts'

export type ReconcileOutcome = 'success' | 'error' | 'requeue' | 'requeue_after' | 'conflict' | 'stale'

type PerController = Counter<'controller'>
type PerQueue = 'name' | 'controller'

export interface ControllerMetrics {
  readonly reconciles: Counter<'controller' | 'result'>
  readonly errors: PerController
  readonly terminalErrors: PerController
  readonly panics: PerController
  readonly timeouts: PerController
  readonly seconds: Histogram<'controller'>
  readonly maxConcurrent: Gauge<'controller'>
  readonly activeWorkers: Gauge<'controller'>
  readonly stuck: Gauge<'controller'>
  readonly triggers: Counter<'controller' | 'kind' | 'verb'>
  readonly drift: Counter<'controller' | 'kind'>
  readonly lostEvents: Counter<'controller' | 'why'>
  readonly externalCalls: Counter<'system' | 'method' | 'result'>
  readonly externalSeconds: Histogram<'system' | 'method'>

  /** `role`: `leader` if keys are processed, `standby` if they only wait. */
  readonly queueDepth: Gauge<PerQueue | 'priority' | 'role'>
  readonly queueAdds: Counter<PerQueue>
  readonly queueRetries: Counter<PerQueue>
  readonly queueSeconds: Histogram<PerQueue>
  readonly workSeconds: Histogram<PerQueue>
  readonly unfinishedSeconds: Gauge<PerQueue>
  readonly longestSeconds: Gauge<PerQueue>

  /** The same values under names without a prefix. */
  readonly plain: {
    readonly depth: Gauge<'controller' | 'role'>
    readonly adds: PerController
    readonly retries: PerController
    readonly errors: PerController
    readonly seconds: Histogram<'controller'>
  }
}

const reconcileBuckets = [
  0.005, 0.01, 0.025, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.6, 0.7, 0.8, 0.9, 1, 1.25, 1.5, 1.75, 2,
  2.5, 3, 3.5, 4, 4.5, 5, 6, 7, 8, 9, 10, 15, 20, 25, 30, 40, 50, 60,
]

/** 10 ns to 1000 s, in powers of ten. */
const queueBuckets = [1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 0.01, 0.1, 1, 10, 100, 1000]

export function controllerMetrics(metrics: Metrics): ControllerMetrics {
  const perController = ['controller'] as const
  const perQueue = ['name', 'controller'] as const
  const counterBy = <Name extends string>(name: string, labels: readonly Name[], help: string) =>
    metrics.counter({ name, help, labels })
  const gaugeBy = <Name extends string>(name: string, labels: readonly Name[], help: string) =>
    metrics.gauge({ name, help, labels })
  const counter = (name: string, help: string) => counterBy(name, perController, help)
  const gauge = (name: string, help: string) => gaugeBy(name, perController, help)
  const time = (name: string, help: string) =>
    metrics.histogram({ name, help, labels: perController, buckets: reconcileBuckets })
  const queueTime = (name: string, help: string) =>
    metrics.histogram({ name, help, labels: perQueue, buckets: queueBuckets })
  return {
    reconciles: counterBy('controller_runtime_reconcile_total', ['controller', 'result'], 'Reconciles by result.'),
    errors: counter('controller_runtime_reconcile_errors_total', 'Reconciles that failed.'),
    terminalErrors: counter(
      'controller_runtime_terminal_reconcile_errors_total',
      'Reconciles that failed and are not retried.',
    ),
    panics: counter(
      'controller_runtime_reconcile_panics_total',
      'Reconciles that threw an unexpected error, such as a TypeError.',
    ),
    timeouts: counter('controller_runtime_reconcile_timeouts_total', 'Reconciles that took longer than their timeout.'),
    seconds: time('controller_runtime_reconcile_time_seconds', 'How long a reconcile takes.'),
    maxConcurrent: gauge('controller_runtime_max_concurrent_reconciles', 'Reconciles that may run at the same time.'),
    activeWorkers: gauge('controller_runtime_active_workers', 'Reconciles that run now.'),
    stuck: gauge('coxswain_stuck_reconciles', 'Reconciles that have run for more than a minute.'),
    triggers: counterBy('coxswain_triggers_total', ['controller', 'kind', 'verb'], 'What asked for reconciles.'),
    drift: counterBy(
      'coxswain_drift_total',
      ['controller', 'kind'],
      'Objects that another writer had changed and that were repaired.',
    ),
    lostEvents: counterBy(
      'coxswain_events_lost_total',
      ['controller', 'why'],
      'Events that were not written, and why.',
    ),
    externalCalls: counterBy(
      'coxswain_external_calls_total',
      ['system', 'method', 'result'],
      'Calls of external systems by result.',
    ),
    externalSeconds: metrics.histogram({
      name: 'coxswain_external_call_duration_seconds',
      help: 'How long a call of an external system takes.',
      labels: ['system', 'method'],
      buckets: reconcileBuckets,
    }),

    queueDepth: gaugeBy('workqueue_depth', ['name', 'controller', 'priority', 'role'], 'Keys that are ready and wait.'),
    queueAdds: counterBy('workqueue_adds_total', perQueue, 'Keys that became ready.'),
    queueRetries: counterBy('workqueue_retries_total', perQueue, 'Keys that were added again after a failure.'),
    queueSeconds: queueTime('workqueue_queue_duration_seconds', 'How long a key waits once it is ready.'),
    workSeconds: queueTime('workqueue_work_duration_seconds', 'How long a key is worked on.'),
    unfinishedSeconds: gaugeBy(
      'workqueue_unfinished_work_seconds',
      perQueue,
      'How long keys that are worked on have been, in all.',
    ),
    longestSeconds: gaugeBy(
      'workqueue_longest_running_processor_seconds',
      perQueue,
      'How long the longest of them has been.',
    ),

    plain: {
      depth: gaugeBy('controller_workqueue_depth', ['controller', 'role'], 'Keys that are ready and wait.'),
      adds: counter('controller_workqueue_adds_total', 'Keys that became ready.'),
      retries: counter('controller_workqueue_retries_total', 'Keys that were added again after a failure.'),
      errors: counter('controller_reconcile_errors_total', 'Reconciles that failed.'),
      seconds: time('controller_reconcile_time_seconds', 'How long a reconcile takes.'),
    },
  }
}
