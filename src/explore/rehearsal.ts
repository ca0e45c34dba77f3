/**
 * The scenario once more, in a cluster of its own, before anything else: with the same seed the operator must send the
 * same calls again. If not, it remembers something of the first time, which a real process would have lost, or it
 * depends on something that the simulation does not control.
 */
import type { TransportRequest } from '../client/transport.ts'
import { callLine } from './call-text.ts'
import type { LivedStep, Runner } from './runner.ts'
import type { ExploreStep } from './trial.ts'

export class Rehearsal {
  /** The calls of each step, as far as the scenario went well. */
  readonly #calls: ReadonlyMap<ExploreStep, readonly TransportRequest[]>

  private constructor(calls: ReadonlyMap<ExploreStep, readonly TransportRequest[]>) {
    this.#calls = calls
  }

  static async of(runner: Runner, steps: readonly ExploreStep[]): Promise<Rehearsal> {
    const calls = new Map<ExploreStep, readonly TransportRequest[]>()
    for await (const { step, inOneLife } of runner.live(steps)) {
      if (inOneLife.problems.length > 0) break
      calls.set(step, inOneLife.calls)
    }
    return new Rehearsal(calls)
  }

  /** What is wrong if the step did something else this time. */
  problems({ step, inOneLife: { calls } }: LivedStep): readonly string[] {
    const before = this.#calls.get(step)
    if (before === undefined) return []
    const longest = Math.max(before.length, calls.length)
    for (let call = 0; call < longest; call++) {
      const [first, second] = [callLine(before[call]), callLine(calls[call])]
      if (first === second) continue
      return [
        `in a second new cluster, call ${call + 1} was ${second}, and ${first} in the first: the operator remembers ` +
          'something that a new process would not, as in a variable of a module (give controllers as a function, ' +
          'and create all memory in it), or it depends on the clock, on random numbers or on a system of the machine',
      ]
    }
    return []
  }
}
