/**
 * The writes of this process to one kind that the watch has not shown yet. Reads wait for them.
 *
 * A write leaves an expectation, which says which state of the store shows it. It is dropped when the watch has passed
 * the version of the write, so there are never more expectations than writes in flight on the watch.
 */
import { keyText, type ApiObject, type Live, type ObjectKey } from '../api/live-object.ts'
import type { Env } from '../env/env.ts'
import { Latch } from './latch.ts'
import type { ObjectStore } from './object-store.ts'
import type { Selection } from './selection.ts'
import { compareResourceVersions } from './resource-version-order.ts'

/** The store of one watch, and the version up to which it is complete. */
interface Progress<T extends ApiObject> {
  readonly store: ObjectStore<T>
  readonly version: string
}

export interface OwnWritesOptions<T extends ApiObject> {
  readonly env: Env
  readonly selection: Selection
  /** Undefined for a namespace that is not watched. */
  readonly progress: (namespace: string) => Progress<T> | undefined
}

interface Expectation<T extends ApiObject> {
  readonly namespace: string
  readonly name: string
  readonly uid: string
  /** When the watch has reached this version, nothing older can arrive. */
  readonly version: string
  /** From the server's response, if there was one. */
  readonly object?: Live<ApiObject>
  readonly isSeen: (object: Live<T> | undefined, isReached: boolean) => boolean
}

/** One object, all of a namespace, or all. */
export interface Extent {
  readonly namespace?: string | undefined
  readonly name?: string
}

interface Waiter<T extends ApiObject> {
  expected: readonly Expectation<T>[]
  readonly seen: Latch
}

export class OwnWrites<T extends ApiObject> {
  readonly #options: OwnWritesOptions<T>
  /** By key, in the order of writes. */
  readonly #expected = new Map<string, Expectation<T>>()
  readonly #waiters = new Set<Waiter<T>>()

  constructor(options: OwnWritesOptions<T>) {
    this.#options = options
  }

  /** The number of writes that have not been observed yet. */
  get size(): number {
    return this.#expected.size
  }

  /** The response to a create, an update, a patch or an apply. */
  written(object: Live<ApiObject>): void {
    if (isLastWrite(object)) return this.deleted(object.metadata, object.metadata.uid)
    // An object that is not selected may never be shown: then its absence is expected.
    const isOutside = !this.#options.selection(object)
    this.#expectVersion(object, (seen) => seen === undefined && isOutside)
  }

  /** The response to a delete that waits for finalizers or a grace period. */
  marked(object: Live<ApiObject>): void {
    this.#expectVersion(object, (seen) => seen === undefined)
  }

