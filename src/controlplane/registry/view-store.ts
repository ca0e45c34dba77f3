/**
 * ViewStore: the store as a version sees it in which objects are not stored. Objects are converted as they are read and
 * written; each stored version is converted once, so that readers and watchers share the result and its text.
 */
import { deepFreeze, equalJson } from '../../api/json.ts'
import type { KubeObject } from '../../api/object.ts'
import { asUnsettled } from '../../api/unsettled.ts'
import { ForwardingStore } from '../storage/forwarding-store.ts'
import type { ListOptions, ListResult, Store, StoreEvent, StoreWatch, Stored } from '../storage/store.ts'
import type { Backend } from './call.ts'
import { restamped } from './metadata.ts'
import type { Resource, VersionView } from '../contract/resource.ts'

/** A store that shows objects in another version than they are stored in. */
export interface VersionStore extends Store {
  /** As it is stored, also where it cannot be shown. */
  peek(key: string): Stored | undefined
  /** Whether storage would not have what `shown` would be written as: even a write that changes nothing is one then. */
  isStale(shown: Stored): boolean
  /** As it would be read back after it was written. */
  readBack(object: KubeObject): KubeObject
  /** Asks for all that a creation of it needs to know. Default: nothing is needed. */
  foresee?(object: KubeObject): void
}

function isVersionStore(store: Store): store is VersionStore {
  return 'readBack' in store
}

class ViewStore extends ForwardingStore implements VersionStore {
  readonly #view: VersionView
  /** Where the objects of the resource are; all others are nobody's business here. */
  readonly #prefix: string
  readonly #seen = new WeakMap<Stored, Stored>()
  /** What is stored, by what is shown of it, where they are not the same. */
  readonly #raw = new WeakMap<Stored, Stored>()

  constructor(store: Store, view: VersionView, prefix: string) {
    super(store)
    this.#view = view
    this.#prefix = prefix
  }

  get(key: string): Stored | undefined {
    const stored = this.store.get(key)
    return stored && this.#show(stored)
  }

  list(prefix: string, options?: ListOptions): ListResult {
    const result = this.store.list(prefix, options)
    return { ...result, items: result.items.map((stored) => this.#show(stored)) }
  }

  put(key: string, expected: number, make: (revision: number) => KubeObject): Stored | undefined {
    const stored = this.store.put(key, expected, this.#storing(key, make))
    return stored && this.#show(stored)
  }

  delete(key: string, expected: number, make: (revision: number) => KubeObject): Stored | undefined {
    // What goes is what was stored, and not what this version shows of it.
    const raw = key.startsWith(this.#prefix) ? this.store.get(key) : undefined
    const stored = this.store.delete(
      key,
      expected,
      raw === undefined ? make : (revision) => restamped(raw.object, revision),
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

  readBack(object: KubeObject): KubeObject {
    return this.#view.fromStored(this.#view.toStored(object))
  }

  isStale(shown: Stored): boolean {
    const raw = this.#raw.get(shown)
    return raw !== undefined && !equalJson(this.#view.toStored(shown.object), raw.object)
  }

  #storing(key: string, make: (revision: number) => KubeObject): (revision: number) => KubeObject {
    if (!key.startsWith(this.#prefix)) return make
    // What is converted is stored as it is read, marked or not.
    return (revision) => this.#view.toStored(make(revision))
  }

  #show(stored: Stored): Stored {
    if (!stored.key.startsWith(this.#prefix)) return stored
    let shown = this.#seen.get(stored)
    if (shown === undefined) {
      const object = asUnsettled(this.#view.fromStored(stored.object), stored.object)
      shown = object === stored.object ? stored : { ...stored, object: deepFreeze(object), encoded: undefined }
      this.#seen.set(stored, shown)
      if (shown !== stored) this.#raw.set(shown, stored)
    }
    return shown
  }
}

/** The object as it would be read back after this write: what a dry run answers. */
export function readBack(store: Store, object: KubeObject): KubeObject {
  return isVersionStore(store) ? store.readBack(object) : object
}

/** What is stored at a key, in whichever version: only metadata may be relied on. */
export function peek(store: Store, key: string): Stored | undefined {
  return isVersionStore(store) ? store.peek(key) : store.get(key)
}

export function isStale(store: Store, shown: Stored): boolean {
  return isVersionStore(store) && store.isStale(shown)
}

/** Before anything is done that lasts: what a creation needs to know from outside. */
export function foresee(store: Store, object: KubeObject): void {
  if (isVersionStore(store)) store.foresee?.(object)
}

const views = new WeakMap<Resource, { readonly backend: Backend; readonly view: Backend }>()

/** The backend as `resource` sees it: the same, unless its objects are stored in another version. */
export function backendOf(resource: Resource, backend: Backend): Backend {
  if (resource.view === undefined) return backend
  let known = views.get(resource)
  if (known?.backend !== backend) {
    known = { backend, view: { ...backend, store: new ViewStore(backend.store, resource.view, resource.keyPrefix) } }
    views.set(resource, known)
  }
  return known.view
}
