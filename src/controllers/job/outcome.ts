/** Whether a Job has failed or succeeded, in the order in which upstream decides it. */
import type { JobRun } from './job-run.ts'
import { total } from './intervals.ts'
import { failureRule } from './failure-policy.ts'
import { isPodFailed, isSuspended } from './job-pods.ts'
import { metSuccessRule } from './success-policy.ts'

/** The Job gets the condition SuccessCriteriaMet or FailureTarget, and Complete or Failed when no pod is left. */
export interface Outcome {
  readonly isSuccess: boolean
  readonly reason: string
  readonly message: string
}

/** Undefined: the Job goes on. */
export function outcomeOf(run: JobRun): Outcome | undefined {
  return recorded(run) ?? failure(run) ?? success(run)
}

export const completionsReached: Outcome = {
  isSuccess: true,
  reason: 'CompletionsReached',
  message: 'Reached expected number of succeeded pods',
}

/** Reached by completions: all succeeded, or, without a number of completions, one did, and no pod is active. */
export function isComplete({ job, succeeded, status }: JobRun): boolean {
  return status.active === 0 && succeeded >= (job.spec?.completions ?? 1)
}

/** Milliseconds until the active deadline; undefined without one, or while the Job is suspended. */
export function msUntilDeadline({ context, job, status }: JobRun): number | undefined {
  const seconds = job.spec?.activeDeadlineSeconds
  if (seconds === undefined || status.startTime === undefined || isSuspended(job)) return undefined
  return Date.parse(status.startTime) + seconds * 1000 - context.now()
}

/** An outcome does not change any more once its condition is set. */
function recorded({ status }: JobRun): Outcome | undefined {
  for (const type of ['SuccessCriteriaMet', 'FailureTarget']) {
    const { reason = '', message = '' } = status.find(type) ?? {}
    if (status.isTrue(type)) return { isSuccess: type === 'SuccessCriteriaMet', reason, message }
  }
  return undefined
}

function failure(run: JobRun): Outcome | undefined {
  const { job, pods, failed, indexes } = run
  const { backoffLimit = 6, completions = 0, maxFailedIndexes = Infinity, podFailurePolicy } = job.spec ?? {}
  const fails = (reason: string, message: string): Outcome => ({ isSuccess: false, reason, message })
  for (const pod of podFailurePolicy === undefined ? [] : pods) {
    const rule = isPodFailed(pod, job) ? failureRule(podFailurePolicy, pod) : undefined
    if (rule?.action === 'FailJob') return fails('PodFailurePolicy', rule.message)
  }
  if (failed > backoffLimit || isPastRestartLimit(run, backoffLimit))
    return fails('BackoffLimitExceeded', 'Job has reached the specified backoff limit')
  if ((msUntilDeadline(run) ?? 1) <= 0)
    return fails('DeadlineExceeded', 'Job was active longer than specified deadline')
  if (indexes?.failed === undefined) return undefined
  const failedIndexes = total(indexes.failed)
  if (failedIndexes > maxFailedIndexes)
    return fails('MaxFailedIndexesExceeded', 'Job has exceeded the specified maximal number of failed indexes')
  return failedIndexes > 0 && failedIndexes + total(indexes.succeeded) >= completions
    ? fails('FailedIndexes', 'Job has failed indexes')
    : undefined
}

/** With the restart policy OnFailure, restarts of containers count in place of failed pods. */
function isPastRestartLimit({ job, pods }: JobRun, backoffLimit: number): boolean {
  if (job.spec?.template?.spec?.restartPolicy !== 'OnFailure') return false
  let restarts = 0
  for (const { status } of pods) {
    if (status?.phase !== 'Running' && status?.phase !== 'Pending') continue
    for (const { restartCount } of status.initContainerStatuses ?? []) restarts += restartCount
    for (const { restartCount } of status.containerStatuses ?? []) restarts += restartCount
  }
  return restarts > 0 && restarts >= backoffLimit
}

function success({ job, indexes }: JobRun): Outcome | undefined {
  if (indexes === undefined) return undefined
  const message = metSuccessRule(job.spec?.successPolicy, job.spec?.completions ?? 0, indexes.succeeded)
  return message === undefined ? undefined : { isSuccess: true, reason: 'SuccessPolicy', message }
}
