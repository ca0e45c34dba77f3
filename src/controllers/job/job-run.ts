/** What one run of a Job has found out: its pods, what they count, and for an Indexed Job the state of its indexes. */
import { Pod, type Job, type ReconcileContext } from '../../index.ts'
import { labelSelectorFrom } from '../../api/index.ts'
import { timestamp } from '../../env/index.ts'
import { adoptAndRelease } from '../shared/adoption.ts'
import { isActive, isReady, isTerminating } from '../shared/pod-state.ts'
import type { FailureRecord, FailureRecords } from './backoff.ts'
import { finishedAt } from './backoff.ts'
import { failureRule } from './failure-policy.ts'
import { includes, parseIntervals, total, withIndexes, type Intervals } from './intervals.ts'
import {
  completionIndex,
  indexesOf,
  indexFailures,
  isCountable,
  isIndexed,
  isIndexFailed,
  isPodFailed,
  isSuspended,
  isTracked,
  trackingFinalizer,
  type LiveJob,
  type LivePod,
} from './job-pods.ts'
import { JobStatus } from './status.ts'

export interface JobRun {
  readonly context: ReconcileContext<Job>
  readonly job: LiveJob
  readonly pods: readonly LivePod[]
  readonly active: readonly LivePod[]
  /** With pods that have ended and are not yet in the counters of the status. */
  readonly succeeded: number
  readonly failed: number
  readonly indexes: IndexStates | undefined
  readonly failures: FailureRecord
  /** The pods whose finalizer this run has removed. */
  readonly released: Set<string>
  readonly status: JobStatus
}

export interface IndexStates {
  readonly succeeded: Intervals
  /** Undefined without a backoff limit per index. */
  readonly failed: Intervals | undefined
  /** The last failed pod of an index that waits for its replacement, which inherits its failure count. */
  readonly awaitingRetry: Map<number, LivePod>
}

/** Claims the pods and counts them. */
export async function startRun(context: ReconcileContext<Job>, records: FailureRecords): Promise<JobRun> {
  const { object: job, key, now } = context
  const pods = await adoptAndRelease({
    context,
    kind: Pod,
    selector: labelSelectorFrom(job.spec?.selector),
    finalizer: trackingFinalizer,
  })
  const status = new JobStatus(context)
  const { uncounted } = status
  const active = pods.filter(isActive)
  status.active = active.length
  status.ready = active.filter(isReady).length
  status.terminating = pods.filter(isTerminating).length
  if (status.startTime === undefined && !isSuspended(job)) status.startTime = timestamp(now())
  const isNew = (pod: LivePod, counted: readonly string[]): boolean =>
    isTracked(pod) && !counted.includes(pod.metadata.uid) && isCountable(pod, job)
  const succeeded = pods.filter((pod) => pod.status?.phase === 'Succeeded' && isNew(pod, uncounted.succeeded))
  const failed = pods.filter((pod) => isPodFailed(pod, job) && isNew(pod, uncounted.failed))
  const counted = failed.filter((pod) => failureRule(job.spec?.podFailurePolicy, pod)?.action !== 'Ignore')
  const indexes = isIndexed(job) ? indexStates(job, pods, active) : undefined
  return {
    context,
    job,
    pods,
    active,
    succeeded:
      indexes === undefined
        ? status.succeeded + succeeded.length + uncounted.succeeded.length
        : total(indexes.succeeded),
    failed: status.failed + counted.length + uncounted.failed.length,
    indexes,
    failures: records.next(key, succeeded, failed),
    released: new Set(),
    status,
  }
}

function indexStates(job: LiveJob, pods: readonly LivePod[], active: readonly LivePod[]): IndexStates {
  const { completions = 0, backoffLimitPerIndex } = job.spec ?? {}
  const candidates = pods.filter((pod) => isTracked(pod) && isCountable(pod, job))
  const succeeded = withIndexes(
    parseIntervals(job.status?.completedIndexes, completions),
    indexesOf(candidates.filter(({ status }) => status?.phase === 'Succeeded')),
  )
  if (backoffLimitPerIndex === undefined) return { succeeded, failed: undefined, awaitingRetry: new Map() }
  const failed = withIndexes(
    parseIntervals(job.status?.failedIndexes, completions),
    indexesOf(candidates.filter((pod) => isIndexFailed(pod, job))),
  )
  const activeIndexes = indexesOf(active)
  const awaitingRetry = new Map<number, LivePod>()
  for (const pod of candidates) {
    const index = completionIndex(pod) as number
    if (!isPodFailed(pod, job) || includes(succeeded, index) || includes(failed, index) || activeIndexes.has(index))
      continue
    const before = awaitingRetry.get(index)
    if (before === undefined || isLater(pod, before)) awaitingRetry.set(index, pod)
  }
  return { succeeded, failed, awaitingRetry }
}

function isLater(pod: LivePod, before: LivePod): boolean {
  const failures = (of: LivePod): number => indexFailures(of).counted + indexFailures(of).ignored
  return failures(before) <= failures(pod) && finishedAt(pod) >= finishedAt(before)
}
