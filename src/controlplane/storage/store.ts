/**
 * Storage: ordered keys under one global revision, with history.
 *
 * Guarantees
 * - Every write takes the next revision; there are no gaps and no two writes share one.
 * - A value is frozen when it is stored and shared by everybody who reads it.
 * - Watchers of a prefix see every change after their start revision, once, in order, also those made before they came,
 *   as long as history reaches back so far.
 * - A writer never waits for a watcher.
 *
 * All calls are synchronous: one thread owns the store, and a durable implementation (memory-mapped) can be too.
 */
import type { JsonObject } from '../../api/json.ts'
import { partsOf, type KnownParts } from '../../api/known-part.ts'
import type { KubeObject } from '../../api/object.ts'

/** One version of one key. The same instance is handed to every reader, so a reader may hang caches on it. */
export interface Stored {
  readonly key: string
  readonly object: KubeObject
  /** The revision of the write that made this version; also the object's resourceVersion. */
  readonly revision: number
  /**
   * Upstream stores another form than it serves: the next update of the object is stored even if it is a no-op. Absent:
   * no.
   */
  readonly needsRewrite?: boolean | undefined
  /** The version as it is stored, where this one is what another API version shows of it. */
  readonly raw?: Stored | undefined
  /** What is known of the parts of the object: the next write need not look at those that it leaves alone. */
  parts?: KnownParts | undefined
  /** The JSON text, filled by whoever encodes first. Dropped when the version is superseded. */
  encoded?: string | undefined
  /** Forms that are asked for less often. */
  forms?: ServedForms | undefined
  /**
   * What other API versions show of it, by apiVersion. Kept with the version, since watches need the form of the one
   * before. `by` made the form; a newer definition replaces it.
   */
  views?: Map<string, { readonly by: object; readonly version: Stored }> | undefined
  /** At most so many characters of text, as whoever limits them counts (see `registry/size.ts`). Absent: not known. */
  textLength?: number | undefined
}

/**
 * What is served of a version beside its JSON. Each is made at first use; all follow from the version alone, so nothing
 * but speed depends on them.
 */
export interface ServedForms {
  /** The object without kind and apiVersion, as lists hold it. */
  untyped?: object
  /** Dropped when the version is superseded. */
  protobuf?: Uint8Array
  /** The version as answers show it, where the kind shows another form than it stores; else the version itself. */
  shown?: Stored
}

/** What another API version, or an answer, shows of a version. Freezes nothing. */
export function convertedVersion(raw: Stored, object: KubeObject): Stored {
  const { key, revision, needsRewrite, textLength } = raw
  const { parts } = raw
  const forms = { encoded: undefined, forms: undefined, views: undefined }
  return { key, object, revision, needsRewrite, raw, parts, textLength, ...forms }
}

/** Keeps what is known of the parts of a version; the lists may hold records of parts that it does not have. */
export function keepParts(stored: Stored, parts?: KnownParts, others?: KnownParts): void {
  stored.parts = partsOf(stored.object, parts, others)
}

/** The form that `by` made of the version for an API version; undefined: none yet. */
export function viewOf(raw: Stored, apiVersion: string, by: object): Stored | undefined {
  const known = raw.views?.get(apiVersion)
  return known?.by === by ? known.version : undefined
}

export function rememberView(raw: Stored, apiVersion: string, by: object, version: Stored): Stored {
  ;(raw.views ??= new Map()).set(apiVersion, { by, version })
  return version
}

export interface StoreEvent {
  readonly type: 'put' | 'delete'
  readonly key: string
  readonly revision: number
  /** The new version; for a delete, the last version, restamped with the delete's own revision. */
  readonly current: Stored
  /** The version before; undefined for a creation. */
  readonly previous: Stored | undefined
}

export interface StoreListOptions {
  /** Relative to the prefix: start at the first key that is >= prefix + start. */
  readonly start?: string
  /** 0 or undefined: no limit. */
  readonly limit?: number
  /** The state as it was at this revision; throws {@link CompactedError} when history does not reach so far. */
  readonly revision?: number
}

export interface StoreListResult {
  readonly items: readonly Stored[]
  /** The revision the list speaks for. */
  readonly revision: number
  /** How many keys of the prefix follow the last item; 0 on the last page. */
  readonly remaining: number
}

export interface StoreWatch {
  stop(): void
  /** Changes have been made that are not delivered yet. Absent: never. */
  readonly isBehind?: boolean
}

/** What is said about an object that is stored, beside the object. */
export interface PutNotes {
  /** Becomes that of the version; see {@link Stored}. Default no. */
  readonly needsRewrite?: boolean | undefined
  /** For a store that converts: top-level fields in their stored form. Others ignore it. */
  readonly storedFields?: JsonObject | undefined
}

export interface Store {
  /** The revision of the latest write. */
  readonly revision: number
  /** The oldest revision at which a list can still be answered and after which a watch can still start. */
  readonly compactedRevision: number

  get(key: string): Stored | undefined
  /** `prefix` ends with a slash: `/registry/configmaps/` or `/registry/configmaps/default/`. */
  list(prefix: string, options?: StoreListOptions): StoreListResult
  count(prefix: string): number

  /**
   * Stores what `make` returns for the new revision, if the key's present revision is `expected` (0: the key is
   * absent). Returns undefined, and changes nothing, when it is not. `notes.needsRewrite` is kept beside the object.
   */
  put(key: string, expected: number, make: (revision: number) => KubeObject, notes?: PutNotes): Stored | undefined
  /** Removes the key if its present revision is `expected`; the event's object is what `make` returns. */
  delete(key: string, expected: number, make: (revision: number) => KubeObject): Stored | undefined

  /**
   * Calls `onEvent` for every change below `prefix` with a revision above `after`: first, at once, those in history,
   * then each as it is written. Throws {@link CompactedError} when history does not reach back to `after`.
   * `after` may lie in the future: earlier changes are then passed over.
   */
  watch(prefix: string, after: number, onEvent: (event: StoreEvent) => void): StoreWatch
  /** Called after every write, whatever its key. */
  onWrite(listener: (revision: number) => void): StoreWatch

  /** Forgets history up to and including `revision`, which stays the oldest state that can be listed. */
  compact(revision: number): void
  /** Stops timers and drops watchers. */
  close(): void
}

/** The revision asked for is older than what is kept. */
export class CompactedError extends Error {
  readonly requested: number
  readonly oldest: number

  constructor(requested: number, oldest: number) {
    super(`revision ${requested} has been compacted; the oldest kept is ${oldest}`)
    this.name = 'CompactedError'
    this.requested = requested
    this.oldest = oldest
  }
}
