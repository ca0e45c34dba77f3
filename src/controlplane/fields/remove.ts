/** Removal of fields and items from a value. */
import { isObject, setOwn, type Json, type JsonObject } from '../../api/json.ts'
import type { ListShape, Shape } from '../shape/shape.ts'
import { isEmpty, isMember, type FieldSet } from './field-set.ts'
import { childLookup, isAtomic, isHollow, itemElement } from './shape-walk.ts'

/**
 * The object without the given paths. A container that loses its last part becomes null, and so does an atomic value
 * with a path inside. The input is not changed, and untouched parts are shared with it.
 */
export function removeFields(shape: Shape, value: JsonObject, paths: FieldSet): JsonObject {
  if (isEmpty(paths)) return value
  return (removeFromMap(shape, value, paths) ?? {}) as JsonObject
}

function removeFromValue(shape: Shape, value: Json, paths: FieldSet): Json {
  if (shape.type === 'scalar') return value
  if (shape.type === 'any' && !isObject(value)) return Array.isArray(value) ? null : value
  if (isAtomic(shape) || isHollow(value)) return null
  if (shape.type === 'list') return Array.isArray(value) ? removeFromList(shape, value, paths) : null
  return isObject(value) ? removeFromMap(shape, value, paths) : null
}

function removeFromMap(shape: Shape, value: JsonObject, paths: FieldSet): Json {
  const childFor = childLookup(shape)
  const result: JsonObject = {}
  for (const key in value) {
    const item = value[key] as Json
    const child = childFor(key)
    const below = child === undefined ? undefined : (paths[child.element] as FieldSet | undefined)
    if (child === undefined || below === undefined) setOwn(result, key, item)
    else if (!isMember(below)) setOwn(result, key, removeFromValue(child.shape, item, below))
  }
  return isHollow(result) ? null : result
}

function removeFromList(shape: ListShape, items: Json[], paths: FieldSet): Json {
  const result: Json[] = []
  for (const item of items) {
    const below = paths[itemElement(shape, item)] as FieldSet | undefined
    if (below === undefined) result.push(item)
    else if (!isMember(below)) result.push(removeFromValue(shape.items, item, below))
  }
  return result.length === 0 ? null : result
}
