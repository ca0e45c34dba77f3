/** Conditions of a CustomResourceDefinition. */
import { isObject, type Json, type JsonObject } from '../../../api/json.ts'
import type { KubeObject } from '../../../api/object.ts'
import { timestamp } from '../../../env/env.ts'

export interface DefinitionCondition {
  readonly type: string
  readonly status: 'True' | 'False' | 'Unknown'
  readonly reason: string
  readonly message: string
}

export function findDefinitionCondition(crd: KubeObject, type: string): JsonObject | undefined {
  const conditions = isObject(crd['status']) ? crd['status']['conditions'] : undefined
  if (!Array.isArray(conditions)) return undefined
  return conditions.filter(isObject).find((condition) => condition['type'] === type)
}

export function conditionIs(crd: KubeObject, type: string, status: DefinitionCondition['status']): boolean {
  return findDefinitionCondition(crd, type)?.['status'] === status
}

/** Equal except for the time. */
export function sameCondition(condition: DefinitionCondition, other: JsonObject | undefined): boolean {
  return (
    other !== undefined &&
    other['type'] === condition.type &&
    other['status'] === condition.status &&
    other['reason'] === condition.reason &&
    other['message'] === condition.message
  )
}

/** A new list with the condition. Its lastTransitionTime changes only with its status. `now` in milliseconds. */
export function withDefinitionCondition(
  conditions: Json | undefined,
  condition: DefinitionCondition,
  now: number,
): JsonObject[] {
  const list = Array.isArray(conditions) ? conditions.filter(isObject) : []
  const at = list.findIndex((existing) => existing['type'] === condition.type)
  const old = list[at]
  const since =
    old?.['status'] === condition.status && typeof old['lastTransitionTime'] === 'string'
      ? old['lastTransitionTime']
      : timestamp(now)
  const entry: JsonObject = {
    ...old,
    type: condition.type,
    status: condition.status,
    lastTransitionTime: since,
    reason: condition.reason,
    message: condition.message,
  }
  return old === undefined ? [...list, entry] : list.map((existing, i) => (i === at ? entry : existing))
}
