/** Conditions that the API server itself sets in the status of a pod. */
import { isObject, type JsonObject } from '../../api/json.ts'

/**
 * Adds or replaces a condition, in place. lastTransitionTime is kept if the status of the condition does not change.
 */
export function setPodCondition(
  status: JsonObject,
  condition: { readonly type: string; readonly status: string } & JsonObject,
  now: string,
): void {
  const conditions = (status['conditions'] ??= []) as JsonObject[]
  const index = conditions.findIndex((other) => isObject(other) && other['type'] === condition.type)
  const old = conditions[index]
  const isSame = old !== undefined && old['status'] === condition.status
  const { type, status: state, ...rest } = condition
  const next: JsonObject = {
    type,
    status: state,
    lastProbeTime: null,
    lastTransitionTime: isSame ? (old['lastTransitionTime'] ?? null) : now,
    ...rest,
  }
  if (index < 0) conditions.push(next)
  else conditions[index] = next
}
