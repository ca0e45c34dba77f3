/**
 * Keeps a mirror up to date with the server: lists once, then watches. Only its signal ends it.
 *
 * A state machine; the work of a state returns the next state:
 *
 * ```
 *   stream ──initial events, bookmark──► follow ──the server ends it, the connection breaks──► watch
 *     │ ▲                                  │ ▲                                                   │
 *     │ └── 410, rolled back ──────────────┘ └── accepted, and the same history if in doubt ─────┘
 *     │ rejected as unsupported
 *     └──────────► list ──all pages──► watch
 *   each of them, failing ──► wait ──► stream, list or watch
 * ```
 *
 * Guarantees
 * - `stream` and `list` replace the mirror in one step, and never with an older state than before, unless the server
 *   itself was rolled back.
 * - A watch continues from the last version. A relist happens only after 410, when the server was rolled back, or when
 *   watches have failed several times in a row.
 * - After a broken connection or a failure of the server, its history is in doubt: the next watch is opened, then
 *   `history-check.ts` compares, and only then its events are read. Reads of the cache wait meanwhile.
 * - At most one request per second while watches end early, and one for each backoff (0.8 to 60 s) while they fail.
 *
 * Why lists are paged and without a version: version "0" makes the server ignore the page size, and a whole
 * collection as one text may exceed V8's limit. Without a version the pages come from one consistent snapshot that is
 * never older than the observed version.
 */
import { retryAfter } from '../api/error-reasons.ts'
import type { ApiObject } from '../api/live-object.ts'
import type { WatchEvent, WatchOptions } from '../client/client.ts'
import { Backoff } from './backoff.ts'
import { BookmarkRhythm } from './bookmark-rhythm.ts'
import { isSameHistory } from './history-check.ts'
import type { ObjectStore } from './object-store.ts'
import { OpenWatch } from './open-watch.ts'
import { pause } from '../env/pause.ts'
import type { ReflectorStore, ReflectorOptions } from './reflector-store.ts'
import { compareResourceVersions, eventVersion } from './resource-version-order.ts'
import { isDoubtful, RevisionResetError, watchEndings, watchFailureOf, type WatchFailure } from './watch-failure.ts'

export type ReflectorState = 'idle' | State<ApiObject>['name'] | 'missing' | 'stopped'

type State<T extends ApiObject> =
  /** Initial state as a watch, no older than `version`; '': the latest. */
  | { readonly name: 'stream'; readonly version: string }
  | { readonly name: 'list'; readonly pageSize: number }
  | { readonly name: 'watch'; readonly failures: number }
  | {
      readonly name: 'follow'
      readonly watch: OpenWatch<T>
      readonly events: readonly WatchEvent<T>[]
      readonly seconds: number
      readonly failures: number
    }
  | { readonly name: 'wait'; readonly ms: number; readonly isMissing: boolean; readonly next: State<T> }

const watchSeconds = 300
const maxPieceEvents = 50
const initialSilenceMs = 30_000 // Initial events come at once, or the server does not know of them.
const shortWatchMs = 1000
const maxWatchFailures = 3
/** A kind that is installed later is noticed within this time. */
const maxWaitForKindMs = 10_000
/** Shared: each one costs an exception with a stack. */
const notRunning = AbortSignal.abort()
export class Reflector<T extends ApiObject> {
  readonly #options: ReflectorOptions<T>
  readonly #target: ReflectorStore<T>
  readonly #backoff: Backoff
  readonly #rhythm = new BookmarkRhythm()
  #knowsStreams: boolean
  #hasListed = false
  #isInDoubt = false
  #signal: AbortSignal = notRunning
  #lastEventAt: number
  state: ReflectorState = 'idle'

  constructor(options: ReflectorOptions<T>, target: ReflectorStore<T>) {
    this.#options = options
    this.#target = target
    this.#backoff = new Backoff(options.env)
    this.#knowsStreams = options.watchList
    this.#lastEventAt = options.env.monotonic()
  }

