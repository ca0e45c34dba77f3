/** One named index: the objects by value. Kept up to date change by change. */
import type { ApiObject, Live } from '../api/live-object.ts'

export type IndexFunction<T extends ApiObject> = (object: Live<T>) => readonly string[]

const none: ReadonlySet<never> = new Set()

export class ObjectIndex<T extends ApiObject> {
  readonly #valuesOf: IndexFunction<T>
  readonly #found = new Map<string, Set<Live<T>>>()

  /** `valuesOf` must depend only on the object: it is called again when the object is removed. */
  constructor(valuesOf: IndexFunction<T>) {
    this.#valuesOf = valuesOf
  }

  add(object: Live<T>): void {
    for (const value of this.#valuesOf(object)) {
      const objects = this.#found.get(value)
      if (objects === undefined) this.#found.set(value, new Set([object]))
      else objects.add(object)
    }
  }

  remove(object: Live<T>): void {
    for (const value of this.#valuesOf(object)) {
      const objects = this.#found.get(value)
      if (objects?.delete(object) === true && objects.size === 0) this.#found.delete(value)
    }
  }

  get(value: string): ReadonlySet<Live<T>> {
    return this.#found.get(value) ?? none
  }
}
