/**
 * The work queue: keys that wait to be worked on.
 *
 * Guarantees, whatever the queue's kind
 * - A key waits at most once: adding it again while it waits changes nothing (but its priority and its time).
 * - A key is worked on by one worker at a time: added while worked on, it waits until {@link WorkQueue.done}, then once
 *   more.
 * - No wake-up is lost: a key added after its worker took it is worked on again.
 */

export interface AddOptions {
  /** Milliseconds until the key is ready. Default 0. Of two, the earlier time counts. */
  readonly afterMs?: number | undefined
  /** Adds as many milliseconds as the key's limiter says. With `after`, the shorter of the two counts. */
  readonly rateLimited?: boolean | undefined
  /**
   * Higher goes first. Default 0, or the priority that the key has. Of two, the higher counts. Ignored by queues
   * without priorities.
   */
  readonly priority?: number | undefined
}

/** A key handed to a worker, which must call `done` with it. */
export interface Item {
  readonly key: string
  readonly priority: number
}

export interface WorkQueue {
  readonly name: string
  add(key: string, options?: AddOptions): void
  /** The next key; waits for one. Undefined once the queue is shut down and empty, or the signal aborts. */
  take(signal?: AbortSignal): Promise<Item | undefined>
  /** The next key if one is ready. */
  tryTake(): Item | undefined
  done(key: string): void
  /** The key succeeded: its limiter starts afresh. */
  forget(key: string): void
  /** How often the key was added rate limited since it was forgotten. */
  retries(key: string): number
  /** Keys that are ready and not taken. */
  readonly depth: number
  /** Keys that will be ready later. */
  readonly waitingCount: number
  /** When each of them will be, in no order; milliseconds since the epoch. */
  dueTimes(): readonly number[]
  /** Keys in the hands of workers. */
  readonly processingCount: number
  /** Adds are ignored from now on; what is ready is still handed out, what waits for its time is dropped. */
  shutDown(): void
  /** The same, and resolves when all that was taken is done. A later `shutDown` ends the wait. */
  shutDownWithDrain(): Promise<void>
  readonly shuttingDown: boolean
  /** How long workers have had what they have. */
  load(): WorkLoad
  /** Keys that are ready, by priority. */
  depths(): ReadonlyMap<number, number>
}

export interface WorkLoad {
  /** Milliseconds that unfinished keys have been worked on, in all. */
  readonly unfinishedMs: number
  /** Milliseconds that the longest of them has. */
  readonly longestMs: number
}

/** How long a key waits after its failures. */
export interface RateLimiter {
  /** Milliseconds until the key may run again; counts a failure. */
  when(key: string): number
  forget(key: string): void
  retries(key: string): number
}

/** Observes a queue, for metrics. All methods are optional. Times are milliseconds. */
export interface QueueObserver {
  added?(key: string, priority: number): void
  retried?(key: string): void
  /** `waitedMs`: from ready to taken. */
  taken?(key: string, priority: number, waitedMs: number): void
  /** `workedMs`: from taken to done. */
  finished?(key: string, workedMs: number): void
}
