/**
 * The memory store: an ordered index of the live keys, a bounded history, and the watchers.
 *
 * Sequence of a write: compare the revision, let the caller make the object, freeze it, swap it in, record the change,
 * notify the watchers. Only the last step runs foreign code, and by then the write is complete.
 *
 * Caveats: nothing survives the process. When history exceeds its limits, the oldest part is compacted early, and
 * readers that still need it get a {@link CompactedError}, as after any compaction.
 */
import type { KubeObject } from '../../api/object.ts'
import type { Env, Timer } from '../../env/env.ts'
import { History, resourceOfKey } from './history.ts'
import { OrderedKeys } from './ordered-keys.ts'
import type { Slot } from './past-list.ts'
import { listPast } from './past-list.ts'
import type { StoreListOptions, StoreListResult, PutNotes, Store, Stored, StoreEvent, StoreWatch } from './store.ts'
import { CompactedError } from './store.ts'
import type { StoreChange } from './stored-version.ts'
import { StoredVersion } from './stored-version.ts'
import { Watchers } from './watchers.ts'

export interface MemoryStoreOptions {
  readonly env: Env
  /**
   * The interval of compaction. Each run compacts up to the revision of the previous run, so that history of one to two
   * intervals is kept. Default 5 minutes; 0 disables it.
   */
  readonly compactAfterMs?: number
  /** The maximum number of changes in history. Default 100,000. */
  readonly maxHistory?: number
  /** The approximate maximum size of replaced and deleted versions. Default 256 MiB. */
  readonly maxHistoryBytes?: number
  /** The revision of the first write. Default 1. */
  readonly initialRevision?: number
  /**
   * The contents of another store, from its `list('/registry/')`: this store continues from there, without the history.
   * Default: nothing.
   */
  readonly from?: Pick<StoreListResult, 'items' | 'revision'> | undefined
  /** Called with errors that callbacks of watchers throw. Default: a process warning. */
  readonly onCallbackError?: (error: unknown) => void
}

export class MemoryStore implements Store {
  readonly #slots = new Map<string, Slot>()
  readonly #keys = new OrderedKeys<Slot>()
  readonly #history = new History()
  /** The number of live keys of each resource. */
  readonly #counts = new Map<string | undefined, { keys: number }>()
  readonly #watchers: Watchers
  readonly #env: Env
  readonly #maxHistory: number
  readonly #maxHistoryBytes: number
  #revision: number
  #compacted: number
  #revisionAtLastTick: number
  #timer: Timer | undefined
  #closed = false

  constructor(options: MemoryStoreOptions) {
    this.#env = options.env
    this.#maxHistory = options.maxHistory ?? 100_000
    this.#maxHistoryBytes = options.maxHistoryBytes ?? 256 * 1024 * 1024
    this.#watchers = new Watchers(options.onCallbackError ?? warn)
    this.#revision = options.from?.revision ?? (options.initialRevision ?? 1) - 1
    for (const { key, object, revision, needsRewrite } of options.from?.items ?? [])
      this.#place(new StoredVersion(key, object, revision, needsRewrite ?? false))
    this.#compacted = this.#revision
    this.#revisionAtLastTick = this.#revision
    const every = options.compactAfterMs ?? 5 * 60 * 1000
    if (every > 0) this.#compactEvery(every)
  }

  get revision(): number {
    return this.#revision
  }

  get compactedRevision(): number {
    return this.#compacted
  }

  get(key: string): Stored | undefined {
    return this.#slots.get(key)?.version
  }

