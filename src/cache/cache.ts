/**
 * The cache: one informer per declared kind, read as if it were the server.
 *
 * Guarantees
 * - A read through {@link Cache.get} or {@link Cache.list} never shows less than this process has written through the
 *   cache's client (read your writes). It waits for the watch to catch up, and gives up with a {@link StaleCacheError}.
 * - Objects are frozen and shared. A handler always finds a store at least as new as its event.
 * - Reading a kind that was not declared is an error that says how to declare it, never a hidden informer.
 */
import type { ApiObject, Live, ObjectKey } from '../api/live-object.ts'
import type { Client } from '../client/client.ts'
import type { Kind } from '../schema/kind.ts'

export {
  ProjectionError,
  RepeatedInformerError,
  StaleCacheError,
  UndeclaredKindError,
  UnknownIndexError,
  WideInformerError,
} from './cache-error.ts'

/** What is left of an object in a cache of metadata. */
export type MetadataOnly<T extends ApiObject> = ApiObject & Pick<T, 'metadata'>

export interface InformerOptions<T extends ApiObject> {
  /** Only these namespaces, one watch each. Default: the cache's, else all. See also {@link Informer.setNamespaces}. */
  readonly namespaces?: readonly string[] | undefined
  readonly labelSelector?: string | undefined
  readonly fieldSelector?: string | undefined
  /** `metadata`: objects hold type and metadata only, as their types then say; less is sent, too. Default `full`. */
  readonly projection?: 'full' | 'metadata' | undefined
  /**
   * Changes an object before it is stored, to save memory: what it gets is its own. Runs once per version; must be
   * idempotent, and leave metadata that names the object. When it throws the object is stored as it was.
   */
  readonly transform?: { of(object: T): T }['of'] | undefined
  /**
   * Default false: `metadata.managedFields` is dropped before the object is stored. `applied`: keeps what shows whether
   * an apply is needed; the remaining entries are as large as the objects themselves.
   */
  readonly keepManagedFields?: boolean | 'applied' | undefined
  /** Named indexes: what values an object is found under. They must depend on the object alone. */
  readonly indexes?: Readonly<Record<string, { of(object: Live<T>): readonly string[] }['of']>> | undefined
  /** Milliseconds between synthetic updates of everything; spread by 10 % either way. Default 10 h; 0: never. */
  readonly resyncPeriodMs?: number | undefined
}

/**
 * Notifications of an informer. Called one at a time, in order. An error that a handler throws is reported to the
 * observer and otherwise ignored.
 */
export interface Handler<T extends ApiObject> {
  onAdd?(object: Live<T>, isInInitialList: boolean): void
  /** `old` and `object` are the same version in a resync. A new uid comes as a delete and an add. */
  onUpdate?(old: Live<T>, object: Live<T>): void
  /** `finalStateUnknown`: the delete was missed; `object` is the last version that was seen. */
  onDelete?(object: Live<T>, finalStateUnknown: boolean): void
}

export interface HandlerRegistration {
  /** All of the initial list has been handed to this handler. */
  readonly synced: boolean
  whenSynced(signal?: AbortSignal): Promise<void>
  remove(): void
}

/**
 * `missing`: the server does not serve the kind; asked again until it does. `retrying`: waits after a failure. Of
 * several namespaces, the state that is furthest from well.
 */
export type InformerState = 'idle' | 'listing' | 'watching' | 'retrying' | 'missing' | 'stopped'

export interface Informer<T extends ApiObject> {
  readonly kind: Kind<T>
  readonly lister: Lister<T>
  readonly state: InformerState
  readonly synced: boolean
  /** Rejects only when the signal aborts. A kind that the server does not serve yet (a CRD to come) is waited for. */
  whenSynced(signal?: AbortSignal): Promise<void>
  /** A late handler gets an add for everything that is there. */
  addHandler(handler: Handler<T>): HandlerRegistration
  /**
   * Watches these namespaces from now on, and no others: handlers are notified of deletes (`finalStateUnknown`) for
   * removed namespaces and of adds for new ones. Resolves once all are listed; throws {@link WideInformerError} for an
   * informer of the whole cluster.
   */
  setNamespaces(namespaces: readonly string[]): Promise<void>
  /** The version up to which the store is complete: of the last event or bookmark. '' before the first. */
  readonly resourceVersion: string
  /** Milliseconds since the server last sent anything: an event, a bookmark, a response. */
  readonly silenceMs: number
}

