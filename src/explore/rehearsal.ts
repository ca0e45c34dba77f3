/**
 * The scenario twice, each time in a new cluster, before any fault: with the same seed the operator must send the same
 * calls, and the end must be the same. If not, it remembers something of the first time, which a real process would
 * have lost, or it depends on something that the simulation does not control, such as the clock and the random numbers
 * of the machine. Then every run with a fault would differ from the run without, and would prove nothing.
 */
import { MachineSources } from '../cluster/machine-sources.ts'
import { callLine } from './call-text.ts'
import type { LivedStep, Runner } from './runner.ts'
import type { ExploreStep, TrialResult } from './trial.ts'

/** The maximum of differences, and of places in the operator's code, that are named. */
const shown = 3

export class Rehearsal {
  readonly #runner: Runner
  readonly #steps: readonly ExploreStep[]
  /** What the operator takes from the machine. */
  readonly #sources = new MachineSources()
  /** What came of each step, as far as the scenario went well. */
  readonly #before = new Map<ExploreStep, TrialResult>()

  private constructor(runner: Runner, steps: readonly ExploreStep[]) {
    this.#runner = runner
    this.#steps = steps
  }

  /** The first time. */
  static async of(runner: Runner, steps: readonly ExploreStep[]): Promise<Rehearsal> {
    const rehearsal = new Rehearsal(runner, steps)
    for await (const { step, inOneLife } of rehearsal.#life('first')) {
      if (inOneLife.problems.length > 0) break
      rehearsal.#before.set(step, inOneLife)
    }
    return rehearsal
  }

  /** The second time. */
  again(): AsyncGenerator<LivedStep> {
    return this.#life('second')
  }

  #life(which: 'first' | 'second'): AsyncGenerator<LivedStep> {
    return this.#runner.live(this.#steps, undefined, (work) => this.#sources.within(which, work))
  }

  /** What is wrong if the step did something else the second time. */
  problems({ step, inOneLife }: LivedStep): readonly string[] {
    const before = this.#before.get(step)
    const differences = before === undefined ? [] : this.#differences(before, inOneLife)
    return differences.length === 0 ? [] : [[...differences, ...this.#causes(differences)].join('\n    ')]
  }

  #differences(before: TrialResult, now: TrialResult): readonly string[] {
    const longest = Math.max(before.calls.length, now.calls.length)
    for (let call = 0; call < longest; call++) {
      const [first, second] = [callLine(before.calls[call]), callLine(now.calls[call])]
      if (first !== second)
        return [`in a second new cluster, call ${call + 1} was ${second}, and ${first} in the first`]
    }
    return this.#runner
      .differences(before, now)
      .slice(0, shown)
      .map((difference) => `in a second new cluster: ${difference}`)
  }

  #causes(differences: readonly string[]): readonly string[] {
    const sources = this.#sources.found
    if (sources.length === 0)
      return [
        'the operator remembers something that a new process would not, as in a variable of a module (give ' +
          'controllers as a function, and create all memory in it), or it depends on the clock, on random numbers or ' +
          'on a system of the machine',
      ]
    const ignorable = differences.flatMap((difference) => fieldOf(difference) ?? [])
    return [
      'the operator is not deterministic: it asks the machine for the time or for random numbers',
      ...sources.slice(0, shown).map((source) => `  ${source}`),
      'no fault is tried, since every run would differ: take them from now(), random() and uuid() of the context',
      ...(ignorable.length === 0
        ? []
        : [`if it may be another value each time, ignore: [${ignorable.map((each) => `'${each}'`).join(', ')}]`]),
    ]
  }
}

/** As in `ignore`: `v1 Secret data.password`. Undefined: the difference is not one of a field. */
function fieldOf(difference: string): string | undefined {
  const [, type, path] = /: (external \S+|\S+ \S+(?= \S+:))(?: \S+)?: (\S+): /.exec(difference) ?? []
  return type === undefined ? undefined : `${type} ${path}`
}
