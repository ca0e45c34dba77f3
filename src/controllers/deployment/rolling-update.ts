/**
 * Steps 5 and 6 of a rolling update: scales up the new ReplicaSet within the surge, and scales down the old ones while
 * enough pods are available.
 */
import { rolloutBounds, wantedReplicas } from './bounds.ts'
import { createCurrent, newSize, type Sets } from './replica-sets.ts'
import { byAge, resize, sizeOf, total, type DeploymentContext, type LiveSet } from './rollout.ts'

export async function rollOver(context: DeploymentContext, sets: Sets): Promise<Sets> {
  const current = sets.current ?? (await createCurrent(context, sets))
  const grown = await growNew(context, { current, old: sets.old })
  if (grown !== current) return { current: grown, old: sets.old }
  return { current, old: await shrinkOld(context, current, sets.old) }
}

async function growNew(context: DeploymentContext, sets: Sets & { readonly current: LiveSet }): Promise<LiveSet> {
  const { current } = sets
  const wanted = wantedReplicas(context.object)
  if (sizeOf(current) === wanted) return current
  return resize(context, current, sizeOf(current) > wanted ? wanted : newSize(context.object, sets))
}

async function shrinkOld(
  context: DeploymentContext,
  current: LiveSet,
  old: readonly LiveSet[],
): Promise<readonly LiveSet[]> {
  if (total(old, sizeOf) === 0) return old
  const least = wantedReplicas(context.object) - rolloutBounds(context.object).maxUnavailable
  const notYet = sizeOf(current) - available(current)
  const most = total([current, ...old], sizeOf) - least - notYet
  if (most <= 0) return old
  const healthy = await shrinkUnhealthy(context, old, most)
  return shrinkHealthy(context, current, healthy, least)
}

/** Unavailable pods of old ReplicaSets go first: that costs no availability. */
async function shrinkUnhealthy(context: DeploymentContext, old: readonly LiveSet[], most: number): Promise<LiveSet[]> {
  let left = most
  const after: LiveSet[] = []
  for (const set of byAge(old)) {
    const spare = Math.min(left, Math.max(0, sizeOf(set) - available(set)))
    left -= spare
    after.push(spare === 0 ? set : await resize(context, set, sizeOf(set) - spare))
  }
  return after
}

async function shrinkHealthy(
  context: DeploymentContext,
  current: LiveSet,
  old: readonly LiveSet[],
  least: number,
): Promise<LiveSet[]> {
  let left = Math.max(0, total([current, ...old], available) - least)
  const after: LiveSet[] = []
  for (const set of old) {
    const spare = Math.min(left, sizeOf(set))
    left -= spare
    after.push(spare === 0 ? set : await resize(context, set, sizeOf(set) - spare))
  }
  return after
}

/** At most its desired size: right after a scale-down its status still counts pods that will be deleted. */
function available(set: LiveSet): number {
  return Math.min(set.status?.availableReplicas ?? 0, sizeOf(set))
}
