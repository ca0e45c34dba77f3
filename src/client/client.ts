/** The typed client: every verb of the API for every kind, over any transport. Implemented in `rest-client.ts`. */
import type { FrozenJson, Json } from '../api/json.ts'
import type { ApiObject, Live, ObjectKey } from '../api/live-object.ts'
import type { ListMeta } from '../api/object.ts'
import type { DefaultingKind, Kind } from '../schema/kind.ts'
import type { Headers } from './transport.ts'

export interface CallOptions {
  /** Aborts the call. */
  readonly signal?: AbortSignal | undefined
  /**
   * The timeout of the call, including retries, in milliseconds; for a list, that of each page. Default: that of the
   * client (30 s); 0: never.
   */
  readonly timeoutMs?: number | undefined
}

export interface GetOptions extends CallOptions {
  readonly resourceVersion?: string | undefined
  /** `status`, `scale`: reads the subresource instead. */
  readonly subresource?: string | undefined
}

export interface SelectorOptions {
  /** Absent: all namespaces. */
  readonly namespace?: string | undefined
  readonly labelSelector?: string | undefined
  readonly fieldSelector?: string | undefined
}

export interface ListOptions extends SelectorOptions, CallOptions {
  readonly resourceVersion?: string | undefined
  readonly resourceVersionMatch?: 'Exact' | 'NotOlderThan' | undefined
  readonly limit?: number | undefined
  readonly continue?: string | undefined
  /** Only type and metadata of the objects (PartialObjectMetadata). */
  readonly metadataOnly?: boolean | undefined
}

export interface LiveList<T extends ApiObject> {
  readonly metadata: Readonly<ListMeta>
  readonly items: readonly Live<T>[]
}

export interface WatchOptions extends SelectorOptions {
  readonly signal?: AbortSignal | undefined
  readonly resourceVersion?: string | undefined
  readonly resourceVersionMatch?: 'NotOlderThan' | undefined
  readonly allowWatchBookmarks?: boolean | undefined
  readonly sendInitialEvents?: boolean | undefined
  /** Seconds after which the server ends the watch. */
  readonly timeoutSeconds?: number | undefined
  readonly metadataOnly?: boolean | undefined
}

export type WatchEvent<T extends ApiObject> =
  | { readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'; readonly object: Live<T> }
  | { readonly type: 'BOOKMARK'; readonly resourceVersion: string; readonly initialEventsEnd: boolean }

/**
 * In order, in batches as they arrive. Ends when the server ends the watch. Throws an `ApiError` for an ERROR event
 * (including 410) and a `TransportError` if the connection breaks.
 */
export type WatchEvents<T extends ApiObject> = AsyncIterable<readonly WatchEvent<T>[]>

export interface WriteOptions extends CallOptions {
  readonly subresource?: string | undefined
  readonly dryRun?: boolean | undefined
  /** Default: that of the client, which is the controller's name. */
  readonly fieldManager?: string | undefined
  readonly fieldValidation?: 'Strict' | 'Warn' | 'Ignore' | undefined
}

export interface ApplyOptions extends WriteOptions {
  /** Takes over fields of other managers. Default false. */
  readonly force?: boolean | undefined
}

/** One of the four patch types; `json` is a list of operations. */
export type Patch =
  | { readonly type: 'json'; readonly patch: readonly JsonPatchOperation[] }
  | { readonly type: 'merge'; readonly patch: Json }
  | { readonly type: 'strategic'; readonly patch: Json }
  | { readonly type: 'apply'; readonly patch: Json; readonly force?: boolean }

export interface JsonPatchOperation {
  readonly op: 'add' | 'remove' | 'replace' | 'move' | 'copy' | 'test'
  readonly path: string
  readonly from?: string
  readonly value?: Json
}

export interface DeleteOptions extends CallOptions {
  /** Fails with a conflict (409) if another object has the name. */
  readonly uid?: string | undefined
  readonly resourceVersion?: string | undefined
  readonly propagationPolicy?: 'Background' | 'Foreground' | 'Orphan' | undefined
  readonly gracePeriodSeconds?: number | undefined
  readonly dryRun?: boolean | undefined
}

export interface RawOptions extends CallOptions {
  readonly body?: Json | undefined
  /** Lower-case names. */
  readonly headers?: Headers | undefined
}

/**
 * Every method rejects with an `ApiError` for a response that is not a success, and with a `TransportError` without a
 * response.
 */
export interface Client {
  get<T extends ApiObject>(kind: Kind<T>, key: ObjectKey, options?: GetOptions): Promise<Live<T>>
  /** All items, over as many pages as needed; a single page with `limit` or `continue`. */
  list<T extends ApiObject>(kind: Kind<T>, options?: ListOptions): Promise<LiveList<T>>
  /** Page by page, `limit` (500) at a time. */
  pages<T extends ApiObject>(kind: Kind<T>, options?: ListOptions): AsyncIterable<LiveList<T>>
  /** Resolves when the server has accepted the watch. */
  watch<T extends ApiObject>(kind: Kind<T>, options?: WatchOptions): Promise<WatchEvents<T>>
  /** Fields with a default may be left out ({@link InputOf}); the response has them. */
  create<T extends ApiObject, Input = T>(
    kind: DefaultingKind<T, Input>,
    object: NoInfer<Input>,
    options?: WriteOptions,
  ): Promise<Live<T>>
  /** As for `create`. With `metadata.resourceVersion`, fails with a conflict (409) if the object has changed since. */
  update<T extends ApiObject, Input = T>(
    kind: DefaultingKind<T, Input>,
    object: NoInfer<Input>,
    options?: WriteOptions,
  ): Promise<Live<T>>
  patch<T extends ApiObject>(kind: Kind<T>, key: ObjectKey, patch: Patch, options?: WriteOptions): Promise<Live<T>>
  /** Server-side apply: `object` has exactly the fields that the field manager wants. */
  apply<T extends ApiObject>(kind: Kind<T>, object: Partially<T>, options?: ApplyOptions): Promise<Live<T>>
  /** The object if its deletion waits for finalizers or a grace period; undefined if it is gone. */
  delete<T extends ApiObject>(kind: Kind<T>, key: ObjectKey, options?: DeleteOptions): Promise<Live<T> | undefined>
  deleteCollection<T extends ApiObject>(kind: Kind<T>, options?: SelectorOptions & DeleteOptions): Promise<void>
  /** A create on a subresource that is not part of the object: `eviction`, `binding`, `token`. */
  createSubresource<T extends ApiObject, Answer extends ApiObject>(
    kind: Kind<T>,
    key: ObjectKey,
    subresource: string,
    body: Json,
    options?: WriteOptions,
  ): Promise<Live<Answer>>
  /** Any path of the server, such as `/version`: the parsed body, or text if the server responds with text. */
  raw(method: string, path: string, options?: RawOptions): Promise<FrozenJson>
}

/** The argument of an apply: all fields are optional, except the name. */
export type Partially<T extends ApiObject> = DeepPartial<Omit<T, 'metadata'>> & {
  metadata: DeepPartial<Omit<T['metadata'], 'name'>> & { name: string }
}

export type DeepPartial<T> = T extends readonly (infer Item)[]
  ? readonly DeepPartial<Item>[]
  : T extends object
    ? { readonly [Field in keyof T]?: DeepPartial<T[Field]> | undefined }
    : T
