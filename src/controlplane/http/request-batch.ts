/**
 * RequestBatch: requests that arrive in one turn of the event loop are handled together, then answered together.
 *
 * Alternating between kernel and handler for every request costs more than most requests do: each system call leaves
 * the CPU's caches and branch predictors cold. With 32 clients, creating ConfigMaps one by one took 190 µs of CPU time
 * each; in batches it takes 95 µs. A single request waits only for the end of its own turn. A batch that takes too long
 * is continued in the next turn. See docs/internals/adr/0007-requests-of-one-turn.md.
 */
import { onEventLoopTurn } from '../../env/real.ts'
import type { Turns } from './turns.ts'

export class RequestBatch<T> {
  readonly #turns: Turns
  readonly #handle: (item: T) => () => void
  #waiting: T[] = []

  /** `handle` processes one item and returns the function that sends its response. Neither may throw. */
  constructor(turns: Turns, handle: (item: T) => () => void) {
    this.#turns = turns
    this.#handle = handle
  }

  add(item: T): void {
    if (this.#waiting.push(item) === 1) onEventLoopTurn(this.#run)
  }

  readonly #run = (): void => this.#turns.run(this.#handleWaiting)

  readonly #handleWaiting = (): void => {
    const items = this.#waiting
    const turns = this.#turns
    const answers: (() => void)[] = []
    let next = 0
    do answers.push(this.#handle(items[next++] as T))
    while (next < items.length && !turns.isHalfOver)
    this.#waiting = next === items.length ? [] : items.slice(next)
    if (this.#waiting.length > 0) onEventLoopTurn(this.#run)
    for (const answer of answers) {
      if (turns.isOver) turns.later(answer)
      else answer()
    }
  }
}
