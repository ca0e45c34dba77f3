/**
 * The cache: one informer per declared kind, with the reads of a client.
 *
 * Guarantees
 * - A read through {@link Cache.get} or {@link Cache.list} includes everything that this process has written through
 *   the
 *   cache's client (read your writes). It waits for the watch to catch up, or fails with a {@link StaleCacheError}.
 * - Objects are frozen and shared. A handler always finds a store at least as new as its event.
 * - Reading an undeclared kind is an error that says how to declare it, and never starts a hidden informer.
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

/** An object in a metadata-only cache. */
export type MetadataOnly<T extends ApiObject> = ApiObject & Pick<T, 'metadata'>

export interface InformerOptions<T extends ApiObject> {
  /**
   * Only these namespaces, one watch each. Default: those of the cache, otherwise all. See also {@link
   * Informer.setNamespaces}.
   */
  readonly namespaces?: readonly string[] | undefined
  readonly labelSelector?: string | undefined
  readonly fieldSelector?: string | undefined
  /**
   * `metadata`: objects have only type and metadata, also in their TypeScript types; the server sends less. Default
   * `full`.
   */
  readonly projection?: 'full' | 'metadata' | undefined
  /**
   * Changes an object before it is stored, to save memory. It may modify its argument. Runs once per version; must be
   * idempotent, and keep the metadata that identify the object. If it throws, the object is stored unchanged.
   */
  readonly transform?: { of(object: T): T }['of'] | undefined
  /**
   * Default false: `metadata.managedFields` is dropped before the object is stored. `applied`: keeps the entries that
   * show whether an apply is needed; the remaining entries are as large as the objects themselves.
   */
  readonly keepManagedFields?: boolean | 'applied' | undefined
  /**
   * Named indexes: functions that return the values under which an object is found. They must depend only on the
   * object.
   */
  readonly indexes?: Readonly<Record<string, { of(object: Live<T>): readonly string[] }['of']>> | undefined
  /** The period of resyncs, in milliseconds, with a jitter of 10 %. Default 10 h; 0: never. */
  readonly resyncPeriodMs?: number | undefined
}

/**
 * Receives the notifications of an informer, one at a time, in order. An error of a handler is reported to the observer
 * and otherwise ignored.
 */
export interface Handler<T extends ApiObject> {
  onAdd?(object: Live<T>, isInInitialList: boolean): void
  /** `old` and `object` are the same version in a resync. An object with a new uid is a delete and an add. */
  onUpdate?(old: Live<T>, object: Live<T>): void
  /** `finalStateUnknown`: the delete was missed; `object` is the last observed version. */
  onDelete?(object: Live<T>, finalStateUnknown: boolean): void
}

export interface HandlerRegistration {
  /** Whether this handler has received the whole initial list. */
  readonly synced: boolean
  whenSynced(signal?: AbortSignal): Promise<void>
  remove(): void
}

/**
 * `missing`: the server does not serve the kind; retried until it does. `retrying`: waits after a failure. For several
 * namespaces, the worst state.
 */
export type InformerState = 'idle' | 'listing' | 'watching' | 'retrying' | 'missing' | 'stopped'

export interface Informer<T extends ApiObject> {
  readonly kind: Kind<T>
  readonly lister: Lister<T>
  readonly state: InformerState
  readonly synced: boolean
  /** Rejects only if the signal aborts. Waits for a kind that the server does not serve yet (a CRD to be installed). */
  whenSynced(signal?: AbortSignal): Promise<void>
  /** A handler that is added later gets an add for every existing object. */
  addHandler(handler: Handler<T>): HandlerRegistration
  /**
   * Watches these namespaces from now on, and no others: handlers get deletes (`finalStateUnknown`) for removed
   * namespaces and adds for new ones. Resolves when all are listed; throws {@link WideInformerError} for a cluster-wide
   * informer.
   */
  setNamespaces(namespaces: readonly string[]): Promise<void>
  /** The version up to which the store is complete: that of the last event or bookmark. Empty before the first. */
  readonly resourceVersion: string
  /** Milliseconds since the server last sent an event, a bookmark or a response. */
  readonly silenceMs: number
}

/** Reads of the current store: synchronous, without waiting for own writes. */
export interface Lister<T extends ApiObject> {
  /** Throws a TypeError for a key without a namespace if the kind is namespaced, and the reverse. */
  get(key: ObjectKey): Live<T> | undefined
  list(options?: ListerOptions): readonly Live<T>[]
  /** Throws for an undeclared index, with the names of the declared ones. */
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
   * Milliseconds to wait for the first list and for own writes. Default: that of the cache (5000); 0: does not wait.
   */
  readonly waitMs?: number | undefined
  /** The projection with which the informer was declared. Default `full`. */
  readonly projection?: 'full' | 'metadata' | undefined
}

interface OfMetadata {
  readonly projection: 'metadata'
}

export interface Cache {
  /**
   * Declares a kind, also while the cache runs. Declared again without options or with the same ones, it returns the
   * same informer and adds missing indexes; with other options it throws a {@link RepeatedInformerError}.
   */
  informer<T extends ApiObject>(kind: Kind<T>, options: InformerOptions<T> & OfMetadata): Informer<MetadataOnly<T>>
  informer<T extends ApiObject>(kind: Kind<T>, options?: InformerOptions<T>): Informer<T>
  /** Stops watching a kind and drops its objects and handlers. Resolves when the watch has ended. */
  remove(kind: Kind): Promise<void>
  /** Undefined: the object does not exist. Throws {@link UndeclaredKindError}, {@link StaleCacheError}. */
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
  /** Later reads of the cache wait for writes through this client. Its own reads go to the server. */
  readonly client: Client
  /** The same for another client of the same server. */
  tracked(client: Client): Client
  /**
   * Runs every informer, including those declared later, until the signal aborts. Resolves when all have ended. Can be
   * called once.
   */
  run(signal: AbortSignal): Promise<void>
  /** Waits for all informers that are declared at the time of the call. */
  whenSynced(signal?: AbortSignal): Promise<void>
  readonly informers: readonly Informer<ApiObject>[]
}

/** Observes lists and watches, for metrics and logs. All methods are optional. */
export interface CacheObserver {
  /** A list (`relist`: not the first) or a watch has started, and why the previous one ended. */
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
  /** A list or watch failed and will be retried. `isMissing`: the server does not serve the kind (yet). */
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