  /** Throws a RangeError for a revision that does not exist yet. */
  list(prefix: string, options: StoreListOptions = {}): StoreListResult {
    const end = endOf(prefix)
    const from = options.start === undefined ? prefix : prefix + options.start
    const limit = Math.max(0, options.limit ?? 0)
    const revision = options.revision ?? this.#revision
    this.#requireKept(revision)
    if (revision > this.#revision) {
      throw new RangeError(`revision ${revision} lies in the future; the latest is ${this.#revision}`)
    }
    const changes = revision === this.#revision ? [] : this.#history.after(prefix, revision)
    if (changes.length > 0) {
      const { items, remaining } = listPast(this.#keys, this.#slots, { from, end, limit }, revision, changes)
      return { items, revision, remaining }
    }
    const items: Stored[] = []
    // push() returns the new length, which is never 0: no limit.
    this.#keys.each(from, end, (slot) => items.push(slot.version) !== limit)
    const remaining = limit > 0 && items.length === limit ? this.#keys.count(from, end) - limit : 0
    return { items, revision, remaining }
  }

  count(prefix: string): number {
    const ofResource = this.#counts.get(prefix)
    if (ofResource !== undefined) return ofResource.keys
    const resource = resourceOfKey(prefix)
    if (resource !== undefined && (this.#counts.get(resource)?.keys ?? 0) === 0) return 0
    return this.#keys.count(prefix, endOf(prefix))
  }

  put(key: string, expected: number, make: (revision: number) => KubeObject, notes?: PutNotes): Stored | undefined {
    const slot = this.#slots.get(key)
    const previous = slot?.version
    if ((previous === undefined ? 0 : previous.revision) !== expected) return undefined
    // The index and all versions share one key string.
    const current = this.#make(slot === undefined ? key : slot.key, make, notes?.needsRewrite === true)
    if (slot === undefined) this.#place(current)
    else slot.version = current
    this.#commit({ type: 'put', key: current.key, revision: current.revision, current, previous })
    return current
  }

  delete(key: string, expected: number, make: (revision: number) => KubeObject): Stored | undefined {
    const slot = this.#slots.get(key)
    if (slot === undefined || slot.version.revision !== expected) return undefined
    const previous = slot.version
    const current = this.#make(slot.key, make, false)
    this.#slots.delete(key)
    this.#keys.remove(key)
    this.#counted(key, -1)
    this.#commit({ type: 'delete', key: current.key, revision: current.revision, current, previous })
    return current
  }

  /** After {@link MemoryStore.close} nothing is delivered, neither history nor changes. */
  watch(prefix: string, after: number, onEvent: (event: StoreEvent) => void): StoreWatch {
    endOf(prefix)
    this.#requireKept(after)
    if (this.#closed) return { stop: () => undefined }
    const past = after < this.#revision ? this.#history.after(prefix, after) : []
    return this.#watchers.watch(prefix, Math.max(after, this.#revision), onEvent, past)
  }

  onWrite(listener: (revision: number) => void): StoreWatch {
    if (this.#closed) return { stop: () => undefined }
    return this.#watchers.onWrite(listener)
  }

  /** A future revision counts as the latest; one that is compacted already changes nothing. */
  compact(revision: number): void {
    const upTo = Math.min(revision, this.#revision)
    if (!(upTo > this.#compacted)) return
    this.#compacted = upTo
    // Revisions have no gaps, so this is the number of newer changes.
    while (this.#history.length > this.#revision - upTo) this.#history.dropOldest()
  }

  /** Reads and writes still work after it. */
  close(): void {
    this.#closed = true
    this.#timer?.cancel()
    this.#timer = undefined
    this.#watchers.clear()
  }

  #place(version: StoredVersion): void {
    const slot: Slot = { key: version.key, version }
    this.#slots.set(slot.key, slot)
    this.#keys.insert(slot)
    this.#counted(slot.key, 1)
  }

  #counted(key: string, more: number): void {
    const resource = resourceOfKey(key)
    const count = this.#counts.get(resource)
    if (count === undefined) this.#counts.set(resource, { keys: more })
    else count.keys += more
  }

  #make(key: string, make: (revision: number) => KubeObject, needsRewrite: boolean): StoredVersion {
    const revision = this.#revision + 1
    const version = new StoredVersion(key, make(revision), revision, needsRewrite)
    if (this.#revision !== revision - 1) throw new Error('make() must not write to the store')
    return version
  }

  #commit(change: StoreChange): void {
    this.#revision = change.revision
    if (change.previous !== undefined) {
      change.previous.encoded = undefined
      // The forms in other API versions stay: watches that are behind still need them.
      delete change.previous.forms?.protobuf
    }
    const history = this.#history
    history.add(change)
    while (history.length > this.#maxHistory || history.weight > this.#maxHistoryBytes) {
      history.dropOldest()
      this.#compacted = change.revision - history.length
    }
    this.#watchers.publish(change)
  }

  #requireKept(revision: number): void {
    if (revision < this.#compacted) throw new CompactedError(revision, this.#compacted)
  }

  #compactEvery(ms: number): void {
    this.#timer = this.#env.after(ms, () => {
      this.compact(this.#revisionAtLastTick)
      this.#revisionAtLastTick = this.#revision
      this.#compactEvery(ms)
    })
  }
}

/** The first key after all keys with the prefix: '0' is the character after '/'. */
function endOf(prefix: string): string {
  if (!prefix.endsWith('/')) throw new TypeError(`prefix ${JSON.stringify(prefix)} does not end with a slash`)
  return `${prefix.slice(0, -1)}0`
}

function warn(error: unknown): void {
  process.emitWarning(error instanceof Error ? error : String(error))
}
