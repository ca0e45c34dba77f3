/**
 * Turns: divides the work of a listener into short turns of the event loop, and measures the longest.
 *
 * Work that can be interrupted checks `isOver` and continues with `later`. Between two turns the event loop reads
 * input, so no client waits for the whole of another client's long list. Waiting work is continued in its order.
 */
import type { Env } from '../../env/env.ts'
import { onEventLoopTurn } from '../../env/real.ts'

/** A turn is over after this time. Its current piece of work is then completed. */
const maxTurnMs = 20

export class Turns {
  readonly #clock: () => number
  readonly #schedule: (task: () => void) => void
  #startMs = -Infinity
  #longestMs = 0
  #isRunning = false
  #isScheduled = false
  #waiting: (() => void)[] = []

  constructor({ monotonic }: Pick<Env, 'monotonic'>, schedule = onEventLoopTurn) {
    this.#clock = monotonic
    this.#schedule = schedule
  }

  /** The wall-clock time of the longest turn: an upper bound of its CPU time. */
  get longestMs(): number {
    return this.#longestMs
  }

  /** Runs `task` as a turn, or as a part of the current one. */
  run(task: () => void): void {
    if (this.#isRunning) {
      task()
      return
    }
    this.#isRunning = true
    this.#startMs = this.#clock()
    try {
      task()
    } finally {
      this.#isRunning = false
      const ms = this.#clock() - this.#startMs
      if (ms > this.#longestMs) this.#longestMs = ms
    }
  }

  /** Whether the turn has used up its time. Also true long after a turn: work that can wait belongs into one. */
  get isOver(): boolean {
    return this.#clock() - this.#startMs >= maxTurnMs
  }

  /** Whether half of the time is used up: new requests then wait for the next turn, so that responses are written. */
  get isHalfOver(): boolean {
    return this.#clock() - this.#startMs >= maxTurnMs / 2
  }

  /** Runs `task` in a later turn. */
  later(task: () => void): void {
    this.#waiting.push(task)
    if (this.#isScheduled) return
    this.#isScheduled = true
    this.#schedule(this.#continue)
  }

  readonly #continue = (): void => {
    this.run(() => {
      const tasks = this.#waiting
      this.#waiting = []
      let next = 0
      do tasks[next++]?.()
      while (next < tasks.length && !this.isOver)
      // Those that did not run come before those that were added meanwhile.
      if (next < tasks.length) this.#waiting = [...tasks.slice(next), ...this.#waiting]
    })
    this.#isScheduled = this.#waiting.length > 0
    if (this.#isScheduled) this.#schedule(this.#continue)
  }
}
