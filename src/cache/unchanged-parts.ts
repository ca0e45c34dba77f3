/**
 * What a new version of an object has in common with the last one is taken from that: most changes touch a few fields,
 * and what is not kept twice need not be frozen, moved by the garbage collector, or compared value by value later.
 */
import { getOwn, type Json, type JsonObject } from '../api/json.ts'

/** Deeper parts are not looked into: a server takes objects that are nested deeper than the stack is. */
const maxDepth = 64

/**
 * Replaces parts of `value` by those of `last` that equal them. Parts that are frozen stay: they are shared with
 * somebody else.
 */
export function takeUnchangedParts(value: object, last: object): void {
  if (!Object.isFrozen(value)) isUnchanged(value as JsonObject, last as JsonObject, 0)
}

/**
 * Lists and objects alike. Only where there is a difference are parts replaced: the rest is replaced with what it is
 * in.
 */
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

/** All members up to one are equal. */
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
