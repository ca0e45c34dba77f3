/**
 * Strategic merge patch: a merge patch that knows the type, so that lists of objects merge by a key and lists
 * of values as sets. Built-in kinds only. Directives: `$patch`, `$retainKeys`, `$setElementOrder/LIST`,
 * `$deleteFromPrimitiveList/LIST`.
 *
 * Guarantees: the target and the caller's patch are never changed; the result shares with the target what the
 * patch did not reach. Caveats, all upstream's: items that are new in a merging list, and the items of
 * replaced lists, keep their nulls and directives, and it is the decoder that drops or reports them.
 */
import { goValue, jsonTypeName } from '../../api/go-format.ts'
import { cloneJson, getOwn, isObject, setOwn, type Json, type JsonObject } from '../../api/json.ts'
import { apiError } from '../../api/status.ts'
import type { Shape } from '../../shape/shape.ts'
import {
  deletePrefix,
  dropNulls,
  listNamed,
  orderPrefix,
  replaceObject,
  retainKeys,
  withoutDirectives,
} from './strategic-directives.ts'
import { strategicError } from './strategic-errors.ts'
import { mergeList, orderedList } from './strategic-list.ts'
import { mergeField, mergeListField } from './strategic-schema.ts'

export interface StrategicMerge {
  readonly object: JsonObject
  /**
   * The patch as upstream prints it in `patch: Invalid value: "…"` when the object does not fit its kind:
   * what the merge consumed (directives, nulls without a counterpart) is gone. A function, since it is needed
   * only then.
   */
  readonly patchText: () => string
}

/**
 * `shape` is the kind's own. Throws a 400 for what is no object and for malformed directives, a 422 for lists
 * of lists, and a 500 without a reason for whatever else does not fit.
 */
export function applyStrategicMergePatch(target: JsonObject, patch: Json, shape: Shape): StrategicMerge {
  if (patch !== null && !isObject(patch)) {
    throw apiError.badRequest(
      `json: cannot unmarshal ${jsonTypeName(patch)} into Go value of type map[string]interface {}`,
    )
  }
  const consumed = cloneJson(patch) ?? {}
  return { object: mergeObject(target, consumed, shape), patchText: () => goValue(consumed) }
}

/** Merges `patch`, which it consumes, into a copy of `original`. */
function mergeObject(original: JsonObject, patch: JsonObject, shape: Shape): JsonObject {
  const directive = getOwn(patch, '$patch')
  if (directive !== undefined) return replaceObject(directive, patch)
  const merged = retainKeys(original, patch)
  for (const key of Object.keys(patch)) {
    if (key.startsWith(orderPrefix)) mergeOrderedList(merged, patch, key, shape)
  }
  for (const key of Object.keys(patch)) mergeEntry(merged, patch, key, shape)
  return merged
}

/** A list with `$setElementOrder`: merged here, so that the second pass does not see it. */
function mergeOrderedList(merged: JsonObject, patch: JsonObject, directive: string, shape: Shape): void {
  const order = patch[directive] as Json
  delete patch[directive]
  if (!Array.isArray(order)) throw strategicError.notAList(order)
  const name = listNamed(directive, orderPrefix)
  if (name === undefined) throw strategicError.badElementOrder()
  const current = listOf(merged, name)
  const changes = listOf(patch, name)
  const field = mergeListField(shape, name)
  const list = orderedList(current, changes, order, field, mergeObject)
  if (list === undefined) return
  setOwn(merged, name, list)
  delete patch[name]
}

function listOf(object: JsonObject, name: string): Json[] | undefined {
  const value = getOwn(object, name)
  if (value !== undefined && !Array.isArray(value)) throw strategicError.notAList(value)
  return value
}

function mergeEntry(merged: JsonObject, patch: JsonObject, entry: string, shape: Shape): void {
  const change = patch[entry] as Json
  const deletes = entry.startsWith(deletePrefix)
  const listName = deletes ? listNamed(entry, deletePrefix) : undefined
  if (deletes && listName === undefined) throw strategicError.badDeleteList()
  const key = listName === undefined || listName === '' ? entry : listName
  if (change === null) {
    if (Object.hasOwn(merged, key)) delete merged[key]
    return
  }
  const current = getOwn(merged, key)
  if (isObject(current) && isObject(change)) {
    const field = mergeField(shape, key)
    setOwn(merged, key, field.strategy === 'replace' ? change : mergeObject(current, change, field.shape))
  } else if (Array.isArray(current) && Array.isArray(change)) {
    const field = mergeListField(shape, key)
    const merges = field.strategy === 'merge' || deletes
    setOwn(merged, key, merges ? mergeList(current, change, field, deletes, mergeObject) : change)
  } else if (!deletes) {
    dropNulls(change)
    const value = withoutDirectives(change)
    if (value !== undefined) setOwn(merged, key, value)
    else if (Object.hasOwn(merged, key)) delete merged[key]
  }
}
