/**
 * Counts the pods that have ended, each exactly once: 1 list them as uncounted in the status, 2 remove their
 * finalizers, 3 move them to the counters, 4 when none is left, set the condition that ends the Job.
 */
import { timestamp } from '../../env/index.ts'
import { failureRule } from './failure-policy.ts'
import { intervalText } from './intervals.ts'
import { completionIndex, isCountable, isIndexed, isPodFailed, isTracked, type LivePod } from './job-pods.ts'
import type { JobRun } from './job-run.ts'
import type { Outcome } from './outcome.ts'
import { removeFinalizer } from './pod-writes.ts'

/** The most pods counted in one run, so that the status stays below 20 KB. */
const maxUncountedPods = 500

/** True if there are more pods to count than fit into one run. `listed` is called when the status has them. */
export async function trackPods(run: JobRun, outcome: Outcome | undefined, listed: () => void): Promise<boolean> {
  const { context, status, released } = run
  const tracked = run.pods.filter((pod) => isTracked(pod) && !released.has(pod.metadata.uid))
  const stillTracked = new Set(tracked.map(({ metadata }) => metadata.uid))
  status.count(stillTracked)
  const { ended, isPartial } = listEnded(run, tracked, outcome)
  if (outcome !== undefined) noteOutcome(run, outcome)
  await status.write()
  listed()

  const removals = await Promise.allSettled(ended.map((pod) => removeFinalizer(context, pod)))
  removals.forEach(({ status: is }, index) => {
    if (is === 'fulfilled') stillTracked.delete((ended[index] as LivePod).metadata.uid)
  })
  status.count(stillTracked)
  const failed = removals.find((removal) => removal.status === 'rejected')
  const isLast = failed === undefined && !isPartial && outcome !== undefined && isOver(run)
  if (isLast) finish(run, outcome)
  await status.write()
  if (isLast) announce(run, outcome)
  if (failed !== undefined) throw failed.reason
  return isPartial
}

/** Adds the uids of ended pods to the uncounted ones. Succeeded pods of an Indexed Job count by their index. */
function listEnded(run: JobRun, tracked: readonly LivePod[], outcome: Outcome | undefined) {
  const { job, status, indexes } = run
  const succeeded = [...status.uncounted.succeeded]
  const failed = [...status.uncounted.failed]
  const [known, ended] = [new Set([...succeeded, ...failed]), [] as LivePod[]]
  let newIndexes = 0
  let isPartial = false
  const ordered = isIndexed(job) ? byIndex(tracked) : tracked
  for (const pod of ordered) {
    const isFailed = isPodFailed(pod, job)
    if (!mayRelease(run, pod, isFailed, outcome)) continue
    ended.push(pod)
    const { uid } = pod.metadata
    if (pod.status?.phase === 'Succeeded') {
      if (indexes !== undefined) newIndexes++
      else if (!known.has(uid)) succeeded.push(uid)
    } else if ((isFailed || outcome?.isSuccess === false) && !known.has(uid) && isCountable(pod, job)) {
      if (failureRule(job.spec?.podFailurePolicy, pod)?.action !== 'Ignore') failed.push(uid)
    }
    if (newIndexes + succeeded.length + failed.length < maxUncountedPods) continue
    isPartial = true
    break
  }
  status.uncounted = { succeeded, failed }
  if (indexes !== undefined) {
    status.completedIndexes = intervalText(indexes.succeeded)
    status.succeeded = run.succeeded
    status.failedIndexes = indexes.failed === undefined ? undefined : intervalText(indexes.failed)
  }
  return { ended, isPartial }
}

/** A failed pod whose index is to be retried stays until its replacement carries its failure count. */
function mayRelease({ job, indexes }: JobRun, pod: LivePod, isFailed: boolean, outcome: Outcome | undefined): boolean {
  if (job.metadata.deletionTimestamp !== undefined || outcome !== undefined || pod.status?.phase === 'Succeeded')
    return true
  const waiting = indexes?.awaitingRetry.get(completionIndex(pod) ?? -1)
  return isFailed && waiting?.metadata.uid !== pod.metadata.uid
}

function byIndex(pods: readonly LivePod[]): LivePod[] {
  return [...pods].sort((a, b) => (completionIndex(a) ?? -1) - (completionIndex(b) ?? -1))
}

function noteOutcome({ status, context }: JobRun, { isSuccess, reason, message }: Outcome): void {
  const type = isSuccess ? 'SuccessCriteriaMet' : 'FailureTarget'
  if (!status.isTrue(type)) status.setCondition({ type, status: 'True', reason, message }, context.now())
}

/** A Job ends when its pods have. */
function isOver({ status }: JobRun): boolean {
  return status.uncounted.succeeded.length + status.uncounted.failed.length + status.terminating === 0
}

function finish({ status, context }: JobRun, { isSuccess, reason, message }: Outcome): void {
  const now = context.now()
  status.setCondition({ type: isSuccess ? 'Complete' : 'Failed', status: 'True', reason, message }, now)
  if (isSuccess) status.completionTime = timestamp(now)
}

function announce({ context, job, status }: JobRun, { isSuccess, reason, message }: Outcome): void {
  if (!isSuccess) return context.event('Warning', reason, message)
  if (status.succeeded > (job.spec?.completions ?? Infinity))
    context.event('Warning', 'TooManySucceededPods', 'Too many succeeded pods running after completion count reached')
  context.event('Normal', 'Completed', 'Job completed')
}
