/** Removal of fields and items from a value. */
import { isObject, setOwn, type Json, type JsonObject } from '../../api/json.ts'
import type { Shape } from '../../shape/shape.ts'
import { isEmpty, isMember, type FieldSet } from './field-set.ts'
import { isHollow, rootPlan, type ListPlan, type MapPlan, type Plan } from './plan.ts'

/**
 * The object without the given paths. A container that loses its last part becomes null, and so does an
 * atomic value with a path inside. The input is not changed, and untouched parts are shared with it.
 */
export function removeFields(shape: Shape, value: JsonObject, paths: FieldSet): JsonObject {
  if (isEmpty(paths)) return value
  return (removeFromMap(rootPlan(shape), value, paths) ?? {}) as JsonObject
}

function removeFromValue(plan: Plan, value: Json, paths: FieldSet): Json {
  if (plan.type === 'leaf') return plan.shape.type === 'scalar' ? value : null
  if (plan.type === 'list') return Array.isArray(value) ? removeFromList(plan, value, paths) : null
  if (isObject(value)) return removeFromMap(plan, value, paths)
  return plan.untyped && !Array.isArray(value) ? value : null
}

function removeFromMap(plan: MapPlan, value: JsonObject, paths: FieldSet): Json {
  const result: JsonObject = {}
  for (const key in value) {
    const item = value[key] as Json
    const child = plan.child(key)
    const below = child === undefined ? undefined : (paths[child.element] as FieldSet | undefined)
    if (child === undefined || below === undefined) setOwn(result, key, item)
    else if (!isMember(below)) setOwn(result, key, removeFromValue(child.plan, item, below))
  }
  return isHollow(result) ? null : result
}

function removeFromList(plan: ListPlan, items: Json[], paths: FieldSet): Json {
  const result: Json[] = []
  for (const item of items) {
    const below = paths[plan.element(item)] as FieldSet | undefined
    if (below === undefined) result.push(item)
    else if (!isMember(below)) result.push(removeFromValue(plan.items, item, below))
  }
  return result.length === 0 ? null : result
}
