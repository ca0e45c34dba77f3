/**
 * Storage: ordered keys under one global revision, with history.
 *
 * Guarantees
 * - Every write takes the next revision; there are no gaps and no two writes share one.
 * - A value is frozen when it is stored, and all readers share it.
 * - A watch of a prefix gets every change after its start revision once and in order, including changes before the
 *   watch started, as far as history reaches back.
 * - A writer never waits for a watch.
 *
 * All calls are synchronous: one thread owns the store, and a durable implementation (memory-mapped) can be too.
 */
import type { JsonObject } from '../../api/json.ts'
import { partsOf, type KnownParts } from '../../api/known-part.ts'
import type { KubeObject } from '../../api/object.ts'

/** One version of one key. All readers get the same instance, so a reader may attach caches to it. */
export interface Stored {
  readonly key: string
  readonly object: KubeObject
  /** The revision of the write that made this version; also the resourceVersion of the object. */
  readonly revision: number
  /**
   * Upstream stores another form than it serves, so the next update of the object is stored even if it is a no-op.
   * Default: false.
   */
  readonly needsRewrite?: boolean | undefined
  /** The stored version, if this one was converted from it. */
  readonly raw?: Stored | undefined
  /** Records about the parts of the object: the next write can skip checks of parts that it leaves unchanged. */
  parts?: KnownParts | undefined
  /** The JSON text, set by the first encoder. Dropped when the version is superseded. */
  encoded?: string | undefined
  /** Forms that are needed less often. */
  forms?: ServedForms | undefined
  /**
   * The results of conversion webhooks, by apiVersion. Like the watch cache of upstream, they serve reads and writes
   * while the webhook is down. A store keeps them as long as it has the version in memory.
   */
  conversions?: FormsByVersion | undefined
  /** Upper bound of the text length, as `registry/size.ts` counts it. Absent: unknown. */
  textLength?: number | undefined
}

/** The object in other API versions, by apiVersion. `by` made the form; a newer definition replaces it. */
export type FormsByVersion = Map<string, { readonly by: object; readonly version: Stored }>

/**
 * Served forms of a version besides its JSON. Each is made on first use and derived from the version alone, so only
 * speed depends on them.
 */
export interface ServedForms {
  /** The object without kind and apiVersion, as in lists. */
  untyped?: object
  /** Dropped when the version is superseded. */
  protobuf?: Uint8Array
  /** The decorated version, if the kind decorates reads; otherwise the version itself. */
  shown?: Stored
  /** Converted without a webhook. Kept when the version is superseded: watches need the previous version in it. */
  views?: FormsByVersion
}

/** A version with a converted or decorated object. Freezes nothing. */
export function convertedVersion(raw: Stored, object: KubeObject): Stored {
  const { key, revision, needsRewrite, parts, textLength } = raw
  return {
    key,
    object,
    revision,
    needsRewrite,
    raw,
    parts,
    textLength,
    encoded: undefined,
    forms: undefined,
    conversions: undefined,
  }
}

/** Keeps the records about the parts of a version; the lists may have records of parts that it does not have. */
export function keepParts(stored: Stored, parts?: KnownParts, others?: KnownParts): void {
  stored.parts = partsOf(stored.object, parts, others)
}

/** The form that `by` made for an API version without a webhook; undefined if there is none yet. */
export function viewOf(raw: Stored, apiVersion: string, by: object): Stored | undefined {
  return formOf(raw.forms?.views, apiVersion, by)
}

export function rememberView(raw: Stored, apiVersion: string, by: object, version: Stored): Stored {
  const forms = (raw.forms ??= {})
  ;(forms.views ??= new Map()).set(apiVersion, { by, version })
  return version
}

/** The form that a webhook made for an API version; undefined if there is none yet. */
export function conversionOf(raw: Stored, apiVersion: string, by: object): Stored | undefined {
  return formOf(raw.conversions, apiVersion, by)
}

export function rememberConversion(raw: Stored, apiVersion: string, by: object, version: Stored): Stored {
  ;(raw.conversions ??= new Map()).set(apiVersion, { by, version })
  return version
}

function formOf(forms: FormsByVersion | undefined, apiVersion: string, by: object): Stored | undefined {
  const known = forms?.get(apiVersion)
  return known?.by === by ? known.version : undefined
}

export interface StoreEvent {
  readonly type: 'put' | 'delete'
  readonly key: string
  readonly revision: number
  /** The new version; for a delete, the last version with the revision of the delete. */
  readonly current: Stored
  /** The version before; undefined for a create. */
  readonly previous: Stored | undefined
}

export interface StoreListOptions {
  /** Relative to the prefix: start at the first key that is >= prefix + start. */
  readonly start?: string
  /** 0 or undefined: no limit. */
  readonly limit?: number
  /** List the state at this revision; throws {@link CompactedError} if history does not reach back that far. */
  readonly revision?: number
}

export interface StoreListResult {
  readonly items: readonly Stored[]
  /** The revision of the listed state. */
  readonly revision: number
  /** The number of keys of the prefix after the last item; 0 on the last page. */
  readonly remaining: number
}

export interface StoreWatch {
  stop(): void
  /** There are changes that are not delivered yet. Absent: never. */
  readonly isBehind?: boolean
}

/** Data that is stored with an object. */
export interface PutNotes {
  /** See {@link Stored}. Default: false. */
  readonly needsRewrite?: boolean | undefined
  /** For a converting store: top-level fields in their stored form. Others ignore it. */
  readonly storedFields?: JsonObject | undefined
}

export interface Store {
  /** The revision of the latest write. */
  readonly revision: number
  /** The oldest revision at which a list is possible and after which a watch can start. */
  readonly compactedRevision: number

  get(key: string): Stored | undefined
  /** `prefix` ends with a slash: `/registry/configmaps/` or `/registry/configmaps/default/`. */
  list(prefix: string, options?: StoreListOptions): StoreListResult
  count(prefix: string): number

  /**
   * Stores the result of `make` for the new revision, if the current revision of the key is `expected` (0: the key is
   * absent). Otherwise returns undefined and changes nothing. `notes.needsRewrite` is kept with the object.
   */
  put(key: string, expected: number, make: (revision: number) => KubeObject, notes?: PutNotes): Stored | undefined
  /** Removes the key if its current revision is `expected`; the event has the object that `make` returns. */
  delete(key: string, expected: number, make: (revision: number) => KubeObject): Stored | undefined

  /**
   * Calls `onEvent` for every change below `prefix` with a revision above `after`: first, synchronously, those in
   * history, then each one as it is written. Throws {@link CompactedError} if history does not reach back to `after`.
   * `after` may be in the future: earlier changes are then skipped.
   */
  watch(prefix: string, after: number, onEvent: (event: StoreEvent) => void): StoreWatch
  /** Called after every write of any key. */
  onWrite(listener: (revision: number) => void): StoreWatch

  /** Drops history up to and including `revision`, which stays the oldest state that can be listed. */
  compact(revision: number): void
  /** Stops timers and drops watches. */
  close(): void
}

/** The requested revision is older than the kept history. */
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
