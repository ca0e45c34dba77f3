/**
 * Deletes old ReplicaSets beyond the revision history limit, oldest revision first. Those with pods, or whose spec is
 * not observed yet, are kept.
 */
import { keyOf, ReplicaSet } from '../../index.ts'
import { revisionOf } from './annotations.ts'
import { byAge, sizeOf, type DeploymentContext, type LiveSet } from './rollout.ts'

export async function cleanUpHistory(context: DeploymentContext, old: readonly LiveSet[]): Promise<void> {
  const limit = context.object.spec?.revisionHistoryLimit ?? 10
  const kept = old.filter(({ metadata }) => metadata.deletionTimestamp === undefined)
  const spare = kept.length - limit
  if (spare <= 0) return
  const oldest = byAge(kept).sort(byRevision).slice(0, spare)
  for (const set of oldest) {
    const isUsed =
      (set.status?.replicas ?? 0) !== 0 ||
      sizeOf(set) !== 0 ||
      (set.metadata.generation ?? 0) > (set.status?.observedGeneration ?? 0)
    if (!isUsed) await context.delete(ReplicaSet, keyOf(set))
  }
}

function byRevision(a: LiveSet, b: LiveSet): number {
  const [first, second] = [revisionOf(a), revisionOf(b)]
  return first < second ? -1 : first > second ? 1 : 0
}
