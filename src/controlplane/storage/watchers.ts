/**
 * Watchers: delivers changes to watches, in order.
 *
 * Sequence: `watch` replays history to a new watcher, then `publish` delivers every change to the watchers whose prefix
 * contains its key. Watchers are found by the prefixes of the key, so those of other resources and namespaces cost
 * nothing.
 *
 * Guarantees
 * - Every watcher sees ascending revisions. A change that a callback makes waits until the current one has been
 *   delivered to all.
 * - A callback that throws stays subscribed; the error is reported and affects neither the writer nor other watchers.
 * - After `stop()` returns, the callback is not called any more.
 */
import type { StoreEvent, StoreWatch } from './store.ts'

class Watcher {
  readonly prefix: string
  readonly onEvent: (event: StoreEvent) => void
  /** Changes up to this revision are skipped: they were replayed, or are before the start. */
  readonly from: number
  stopped = false

  constructor(prefix: string, from: number, onEvent: (event: StoreEvent) => void) {
    this.prefix = prefix
    this.from = from
    this.onEvent = onEvent
  }
}

export class Watchers {
  readonly #byPrefix = new Map<string, Set<Watcher>>()
  /** The lengths of the prefixes: a key is looked up once for each. */
  readonly #lengths = new Set<number>()
  readonly #listeners = new Set<(revision: number) => void>()
  readonly #report: (error: unknown) => void
  /** Published, but not delivered yet; more than one only while callbacks write. */
  readonly #queue: StoreEvent[] = []
  #delivering = false

  constructor(report: (error: unknown) => void) {
    this.#report = report
  }

  /** `past` has all changes of the prefix from the start on, and is delivered before this returns. */
  watch(prefix: string, from: number, onEvent: (event: StoreEvent) => void, past: readonly StoreEvent[]): StoreWatch {
    const watcher = new Watcher(prefix, from, onEvent)
    let peers = this.#byPrefix.get(prefix)
    if (peers === undefined) {
      peers = new Set()
      this.#byPrefix.set(prefix, peers)
      this.#lengths.add(prefix.length)
    }
    peers.add(watcher)
    if (past.length > 0) this.#replay(watcher, past)
    return { stop: () => this.#stop(watcher) }
  }

  onWrite(listener: (revision: number) => void): StoreWatch {
    // A new function, so that a listener that is registered twice is called twice.
    const own = (revision: number): void => listener(revision)
    this.#listeners.add(own)
    return { stop: () => void this.#listeners.delete(own) }
  }

  publish(event: StoreEvent): void {
    if (this.#byPrefix.size === 0 && this.#listeners.size === 0) return
    if (this.#delivering) {
      this.#queue.push(event)
      return
    }
    this.#delivering = true
    this.#deliver(event)
    this.#drain()
  }

  clear(): void {
    for (const peers of this.#byPrefix.values()) {
      for (const watcher of peers) watcher.stopped = true
      peers.clear()
    }
    this.#byPrefix.clear()
    this.#listeners.clear()
    this.#queue.length = 0
  }

  #replay(watcher: Watcher, past: readonly StoreEvent[]): void {
    const outermost = !this.#delivering
    this.#delivering = true
    for (const event of past) {
      if (watcher.stopped) break
      this.#call(watcher.onEvent, event)
    }
    if (outermost) this.#drain()
  }

  #drain(): void {
    // No iterator: the queue grows while it is read, and `clear` empties it.
    for (let i = 0; i < this.#queue.length; i++) this.#deliver(this.#queue[i] as StoreEvent)
    if (this.#queue.length > 0) this.#queue.length = 0
    this.#delivering = false
  }

  #deliver(event: StoreEvent): void {
    const { key, revision } = event
    if (this.#byPrefix.size > 0) {
      for (let slash = key.indexOf('/'); slash >= 0; slash = key.indexOf('/', slash + 1)) {
        if (!this.#lengths.has(slash + 1)) continue
        const peers = this.#byPrefix.get(key.slice(0, slash + 1))
        if (peers === undefined) continue
        for (const watcher of peers) if (revision > watcher.from) this.#call(watcher.onEvent, event)
      }
    }
    for (const listener of this.#listeners) this.#call(listener, revision)
  }

  #call<T>(callback: (argument: T) => void, argument: T): void {
    try {
      callback(argument)
    } catch (error) {
      this.#reportSafely(error)
    }
  }

  #reportSafely(error: unknown): void {
    try {
      this.#report(error)
    } catch {
      // The report itself failed. The writer and other watchers must not be affected.
    }
  }

  #stop(watcher: Watcher): void {
    watcher.stopped = true
    const peers = this.#byPrefix.get(watcher.prefix)
    if (peers?.delete(watcher) === true && peers.size === 0) this.#byPrefix.delete(watcher.prefix)
  }
}
