/**
 * ConvertingStore: the store as seen by one request in a version that a webhook converts from and to. Unknown
 * conversions are requested before anything is written, so that the request can be replayed with the result
 * (`registry/request-replay.ts`).
 *
 * As upstream: a write is converted to the storage version, and back for its response; if converting back fails, the
 * write is stored all the same. A get or a delete always calls the webhook; lists, watches and the object that an
 * update starts from are converted once (`converted-versions.ts`).
 */
import { equalJson } from '../../api/json.ts'
import type { KubeObject } from '../../api/object.ts'
import { ApiError } from '../../api/status.ts'
import type { Backend } from '../registry/call.ts'
import { withStoredResourceVersion, withResourceVersion } from '../registry/metadata.ts'
import type { CallExternal } from '../contract/external-calls.ts'
import type { RequestVerb } from '../registry/request-info.ts'
import type { Resource } from '../contract/resource.ts'
import type { VersionStore } from '../registry/view-store.ts'
import { ForwardingStore } from '../storage/forwarding-store.ts'
import type {
  StoreListOptions,
  StoreListResult,
  PutNotes,
  Store,
  StoreEvent,
  StoreWatch,
  Stored,
} from '../storage/store.ts'
import { followInOrder } from './ordered-events.ts'
import { ConvertedVersions, withoutResourceVersion } from './converted-versions.ts'

const fresh = new Set<RequestVerb>(['get', 'delete', 'deletecollection'])

const known = new WeakMap<Resource, ConvertedVersions>()

/** The backend for a request to `resource`: unchanged unless a webhook converts its objects. */
export function convertingBackend(resource: Resource, backend: Backend, ask: CallExternal, verb: RequestVerb): Backend {
  if (resource.conversion === undefined) return backend
  let versions = known.get(resource)
  if (versions === undefined) known.set(resource, (versions = new ConvertedVersions(resource.conversion)))
  return { ...backend, store: new ConvertingStore(backend.store, versions, resource.keyPrefix, ask, fresh.has(verb)) }
}

class ConvertingStore extends ForwardingStore implements VersionStore {
  readonly #versions: ConvertedVersions
  /** The key prefix of the resource; objects of other resources pass unchanged. */
  readonly #prefix: string
  readonly #ask: CallExternal
  readonly #isFresh: boolean
  /** The conversions that this request has received. */
  readonly #reported = new Map<Stored, Stored>()

  constructor(store: Store, versions: ConvertedVersions, prefix: string, ask: CallExternal, isFresh: boolean) {
    super(store)
    this.#versions = versions
    this.#prefix = prefix
    this.#ask = ask
    this.#isFresh = isFresh
  }

  get(key: string): Stored | undefined {
    const raw = this.store.get(key)
    return raw && this.#show(raw)
  }

  #show(raw: Stored): Stored {
    const shown = this.#known(raw)
    if (shown !== undefined) return shown
    const { conversion } = this.#versions
    return this.#report(
      raw,
      conversion.convert(withoutResourceVersion(conversion.read(raw.object)), conversion.apiVersion, this.#ask),
    )
  }

  #known(raw: Stored): Stored | undefined {
    if (!raw.key.startsWith(this.#prefix)) return raw
    return (
      this.#reported.get(raw) ?? (this.#isFresh && !this.#versions.isOwn(raw) ? undefined : this.#versions.get(raw))
    )
  }

  #report(raw: Stored, object: KubeObject): Stored {
    const shown = this.#versions.put(raw, object)
    this.#reported.set(raw, shown)
    return shown
  }

  /** One external call for all objects that are not converted yet. */
  list(prefix: string, options?: StoreListOptions): StoreListResult {
    const result = this.store.list(prefix, options)
    const missing = result.items.filter((raw) => this.#known(raw) === undefined)
    if (missing.length > 0) {
      const objects = this.#ask(`list ${missing.map(({ revision }) => revision).join()}`, () =>
        this.#versions.convert(missing),
      )
      missing.forEach((raw, index) => this.#report(raw, objects[index] as KubeObject))
    }
    return { ...result, items: result.items.map((raw) => this.#known(raw) as Stored) }
  }

  put(key: string, expected: number, make: (revision: number) => KubeObject, notes?: PutNotes): Stored | undefined {
    if (!key.startsWith(this.#prefix)) return this.store.put(key, expected, make, notes)
    const { conversion } = this.#versions
    if (conversion.storage === conversion.apiVersion) {
      const raw = this.store.put(key, expected, make, notes)
      return raw && (conversion.rereads ? this.#versions.get(raw) : this.#versions.putSame(raw))
    }
    const stored = this.#toStored(make(0))
    if ((this.store.get(key)?.revision ?? 0) !== expected) return undefined
    const back = this.#back(stored)
    const raw = this.store.put(key, expected, (revision) => withResourceVersion(stored, revision)) as Stored
    if (back instanceof ApiError) throw back
    return this.#report(raw, back)
  }

  /** Deletes the stored object, not its converted form. */
  delete(key: string, expected: number, make: (revision: number) => KubeObject): Stored | undefined {
    const live = key.startsWith(this.#prefix) ? this.store.get(key) : undefined
    if (live === undefined) return this.store.delete(key, expected, make)
    const { object } = this.#show(live)
    const raw = this.store.delete(key, expected, (revision) => withStoredResourceVersion(live.object, revision))
    return raw && this.#report(raw, object)
  }

  watch(prefix: string, after: number, onEvent: (event: StoreEvent) => void): StoreWatch {
    if (!prefix.startsWith(this.#prefix)) return this.store.watch(prefix, after, onEvent)
    return followInOrder(this.#versions, (onRaw) => this.store.watch(prefix, after, onRaw), onEvent)
  }

  isStale({ object, raw }: Stored): boolean {
    return (
      raw !== undefined &&
      !equalJson(withoutResourceVersion(this.#toStored(object)), withoutResourceVersion(raw.object))
    )
  }

  readBack(object: KubeObject): KubeObject {
    const { conversion } = this.#versions
    if (conversion.storage === conversion.apiVersion) return conversion.rereads ? conversion.read(object) : object
    const back = this.#back(this.#toStored(object))
    if (back instanceof ApiError) throw back
    return back
  }

  prepareConversions(object: KubeObject): void {
    const { conversion } = this.#versions
    if (conversion.storage !== conversion.apiVersion) this.#back(this.#toStored(withResourceVersion(object, 0)))
  }

  #toStored(object: KubeObject): KubeObject {
    const { conversion } = this.#versions
    return conversion.storage === conversion.apiVersion
      ? object
      : conversion.convert(withoutResourceVersion(object), conversion.storage, this.#ask)
  }

  #back(stored: KubeObject): KubeObject | ApiError {
    const { conversion } = this.#versions
    try {
      return conversion.convert(conversion.read(stored), conversion.apiVersion, this.#ask)
    } catch (error) {
      if (error instanceof ApiError) return error
      throw error
    }
  }
}
