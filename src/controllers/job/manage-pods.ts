/** Keeps the number of active pods: none while suspended, at most the parallelism and the missing completions. */
import type { JobRun } from './job-run.ts'
import { msUntilIndexRetry, msUntilRetry } from './backoff.ts'
import { firstMissing, merged, withIndexes } from './intervals.ts'
import { indexesOf, isIndexed, isSuspended, waitsForTermination } from './job-pods.ts'
import { isTerminating } from '../shared/pod-state.ts'
import { newPod } from './new-pod.ts'
import { createPods, deletePods } from './pod-writes.ts'
import { podsToRemove } from './removal-order.ts'

/** The maximum of creates or deletes in one run. */
const maxBurstPods = 500

/** Milliseconds until failed pods may be replaced; 0 if none waits. */
export async function managePods(run: JobRun): Promise<number> {
  const { job, active, status } = run
  if (isSuspended(job)) {
    await deletePods(run, active, { uncounted: true })
    return 0
  }
  const wanted = wantedPods(run)
  const surplus = podsToRemove(job, active, Math.max(0, active.length - wanted)).slice(0, maxBurstPods)
  if (surplus.length > 0) {
    await deletePods(run, surplus, { uncounted: true })
    return 0
  }
  const leaving = waitsForTermination(job) ? status.terminating : 0
  const missing = Math.min(wanted - leaving - active.length, maxBurstPods)
  if (missing <= 0) return 0
  return isIndexed(job) ? createIndexed(run, missing) : createPlain(run, missing)
}

/** Without completions, the first success ends the Job: pods that still run may end. */
function wantedPods({ job, active, succeeded }: JobRun): number {
  const { completions, parallelism = 1 } = job.spec ?? {}
  if (completions === undefined) return succeeded > 0 ? active.length : parallelism
  return Math.max(0, Math.min(completions - succeeded, parallelism))
}

async function createPlain(run: JobRun, missing: number): Promise<number> {
  const waitMs = msUntilRetry(run.failures, run.context.now())
  if (waitMs > 0) return waitMs
  const pod = newPod(run.job, undefined, undefined)
  await createPods(
    run,
    Array.from({ length: missing }, () => ({ pod })),
  )
  return 0
}

/** The lowest indexes first. With a backoff limit per index, an index in backoff does not delay the others. */
async function createIndexed(run: JobRun, missing: number): Promise<number> {
  const { job, pods, active, indexes, failures, context } = run
  if (indexes === undefined) return 0
  const waitMs = indexes.failed === undefined ? msUntilRetry(failures, context.now()) : 0
  if (waitMs > 0) return waitMs
  let taken = withIndexes(indexes.succeeded, indexesOf(active))
  if (waitsForTermination(job)) taken = withIndexes(taken, indexesOf(pods.filter(isTerminating)))
  if (indexes.failed !== undefined) taken = merged(taken, indexes.failed)
  const waits = firstMissing(taken, missing, job.spec?.completions ?? 0).map((index) => ({
    index,
    waitMs: msUntilIndexRetry(indexes.awaitingRetry.get(index), context.now()),
  }))
  const due = waits.filter(({ waitMs: ms }) => ms === 0)
  await createPods(
    run,
    due.map(({ index }) => ({ index, pod: newPod(job, index, indexes.awaitingRetry.get(index)) })),
  )
  const later = waits.filter(({ waitMs: ms }) => ms > 0).map(({ waitMs: ms }) => ms)
  return later.length === 0 ? 0 : Math.min(...later)
}