  /** Milliseconds since the server last sent anything. */
  get silence(): number {
    return this.#options.env.monotonic() - this.#lastEventAt
  }

  /** Never rejects. */
  async run(signal: AbortSignal): Promise<void> {
    this.#signal = signal
    let state = this.#restart()
    while (!signal.aborted) {
      this.state = state.name === 'wait' && state.isMissing ? 'missing' : state.name
      try {
        state = await this.#enter(state)
      } catch (error) {
        // Not expected; but a reflector that ended by a bug would leave a cache that looks alive.
        state = this.#wait(state.name, error, this.#restart(''))
      }
    }
    if (state.name === 'follow') state.watch.close()
    this.#trust()
    this.state = 'stopped'
  }

  #enter(state: State<T>): Promise<State<T>> {
    switch (state.name) {
      case 'stream':
        return this.#stream(state.version)
      case 'list':
        return this.#list(state.pageSize)
      case 'watch':
        return this.#watch(state.failures)
      case 'follow':
        return this.#follow(state)
      case 'wait':
        return pause(this.#options.env, state.ms, this.#signal).then(() => state.next)
    }
  }

  async #stream(version: string): Promise<State<T>> {
    const { env, turn } = this.#options
    const startedAt = env.monotonic()
    const seconds = this.#watchSeconds()
    const objects = this.#newStore()
    let watch: OpenWatch<T> | undefined
    try {
      watch = await this.#open(
        {
          resourceVersion: version === '' ? undefined : version,
          resourceVersionMatch: 'NotOlderThan',
          sendInitialEvents: true,
        },
        seconds,
        initialSilenceMs,
      )
      for (;;) {
        const events = await watch.next()
        if (events === undefined) throw new Error('the watch ended before the initial events did')
        this.#noteEvent()
        for (let i = 0; i < events.length; i++) {
          const event = events[i] as WatchEvent<T>
          if (event.type === 'BOOKMARK') {
            if (!event.initialEventsEnd) continue
            watch.allowSilence(this.#rhythm.silenceMs(seconds))
            await this.#replace(objects, event.resourceVersion, startedAt, 'watch-list')
            return { name: 'follow', watch, events: events.slice(i + 1), seconds, failures: 0 }
          }
          const { name, namespace = '' } = event.object.metadata
          if (event.type === 'DELETED') objects.delete(namespace, name)
          else objects.put(this.#target.form(event.object))
          if (turn.isOver()) await turn.others()
        }
      }
    } catch (error) {
      watch?.close()
      return this.#afterFailedStream(error, version, watch !== undefined)
    }
  }

