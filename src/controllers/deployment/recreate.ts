/** The strategy Recreate: deletes all old pods, then creates new ones. */
import { controllerOf, type Live, type Pod } from '../../index.ts'
import { wantedReplicas } from './bounds.ts'
import { createCurrent, type Sets } from './replica-sets.ts'
import { resize, sizeOf, type DeploymentContext, type LiveSet } from './rollout.ts'

export async function recreate(context: DeploymentContext, sets: Sets, pods: readonly Live<Pod>[]): Promise<Sets> {
  const active = sets.old.filter((set) => sizeOf(set) > 0)
  if (active.length > 0) {
    const old: LiveSet[] = []
    for (const set of sets.old) old.push(sizeOf(set) > 0 ? await resize(context, set, 0) : set)
    return { current: sets.current, old }
  }
  if (hasOldPods(sets, pods)) return sets
  const current = sets.current ?? (await createCurrent(context, sets))
  return { current: await resize(context, current, wantedReplicas(context.object)), old: sets.old }
}

/** Finished pods do not count: they hold no resources. */
function hasOldPods({ old }: Sets, pods: readonly Live<Pod>[]): boolean {
  const uids = new Set(old.map(({ metadata }) => metadata.uid))
  return pods.some(
    (pod) =>
      uids.has(controllerOf(pod)?.uid ?? '') && pod.status?.phase !== 'Failed' && pod.status?.phase !== 'Succeeded',
  )
}
