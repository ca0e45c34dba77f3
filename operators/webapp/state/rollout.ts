/** What a Deployment's status says of its roll-out. */
import type { Deployment, Live } from 'coxswain'

export interface Rollout {
  readonly wanted: number
  readonly total: number
  readonly updated: number
  readonly ready: number
  readonly available: number
  /** All pods are of the newest template, as many as wanted, and available. */
  readonly isComplete: boolean
  /** Pods of another template are still there, or some are missing. */
  readonly isRolling: boolean
  /** Enough pods are available, of any template. */
  readonly isAvailable: boolean
  /** Nothing has moved for longer than `progressDeadlineSeconds`. */
  readonly isStuck: boolean
  /** Why pods cannot even be made: a quota, an admission. */
  readonly blocked?: string | undefined
}

export function rollout({ metadata, spec, status = {} }: Live<Deployment>): Rollout {
  const wanted = spec?.replicas ?? 1
  const {
    replicas: total = 0,
    updatedReplicas: updated = 0,
    readyReplicas: ready = 0,
    availableReplicas: available = 0,
  } = status
  // Of an older generation nothing can be said.
  const isObserved = (status.observedGeneration ?? 0) >= (metadata.generation ?? 0)
  const condition = (type: string) => status.conditions?.find((each) => each.type === type)
  const isRolling = !isObserved || updated < wanted || total > updated
  const failure = condition('ReplicaFailure')
  const progressing = condition('Progressing')
  // Under Recreate the old pods go first. Until then the condition is still about the roll-out before.
  const hasBegun = spec?.strategy?.type !== 'Recreate' || updated > 0 || failure?.status === 'True'
  return {
    wanted,
    total,
    updated,
    ready,
    available,
    isRolling,
    isComplete: !isRolling && available >= wanted,
    isAvailable: condition('Available')?.status === 'True',
    isStuck:
      isObserved && hasBegun && progressing?.status === 'False' && progressing.reason === 'ProgressDeadlineExceeded',
    ...(isObserved && failure?.status === 'True' ? { blocked: failure.message ?? 'pods cannot be made' } : {}),
  }
}

/** `2 of 3 replicas are available`, or, while they are replaced, `1 of 3 replicas are updated, 3 available` */
export function rolloutText({ wanted, total, available, updated, isRolling }: Rollout): string {
  const isReplacing = isRolling && total > 0 && (updated < wanted || total > updated)
  const [count, what] = isReplacing ? [updated, `updated, ${available} available`] : [available, 'available']
  return `${count} of ${wanted} replicas are ${what}`
}
