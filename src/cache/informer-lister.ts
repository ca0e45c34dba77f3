/** Reads from the stores of one informer. */
import { parseLabelSelector } from '../api/label-selector.ts'
import type { ApiObject, Live, ObjectKey } from '../api/live-object.ts'
import { UnknownIndexError } from './cache-error.ts'
import type { Lister, ListerOptions } from './cache.ts'
import type { ObjectStore } from './object-store.ts'

export interface ListerSource<T extends ApiObject> {
  /** The stores that may have objects of a namespace; undefined: of all namespaces. */
  stores(namespace: string | undefined): readonly ObjectStore<T>[]
  indexNames(): readonly string[]
  /** For messages. */
  readonly name: string
  readonly namespaced: boolean
}

export class InformerLister<T extends ApiObject> implements Lister<T> {
  readonly #source: ListerSource<T>

  constructor(source: ListerSource<T>) {
    this.#source = source
  }

  get size(): number {
    let size = 0
    for (const store of this.#source.stores(undefined)) size += store.size
    return size
  }

  get({ namespace = '', name }: ObjectKey): Live<T> | undefined {
    if (namespace === '' && this.#source.namespaced) {
      throw new TypeError(`${this.#source.name} are namespaced: pass a namespace`)
    }
    this.#check(namespace)
    for (const store of this.#source.stores(namespace)) {
      const object = store.get(namespace, name)
      if (object !== undefined) return object
    }
    return undefined
  }

  list({ namespace, labelSelector = '' }: ListerOptions = {}): readonly Live<T>[] {
    this.#check(namespace)
    const selector = parseLabelSelector(labelSelector)
    const objects: Live<T>[] = []
    for (const store of this.#source.stores(namespace)) store.collect(objects, namespace, selector)
    return objects
  }

  byIndex(index: string, value: string, namespace?: string): readonly Live<T>[] {
    const known = this.#source.indexNames()
    if (!known.includes(index)) throw new UnknownIndexError(this.#source.name, index, known)
    const objects: Live<T>[] = []
    for (const store of this.#source.stores(namespace)) {
      for (const object of store.found(index, value)) {
        if (namespace === undefined || object.metadata.namespace === namespace) objects.push(object)
      }
    }
    return objects
  }

  /** Throws for a namespace that cannot match, since the read would silently find nothing. */
  #check(namespace: string | undefined): void {
    if (this.#source.namespaced || namespace === undefined || namespace === '') return
    throw new TypeError(
      `${this.#source.name} are not namespaced, but namespace ${JSON.stringify(namespace)} was given: leave it out`,
    )
  }
}
