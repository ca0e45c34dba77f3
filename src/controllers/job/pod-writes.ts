/** The writes of a Job to its pods: create, delete, remove the finalizer. */
import { isNamespaceTerminating } from '../../api/index.ts'
import { isNotFound, keyOf, Pod, type ReconcileContext, type Job } from '../../index.ts'
import { createPod } from '../shared/create-pod.ts'
import { isReady } from '../shared/pod-state.ts'
import { slowStart } from '../shared/slow-start.ts'
import { isTracked, trackingFinalizer, type LivePod } from './job-pods.ts'
import type { JobRun } from './job-run.ts'

export interface NewPod {
  readonly pod: Pod
  /** Of an Indexed Job. */
  readonly index?: number | undefined
}

export async function createPods({ context, status, indexes }: JobRun, pods: readonly NewPod[]): Promise<void> {
  const { errors } = await slowStart(pods, async ({ pod, index }) => {
    await createPod(context, pod)
    status.active++
    // It carries the failure count of the pod that it replaces, which can be counted now.
    if (index !== undefined) indexes?.awaitingRetry.delete(index)
  })
  const [error] = errors
  if (error !== undefined && !isNamespaceTerminating(error)) throw error
}

/**
 * Deletes active pods. `uncounted`: their finalizers are removed first, so that they do not count as failed. Throws
 * the first error after all have been tried.
 */
export async function deletePods(
  run: JobRun,
  pods: readonly LivePod[],
  { uncounted }: { readonly uncounted: boolean },
): Promise<void> {
  const { context, status } = run
  const results = await Promise.allSettled(
    pods.map(async (pod) => {
      // A pod that has ended meanwhile must be counted: then this fails with a conflict (409).
      if (uncounted) await removeFinalizer(context, pod, { resourceVersion: pod.metadata.resourceVersion })
      if (uncounted) run.released.add(pod.metadata.uid)
      await deletePod(context, pod)
      status.active--
      status.terminating++
      if (isReady(pod)) status.ready--
    }),
  )
  const failed = results.find((result) => result.status === 'rejected')
  if (failed !== undefined) throw failed.reason
}

async function deletePod({ client, signal, event }: ReconcileContext<Job>, pod: LivePod): Promise<void> {
  try {
    await client.delete(Pod, keyOf(pod), { uid: pod.metadata.uid, signal })
    event('Normal', 'SuccessfulDelete', `Deleted pod: ${pod.metadata.name}`)
  } catch (error) {
    if (isNotFound(error)) return
    event('Warning', 'FailedDelete', `Error deleting: ${error instanceof Error ? error.message : String(error)}`)
    throw error
  }
}

/** A pod that is gone has no finalizer either. */
export async function removeFinalizer(
  { client, signal }: Pick<ReconcileContext<Job>, 'client' | 'signal'>,
  pod: LivePod,
  guard: { readonly resourceVersion?: string } = {},
): Promise<void> {
  if (!isTracked(pod)) return
  const { uid } = pod.metadata
  const patch = { metadata: { uid, ...guard, '$deleteFromPrimitiveList/finalizers': [trackingFinalizer] } }
  try {
    await client.patch(Pod, keyOf(pod), { type: 'strategic', patch }, { signal })
  } catch (error) {
    if (!isNotFound(error)) throw error
  }
}
