/**
 * ViewStore: shows a store in a version other than the storage version. Objects are converted on reads and writes. Each
 * stored version is converted once, so that readers and watches share the result and its encoding.
 */
import { deepFreeze, equalJson, type JsonObject } from '../../api/json.ts'
import { type KubeObject } from '../../api/object.ts'
import { ForwardingStore } from '../storage/forwarding-store.ts'
import {
  convertedVersion,
  rememberView,
  viewOf,
  type StoreListOptions,
  type StoreListResult,
  type PutNotes,
  type Store,
  type Stored,
  type StoreEvent,
  type StoreWatch,
} from '../storage/store.ts'
import type { Backend } from './call.ts'
import { withStoredResourceVersion } from './metadata.ts'
import type { Resource, VersionView } from '../contract/resource.ts'

/** A store that shows objects in another version than the storage version. */
export interface VersionStore extends Store {
  /** The stored version, even if it cannot be converted. */
  peek(key: string): Stored | undefined
  /** True if converting back would change the stored form; even a no-op update must then be stored. */
  isStale(shown: Stored): boolean
  /** The object as a read after a write with these notes would return it. */
  readBack(object: KubeObject, notes?: PutNotes): KubeObject
  /** Makes the external calls that a create of the object needs. Default: none. */
  prepareConversions?(object: KubeObject): void
}

function isVersionStore(store: Store): store is VersionStore {
  return 'readBack' in store
}

class ViewStore extends ForwardingStore implements VersionStore {
  readonly #view: VersionView
  /** The storage prefix of the resource; objects outside of it are passed through. */
  readonly #prefix: string
  readonly #apiVersion: string

  constructor(store: Store, view: VersionView, prefix: string, apiVersion: string) {
    super(store)
    this.#view = view
    this.#prefix = prefix
    this.#apiVersion = apiVersion
  }

  get(key: string): Stored | undefined {
    const stored = this.store.get(key)
    return stored && this.#show(stored)
  }

  list(prefix: string, options?: StoreListOptions): StoreListResult {
    const result = this.store.list(prefix, options)
    return { ...result, items: result.items.map((stored) => this.#show(stored)) }
  }

  put(key: string, expected: number, make: (revision: number) => KubeObject, notes?: PutNotes): Stored | undefined {
    if (!key.startsWith(this.#prefix)) return this.store.put(key, expected, make, notes)
    const { toStored, isStorageVersion = false, rereads = false } = this.#view
    const stored = this.store.put(
      key,
      expected,
      (revision) => toStored(make(revision), notes?.storedFields),
      // The notes are about the storage version; they do not apply to a converted object.
      isStorageVersion ? notes : undefined,
    )
    if (stored === undefined) return undefined
    // An object that was written in the storage version is read as written.
    return isStorageVersion && !rereads
      ? rememberView(stored, this.#apiVersion, this.#view, stored)
      : this.#show(stored)
  }

  delete(key: string, expected: number, make: (revision: number) => KubeObject): Stored | undefined {
    // The event of a delete carries the stored object, not the converted one.
    const raw = key.startsWith(this.#prefix) ? this.store.get(key) : undefined
    const stored = this.store.delete(
      key,
      expected,
      raw === undefined ? make : (revision) => withStoredResourceVersion(raw.object, revision),
    )
    return stored && this.#show(stored)
  }

  watch(prefix: string, after: number, onEvent: (event: StoreEvent) => void): StoreWatch {
    return this.store.watch(prefix, after, (event) => onEvent(this.#shownEvent(event)))
  }

  /** Converted on access: a failed conversion then fails the watch, not the write. */
  #shownEvent(event: StoreEvent): StoreEvent {
    const show = (stored: Stored): Stored => this.#show(stored)
    return {
      ...event,
      get current() {
        return show(event.current)
      },
      get previous() {
        return event.previous && show(event.previous)
      },
    }
  }

  readBack(object: KubeObject, notes?: PutNotes): KubeObject {
    const { fromStored, toStored, isStorageVersion = false, rereads = false } = this.#view
    const stored = toStored(object, notes?.storedFields)
    return isStorageVersion && !rereads ? stored : fromStored(stored)
  }

  isStale({ object, raw }: Stored): boolean {
    return raw !== undefined && !equalJson(this.#view.toStored(object, fieldsOf(raw.object)), raw.object)
  }

  #show(stored: Stored): Stored {
    if (!stored.key.startsWith(this.#prefix)) return stored
    const known = viewOf(stored, this.#apiVersion, this.#view)
    if (known !== undefined) return known
    const object = this.#view.fromStored(stored.object)
    const shown = object === stored.object ? stored : convertedVersion(stored, deepFreeze(object))
    return rememberView(stored, this.#apiVersion, this.#view, shown)
  }
}

/** The top-level fields of a stored object, for a write that leaves them as they are. */
export function fieldsOf(stored: KubeObject): JsonObject {
  return stored
}

/** The object as a read after this write would return it: the response of a dry run. */
export function readBack(store: Store, object: KubeObject, notes?: PutNotes): KubeObject {
  return isVersionStore(store) ? store.readBack(object, notes) : object
}

/** The stored object in its storage version: callers may only rely on metadata. */
export function peek(store: Store, key: string): Stored | undefined {
  return isVersionStore(store) ? store.peek(key) : store.get(key)
}

export function isStale(store: Store, shown: Stored): boolean {
  return isVersionStore(store) && store.isStale(shown)
}

/** Makes the external calls of a create, before it has side effects. */
export function prepareConversions(store: Store, object: KubeObject): void {
  if (isVersionStore(store)) store.prepareConversions?.(object)
}

/** The backend for `resource`, with a converting store if the resource is not the storage version. */
export function backendOf(resource: Resource, backend: Backend): Backend {
  const { apiVersion, view, keyPrefix, derived } = resource
  if (derived !== undefined) return { ...backend, store: derived(backend.store) }
  if (view === undefined) return backend
  return { ...backend, store: new ViewStore(backend.store, view, keyPrefix, apiVersion) }
}
