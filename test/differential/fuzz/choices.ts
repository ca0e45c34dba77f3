/** Random decisions that depend only on a seed. */
import { RandomStream } from '../../../src/env/random-stream.ts'

export class Choices {
  readonly #stream: RandomStream

  constructor(seed: number) {
    this.#stream = new RandomStream(seed, 1)
  }

  /** An integer from 0 to `count` - 1. */
  below(count: number): number {
    return Math.floor(this.#stream.fraction() * count)
  }

  chance(probability: number): boolean {
    return this.#stream.fraction() < probability
  }

  pick<T>(list: readonly T[]): T {
    return list[this.below(list.length)] as T
  }

  /** Chooses an option by weight. */
  weighted<T>(options: readonly (readonly [number, T])[]): T {
    let left = this.#stream.fraction() * options.reduce((sum, [weight]) => sum + weight, 0)
    for (const [weight, option] of options) {
      left -= weight
      if (left < 0) return option
    }
    return (options.at(-1) as readonly [number, T])[1]
  }
}
