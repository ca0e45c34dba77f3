/**
 * Steps 5 and 6 of a rolling update: scales up the new ReplicaSet within the surge, and scales down the old ones while
 * enough pods are available.
 */
import { rolloutBounds, desiredReplicas } from './bounds.ts'
import { createNewReplicaSet, newReplicaSetSize, type ReplicaSets } from './replica-sets.ts'
import { byAge, scaleReplicaSet, sizeOf, sumOverSets, type DeploymentContext, type LiveSet } from './rollout.ts'

export async function rollingUpdate(context: DeploymentContext, sets: ReplicaSets): Promise<ReplicaSets> {
  const current = sets.current ?? (await createNewReplicaSet(context, sets))
  const grown = await scaleUpNew(context, { current, old: sets.old })
  if (grown !== current) return { current: grown, old: sets.old }
  return { current, old: await scaleDownOld(context, current, sets.old) }
}

async function scaleUpNew(
  context: DeploymentContext,
  sets: ReplicaSets & { readonly current: LiveSet },
): Promise<LiveSet> {
  const { current } = sets
  const wanted = desiredReplicas(context.object)
  if (sizeOf(current) === wanted) return current
  return scaleReplicaSet(context, current, sizeOf(current) > wanted ? wanted : newReplicaSetSize(context.object, sets))
}

async function scaleDownOld(
  context: DeploymentContext,
  current: LiveSet,
  old: readonly LiveSet[],
): Promise<readonly LiveSet[]> {
  if (sumOverSets(old, sizeOf) === 0) return old
  const least = desiredReplicas(context.object) - rolloutBounds(context.object).maxUnavailable
  const notYet = sizeOf(current) - available(current)
  const most = sumOverSets([current, ...old], sizeOf) - least - notYet
  if (most <= 0) return old
  const healthy = await scaleDownUnhealthy(context, old, most)
  return scaleDownHealthy(context, current, healthy, least)
}

/** Unavailable pods of old ReplicaSets go first: that costs no availability. */
async function scaleDownUnhealthy(
  context: DeploymentContext,
  old: readonly LiveSet[],
  most: number,
): Promise<LiveSet[]> {
  let left = most
  const after: LiveSet[] = []
  for (const set of byAge(old)) {
    const spare = Math.min(left, Math.max(0, sizeOf(set) - available(set)))
    left -= spare
    after.push(spare === 0 ? set : await scaleReplicaSet(context, set, sizeOf(set) - spare))
  }
  return after
}

async function scaleDownHealthy(
  context: DeploymentContext,
  current: LiveSet,
  old: readonly LiveSet[],
  least: number,
): Promise<LiveSet[]> {
  let left = Math.max(0, sumOverSets([current, ...old], available) - least)
  const after: LiveSet[] = []
  for (const set of old) {
    const spare = Math.min(left, sizeOf(set))
    left -= spare
    after.push(spare === 0 ? set : await scaleReplicaSet(context, set, sizeOf(set) - spare))
  }
  return after
}

/** At most its desired size: right after a scale-down its status still counts pods that will be deleted. */
function available(set: LiveSet): number {
  return Math.min(set.status?.availableReplicas ?? 0, sizeOf(set))
}
