/** The strategy Recreate: deletes all old pods, then creates new ones. */
import { controllerOf, type Live, type Pod } from '../../index.ts'
import { desiredReplicas } from './bounds.ts'
import { createNewReplicaSet, type ReplicaSets } from './replica-sets.ts'
import { scaleReplicaSet, sizeOf, type DeploymentContext, type LiveSet } from './rollout.ts'

export async function recreate(
  context: DeploymentContext,
  sets: ReplicaSets,
  pods: readonly Live<Pod>[],
): Promise<ReplicaSets> {
  const active = sets.old.filter((set) => sizeOf(set) > 0)
  if (active.length > 0) {
    const old: LiveSet[] = []
    for (const set of sets.old) old.push(sizeOf(set) > 0 ? await scaleReplicaSet(context, set, 0) : set)
    return { current: sets.current, old }
  }
  if (hasOldPods(sets, pods)) return sets
  const current = sets.current ?? (await createNewReplicaSet(context, sets))
  return { current: await scaleReplicaSet(context, current, desiredReplicas(context.object)), old: sets.old }
}

/** Finished pods do not count: they hold no resources. */
function hasOldPods({ old }: ReplicaSets, pods: readonly Live<Pod>[]): boolean {
  const uids = new Set(old.map(({ metadata }) => metadata.uid))
  return pods.some(
    (pod) =>
      uids.has(controllerOf(pod)?.uid ?? '') && pod.status?.phase !== 'Failed' && pod.status?.phase !== 'Succeeded',
  )
}
