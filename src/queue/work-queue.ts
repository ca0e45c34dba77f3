/**
 * The work queue: the ready list chooses the next key, the limiter decides how long a failed key waits.
 *
 * A delayed key that is added again keeps the earlier time; a ready key keeps its place, unless its priority increases.
 * So one run covers all adds before it, and a later due time is dropped if an earlier run replaces it: a reconcile that
 * still needs it requeues at the end of that run.
 */
import type { Env, Timer } from '../env/env.ts'
import { onMicrotasksDone } from '../env/real.ts'
import { DelayHeap } from './delay-heap.ts'
import { QueueEntry } from './entry.ts'
import type { AddOptions, Item, QueueObserver, RateLimiter, WorkLoad, WorkQueue } from './queue.ts'
import { exponentialLimiter } from './limiters.ts'
import { FifoReady, PriorityReady, type ReadyList } from './ready-list.ts'

export interface QueueOptions {
  /** The name in metrics and messages. Default ''. */
  readonly name?: string | undefined
  /** Default {@link exponentialLimiter}: 5 ms, doubled with each failure, up to 1000 s. */
  readonly limiter?: RateLimiter | undefined
  readonly observer?: QueueObserver | undefined
  /**
   * Defers a key that becomes ready until the microtask queue is empty, so that one run covers all changes made in this
   * tick. Default false.
   */
  readonly batchPerTick?: boolean | undefined
}

export interface PriorityQueueOptions extends QueueOptions {
  /** Milliseconds after which a ready key below priority 0 is served as if it had priority 0. Default 30 s. */
  readonly agingMs?: number | undefined
}

/** Ready keys are handed out in order of arrival. */
export function fifoQueue(env: Env, options: QueueOptions = {}): WorkQueue {
  return new Queue(env, new FifoReady(), options)
}

/** Ready keys are handed out by priority, then in order of arrival. Controllers use this queue. */
export function priorityQueue(env: Env, options: PriorityQueueOptions = {}): WorkQueue {
  return new Queue(env, new PriorityReady(options.agingMs ?? 30_000), options)
}

class Queue implements WorkQueue {
  readonly name: string
  readonly #env: Env
  readonly #ready: ReadyList
  readonly #limiter: RateLimiter
  readonly #observer: QueueObserver
  readonly #entries = new Map<string, QueueEntry>()
  readonly #delays = new DelayHeap()
  readonly #takers = new Set<(item: Item | undefined) => void>()
  readonly #batchPerTick: boolean
  /** Ready keys that are handed out when the microtask queue is empty. */
  #gathered: QueueEntry[] = []
  #timer: Timer | undefined
  #timerAt = Infinity
  #processing = 0
  #shuttingDown = false
  readonly #drained: (() => void)[] = []

  constructor(env: Env, ready: ReadyList, options: QueueOptions) {
    this.name = options.name ?? ''
    this.#env = env
    this.#ready = ready
    this.#limiter = options.limiter ?? exponentialLimiter(env)
    this.#observer = options.observer ?? {}
    this.#batchPerTick = options.batchPerTick ?? false
  }

  get depth(): number {
    return this.#ready.size + this.#gathered.length
  }

  get waitingCount(): number {
    return this.#delays.size
  }

  dueTimes(): readonly number[] {
    return this.#delays.dueTimes()
  }

  get processingCount(): number {
    return this.#processing
  }

  get shuttingDown(): boolean {
    return this.#shuttingDown
  }

  depths(): ReadonlyMap<number, number> {
    const depths = new Map(this.#ready.depths())
    for (const { priority } of this.#gathered) depths.set(priority, (depths.get(priority) ?? 0) + 1)
    return depths
  }

  load(): WorkLoad {
    const now = this.#env.monotonic()
    let unfinishedMs = 0
    let longestMs = 0
    for (const { processing, takenAt } of this.#entries.values()) {
      if (!processing) continue
      unfinishedMs += now - takenAt
      longestMs = Math.max(longestMs, now - takenAt)
    }
    return { unfinishedMs, longestMs }
  }

  add(key: string, options?: AddOptions): void {
    if (this.#shuttingDown) return
    const delay = options === undefined ? 0 : this.#delay(key, options)
    let entry = this.#entries.get(key)
    if (entry === undefined) {
      entry = new QueueEntry(key)
      entry.priority = options?.priority ?? 0
      this.#entries.set(key, entry)
    } else if (options?.priority !== undefined) {
      this.#prioritise(entry, options.priority)
    }
    if (delay > 0) this.#delayed(entry, this.#env.monotonic() + delay)
    else this.#due(entry)
  }

  #delay(key: string, { afterMs = 0, rateLimited = false }: AddOptions): number {
    if (!rateLimited) return afterMs
    this.#observer.retried?.(key)
    const limit = this.#limiter.when(key)
    return afterMs > 0 ? Math.min(afterMs, limit) : limit
  }

  /** A key that is being processed takes the priority of the add that runs it again; any other key the higher one. */
  #prioritise(entry: QueueEntry, priority: number): void {
    const pending = entry.ready || entry.again || entry.heapIndex >= 0
    if (pending && priority <= entry.priority) return
    entry.priority = priority
    if (entry.ready && !this.#gathered.includes(entry)) this.#ready.raise(entry)
  }

  #delayed(entry: QueueEntry, dueAt: number): void {
    if (entry.ready || entry.again) return
    if (entry.heapIndex < 0) this.#delays.add(entry, dueAt)
    else if (dueAt < entry.dueAt) this.#delays.advance(entry, dueAt)
    this.#arm()
  }

  #due(entry: QueueEntry): void {
    if (entry.ready || entry.again) return
    if (entry.heapIndex >= 0) this.#delays.remove(entry)
    this.#observer.added?.(entry.key, entry.priority)
    if (entry.processing) entry.again = true
    else this.#makeReady(entry)
  }

