/**
 * JSON Merge Patch (RFC 7386) as kube-apiserver applies it. One difference to the RFC: if a list replaces anything but
 * an object, null fields of the objects in it are dropped as well.
 *
 * The target is never modified. The result shares unchanged parts with it, and is the target itself if the patch
 * changes nothing.
 */
import { jsonTypeName } from '../../api/go-format.ts'
import { getOwn, isObject, setOwn, type Json, type JsonObject } from '../../api/json.ts'
import { apiError } from '../../api/status.ts'
import { partlySortedJson } from './patch-text.ts'

/**
 * Checks the form of a patch if fieldValidation is Warn or Strict: it must be an object. Throws a 400. With Ignore,
 * only {@link applyMergePatch} checks it, and accepts lists.
 */
export function checkMergePatch(patch: Json): void {
  if (patch === null || isObject(patch)) return
  const why = `cannot unmarshal ${jsonTypeName(patch)} into Go value of type map[string]interface {}`
  throw apiError.badRequest(`error decoding patch: json: ${why}`)
}

/** The patched document. Throws a 400 if the patch is neither an object nor a list. */
export function applyMergePatch(target: Json, patch: Json): Json {
  if (typeof patch !== 'object' || patch === null) throw apiError.badRequest('Invalid JSON Patch')
  return isObject(target) && isObject(patch) ? mergeObjects(target, patch) : withoutNulls(patch)
}

function mergeObjects(target: JsonObject, patch: JsonObject): JsonObject {
  let merged: JsonObject | undefined
  for (const key in patch) {
    const change = patch[key] as Json
    const current = getOwn(target, key)
    if (change === null) {
      if (current !== undefined) delete (merged ??= { ...target })[key]
      continue
    }
    const value = mergeValues(current, change)
    if (value !== current) setOwn((merged ??= { ...target }), key, value)
  }
  return merged ?? target
}

function mergeValues(current: Json | undefined, change: Json): Json {
  if (!isObject(current)) return withoutNulls(change)
  return isObject(change) ? mergeObjects(current, change) : change
}

/** Drops null fields at any depth; null items of lists stay. Returns the same value if there are none. */
function withoutNulls(value: Json): Json {
  if (Array.isArray(value)) {
    let pruned: Json[] | undefined
    value.forEach((item, i) => {
      const kept = withoutNulls(item)
      if (kept !== item) (pruned ??= value.slice())[i] = kept
    })
    return pruned ?? value
  }
  if (!isObject(value)) return value
  let pruned: JsonObject | undefined
  for (const key of Object.keys(value)) {
    const field = value[key] as Json
    const kept = withoutNulls(field)
    if (kept === null) delete (pruned ??= { ...value })[key]
    else if (kept !== field) setOwn((pruned ??= { ...value }), key, kept)
  }
  return pruned ?? value
}

/** The patched document as upstream prints it in errors: with sorted keys where the patch has changed it. Slow. */
export function mergePatchText(target: Json, patch: Json): string {
  const touched = new Set<object>()
  const result = applyMergePatch(target, patch)
  if (isObject(patch)) markTouched(result, target, patch, touched)
  else markAll(result, touched)
  return partlySortedJson(result, (object) => touched.has(object))
}

function markTouched(result: Json | undefined, current: Json | undefined, change: Json, touched: Set<object>): void {
  if (typeof result !== 'object' || result === null) return
  if (!isObject(current)) return markAll(result, touched)
  if (!isObject(change) || !isObject(result)) return
  touched.add(result)
  for (const key of Object.keys(change)) {
    markTouched(getOwn(result, key), getOwn(current, key), change[key] as Json, touched)
  }
}

function markAll(value: Json, touched: Set<object>): void {
  if (typeof value !== 'object' || value === null) return
  touched.add(value)
  for (const item of Array.isArray(value) ? value : Object.values(value)) markAll(item, touched)
}
