/**
 * Watch: the changes of one resource, filtered by the client's selectors.
 *
 * Sequence: optional initial state as ADDED, optional bookmark that ends it, then every change once, in order, until
 * the client, the timeout or a failing sink ends it. An object that starts to match is ADDED, one that stops matching
 * is DELETED with its last matching content.
 */
import type { JsonObject } from '../../api/json.ts'
import { ApiError, apiError } from '../../api/status.ts'
import { decodeTyped } from '../../shape/decode.ts'
import type { StructShape } from '../../shape/shape.ts'
import { CompactedError, type Stored, type StoreEvent, type StoreWatch } from '../storage/store.ts'
import type { RegistryCall } from './call.ts'
import { listPrefix } from './list.ts'
import { listQuery, matchesListQuery, type ListQuery } from './list-options.ts'
import { withStoredResourceVersion } from './metadata.ts'
import { ExternalCall } from '../contract/external-calls.ts'
import type { WatchEvent, WatchResponse, WatchSink } from '../contract/request.ts'
import { readResourceVersion } from './resource-version.ts'

/** Without `timeoutSeconds` a watch lasts a random time between this and twice this. */
const defaultTimeoutMs = 30 * 60 * 1000
const bookmarkEveryMs = 60 * 1000
/** The last bookmark is sent this long before the end. */
const lastBookmarkMs = 2000

export function watch(call: RegistryCall): WatchResponse {
  const options = listQuery(call, true)
  const version = readResourceVersion(options.resourceVersion)
  if (typeof version === 'string') throw apiError.internal(version)
  return { type: 'watch', status: 200, start: (sink) => new Watch(call, options, version, sink) }
}

class Watch {
  readonly #call: RegistryCall
  readonly #options: ListQuery
  readonly #sink: WatchSink
  readonly #cleanups: (() => void)[] = []
  #ended = false
  #revision = 0
  /** The initial state is being sent: no bookmark may be ahead of it. */
  #delivering = false
  #following: StoreWatch | undefined
  /** Changes that are not sent yet: history is sent with back-pressure. */
  #pending: StoreEvent[] = []
  #nextPending = 0

  constructor(call: RegistryCall, options: ListQuery, version: number, sink: WatchSink) {
    this.#call = call
    this.#options = options
    this.#sink = sink
    this.#orEnd(() => this.#begin(version))
  }