  #afterFailedStream(error: unknown, version: string, hasBegun: boolean): State<T> {
    const failure = this.#failure(error)
    if (failure === 'unsupported') {
      this.#knowsStreams = false
      return this.#restart()
    }
    // The last resort: the latest version, which always exists.
    if ((failure === 'expired' || failure === 'ahead') && version !== '') return { name: 'stream', version: '' }
    const mayStream = failure === 'throttled' || failure === 'missing' || (failure === 'cut' && !hasBegun)
    return this.#wait('stream', error, mayStream ? this.#restart(version) : this.#listing())
  }

  async #list(pageSize: number): Promise<State<T>> {
    const { client, kind, env, turn, selection, listTimeoutMs } = this.#options
    const startedAt = env.monotonic()
    const objects = this.#newStore()
    let next: string | undefined
    try {
      for (;;) {
        const page = await client.list(kind, {
          ...selection,
          limit: pageSize,
          continue: next,
          timeoutMs: listTimeoutMs,
          signal: this.#signal,
        })
        this.#noteEvent()
        for (const object of page.items) {
          objects.put(this.#target.form(object))
          if (turn.isOver()) await turn.others()
        }
        next = page.metadata.continue
        if (next === undefined || next === '') {
          await this.#replace(objects, page.metadata.resourceVersion ?? '', startedAt, 'list')
          return { name: 'watch', failures: 0 }
        }
      }
    } catch (error) {
      const failure = this.#failure(error)
      if (failure !== 'expired') return this.#wait('list', error, this.#restart())
      // The snapshot expired before its last page was read: with fewer, larger pages the list completes.
      return this.#wait(
        'list',
        error,
        next === undefined ? this.#restart('') : { name: 'list', pageSize: pageSize * 4 },
      )
    }
  }

  async #watch(failures: number): Promise<State<T>> {
    const seconds = this.#watchSeconds()
    let watch: OpenWatch<T> | undefined
    try {
      watch = await this.#open({ resourceVersion: this.#target.version }, seconds)
      if (this.#isInDoubt) {
        watch.prefetch()
        // Not before: if the server is rolled back after the check, this connection breaks.
        if (!(await isSameHistory(this.#options, this.#target, watch))) {
          watch.close()
          const error = new RevisionResetError(this.#target.version)
          this.#options.observer.retrying(this.#options.kind, { doing: 'watch', error, afterMs: 0, isMissing: false })
          return this.#afterRollback()
        }
        this.#trust()
      }
      return { name: 'follow', watch, events: [], seconds, failures }
    } catch (error) {
      watch?.close()
      return this.#afterFailedWatch(error, failures)
    }
  }

  async #follow({ watch, events: first, seconds, failures }: State<T> & { name: 'follow' }): Promise<State<T>> {
    const { kind, env, observer, probe } = this.#options
    observer.watchStarted(kind)
    probe.opened(watch)
    let isQuiet = first.length === 0
    try {
      for (
        let events: readonly WatchEvent<T>[] | undefined = first;
        events !== undefined;
        events = await watch.next()
      ) {
        if (this.#rhythm.arrived(events, this.silence)) watch.allowSilence(this.#rhythm.silenceMs(seconds))
        this.#noteEvent()
        isQuiet &&= events.length === 0
        await this.#apply(events)
      }
    } catch (error) {
      watch.close()
      if (this.#signal.aborted) return { name: 'watch', failures: 0 }
      const failure = this.#failure(error)
      observer.watchEnded(kind, watchEndings[failure], error)
      if (isDoubtful(failure, error)) this.#distrust()
      this.#rhythm.failed(failure)
      // A watch that broke after it worked may work again at once.
      if (failure === 'cut' || failure === 'idle') return this.#rewatch(watch.startedAt, isQuiet)
      return this.#afterFailedWatch(error, isQuiet ? failures : 0)
    } finally {
      probe.closed(watch)
    }
    watch.close()
    const lasted = env.monotonic() - watch.startedAt
    observer.watchEnded(kind, lasted >= (seconds - 1) * 1000 ? 'timeout' : 'ended')
    return this.#rewatch(watch.startedAt, isQuiet)
  }

  /** Watches that the server ends at once are retried with growing delays; those with events every second. */
  #rewatch(startedAt: number, isQuiet: boolean): State<T> {
    const again: State<T> = { name: 'watch', failures: 0 }
    const lasted = this.#options.env.monotonic() - startedAt
    if (lasted >= shortWatchMs) return again
    return { name: 'wait', ms: isQuiet ? this.#backoff.next() : shortWatchMs - lasted, isMissing: false, next: again }
  }

  #afterFailedWatch(error: unknown, failures: number): State<T> {
    const failure = this.#failure(error)
    if (isDoubtful(failure, error)) this.#distrust()
    switch (failure) {
      case 'expired':
      case 'missing':
        return this.#wait('watch', error, this.#restart())
      case 'ahead':
        if (error instanceof RevisionResetError) return this.#wait('watch', error, this.#afterRollback())
        return this.#wait('watch', error, this.#restart(''))
      case 'throttled':
      case 'cut':
      case 'idle':
        return this.#wait('watch', error, { name: 'watch', failures })
      case 'refused':
      case 'unsupported':
        // Probably a problem of the server. But it may be caused by this version, so the number of failures is limited.
        if (failures + 1 < maxWatchFailures)
          return this.#wait('watch', error, { name: 'watch', failures: failures + 1 })
        return this.#wait('watch', error, this.#restart())
    }
  }

  /** Any version of the server is right, also a lower one. */
  #afterRollback(): State<T> {
    this.#distrust()
    this.#target.distrust(true)
    return this.#restart('')
  }

  #newStore(): ObjectStore<T> {
    if (this.#isInDoubt) this.#target.distrust(false)
    return this.#target.empty()
  }

  #distrust(): void {
    if (!this.#isInDoubt) this.#options.doubt.begin()
    this.#isInDoubt = true
  }

  #trust(): void {
    if (this.#isInDoubt) this.#options.doubt.end()
    this.#isInDoubt = false
  }

  /** Passes events on in pieces. Versions only increase, unless the server was rolled back. */
  async #apply(events: readonly WatchEvent<T>[]): Promise<void> {
    const { turn } = this.#options
    for (let from = 0; from < events.length && !this.#signal.aborted; from += maxPieceEvents) {
      const piece = events.length <= maxPieceEvents ? events : events.slice(from, from + maxPieceEvents)
      let reached = this.#target.version
      const back = piece.findIndex((event) => {
        const version = eventVersion(event)
        if (compareResourceVersions(version, reached) < 0) return true
        reached = version
        return false
      })
      this.#target.apply(back < 0 ? piece : piece.slice(0, back))
      if (back >= 0) throw new RevisionResetError(reached, eventVersion(piece[back] as WatchEvent<T>))
      if (turn.isOver(piece.length)) await turn.others()
    }
  }

  async #replace(
    objects: ObjectStore<T>,
    version: string,
    startedAt: number,
    via: 'watch-list' | 'list',
  ): Promise<void> {
    const { kind, env, observer } = this.#options
    await this.#target.replace(objects, version)
    this.#trust()
    observer.listed(kind, {
      relist: this.#hasListed,
      objectCount: objects.size,
      durationMs: Math.round(env.monotonic() - startedAt),
      via,
    })
    this.#hasListed = true
  }

  #open(start: WatchOptions, seconds: number, silenceMs = this.#rhythm.silenceMs(seconds)): Promise<OpenWatch<T>> {
    const { client, kind, env, selection } = this.#options
    const plan = { ...selection, ...start, allowWatchBookmarks: true, timeoutSeconds: seconds, silenceMs }
    return OpenWatch.open(client, kind, plan, env, this.#signal)
  }

  /** Five to ten minutes, so that the watches of many kinds and clients do not end together. */
  #watchSeconds(): number {
    return Math.floor(watchSeconds * (1 + this.#options.env.random()))
  }

  /** The start of a relist: not older than the observed version, if that still exists. */
  #restart(version = this.#target.version): State<T> {
    return this.#knowsStreams ? { name: 'stream', version } : this.#listing()
  }

  #listing(): State<T> {
    return { name: 'list', pageSize: this.#options.pageSize }
  }

  #failure(error: unknown): WatchFailure {
    const failure = watchFailureOf(error)
    if (failure !== 'cut' && failure !== 'idle') this.#noteEvent()
    return failure
  }

  #noteEvent(): void {
    this.#lastEventAt = this.#options.env.monotonic()
    this.#options.probe.seen()
    this.#options.turn.resume()
  }

  #wait(doing: State<T>['name'], error: unknown, next: State<T>): State<T> {
    const isMissing = watchFailureOf(error) === 'missing'
    let ms = Math.max(this.#backoff.next(), retryAfter(error) ?? 0)
    if (isMissing) ms = Math.min(ms, maxWaitForKindMs)
    const { kind, observer } = this.#options
    if (!this.#signal.aborted) observer.retrying(kind, { doing, error, afterMs: ms, isMissing })
    return { name: 'wait', ms, isMissing, next }
  }
}
