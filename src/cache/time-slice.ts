/**
 * Splits long work into short slices: processing lists of many thousand objects must not delay timers (such as the
 * renewal of a lease). One instance for all informers and handlers of a cache, so that they share a slice.
 */
import type { Env } from '../env/env.ts'
import { onEventLoopTurn, afterMicrotasks } from '../env/real.ts'

const maxPieceMs = 8
/** Steps are limited, too, because a simulated clock does not advance during work. */
const maxPieceSteps = 1000
/** How often the clock is read: a read costs as much as a small step. */
const stepsPerLook = 16

export class TimeSlice {
  readonly #env: Env
  #hasBegun = false
  #startedAt = 0
  #lookedAt = 0
  #steps = 0
  #nextLook = 0

  constructor(env: Env) {
    this.#env = env
  }

  /**
   * Called before work that an external event has started. Idle time does not count: a simulated clock may jump within
   * one turn of the event loop.
   */
  resume(): void {
    if (this.#hasBegun && this.#env.monotonic() - this.#lookedAt > maxPieceMs) this.#restart()
  }

  /** Called after each step, or after several. True: `await` {@link others} before the next. */
  isOver(steps = 1): boolean {
    if (!this.#hasBegun) this.#begin()
    this.#steps += steps
    if (this.#steps < this.#nextLook) return false
    this.#nextLook = this.#steps + stepsPerLook
    this.#lookedAt = this.#env.monotonic()
    const isOver = this.#steps >= maxPieceSteps || this.#lookedAt - this.#startedAt >= maxPieceMs
    if (isOver) this.#nextLook = 0
    return isOver
  }

  others(): Promise<void> {
    return afterMicrotasks()
  }

  #begin(): void {
    this.#hasBegun = true
    this.#restart()
    onEventLoopTurn(() => {
      this.#hasBegun = false
    })
  }

  #restart(): void {
    this.#startedAt = this.#lookedAt = this.#env.monotonic()
    this.#steps = 0
    this.#nextLook = stepsPerLook
  }
}
