/**
 * Lists and maps that a client sent empty and that decoding leaves out. A few rules and messages distinguish them from
 * absent ones (`[]` and `{}`, not `null`). The record belongs to one request: storage does not keep the difference.
 */
import type { Json, JsonObject } from '../api/json.ts'

export class EmptyFields {
  /** By the object that would have the field. */
  readonly #fields = new Map<object, Map<string, Json>>()
  /** Lists without omitempty. */
  readonly #lists: (readonly [holder: JsonObject, name: string])[] = []

  /** `value` is the empty list or map. */
  add(holder: object, name: string, value: Json): void {
    const fields = this.#fields.get(holder)
    if (fields === undefined) this.#fields.set(holder, new Map([[name, value]]))
    else fields.set(name, value)
  }

  /** Same as {@link add}, for a list without omitempty. */
  addWritten(holder: JsonObject, name: string, value: Json): void {
    this.add(holder, name, value)
    this.#lists.push([holder, name])
  }

  /** The empty list or map that was sent for the field, which is absent. */
  get(holder: object | undefined, name: string): Json | undefined {
    return holder === undefined ? undefined : this.#fields.get(holder)?.get(name)
  }

  /** Copies the record of `original` to its copy. */
  copy<T extends object>(copy: T, original: object | undefined): T {
    const fields = original === undefined ? undefined : this.#fields.get(original)
    if (fields !== undefined) for (const [name, value] of fields) this.add(copy, name, value)
    return copy
  }

  /** Adds another record of the same request. */
  addAll(other: EmptyFields | undefined): void {
    if (other === undefined) return
    for (const [holder, fields] of other.#fields) for (const [name, value] of fields) this.add(holder, name, value)
    for (const list of other.#lists) this.#lists.push(list)
  }

  /** Whether a field within `value` was sent empty and has not been defaulted since. */
  isWithin(value: Json | undefined): boolean {
    if (typeof value !== 'object' || value === null) return false
    if (Array.isArray(value)) return value.some((item) => this.isWithin(item))
    for (const name of this.#fields.get(value)?.keys() ?? []) if (isEmpty(value[name])) return true
    for (const name in value) if (this.isWithin(value[name])) return true
    return false
  }

  /** Replaces empty lists without omitempty by null, as they are stored. */
  dropLists(): void {
    for (const [holder, name] of this.#lists) {
      const list = holder[name]
      if (Array.isArray(list) && list.length === 0 && !Object.isFrozen(holder)) holder[name] = null
    }
  }

  /** Restores empty lists without omitempty as they were sent, for validation and for responses that are not stored. */
  restoreLists(): void {
    for (const [holder, name] of this.#lists) {
      if (holder[name] === null && !Object.isFrozen(holder)) holder[name] = []
    }
  }
}

function isEmpty(value: Json | undefined): boolean {
  return typeof value !== 'object' || value === null || Object.keys(value).length === 0
}
