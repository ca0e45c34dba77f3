/**
 * Quota usage of all objects of one kind, computed as admission computes it. For the controller that maintains the
 * status of quotas.
 */
import { isObject, type JsonObject } from '../../../api/json.ts'
import type { KubeObject } from '../../../api/object.ts'
import { addAmounts, pickAmounts, writeAmounts, zero, type ResourceAmounts } from '../../resources/shared/amounts.ts'
import { evaluatorFor, type CountedResource } from './evaluator.ts'
import { scopesOf } from './scopes.ts'

/** The names in the quota's `hard` that apply to this kind. */
function quotaNames(kind: CountedResource, spec: unknown): string[] {
  const evaluator = evaluatorFor(kind)
  const { hard } = specOf(spec)
  return evaluator === undefined || !isObject(hard) ? [] : Object.keys(hard).filter((name) => evaluator.counts(name))
}

/**
 * The usage for each of {@link quotaNames}, as quantities in text. Counts only objects that all scopes of the quota
 * match.
 */
function quotaUsage(
  kind: CountedResource,
  spec: unknown,
  objects: readonly unknown[],
  now: number,
): Record<string, string> {
  const evaluator = evaluatorFor(kind)
  const names = quotaNames(kind, spec)
  const scopes = scopesOf(specOf(spec))
  const sums: ResourceAmounts = new Map(names.map((name) => [name, zero]))
  for (const object of objects as readonly KubeObject[]) {
    if (evaluator === undefined || !scopes.every((scope) => evaluator.matchesScope(scope, object))) continue
    addAmounts(
      sums,
      pickAmounts(evaluator.usage(object, now), (name) => sums.has(name)),
    )
  }
  return writeAmounts(sums) as Record<string, string>
}

function specOf(spec: unknown): JsonObject {
  return (spec ?? {}) as JsonObject
}

export const quotaCount = { names: quotaNames, usage: quotaUsage } as const
