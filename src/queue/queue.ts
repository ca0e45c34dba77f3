/**
 * The work queue: keys that wait to be processed.
 *
 * Guarantees of every queue
 * - A key waits at most once: adding it again while it waits only changes its priority and its due time.
 * - A key is processed by one worker at a time: added while it is processed, it waits until {@link WorkQueue.done}.
 * - No wake-up is lost: a key that is added after a worker took it is processed again.
 */

export interface AddOptions {
  /** Milliseconds until the key is ready. Default 0. Of two adds, the earlier time counts. */
  readonly afterMs?: number | undefined
  /** Delays the key as its rate limiter says. With `afterMs`, the shorter delay counts. */
  readonly rateLimited?: boolean | undefined
  /**
   * Higher runs first. Default 0, or the current priority of the key. Of two adds, the higher counts. Ignored by queues
   * without priorities.
   */
  readonly priority?: number | undefined
}

/** A key that a worker took. The worker must call `done` with it. */
export interface Item {
  readonly key: string
  readonly priority: number
}

export interface WorkQueue {
  readonly name: string
  add(key: string, options?: AddOptions): void
  /** Waits for the next key. Undefined when the queue is shut down and empty, or when the signal aborts. */
  take(signal?: AbortSignal): Promise<Item | undefined>
  /** The next key, if one is ready. */
  tryTake(): Item | undefined
  done(key: string): void
  /** The key succeeded: resets its rate limiter. */
  forget(key: string): void
  /** How often the key was added rate-limited since it was last forgotten. */
  retries(key: string): number
  /** The number of keys that are ready and not taken. */
  readonly depth: number
  /** The number of keys that become ready later. */
  readonly waitingCount: number
  /** Their due times, unordered, by the monotonic clock in milliseconds. */
  dueTimes(): readonly number[]
  /** The number of keys that workers process. */
  readonly processingCount: number
  /** Ignores adds from now on. Ready keys are still handed out, delayed keys are dropped. */
  shutDown(): void
  /** The same, and resolves when all taken keys are done. A later `shutDown` ends the wait. */
  shutDownWithDrain(): Promise<void>
  readonly shuttingDown: boolean
  /** How long workers have been processing their keys. */
  load(): WorkLoad
  /** The number of ready keys, by priority. */
  depths(): ReadonlyMap<number, number>
}

export interface WorkLoad {
  /** The total of the processing times of unfinished keys, in milliseconds. */
  readonly unfinishedMs: number
  /** The longest of them, in milliseconds. */
  readonly longestMs: number
}

/** How long a key waits after its failures. */
export interface RateLimiter {
  /** Counts a failure and returns the milliseconds until the key may run again. */
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
