/** Converts values of authors to JSON. */
import { isObject, setOwn, type Json, type JsonObject } from '../api/json.ts'

/**
 * JSON has no undefined: an optional field that is unset is not sent. Always a copy, since authors may change their
 * object later.
 */
export function withoutUndefined(value: JsonObject): JsonObject
export function withoutUndefined(value: Json | undefined): Json | undefined
export function withoutUndefined(value: Json | undefined): Json | undefined {
  if (Array.isArray(value)) return value.map((item) => withoutUndefined(item) ?? null)
  if (!isObject(value)) return value
  const copy: JsonObject = {}
  for (const name of Object.keys(value)) {
    const kept = withoutUndefined(value[name])
    if (kept !== undefined) setOwn(copy, name, kept)
  }
  return copy
}
