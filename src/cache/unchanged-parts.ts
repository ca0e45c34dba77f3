/**
 * Takes unchanged parts of a new version from the previous one: most changes affect few fields, and shared parts need
 * not be frozen again, moved by the garbage collector, or compared by value later.
 */
import { getOwn, type Json, type JsonObject } from '../api/json.ts'

/** Deeper parts are not compared: a server accepts objects that are nested more deeply than the stack. */
const maxDepth = 64

/** Replaces parts of `value` by equal parts of `last`. Frozen parts stay: other code shares them. */
export function takeUnchangedParts(value: object, last: object): void {
  if (!Object.isFrozen(value)) isUnchanged(value as JsonObject, last as JsonObject, 0)
}

/** For lists and objects. Replaces parts only if there is a difference: otherwise the parent replaces the whole. */
function isUnchanged(value: JsonObject, last: JsonObject, depth: number): boolean {
  let isSame = true
  let count = 0
  for (const key in value) {
    const part = value[key]
    const old = getOwn(last, key)
    count++
    if (part === old) continue
    if (areBoth(part, old) && depth < maxDepth && isUnchanged(part as JsonObject, old, depth + 1)) {
      if (!isSame) value[key] = old
    } else if (isSame) {
      isSame = false
      if (Object.isFrozen(value)) return false
      takeUntil(key, value, last)
    }
  }
  if (!isSame) return false
  for (const _ in last) count--
  if (count !== 0 && !Object.isFrozen(value)) takeUntil(undefined, value, last)
  return count === 0
}

/** Takes all members before `end`, which are equal. */
function takeUntil(end: string | undefined, value: JsonObject, last: JsonObject): void {
  for (const key in value) {
    if (key === end) return
    if (typeof value[key] === 'object') value[key] = getOwn(last, key) as Json
  }
}

function areBoth(part: unknown, old: unknown): old is JsonObject {
  return (
    typeof part === 'object' &&
    typeof old === 'object' &&
    part !== null &&
    old !== null &&
    Array.isArray(part) === Array.isArray(old)
  )
}
