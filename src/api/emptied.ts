/**
 * Lists and maps that a client gave empty, and that decoding leaves out: a few messages tell them from those that were
 * not given (`[]` and `{}`, not `null`). What is stored has forgotten the difference.
 */
import type { Json } from './json.ts'
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

  static copy(from: object, to: object): void {
    if (#values in from) for (const [name, value] of from.#values) Emptied.add(to, name, value)
  }
}

/** `value` is the empty list or map. */
export function markEmptied(object: object, name: string, value: Json): void {
  Emptied.add(object, name, value)
}

/** What stood in the field, which is absent, if it was given empty. Never of what comes from the store, which is frozen. */
export function emptied(object: object | undefined, name: string): Json | undefined {
  return object === undefined || Object.isFrozen(object) ? undefined : Emptied.get(object, name)
}

/** For a copy that is shown in place of the original. */
export function withEmptied<T extends object>(copy: T, original: object): T {
  if (!Object.isFrozen(original)) Emptied.copy(original, copy)
  return copy
}
