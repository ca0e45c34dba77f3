/**
 * Proportional scaling: a Deployment that is scaled during a rollout or while paused scales its ReplicaSets in
 * proportion.
 */
import type { Deployment, Live } from '../../index.ts'
import { desiredReplicasAnnotation, maxReplicasAnnotation } from './annotations.ts'
import { isRolling, rolloutBounds, desiredReplicas } from './bounds.ts'
import type { ReplicaSets } from './replica-sets.ts'
import { byAge, scaleReplicaSet, sizeOf, sumOverSets, type DeploymentContext, type LiveSet } from './rollout.ts'

/**
 * An active ReplicaSet was scaled for another size. With the strategy Recreate several ReplicaSets are active only
 * after adoption; these are not scaled in proportion, and the strategy scales down the old ones.
 */
export function isScaled(deployment: Live<Deployment>, { current, old }: ReplicaSets): boolean {
  const wanted = desiredReplicas(deployment)
  const active = [current, ...old].filter((set) => set !== undefined && sizeOf(set) > 0) as LiveSet[]
  if (active.length > 1 && !isRolling(deployment)) return false
  return active.some((set) => (desiredReplicasAnnotation(set) ?? wanted) !== wanted)
}

export async function scale(context: DeploymentContext, { current, old }: ReplicaSets): Promise<void> {
  const { object: deployment } = context
  const wanted = desiredReplicas(deployment)
  const active = [current, ...old].filter((set) => set !== undefined && sizeOf(set) > 0) as LiveSet[]
  const only = active.length === 1 ? active[0] : active.length === 0 ? (current ?? byAge(old).at(-1)) : undefined
  if (only !== undefined) {
    await scaleReplicaSet(context, only, wanted)
    return
  }
  if (active.length === 0) return
  if (current !== undefined && isSaturated(deployment, current)) {
    for (const set of active) if (set !== current) await scaleReplicaSet(context, set, 0)
    return
  }
  if (isRolling(deployment)) await scaleInProportion(context, active)
}

/** The new ReplicaSet has all desired pods, and they are available. */
function isSaturated(deployment: Live<Deployment>, set: LiveSet): boolean {
  const wanted = desiredReplicas(deployment)
  return (
    sizeOf(set) === wanted &&
    desiredReplicasAnnotation(set) === wanted &&
    (set.status?.availableReplicas ?? 0) === wanted
  )
}

async function scaleInProportion(context: DeploymentContext, active: readonly LiveSet[]): Promise<void> {
  const { object: deployment } = context
  const wanted = desiredReplicas(deployment)
  const allowed = wanted > 0 ? wanted + rolloutBounds(deployment).maxSurge : 0
  const toAdd = allowed - sumOverSets(active, sizeOf)
  const ages = byAge(active)
  // Largest first. Of equal ones, the newer is scaled up first and the older is scaled down first.
  const sets = [...active].sort(
    (a, b) =>
      sizeOf(b) - sizeOf(a) || (toAdd > 0 ? ages.indexOf(b) - ages.indexOf(a) : ages.indexOf(a) - ages.indexOf(b)),
  )
  let added = 0
  const sizes = sets.map((set) => {
    if (toAdd === 0) return sizeOf(set)
    const fair = fraction(deployment, set)
    const share = toAdd > 0 ? Math.min(fair, toAdd - added) : Math.max(fair, toAdd - added)
    added += share
    return sizeOf(set) + share
  })
  for (const [index, set] of sets.entries()) {
    const rest = index === 0 && toAdd !== 0 ? toAdd - added : 0
    await scaleReplicaSet(context, set, Math.max(0, (sizes[index] as number) + rest))
  }
}

function fraction(deployment: Live<Deployment>, set: LiveSet): number {
  const wanted = desiredReplicas(deployment)
  if (wanted === 0) return -sizeOf(set)
  const before = maxReplicasAnnotation(set) ?? deployment.status?.replicas ?? 0
  if (before === 0) return 0
  return Math.round((sizeOf(set) * (wanted + rolloutBounds(deployment).maxSurge)) / before) - sizeOf(set)
}
