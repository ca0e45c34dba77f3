/**
 * Objects by namespace and name, with indexes. Two nested maps instead of one save a key text per object and make a
 * namespace a lookup.
 */
import type { Selector } from '../api/label-selector.ts'
import type { ApiObject, Live } from '../api/live-object.ts'
import { ObjectIndex, type IndexFunction } from './object-index.ts'

export type IndexFunctions<T extends ApiObject> = Readonly<Record<string, IndexFunction<T>>>

export class ObjectStore<T extends ApiObject> {
  readonly #namespaces = new Map<string, Map<string, Live<T>>>()
  readonly #indexes = new Map<string, ObjectIndex<T>>()
  #size = 0

  constructor(indexes: IndexFunctions<T>) {
    for (const [name, valuesOf] of Object.entries(indexes)) this.#indexes.set(name, new ObjectIndex(valuesOf))
  }

  get size(): number {
    return this.#size
  }

  /** `namespace` is '' for cluster-scoped kinds. */
  get(namespace: string, name: string): Live<T> | undefined {
    return this.#namespaces.get(namespace)?.get(name)
  }

  /** The stored object with the namespace and name of `object`. */
  counterpart({ metadata }: Live<T>): Live<T> | undefined {
    return this.get(metadata.namespace ?? '', metadata.name)
  }

  /** Returns the previous object. */
  put(object: Live<T>): Live<T> | undefined {
    const { name, namespace = '' } = object.metadata
    let objects = this.#namespaces.get(namespace)
    if (objects === undefined) this.#namespaces.set(namespace, (objects = new Map()))
    const old = objects.get(name)
    objects.set(name, object)
    if (old === undefined) this.#size++
    for (const index of this.#indexes.values()) {
      if (old !== undefined) index.remove(old)
      index.add(object)
    }
    return old
  }

  /** Returns the removed object. */
  delete(namespace: string, name: string): Live<T> | undefined {
    const objects = this.#namespaces.get(namespace)
    const old = objects?.get(name)
    if (objects === undefined || old === undefined) return undefined
    objects.delete(name)
    if (objects.size === 0) this.#namespaces.delete(namespace)
    this.#size--
    for (const index of this.#indexes.values()) index.remove(old)
    return old
  }

  *values(namespace?: string): Generator<Live<T>, void, undefined> {
    if (namespace === undefined) {
      for (const objects of this.#namespaces.values()) yield* objects.values()
    } else {
      yield* this.#namespaces.get(namespace)?.values() ?? []
    }
  }

  /** Adds the objects of one namespace, or of all, that the selector matches. */
  collect(into: Live<T>[], namespace: string | undefined, selector: Pick<Selector, 'matches'>): void {
    if (namespace === undefined) {
      for (const objects of this.#namespaces.values()) addMatching(objects, into, selector)
    } else {
      const objects = this.#namespaces.get(namespace)
      if (objects !== undefined) addMatching(objects, into, selector)
    }
  }

  /** The index must exist. */
  found(index: string, value: string): Iterable<Live<T>> {
    return this.#indexes.get(index)?.get(value) ?? []
  }

  addIndex(name: string, valuesOf: IndexFunction<T>): void {
    const index = new ObjectIndex<T>(valuesOf)
    for (const object of this.values()) index.add(object)
    this.#indexes.set(name, index)
  }
}

function addMatching<T extends ApiObject>(
  objects: ReadonlyMap<string, Live<T>>,
  into: Live<T>[],
  selector: Pick<Selector, 'matches'>,
): void {
  for (const object of objects.values()) if (selector.matches(object.metadata.labels)) into.push(object)
}
