/**
 * A clock that only tests advance, with timers, random numbers and UUIDs that depend only on the seed.
 *
 * Guarantees
 * - Timers fire in the order of their due times; those due together fire in the order in which they were set.
 * - A task sees its own due time as `now()`, unless the clock was set. A timer that it sets fires in the same advance
 *   if it is due within it.
 * - If a task throws, the remaining timers still fire; then `advance` throws the error.
 * - `random()` and `uuid()` are separate streams: one more random number does not change the UUIDs that follow.
 */
import type { Env, Timer } from './env.ts'
import { RandomStream } from './random-stream.ts'
import { afterMicrotasks, realEnv } from './real.ts'
import { SimulatedTimer, TimerHeap } from './timer-heap.ts'

export interface SimulatedEnvOptions {
  /** Any number. Default 1. */
  readonly seed?: number
  /** The initial value of `now()`, in milliseconds since the epoch. Default 2026-01-01T00:00:00Z. */
  readonly start?: number
}

export interface SimulatedEnv extends Env {
  /** The number of waiting timers. */
  readonly pending: number
  /** When the next timer is due, by the monotonic clock; undefined if none is waiting. */
  readonly nextDue: number | undefined
  /** Advances the clock by `ms` and fires all timers that become due. Must not be called from a task. */
  advance(ms: number): void
  /** Like `advance`, but lets all promises settle before the first task and after each. */
  advanceAsync(ms: number): Promise<void>
  /**
   * Real work, such as a request over the network: the clock stands still until it has settled, in `advanceAsync`, for
   * at most ten real seconds. Returns `work`.
   */
  hold<Result>(work: Promise<Result>): Promise<Result>
  /** The most real milliseconds that work holds the clock: longer work may be what a timeout is for. Default 10,000. */
  maxHoldMs: number
  /** Resolves when nothing is held. */
  released(): Promise<void>
  /** Sets the clock forward or back, as an administrator does. Timers and `monotonic()` do not notice. */
  setClock(byMs: number): void
  /** Advances the clock to the next timer and fires only that one; false if none is waiting. */
  runNext(): boolean
}

/** More tasks than this in one millisecond mean that a task reschedules itself without delay, forever. */
const maxTasksPerInstant = 1_000_000

/** 2026-01-01T00:00:00Z */
const defaultStartMs = 1_767_225_600_000

class Simulation implements SimulatedEnv {
  maxHoldMs = 10_000
  readonly #timers = new TimerHeap()
  readonly #numbers: RandomStream
  readonly #uuids: RandomStream
  /** The monotonic clock. */
  #now: number
  #offset = 0
  #running = false
  readonly #held = new Set<Promise<unknown>>()
  #instant = Number.NaN
  #firedInInstant = 0

  constructor(options: SimulatedEnvOptions) {
    const seed = options.seed ?? 1
    this.#numbers = new RandomStream(seed, 1)
    this.#uuids = new RandomStream(seed, 2)
    this.#now = options.start ?? defaultStartMs
  }

  // Bound, because callers pass single functions of an environment around.
  readonly now = (): number => this.#now + this.#offset
  readonly monotonic = (): number => this.#now
  readonly random = (): number => this.#numbers.fraction()
  readonly uuid = (): string => this.#uuids.uuid()

  readonly after = (ms: number, task: () => void): Timer => {
    const timer = new SimulatedTimer(this.#now + (ms > 0 ? Math.ceil(ms) : 0), task, this.#timers)
    if (timer.due < Infinity) this.#timers.add(timer)
    return timer
  }

  get pending(): number {
    return this.#timers.size
  }

  get nextDue(): number | undefined {
    return this.#timers.peek()?.due
  }

  advance(ms: number): void {
    const until = this.#begin(ms)
    const errors: unknown[] = []
    try {
      for (let timer = this.#next(until); timer; timer = this.#next(until)) this.#fire(timer, errors)
      this.#now = until
    } finally {
      this.#running = false
    }
    raise(errors)
  }

  async advanceAsync(ms: number): Promise<void> {
    const until = this.#begin(ms)
    const errors: unknown[] = []
    try {
      await this.#quiet()
      for (let timer = this.#next(until); timer; timer = this.#next(until)) {
        this.#fire(timer, errors)
        await this.#quiet()
      }
      this.#now = until
    } finally {
      this.#running = false
    }
    raise(errors)
  }

  readonly hold = <Result>(work: Promise<Result>): Promise<Result> => {
    let limit: Timer | undefined
    const patience = new Promise<void>((resolve) => {
      limit = realEnv().after(this.maxHoldMs, resolve)
    })
    const held = Promise.race([work.catch(() => undefined), patience]).finally(() => {
      limit?.cancel()
      this.#held.delete(held)
    })
    this.#held.add(held)
    return work
  }

  async released(): Promise<void> {
    while (this.#held.size > 0) {
      await Promise.all(this.#held)
      // What the work leads to may hold the clock, too.
      await afterMicrotasks()
    }
  }

  async #quiet(): Promise<void> {
    await afterMicrotasks()
    if (this.#held.size > 0) await this.released()
  }

  setClock(byMs: number): void {
    this.#offset += byMs
  }

  runNext(): boolean {
    this.#begin(0)
    const errors: unknown[] = []
    try {
      const timer = this.#next(Infinity)
      if (!timer) return false
      this.#fire(timer, errors)
    } finally {
      this.#running = false
    }
    raise(errors)
    return true
  }

  #begin(ms: number): number {
    if (this.#running) throw new Error('the simulated clock is being turned already')
    if (!(ms >= 0 && ms < Infinity)) throw new RangeError(`cannot advance the simulated clock by ${ms} ms`)
    this.#running = true
    this.#instant = Number.NaN
    return this.#now + Math.ceil(ms)
  }

  #next(until: number): SimulatedTimer | undefined {
    const timer = this.#timers.peek()
    if (!timer || timer.due > until) return undefined
    if (timer.due !== this.#instant) {
      this.#instant = timer.due
      this.#firedInInstant = 0
    }
    if (++this.#firedInInstant > maxTasksPerInstant) {
      throw new Error(`simulated time stands still at ${timer.due}: a task sets itself again with no delay`)
    }
    this.#timers.take()
    return timer
  }

  #fire(timer: SimulatedTimer, errors: unknown[]): void {
    this.#now = timer.due
    try {
      timer.task()
    } catch (error) {
      errors.push(error)
    }
  }
}

function raise(errors: readonly unknown[]): void {
  if (errors.length === 1) throw errors[0]
  if (errors.length > 1) throw new AggregateError(errors, `${errors.length} simulated timers threw`)
}

export function simulatedEnv(options: SimulatedEnvOptions = {}): SimulatedEnv {
  return new Simulation(options)
}
