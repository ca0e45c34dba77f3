/**
 * The Job controller: runs pods until enough of them have succeeded. The steps follow kube-controller-manager: 1 claim
 * the pods, which a finalizer keeps until they are counted, 2 decide whether the Job has failed or met its success
 * policy, 3 then delete its active pods, else create or delete the difference, 4 suspend or resume, 5 count the pods
 * that have ended, 6 set the condition that ends the Job when no pod is left.
 */
import { changed } from '../../controller/index.ts'
import { controller, Job, Pod, requeueAfter, type ReconcileContext, type ReconcileResult } from '../../index.ts'
import { timestamp } from '../../env/index.ts'
import { fastSlowLimiter } from '../../queue/index.ts'
import { adoptableInformer, adoptersOf } from '../shared/adoption.ts'
import { readySince } from '../shared/pod-state.ts'
import { FailureRecords } from './backoff.ts'
import { isFinished, isManagedElsewhere, isSuspended } from './job-pods.ts'
import { startRun, type JobRun } from './job-run.ts'
import { managePods } from './manage-pods.ts'
import { completionsReached, isComplete, msUntilDeadline, outcomeOf, type Outcome } from './outcome.ts'
import { deletePods } from './pod-writes.ts'
import { trackPods } from './tracking.ts'

/** The container statuses have exit codes and restarts. Finalizers are the controller's own writes. */
const countedFieldsChanged = changed<Pod>((pod) => [
  pod.status?.phase,
  pod.status?.phase === 'Failed' ? pod.status.conditions : readySince(pod),
  pod.status?.containerStatuses?.map(({ restartCount, state }) => [restartCount, state?.terminated]),
  pod.status?.initContainerStatuses?.map(({ restartCount, state }) => [restartCount, state?.terminated]),
  pod.metadata.labels,
  pod.metadata.annotations,
  pod.metadata.ownerReferences,
])

/** After an API error. Upstream doubles 1 s up to 1 min. */
const firstRetryMs = 1000
const laterRetryMs = 30_000

export function jobs() {
  const records = new FailureRecords()
  return controller(Job)
    .named('job-controller')
    .ownsWith(Pod, { when: countedFieldsChanged })
    .watches(Pod, { map: adoptersOf(Job, ({ spec }) => spec?.selector), informer: adoptableInformer })
    .options({
      concurrency: 5,
      fieldManager: 'kube-controller-manager',
      batchPerTick: true,
      reconcileOwnWrites: 'never',
      limiter: fastSlowLimiter(firstRetryMs, laterRetryMs, 5),
    })
    .gone((key) => records.forget(key))
    .deleting((context) => sync(context, records))
    .reconcile((context) => sync(context, records))
}

async function sync(context: ReconcileContext<Job>, records: FailureRecords): Promise<ReconcileResult> {
  const { object: job, key } = context
  if (isManagedElsewhere(job)) return undefined
  if (isFinished(job)) return records.forget(key)
  const run = await startRun(context, records)
  const { outcome, retryMs, failure } = await act(run)
  const isPartial = await trackPods(run, outcome, () => records.keep(key, run.failures))
  if (failure !== undefined) throw failure.error
  if (isPartial) return requeueAfter(1)
  const waits = [retryMs, outcome === undefined ? msUntilDeadline(run) : undefined].filter((ms) => (ms ?? 0) > 0)
  return waits.length === 0 ? undefined : requeueAfter(Math.min(...(waits as number[])))
}

interface Acted {
  /** Undefined: the Job goes on. */
  readonly outcome?: Outcome | undefined
  /** Milliseconds until failed pods may be replaced. */
  readonly retryMs?: number
  /** Thrown when the pods are counted. */
  readonly failure?: { readonly error: unknown }
}

/** Steps 2 to 4. */
async function act(run: JobRun): Promise<Acted> {
  const outcome = outcomeOf(run)
  const mayManage = run.job.metadata.deletionTimestamp === undefined
  let retryMs = 0
  try {
    if (outcome !== undefined) await deletePods(run, run.active, { uncounted: false })
    else if (mayManage) retryMs = await managePods(run)
  } catch (error) {
    // Active pods may be left, so the Job has not ended.
    if (outcome === undefined) noteSuspension(run)
    return { failure: { error } }
  }
  if (outcome !== undefined) return { outcome }
  if (isComplete(run)) return { outcome: completionsReached }
  if (mayManage) noteSuspension(run)
  return { retryMs }
}

/** A resumed Job starts anew: its deadline counts the time since then. */
function noteSuspension({ context, job, status }: JobRun): void {
  const now = context.now()
  const [state, reason] = isSuspended(job) ? (['True', 'Suspended'] as const) : (['False', 'Resumed'] as const)
  const message = `Job ${reason.toLowerCase()}`
  if (!status.setCondition({ type: 'Suspended', status: state, reason: `Job${reason}`, message }, now)) return
  context.event('Normal', reason, message)
  if (state === 'False') status.startTime = timestamp(now)
}
