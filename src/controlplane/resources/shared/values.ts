/**
 * Reads values of decoded objects. The decoder has checked their types, so a value either has its type or is absent.
 * For an absent value these functions return the zero value of Go.
 */
import { ascendingKeys, getOwn, isObject, type Json, type JsonObject } from '../../../api/json.ts'
import type { KubeObject } from '../../../api/object.ts'

const nothing: readonly never[] = []

export function text(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

export function int(value: unknown): number {
  return typeof value === 'number' ? value : 0
}

/** A pointer to a number in Go: undefined if unset. */
export function maybeInt(value: unknown): number | undefined {
  return typeof value === 'number' ? value : undefined
}

export function struct(value: unknown): JsonObject | undefined {
  return isObject(value) ? value : undefined
}

/** A list of objects. */
export function items(value: unknown): readonly JsonObject[] {
  return Array.isArray(value) ? (value as JsonObject[]) : nothing
}

/** The items by name; of several with the same name, the first one. */
export function firstByName(list: readonly JsonObject[]): ReadonlyMap<string, JsonObject> {
  const found = new Map<string, JsonObject>()
  for (const item of list) if (!found.has(text(item.name))) found.set(text(item.name), item)
  return found
}

export function strings(value: unknown): readonly string[] {
  return Array.isArray(value) ? (value as string[]) : nothing
}

/** The entries of a map in the order of their keys, so that errors have a stable order. */
export function entries(value: unknown): readonly [string, Json][] {
  if (!isObject(value)) return nothing
  return ascendingKeys(value).map((key) => [key, value[key] as Json])
}

export function size(value: unknown): number {
  if (Array.isArray(value)) return value.length
  let count = 0
  if (isObject(value)) for (const _ in value) count++
  return count
}

/** The value of a key in a map of strings; undefined if absent. Safe for any key, `__proto__` included. */
export function entry(map: unknown, key: string): string | undefined {
  if (!isObject(map)) return undefined
  const value = getOwn(map, key)
  return typeof value === 'string' ? value : undefined
}

/** The spec of the object, added if it is absent. */
export function specOf(object: KubeObject): JsonObject {
  return structOf(object, 'spec')
}

/** A struct field that Go embeds by value: added if it is absent. The name must not come from a client. */
export function structOf(parent: JsonObject, name: string): JsonObject {
  const value = parent[name]
  if (isObject(value)) return value
  const made: JsonObject = {}
  parent[name] = made
  return made
}

/** Sets a field if it is absent. The name must not come from a client. */
export function fill(parent: JsonObject, name: string, value: Json): void {
  const present = parent[name]
  if (present === undefined || present === null) parent[name] = value
}

/** Sets a string or number field if it is absent or has Go's zero value. */
export function fillZero(parent: JsonObject, name: string, value: Json): void {
  const present = parent[name]
  if (present === undefined || present === null || present === '' || present === 0) parent[name] = value
}

/** A list without omitempty in Go: an empty one becomes null. The name must not come from a client. */
export function nullWhenEmpty(parent: object, name: string): void {
  const lists = parent as Record<string, unknown>
  if (size(lists[name]) === 0) lists[name] = null
}