  #makeReady(entry: QueueEntry): void {
    entry.ready = true
    entry.readySince = this.#env.monotonic()
    if (!this.#batchPerTick) return this.#offer(entry)
    this.#gathered.push(entry)
    if (this.#gathered.length === 1) onMicrotasksDone(() => this.#offerGathered())
  }

  #offerGathered(): void {
    const gathered = this.#gathered
    this.#gathered = []
    for (const entry of gathered) this.#offer(entry)
  }

  #offer(entry: QueueEntry): void {
    this.#ready.push(entry)
    for (const taker of this.#takers) {
      this.#takers.delete(taker)
      taker(this.tryTake())
      return
    }
  }

  /** One timer, for the earliest entry. A timer that fires too early is set again. */
  #arm(): void {
    const next = this.#delays.peek()
    if (next === undefined || next.dueAt >= this.#timerAt) return
    this.#timer?.cancel()
    this.#timerAt = next.dueAt
    this.#timer = this.#env.after(next.dueAt - this.#env.monotonic(), () => {
      this.#timerAt = Infinity
      this.#timer = undefined
      const now = this.#env.monotonic()
      for (let entry = this.#delays.peek(); entry !== undefined && entry.dueAt <= now; entry = this.#delays.peek())
        this.#due(entry)
      this.#arm()
    })
  }

  take(signal?: AbortSignal): Promise<Item | undefined> {
    if (signal?.aborted === true) return Promise.resolve(undefined)
    const item = this.tryTake()
    if (item !== undefined || this.#shuttingDown) return Promise.resolve(item)
    return new Promise((resolve) => {
      const abort = (): void => {
        this.#takers.delete(taker)
        resolve(undefined)
      }
      const taker = (taken: Item | undefined): void => {
        signal?.removeEventListener('abort', abort)
        resolve(taken)
      }
      this.#takers.add(taker)
      signal?.addEventListener('abort', abort, { once: true })
    })
  }

  tryTake(): Item | undefined {
    if (this.#ready.size === 0) return undefined
    const now = this.#env.monotonic()
    const entry = this.#ready.shift(now) as QueueEntry
    entry.ready = false
    entry.processing = true
    entry.takenAt = now
    this.#processing++
    this.#observer.taken?.(entry.key, entry.priority, now - entry.readySince)
    return { key: entry.key, priority: entry.priority }
  }

  done(key: string): void {
    const entry = this.#entries.get(key)
    if (entry === undefined || !entry.processing) return
    entry.processing = false
    this.#processing--
    this.#observer.finished?.(key, this.#env.monotonic() - entry.takenAt)
    if (entry.again) {
      entry.again = false
      this.#makeReady(entry)
    } else if (entry.heapIndex < 0) {
      this.#entries.delete(key)
    }
    if (this.#shuttingDown && this.#processing === 0 && this.depth === 0) this.#endDrain()
  }

  forget(key: string): void {
    this.#limiter.forget(key)
  }

  retries(key: string): number {
    return this.#limiter.retries(key)
  }

  shutDown(): void {
    this.#stop()
    this.#endDrain()
  }

  shutDownWithDrain(): Promise<void> {
    this.#stop()
    if (this.#processing === 0 && this.depth === 0) return Promise.resolve()
    return new Promise((resolve) => this.#drained.push(resolve))
  }

  #stop(): void {
    this.#shuttingDown = true
    this.#timer?.cancel()
    this.#timer = undefined
    this.#offerGathered()
    for (const entry of this.#delays.clear()) if (!entry.processing) this.#entries.delete(entry.key)
    for (const taker of this.#takers) taker(undefined)
    this.#takers.clear()
  }

  #endDrain(): void {
    for (const drained of this.#drained.splice(0)) drained()
  }
}
