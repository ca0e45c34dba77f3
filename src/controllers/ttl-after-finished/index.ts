/** The TTL-after-finished controller: deletes a Job, with its pods, when its time to live since its end is over. */
import { controller, isNotFound, Job, keyOf, requeueAfter, type Live } from '../../index.ts'
import { changed } from '../../controller/index.ts'

export const finishedJobs = controller(Job)
  .named('ttl-after-finished-controller')
  .only((job) => expiresAt(job) !== undefined)
  .when(changed<Job>(expiresAt))
  .options({ fieldManager: 'kube-controller-manager', concurrency: 5 })
  .reconcile(async ({ object, client, signal, now }) => {
    const dueAt = expiresAt(object)
    if (dueAt === undefined || Number.isNaN(dueAt)) return undefined
    if (dueAt > now()) return requeueAfter(dueAt - now())
    // With the version of the Job whose time is over: the delete fails if the TTL has changed meanwhile.
    const { uid, resourceVersion } = object.metadata
    try {
      await client.delete(Job, keyOf(object), { propagationPolicy: 'Foreground', uid, resourceVersion, signal })
    } catch (error) {
      if (!isNotFound(error)) throw error
    }
    return undefined
  })

/** Milliseconds since the epoch; undefined for a Job that runs or has no TTL. */
function expiresAt({ spec, status }: Live<Job>): number | undefined {
  const ttlSeconds = spec?.ttlSecondsAfterFinished
  const end = status?.conditions?.find(
    ({ type, status: is }) => (type === 'Complete' || type === 'Failed') && is === 'True',
  )
  return ttlSeconds === undefined || end === undefined
    ? undefined
    : Date.parse(end.lastTransitionTime ?? '') + ttlSeconds * 1000
}
