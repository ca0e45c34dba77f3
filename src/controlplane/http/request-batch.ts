/**
 * Turn: what arrives in one turn of the event loop is handled together, then answered together.
 *
 * Going back and forth between the kernel and our code for every request costs more than most requests do: each system
 * call leaves the processor's caches and predictions cold. With 32 clients, creating ConfigMaps one by one took 190 µs
 * of processor time each; turn by turn it takes 95 µs. A lone request waits for nothing but the end of its own turn.
 * More: docs/internals/adr/0007-requests-of-one-turn.md.
 */
import { onEventLoopTurn } from '../../env/real.ts'

export class RequestBatch<T> {
  readonly #handle: (item: T) => () => void
  #waiting: T[] = []

  /** `handle` does the work for one item and returns what answers it. Neither may throw. */
  constructor(handle: (item: T) => () => void) {
    this.#handle = handle
  }

  add(item: T): void {
    if (this.#waiting.push(item) === 1) onEventLoopTurn(() => this.#run())
  }

  #run(): void {
    const items = this.#waiting
    this.#waiting = []
    const answers = items.map((item) => this.#handle(item))
    for (const answer of answers) answer()
  }
}
