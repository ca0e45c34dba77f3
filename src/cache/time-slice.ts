/**
 * Long work in short pieces: lists of many thousand objects must not keep timers (a lease's renewal among them)
 * waiting. One for all informers and handlers of a cache, so that they share a piece of time instead of having one
 * each.
 */
import type { Env } from '../env/env.ts'
import { onEventLoopTurn, afterMicrotasks } from '../env/real.ts'

const maxPieceMs = 8
/** Counted too, because a simulated clock stands still. */
const maxPieceSteps = 1000
/** The clock is asked only so often: that costs as much as a small step. */
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
   * Before work that something from outside has set off. Time in which nobody worked is not held against it: a
   * simulated clock jumps within what is one turn of the machine.
   */
  resume(): void {
    if (this.#hasBegun && this.#env.now() - this.#lookedAt > maxPieceMs) this.#restart()
  }

  /** After each step, or so many. True: `await` {@link others} before the next. */
  isOver(steps = 1): boolean {
    if (!this.#hasBegun) this.#begin()
    this.#steps += steps
    if (this.#steps < this.#nextLook) return false
    this.#nextLook = this.#steps + stepsPerLook
    this.#lookedAt = this.#env.now()
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
    this.#startedAt = this.#lookedAt = this.#env.now()
    this.#steps = 0
    this.#nextLook = stepsPerLook
  }
}
