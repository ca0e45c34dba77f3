/**
 * Lists and maps that a client gave empty, and that decoding leaves out: a few messages tell them from those that were
 * not given (`[]` and `{}`, not `null`). What is stored has forgotten the difference.
 */
import type { Json, JsonObject } from './json.ts'
import { OnObject } from './private-mark.ts'

class Emptied extends OnObject {
  readonly #values = new Map<string, Json>()

  static add(object: object, name: string, value: Json): void {
    const marked = #values in object ? object : new Emptied(object)
    marked.#values.set(name, value)
  }

  static get(object: object, name: string): Json | undefined {
    return #values in object ? object.#values.get(name) : undefined
  }

  /** Defaults may have filled what was empty. */
  static any(object: JsonObject): boolean {
    return #values in object && [...object.#values.keys()].some((name) => isEmpty(object[name]))
  }

  static copy(from: object, to: object): void {
    if (#values in from) for (const [name, value] of from.#values) Emptied.add(to, name, value)
  }
}

function isEmpty(value: Json | undefined): boolean {
  return typeof value !== 'object' || value === null || Object.keys(value).length === 0
}

/** `value` is the empty list or map. */
export function markEmptied(object: object, name: string, value: Json): void {
  Emptied.add(object, name, value)
}

/**
 * What stood in the field, which is absent, if it was given empty. Never of what comes from the store, which is frozen.
 */
export function emptied(object: object | undefined, name: string): Json | undefined {
  return object === undefined || Object.isFrozen(object) ? undefined : Emptied.get(object, name)
}

/** For a copy that is shown in place of the original. */
export function withEmptied<T extends object>(copy: T, original: object): T {
  if (!Object.isFrozen(original)) Emptied.copy(original, copy)
  return copy
}

/** Whether anything within was given empty, and is so still. */
export function hasEmptied(value: Json | undefined): boolean {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return false
  if (Array.isArray(value)) return value.some(hasEmptied)
  if (Emptied.any(value)) return true
  for (const key in value) if (hasEmptied(value[key])) return true
  return false
}

const emptyLists = new WeakMap<object, readonly (readonly [parent: JsonObject, name: string])[]>()

/** Lists that are always written, and that were given empty. */
export function rememberEmptyLists(
  root: object,
  lists: readonly (readonly [parent: JsonObject, name: string])[],
): void {
  emptyLists.set(root, lists)
}

/** Once stored, an empty list is none. */
export function dropEmptyLists(root: object): void {
  for (const [parent, name] of emptyLists.get(root) ?? []) {
    const list = parent[name]
    if (Array.isArray(list) && list.length === 0 && !Object.isFrozen(parent)) parent[name] = null
  }
}

/** While it is looked at, and where it is answered but not stored. */
export function restoreEmptyLists(root: object): void {
  for (const [parent, name] of emptyLists.get(root) ?? []) {
    if (parent[name] === null && !Object.isFrozen(parent)) parent[name] = []
  }
}