/** Reads of the store as it is now: synchronous, no waiting, no promise about own writes. */
export interface Lister<T extends ApiObject> {
  /** Throws a TypeError for a key without a namespace where the kind has them, and the other way round. */
  get(key: ObjectKey): Live<T> | undefined
  list(options?: ListerOptions): readonly Live<T>[]
  /** Throws for an index that was not declared, naming those that were. */
  byIndex(index: string, value: string, namespace?: string): readonly Live<T>[]
  readonly size: number
}

export interface ListerOptions {
  readonly namespace?: string | undefined
  readonly labelSelector?: string | undefined
}

export interface CacheListOptions extends ListerOptions, CacheReadOptions {
  /** `{ index: 'node', value: 'node-1' }` */
  readonly index?: { readonly index: string; readonly value: string } | undefined
}

export interface CacheReadOptions {
  readonly signal?: AbortSignal | undefined
  /**
   * Milliseconds to wait for the first list and for own writes. Default: the cache's (5000); 0: reads what is there.
   */
  readonly waitMs?: number | undefined
  /** As the informer was declared. Default `full`. */
  readonly projection?: 'full' | 'metadata' | undefined
}

interface OfMetadata {
  readonly projection: 'metadata'
}

export interface Cache {
  /**
   * Declares a kind. Again, with no options or the same: the same informer, and indexes that it lacked are added; with
   * others: a {@link RepeatedInformerError}. Also while running.
   */
  informer<T extends ApiObject>(kind: Kind<T>, options: InformerOptions<T> & OfMetadata): Informer<MetadataOnly<T>>
  informer<T extends ApiObject>(kind: Kind<T>, options?: InformerOptions<T>): Informer<T>
  /** Stops watching a kind and forgets its objects and handlers. Resolves when the watch has ended. */
  remove(kind: Kind): Promise<void>
  /** Undefined: there is none. Throws {@link UndeclaredKindError}, {@link StaleCacheError}. */
  get<T extends ApiObject>(
    kind: Kind<T>,
    key: ObjectKey,
    options: CacheReadOptions & OfMetadata,
  ): Promise<Live<MetadataOnly<T>> | undefined>
  get<T extends ApiObject>(kind: Kind<T>, key: ObjectKey, options?: CacheReadOptions): Promise<Live<T> | undefined>
  list<T extends ApiObject>(
    kind: Kind<T>,
    options: CacheListOptions & OfMetadata,
  ): Promise<readonly Live<MetadataOnly<T>>[]>
  list<T extends ApiObject>(kind: Kind<T>, options?: CacheListOptions): Promise<readonly Live<T>[]>
  /** Writes through this client are waited for by later reads; its reads go to the server. */
  readonly client: Client
  /** The same for another client of the same server. */
  tracked(client: Client): Client
  /**
   * Runs every informer, now and as they are declared, until the signal aborts. Resolves when all have ended. Once
   * only.
   */
  run(signal: AbortSignal): Promise<void>
  /** Of all informers that are declared when it is called. */
  whenSynced(signal?: AbortSignal): Promise<void>
  readonly informers: readonly Informer<ApiObject>[]
}

/** Observes lists and watches, for metrics and logs. All methods are optional. */
export interface CacheObserver {
  /** A list (`relist`: not the first), or a watch begun; and why the one before ended. */
  listed?(
    kind: Kind,
    info: {
      readonly relist: boolean
      readonly objectCount: number
      readonly durationMs: number
      readonly via: 'watch-list' | 'list'
    },
  ): void
  watchStarted?(kind: Kind): void
  watchEnded?(kind: Kind, why: 'timeout' | 'ended' | 'expired' | 'idle' | 'throttled' | 'error', error?: unknown): void
  /** A list or watch failed, and will be tried again. `isMissing`: the server does not serve the kind (yet). */
  retrying?(
    kind: Kind,
    info: {
      readonly doing: 'stream' | 'list' | 'watch' | 'follow' | 'wait'
      readonly error: unknown
      readonly afterMs: number
      readonly isMissing: boolean
    },
  ): void
  /** A handler, an index or a transform threw. */
  handlerFailed?(kind: Kind, error: unknown): void
  /** A read had to wait for an own write. */
  staleRead?(kind: Kind, waitedMs: number, timedOut: boolean): void
}