  /**
   * A delete after which the object is gone. Without a `uid`, that of an own write or of the cache is used; without any
   * there is nothing to wait for.
   */
  deleted({ namespace = '', name }: ObjectKey, uid?: string): void {
    const stored = this.#options.progress(namespace)?.store.get(namespace, name)?.metadata
    const expected = this.#expected.get(keyText({ namespace, name }))
    const gone = uid ?? expected?.uid ?? stored?.uid
    if (gone === undefined) return
    let version = stored?.uid === gone ? stored.resourceVersion : ''
    if (expected?.uid === gone && compareResourceVersions(expected.version, version) > 0) version = expected.version
    this.#expect({
      namespace,
      name,
      uid: gone,
      version,
      isSeen: (seen) =>
        seen === undefined ||
        (seen.metadata.uid !== gone && compareResourceVersions(seen.metadata.resourceVersion, version) > 0),
    })
  }

  /**
   * A deletecollection with this `selection`. Objects that neither the cache nor an own write knows are not waited for.
   */
  deletedAll(namespace: string | undefined, selection: Selection, stores: readonly ObjectStore<T>[]): void {
    const known = stores.flatMap((store) => [...store.values(namespace)] as Live<ApiObject>[])
    for (const { object } of this.#expected.values()) {
      if (object !== undefined && (namespace === undefined || object.metadata.namespace === namespace))
        known.push(object)
    }
    for (const object of known) {
      const { namespace: place = '', name, uid, resourceVersion: version, deletionTimestamp } = object.metadata
      if (deletionTimestamp !== undefined || !selection(object)) continue
      this.#expect({
        namespace: place,
        name,
        uid,
        version,
        isSeen: (seen) =>
          seen === undefined ||
          seen.metadata.uid !== uid ||
          seen.metadata.deletionTimestamp !== undefined ||
          !selection(seen as Live<ApiObject>),
      })
    }
  }

  /** The server was reset to lower versions: the expected versions may never arrive. */
  forget(): void {
    this.#expected.clear()
    for (const waiter of this.#waiters) waiter.expected = []
  }

  /** The store has changed, or the watch has progressed. */
  check(): void {
    for (const [key, expectation] of this.#expected) {
      // In the order of writes, which is almost that of versions: later ones are checked the next time.
      if (!this.#isReached(expectation)) break
      if (this.#isSeen(expectation)) this.#expected.delete(key)
    }
    for (const waiter of this.#waiters) {
      waiter.expected = waiter.expected.filter((each) => !this.#isSeen(each))
      if (waiter.expected.length === 0) waiter.seen.open()
    }
  }

  /** Whether all own writes to one object, or (without a name) in a namespace, or anywhere, have been observed. */
  allSeen(of: Extent): boolean {
    return this.#unseen(of).length === 0
  }

  /** Waits until the current own writes are observed. False after `ms`; rejects with the signal's reason. */
  async seenWithin(ms: number, of: Extent, signal?: AbortSignal): Promise<boolean> {
    const expected = this.#unseen(of)
    if (expected.length === 0) return true
    const waiter: Waiter<T> = { expected, seen: new Latch() }
    this.#waiters.add(waiter)
    try {
      return await waiter.seen.openedWithin(ms, this.#options.env, signal)
    } finally {
      this.#waiters.delete(waiter)
    }
  }

  #unseen({ namespace, name }: Extent): Expectation<T>[] {
    if (this.#expected.size === 0) return []
    if (name === undefined) {
      return [...this.#expected.values()].filter(
        (each) => (namespace === undefined || each.namespace === namespace) && !this.#isSeen(each),
      )
    }
    const expectation = this.#expected.get(keyText({ namespace, name }))
    return expectation === undefined || this.#isSeen(expectation) ? [] : [expectation]
  }

  #expectVersion(object: Live<ApiObject>, mayBe: (seen: Live<T> | undefined) => boolean): void {
    const { name, namespace = '', uid, resourceVersion: version } = object.metadata
    // Responses of subresources may be of other kinds, without a version to wait for.
    if (name === undefined || version === undefined) return
    // Responses may overtake each other.
    if (compareResourceVersions(this.#expected.get(keyText({ namespace, name }))?.version ?? '', version) >= 0) return
    this.#expect({
      namespace,
      name,
      uid,
      version,
      object,
      isSeen: (seen, isReached) =>
        isReached ||
        mayBe(seen) ||
        (seen !== undefined && compareResourceVersions(seen.metadata.resourceVersion, version) >= 0),
    })
  }

  #expect(expectation: Expectation<T>): void {
    const key = keyText(expectation)
    this.#expected.delete(key)
    if (this.#isReached(expectation) && this.#isSeen(expectation)) return
    this.#expected.set(key, expectation)
  }

  #isReached({ namespace, version }: Expectation<T>): boolean {
    const progress = this.#options.progress(namespace)
    return progress === undefined || compareResourceVersions(progress.version, version) >= 0
  }

  #isSeen(expectation: Expectation<T>): boolean {
    const { namespace, name } = expectation
    const progress = this.#options.progress(namespace)
    return (
      progress === undefined || expectation.isSeen(progress.store.get(namespace, name), this.#isReached(expectation))
    )
  }
}

/** Removing the last finalizer deletes the object, and the response has the object with its old version. */
function isLastWrite(object: Live<ApiObject>): boolean {
  const { deletionTimestamp, deletionGracePeriodSeconds = 0, finalizers = [] } = object.metadata
  // Namespaces have further finalizers in their spec.
  const { spec } = object as { readonly spec?: { readonly finalizers?: readonly unknown[] } }
  return (
    deletionTimestamp !== undefined &&
    deletionGracePeriodSeconds === 0 &&
    finalizers.length + (spec?.finalizers?.length ?? 0) === 0
  )
}
