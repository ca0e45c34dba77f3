/**
 * How long a watch may be silent. API servers send bookmarks about once a minute, but not for every kind and not all
 * servers. So silence shows a dead connection only after a server has sent a bookmark in time, and after a silence only
 * after the next one: a server that stops sending them causes one new watch, not many.
 */
import type { ApiObject } from '../api/live-object.ts'
import type { WatchEvent } from '../client/client.ts'
import type { WatchFailure } from './watch-failure.ts'

/** Upstream: every 60 s, checked every 1.25 s at most. */
const maxBookmarkSilenceMs = 90_000
const graceMs = 5000

export class BookmarkRhythm {
  #isKnown = false

  /** The maximum for a watch that the server ends after `watchSeconds`. */
  silenceMs(watchSeconds: number): number {
    return this.#isKnown ? maxBookmarkSilenceMs : watchSeconds * 1000 + graceMs
  }

  /** Events have come after `afterMs` of silence. True if bookmarks are expected from now on, and were not before. */
  arrived<T extends ApiObject>(events: readonly WatchEvent<T>[], afterMs: number): boolean {
    if (this.#isKnown || afterMs > maxBookmarkSilenceMs) return false
    return (this.#isKnown = events.some(({ type }) => type === 'BOOKMARK'))
  }

  failed(failure: WatchFailure): void {
    if (failure === 'idle') this.#isKnown = false
  }
}
