/** Removes fields and items from a value. */
import { isObject, setOwn, type Json, type JsonObject } from '../../api/json.ts'
import type { Shape } from '../../shape/shape.ts'
import { isEmpty, isMember, type FieldSet } from './field-set.ts'
import { isHollow, rootTree, type ListTree, type MapTree, type FieldTree } from './field-tree.ts'

/**
 * The object without the given paths. A container that loses its last entry becomes null, and so does an atomic value
 * with a path inside. The input is not modified, and unchanged parts are shared with it.
 */
export function removeFields(shape: Shape, value: JsonObject, paths: FieldSet): JsonObject {
  if (isEmpty(paths)) return value
  return (removeFromMap(rootTree(shape), value, paths) ?? {}) as JsonObject
}

function removeFromValue(tree: FieldTree, value: Json, paths: FieldSet): Json {
  if (tree.type === 'leaf') return tree.shape.type === 'scalar' ? value : null
  if (tree.type === 'list') return Array.isArray(value) ? removeFromList(tree, value, paths) : null
  if (isObject(value)) return removeFromMap(tree, value, paths)
  return tree.untyped && !Array.isArray(value) ? value : null
}

function removeFromMap(tree: MapTree, value: JsonObject, paths: FieldSet): Json {
  const result: JsonObject = {}
  for (const key in value) {
    const item = value[key] as Json
    const child = tree.child(key)
    const below = child === undefined ? undefined : (paths[child.element] as FieldSet | undefined)
    if (child === undefined || below === undefined) setOwn(result, key, item)
    else if (!isMember(below)) setOwn(result, key, removeFromValue(child.tree, item, below))
  }
  return isHollow(result) ? null : result
}

function removeFromList(tree: ListTree, items: Json[], paths: FieldSet): Json {
  const result: Json[] = []
  for (const item of items) {
    const below = paths[tree.element(item)] as FieldSet | undefined
    if (below === undefined) result.push(item)
    else if (!isMember(below)) result.push(removeFromValue(tree.items, item, below))
  }
  return result.length === 0 ? null : result
}
