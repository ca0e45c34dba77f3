/**
 * Reading decoded objects. The decoder has checked types already, so a value is either of its type or absent;
 * these give the zero value that upstream's types would have for what is absent.
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

/** A pointer to a number: undefined when unset. */
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

export function strings(value: unknown): readonly string[] {
  return Array.isArray(value) ? (value as string[]) : nothing
}

/** A map's own entries in the order of their keys, so that errors come in a stable order. */
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

/** The entry of a map of strings; undefined when there is none. Safe for any key. */
export function entry(map: unknown, key: string): string | undefined {
  if (!isObject(map)) return undefined
  const value = getOwn(map, key)
  return typeof value === 'string' ? value : undefined
}

/** The object's spec, made when it is absent. */
export function specOf(object: KubeObject): JsonObject {
  return structOf(object, 'spec')
}

/** A struct field that Go holds by value: made when it is absent. The name must not come from a client. */
export function structOf(parent: JsonObject, name: string): JsonObject {
  const value = parent[name]
  if (isObject(value)) return value
  const made: JsonObject = {}
  parent[name] = made
  return made
}

/** Fills a field that is absent. The name must not come from a client. */
export function fill(parent: JsonObject, name: string, value: Json): void {
  const present = parent[name]
  if (present === undefined || present === null) parent[name] = value
}

/** Fills a field that Go holds as a string or number, where its zero value means unset. */
export function fillZero(parent: JsonObject, name: string, value: Json): void {
  const present = parent[name]
  if (present === undefined || present === null || present === '' || present === 0) parent[name] = value
}

/** A list that upstream never omits: an empty one becomes null. The name must not come from a client. */
export function nullWhenEmpty(parent: object, name: string): void {
  const lists = parent as Record<string, unknown>
  if (size(lists[name]) === 0) lists[name] = null
}