  /**
   * Runs `deliver`. If it needs an external call, makes the call and runs it again. If an object cannot be converted to
   * the version of the watch, the watch ends.
   */
  #orEnd(deliver: () => void): void {
    if (this.#ended) return
    try {
      deliver()
    } catch (error) {
      if (error instanceof ExternalCall) {
        error
          .call()
          .then(() => this.#orEnd(deliver))
          .catch((failure: unknown) => this.#fail(failure))
        return
      }
      if (!(error instanceof ApiError)) throw error
      this.#fail(error)
    }
  }

  #fail(error: unknown): void {
    const { status } = error instanceof ApiError ? error : apiError.internalError(String(error))
    this.#emit({ type: 'ERROR', object: status })
    this.#end()
  }

  /** Called when the client ends the watch: nothing more is sent, and `end` is not called. */
  stop(): void {
    this.#ended = true
    this.#pending = []
    for (const cleanup of this.#cleanups.splice(0)) cleanup()
  }

  #end(): void {
    if (this.#ended) return
    this.stop()
    this.#sink.end()
  }

  #begin(version: number): void {
    const { store } = this.#call.backend
    const { sendInitialEvents } = this.#options
    const initial = sendInitialEvents ?? version === 0
    this.#setTimers()
    if (initial && version > store.revision) {
      const waiting = store.onWrite((revision) => {
        if (revision < version) return
        waiting.stop()
        this.#orEnd(() => this.#deliverInitial())
      })
      this.#cleanups.push(() => waiting.stop())
    } else if (initial) {
      this.#orEnd(() => this.#deliverInitial())
    } else {
      this.#follow(version === 0 ? store.revision : version)
    }
  }

  #deliverInitial(): void {
    const { store } = this.#call.backend
    this.#delivering = true
    const state = store.list(listPrefix(this.#call))
    this.#revision = state.revision
    this.#deliverFrom(state.items, 0, state.revision)
  }

  /** Sends with back-pressure: the state of a large cluster must not be buffered in memory. */
  #deliverFrom(items: readonly Stored[], first: number, revision: number): void {
    for (let index = first; index < items.length; index++) {
      if (this.#ended) return
      const stored = items[index] as Stored
      if (!matchesListQuery(this.#options, this.#call.resource, stored.object)) continue
      this.#send('ADDED', stored)
      const hasRoom = this.#sink.room(() => this.#orEnd(() => this.#deliverFrom(items, index + 1, revision)))
      if (!hasRoom) return
    }
    this.#delivering = false
    if (this.#options.sendInitialEvents === true && this.#options.allowWatchBookmarks) this.#bookmark(true)
    this.#follow(revision)
  }

  #follow(after: number): void {
    if (this.#ended) return
    const { store } = this.#call.backend
    this.#revision = Math.max(this.#revision, Math.min(after, store.revision))
    try {
      let isReplay = true
      const following = store.watch(listPrefix(this.#call), after, (event) => {
        if (isReplay) this.#pending.push(event)
        else if (this.#pending.length > 0) this.#postpone(event)
        else this.#orEnd(() => this.#onChange(event))
      })
      isReplay = false
      this.#following = following
      this.#cleanups.push(() => following.stop())
      if (this.#ended) following.stop()
      else this.#sendPending()
    } catch (error) {
      if (!(error instanceof CompactedError)) throw error
      this.#fail(tooOld(after, error.oldest))
    }
  }

  /** Sends what happened before the watch started, as fast as the client reads. */
  #sendPending(): void {
    while (this.#nextPending < this.#pending.length) {
      if (this.#ended) return
      const event = this.#pending[this.#nextPending++] as StoreEvent
      this.#orEnd(() => this.#onChange(event))
      if (!this.#sink.room(() => this.#sendPending())) return
    }
    this.#pending = []
    this.#nextPending = 0
  }

  /**
   * A change is sent after those that are pending. If history is compacted meanwhile, the watch ends: a client that
   * does not read keeps no more in memory than history does.
   */
  #postpone(event: StoreEvent): void {
    this.#pending.push(event)
    const { compactedRevision } = this.#call.backend.store
    const { revision } = this.#pending[this.#nextPending] as StoreEvent
    if (revision <= compactedRevision) this.#fail(tooOld(revision - 1, compactedRevision))
  }

  #onChange(event: StoreEvent): void {
    if (this.#ended) return
    this.#revision = event.revision
    const { resource } = this.#call
    const { current, previous } = event
    const was = previous !== undefined && matchesListQuery(this.#options, resource, previous.object)
    if (event.type === 'delete') {
      if (was) this.#send('DELETED', current)
      return
    }
    const is = matchesListQuery(this.#options, resource, current.object)
    if (is) {
      this.#send(was ? 'MODIFIED' : 'ADDED', current)
    } else if (was) {
      const left = withStoredResourceVersion(previous.object, event.revision)
      this.#emit({ type: 'DELETED', object: left })
    }
  }

  #send(type: WatchEvent['type'], stored: Stored): void {
    this.#emit({ type, object: stored.object, stored })
  }

  /** A failing sink ends its own watch, and does not affect others. */
  #emit(event: WatchEvent): void {
    if (this.#ended) return
    try {
      this.#sink.event(event)
    } catch {
      this.#end()
    }
  }

  #bookmark(endsInitial: boolean): void {
    const { resource } = this.#call
    const metadata: JsonObject = { resourceVersion: String(this.#revision) }
    if (endsInitial) metadata['annotations'] = { 'k8s.io/initial-events-end': 'true' }
    const object: JsonObject = {
      kind: resource.kind,
      apiVersion: resource.apiVersion,
      metadata,
    }
    this.#emit({
      type: 'BOOKMARK',
      object: resource.builtin ? decodeTyped(object, resource.shape as StructShape).object : object,
    })
  }

  #setTimers(): void {
    const { env, store } = this.#call.backend
    const seconds = this.#options.timeoutSeconds
    const timeout = seconds === undefined || seconds <= 0 ? defaultTimeoutMs * (1 + env.random()) : seconds * 1000
    const ending = env.after(timeout, () => this.#end())
    this.#cleanups.push(() => ending.cancel())
    if (!this.#options.allowWatchBookmarks) return
    const mark = () => {
      if (this.#delivering || this.#pending.length > 0 || this.#following?.isBehind === true) return
      this.#revision = Math.max(this.#revision, store.revision)
      this.#bookmark(false)
    }
    if (timeout > lastBookmarkMs) {
      const last = env.after(timeout - lastBookmarkMs, mark)
      this.#cleanups.push(() => last.cancel())
    }
    const again = () => {
      mark()
      if (!this.#ended) next = env.after(bookmarkEveryMs, again)
    }
    let next = env.after(this.#bookmarkDelay(), again)
    this.#cleanups.push(() => next.cancel())
  }

  /** Random within a second, so that many watches do not send bookmarks at once. */
  #bookmarkDelay(): number {
    return bookmarkEveryMs + 1000 * this.#call.backend.env.random()
  }
}

function tooOld(revision: number, oldest: number): ApiError {
  return apiError.expired(`too old resource version: ${revision} (${oldest})`)
}
