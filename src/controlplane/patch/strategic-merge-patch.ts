/**
 * Strategic merge patch: a merge patch that uses the type, so that lists of objects merge by a key and lists of values
 * as sets. For built-in kinds only. Directives: `$patch`, `$retainKeys`, `$setElementOrder/LIST`,
 * `$deleteFromPrimitiveList/LIST`.
 *
 * Guarantees: target and patch are never modified; the result shares unchanged parts with the target. Caveats, all
 * upstream's: new items of a merged list, and the items of replaced lists, keep their nulls and directives; the decoder
 * drops or reports them.
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
   * The patch as upstream prints it in `patch: Invalid value: "…"` if the object does not fit its kind, without what
   * the merge consumed (directives, nulls without a counterpart). A function, since it is rarely needed.
   */
  readonly patchText: () => string
}

/**
 * `shape` is that of the kind. Throws a 400 for malformed directives and for a patch that is not an object, a 422 for
 * lists of lists, and a 500 without a reason for other errors.
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

/** Merges a list with `$setElementOrder` and removes it from the patch, so that the second pass skips it. */
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
