/** What a Job reads from its spec and from its pods. */
import type { batchV1, Job, Live, Pod } from '../../index.ts'
import { failureRule } from './failure-policy.ts'

export type LiveJob = Live<Job>
export type LivePod = Live<Pod>

/** Keeps a pod until the Job has counted it. */
export const trackingFinalizer = 'batch.kubernetes.io/job-tracking'
export const indexAnnotation = 'batch.kubernetes.io/job-completion-index'
export const failureCountAnnotation = 'batch.kubernetes.io/job-index-failure-count'
export const ignoredCountAnnotation = 'batch.kubernetes.io/job-index-ignored-failure-count'

const ownName = 'kubernetes.io/job-controller'

export function isManagedElsewhere({ spec }: LiveJob): boolean {
  return spec?.managedBy !== undefined && spec.managedBy !== ownName
}

export function isFinished(job: LiveJob): boolean {
  return finishedCondition(job) !== undefined
}

export function finishedCondition({ status }: LiveJob): Readonly<batchV1.JobCondition> | undefined {
  return status?.conditions?.find(({ type, status: is }) => (type === 'Complete' || type === 'Failed') && is === 'True')
}

export function isSuspended({ spec }: LiveJob): boolean {
  return spec?.suspend === true
}

export function isIndexed({ spec }: LiveJob): boolean {
  return spec?.completionMode === 'Indexed'
}

/** Whether a terminating pod is replaced only when it has failed. */
export function waitsForTermination({ spec }: LiveJob): boolean {
  return spec?.podReplacementPolicy === 'Failed' || spec?.podFailurePolicy !== undefined
}

/**
 * A pod in deletion may never reach the phase Failed, so it counts as failed, unless the Job waits for its end, or is
 * itself being deleted: then its pods go with it.
 */
export function isPodFailed({ metadata, status }: LivePod, job: LiveJob): boolean {
  if (status?.phase === 'Failed') return true
  if (metadata.deletionTimestamp === undefined || status?.phase === 'Succeeded') return false
  return !waitsForTermination(job) && job.metadata.deletionTimestamp === undefined
}

export function isTracked({ metadata }: LivePod): boolean {
  return metadata.finalizers?.includes(trackingFinalizer) === true
}

/** Undefined without a valid index. */
export function completionIndex({ metadata }: LivePod): number | undefined {
  return wholeNumber(metadata.annotations?.[indexAnnotation])
}

/** A pod of an Indexed Job needs an index within the completions to count. */
export function isCountable(pod: LivePod, job: LiveJob): boolean {
  if (!isIndexed(job)) return true
  const index = completionIndex(pod)
  return index !== undefined && index < (job.spec?.completions ?? 0)
}

export function indexesOf(pods: readonly LivePod[]): Set<number> {
  const indexes = new Set<number>()
  for (const pod of pods) {
    const index = completionIndex(pod)
    if (index !== undefined) indexes.add(index)
  }
  return indexes
}

/** Failures of the index before this pod. */
export function indexFailures(pod: LivePod): { readonly counted: number; readonly ignored: number } {
  const { annotations } = pod.metadata
  return {
    counted: wholeNumber(annotations?.[failureCountAnnotation]) ?? 0,
    ignored: wholeNumber(annotations?.[ignoredCountAnnotation]) ?? 0,
  }
}

/** Whether this failed pod uses up the retries of its index. */
export function isIndexFailed(pod: LivePod, job: LiveJob): boolean {
  if (!isPodFailed(pod, job)) return false
  const action = failureRule(job.spec?.podFailurePolicy, pod)?.action
  if (action === 'FailIndex') return true
  return action !== 'Ignore' && indexFailures(pod).counted >= (job.spec?.backoffLimitPerIndex ?? 0)
}

/** An int32 that is not negative. */
function wholeNumber(text: string | undefined): number | undefined {
  if (text === undefined || !/^\+?\d+$/.test(text)) return undefined
  const value = Number(text)
  return value < 2 ** 31 ? value : undefined
}
