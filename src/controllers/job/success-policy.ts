/** The success policy of an Indexed Job. */
import type { batchV1 } from '../../index.ts'
import type { DeepReadonly } from '../../api/index.ts'
import { overlap, parseIntervals, total, type Intervals } from './intervals.ts'

/** The first rule that the succeeded indexes meet, as text for the condition; undefined if none. */
export function metSuccessRule(
  policy: DeepReadonly<batchV1.SuccessPolicy> | undefined,
  completions: number,
  succeeded: Intervals,
): string | undefined {
  if (policy === undefined || succeeded.length === 0) return undefined
  const met = policy.rules.findIndex(({ succeededIndexes, succeededCount = Infinity }) => {
    if (succeededIndexes === undefined) return total(succeeded) >= succeededCount
    const required = parseIntervals(succeededIndexes, completions)
    const reached = overlap(required, succeeded)
    return required.length > 0 && (reached === total(required) || reached >= succeededCount)
  })
  return met < 0 ? undefined : `Matched rules at index ${met}`
}
