/** Removes the tracking finalizer from pods that no Job will count: their Job has finished or is gone. */
import { controller, controllerOf, Job, keyOf, Pod, type ReconcileContext } from '../../index.ts'
import { isFinished, isManagedElsewhere, isTracked } from './job-pods.ts'
import { removeFinalizer } from './pod-writes.ts'

const jobIndex = 'coxswain.dev/tracked-by'

export const orphanPods = controller(Pod)
  .named('job-controller-pods')
  .only(isTracked)
  .when((old, pod) => controllerOf(old)?.uid !== controllerOf(pod)?.uid || isTracked(old) !== isTracked(pod))
  .cached({ indexes: { [jobIndex]: (pod) => (isTracked(pod) ? [controllerOf(pod)?.uid ?? ''] : []) } })
  .watches(Job, {
    map: (job, reads) => reads.lister(Pod).byIndex(jobIndex, job.metadata.uid).map(keyOf),
    when: (old, job) => !isFinished(old) && isFinished(job),
  })
  .options({ concurrency: 5, fieldManager: 'kube-controller-manager', batchPerTick: true })
  .deleting(release)
  .reconcile(release)

async function release(context: ReconcileContext<Pod>): Promise<void> {
  const { object: pod } = context
  const owner = controllerOf(pod)
  if (owner !== undefined) {
    if (owner.kind !== 'Job' || owner.apiVersion !== Job.apiVersion) return
    const job = await context.get(Job, owner.name)
    if (job?.metadata.uid === owner.uid && (isManagedElsewhere(job) || !isFinished(job))) return
  }
  await removeFinalizer(context, pod)
}
