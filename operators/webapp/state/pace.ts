/**
 * How often progress is told. A roll-out changes its counters many times a second; each change told would be a write that
 * nobody reads. What matters (a phase, a condition, a generation, a revision) is told at once.
 */
import { isDeepStrictEqual } from 'node:util'
import type { DeepReadonly } from 'coxswain'
import type { WebAppStatus } from '../schema/webapp.ts'

type Status = DeepReadonly<WebAppStatus>

/** Undefined: there is nothing to tell. 0: it is to be told now. Else: in so many milliseconds. */
export function tellIn(before: Status, next: Status, now: number, pace: number): number | undefined {
  const { lastReconcileTime, ...told } = before
  const { lastReconcileTime: _, ...wish } = next
  if (isDeepStrictEqual(told, wish)) return undefined
  if (!isDeepStrictEqual(substance(told), substance(wish))) return 0
  const since = lastReconcileTime === undefined ? Infinity : now - Date.parse(lastReconcileTime)
  return since >= pace ? 0 : Math.min(pace, pace - since)
}

const progress = new Set([
  'replicas', 'updatedReplicas', 'readyReplicas', 'availableReplicas', 'message', 'children', 'resolvedImage', 'problems',
])

/** Without counters and words. */
function substance({ conditions = [], ...fields }: Status): unknown {
  const facts = Object.entries(fields).filter(([name]) => !progress.has(name))
  const said = conditions.map(({ type, status, reason, observedGeneration }) => [type, status, reason, observedGeneration])
  return [Object.fromEntries(facts), said]
}
