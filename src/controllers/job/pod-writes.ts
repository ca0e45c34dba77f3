/** The writes of a Job to its pods: create, delete, remove the finalizer. */
import { ApiError, isNotFound, keyOf, Pod, type ReconcileContext, type Job } from '../../index.ts'
import { isReady } from '../shared/pod-state.ts'
import { isTracked, trackingFinalizer, type LivePod } from './job-pods.ts'
import type { JobRun } from './job-run.ts'

export interface NewPod {
  readonly pod: Pod
  /** Of an Indexed Job. */
  readonly index?: number | undefined
}

/** Slow start: one, then two, four, eight, so that a full quota does not refuse five hundred creates. */
export async function createPods(run: JobRun, pods: readonly NewPod[]): Promise<void> {
  for (let done = 0, batch = 1; done < pods.length; done += batch, batch *= 2) {
    const results = await Promise.allSettled(pods.slice(done, done + batch).map((pod) => createPod(run, pod)))
    const failed = results.find((result) => result.status === 'rejected')
    if (failed === undefined) continue
    if (isNamespaceEnding(failed.reason)) return
    throw failed.reason
  }
}

async function createPod({ context, status, indexes }: JobRun, { pod, index }: NewPod): Promise<void> {
  const { client, signal, event } = context
  try {
    const created = await client.create(Pod, pod, { signal, fieldManager: 'kube-controller-manager' })
    status.active++
    // It carries the failure count of the pod that it replaces, which can be counted now.
    if (index !== undefined) indexes?.awaitingRetry.delete(index)
    event('Normal', 'SuccessfulCreate', `Created pod: ${created.metadata.name}`)
  } catch (error) {
    if (!isNamespaceEnding(error))
      event('Warning', 'FailedCreate', `Error creating: ${error instanceof Error ? error.message : String(error)}`)
    throw error
  }
}

/** Nothing can or needs to be created in a namespace that is being deleted. */
function isNamespaceEnding(error: unknown): boolean {
  return (
    error instanceof ApiError &&
    error.status.details?.causes?.some(({ reason }) => reason === 'NamespaceTerminating') === true
  )
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
