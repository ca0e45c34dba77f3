/**
 * Decides when the status is written. A rollout changes its counters many times a second; writing each change would be
 * a write that nobody reads. Important changes (phase, conditions, generation, revision) are written at once, with one
 * exception: that a new generation is in progress. As long as it is not observed, clients know that already, so the
 * rollout has a moment to complete first.
 */
import { isDeepStrictEqual } from 'node:util'
import { isConditionTrue } from 'coxswain'
import type { DeepReadonly } from 'coxswain/api'
import type { WebAppStatus } from '../schema/webapp.ts'

type Status = DeepReadonly<WebAppStatus>

/** Milliseconds, of the operator's options. */
export interface Pace {
  readonly progressIntervalMs: number
  readonly rolloutGraceMs: number
}

/** Undefined: there is nothing to write. 0: write now. Otherwise: write within this many milliseconds. */
export function reportIn(
  before: Status,
  next: Status,
  now: number,
  { progressIntervalMs, rolloutGraceMs }: Pace,
): number | undefined {
  const { lastReconcileTime, ...reported } = before
  const { lastReconcileTime: _, ...desired } = next
  if (isDeepStrictEqual(reported, desired)) return undefined
  if (!isDeepStrictEqual(substance(reported), substance(desired)))
    return isOnlyProgress(reported, desired) ? rolloutGraceMs : 0
  const since = lastReconcileTime === undefined ? Infinity : now - Date.parse(lastReconcileTime)
  return since >= progressIntervalMs ? 0 : Math.min(progressIntervalMs, progressIntervalMs - since)
}

function isOnlyProgress(before: Status, next: Status): boolean {
  return (
    before.observedGeneration !== next.observedGeneration &&
    before.phase === next.phase &&
    isConditionTrue(next.conditions, 'Reconciling')
  )
}

const progress = new Set([
  'replicas',
  'updatedReplicas',
  'readyReplicas',
  'availableReplicas',
  'message',
  'children',
  'resolvedImage',
  'problems',
])

/** Without counters and words. */
function substance({ conditions = [], ...fields }: Status): unknown {
  const facts = Object.entries(fields).filter(([name]) => !progress.has(name))
  const said = conditions.map(({ type, status, reason, observedGeneration }) => [
    type,
    status,
    reason,
    observedGeneration,
  ])
  return [Object.fromEntries(facts), said]
}
