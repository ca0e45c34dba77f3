/**
 * ViewStore: the store as a version sees it in which objects are not stored. Objects are converted as they are read and
 * written; each stored version is converted once, so that readers and watchers share the result and its text.
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

/** A store that shows objects in another version than they are stored in. */
export interface VersionStore extends Store {
  /** As it is stored, also where it cannot be shown. */
  peek(key: string): Stored | undefined
  /** Whether storage would not have what `shown` would be written as: even a write that changes nothing is one then. */
  isStale(shown: Stored): boolean
  /** As it would be read back after it was written with these notes. */
  readBack(object: KubeObject, notes?: PutNotes): KubeObject
  /** Asks for all that a creation of it needs to know. Default: nothing is needed. */
  prepareConversions?(object: KubeObject): void
}

function isVersionStore(store: Store): store is VersionStore {
  return 'readBack' in store
}

class ViewStore extends ForwardingStore implements VersionStore {
  readonly #view: VersionView
  /** Where the objects of the resource are; all others are nobody's business here. */
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
      // What is converted is stored as it is read.
      isStorageVersion ? notes : undefined,
    )
    if (stored === undefined) return undefined
    // What was written in the stored version is read as it was written.
    return isStorageVersion && !rereads
      ? rememberView(stored, this.#apiVersion, this.#view, stored)
      : this.#show(stored)
  }

  delete(key: string, expected: number, make: (revision: number) => KubeObject): Stored | undefined {
    // What goes is what was stored, and not what this version shows of it.
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

  /** Converted when looked at: what cannot be converted is the watcher's failure, not the writer's. */
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

/** The object as it would be read back after this write: what a dry run answers. */
export function readBack(store: Store, object: KubeObject, notes?: PutNotes): KubeObject {
  return isVersionStore(store) ? store.readBack(object, notes) : object
}

/** What is stored at a key, in whichever version: only metadata may be relied on. */
export function peek(store: Store, key: string): Stored | undefined {
  return isVersionStore(store) ? store.peek(key) : store.get(key)
}

export function isStale(store: Store, shown: Stored): boolean {
  return isVersionStore(store) && store.isStale(shown)
}

/** Before anything is done that lasts: what a creation needs to know from outside. */
export function prepareConversions(store: Store, object: KubeObject): void {
  if (isVersionStore(store)) store.prepareConversions?.(object)
}

/** The backend as `resource` sees it: the same, unless its objects are stored in another version. */
export function backendOf(resource: Resource, backend: Backend): Backend {
  const { apiVersion, view, keyPrefix } = resource
  if (view === undefined) return backend
  return { ...backend, store: new ViewStore(backend.store, view, keyPrefix, apiVersion) }
}
