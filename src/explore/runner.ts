/** Runs steps of a scenario: without faults in clusters of their own, and with faults in one that is rewound. */
import type { Snapshot } from '../cluster/embedded-handle.ts'
import { callLine } from './call-text.ts'
import type { Oracle } from './changes.ts'
import { tooLate } from './expectations.ts'
import { Judge, rewritten, type JudgeOptions } from './judge.ts'
import type { GrowingOperatorView } from './operator-view.ts'
import { RunRecorder } from './run-recorder.ts'
import { editOf, mayRepeat } from './faults.ts'
import { callAt } from './point.ts'
import type { InjectedFault } from './schedule.ts'
import type { KnownStep, PlannedRun, TriedRun } from './search/runs.ts'
import { StateTrace } from './search/state-trace.ts'
import type { TimelineEntry } from './timeline.ts'
import { Trial, type ExploredCluster, type ExploreStep, type LaterEdit, type TrialResult } from './trial.ts'
import { Twins, type Twin } from './twins.ts'

export interface RunnerOptions extends JudgeOptions {
  readonly cluster: ExploredCluster
  readonly oracles: readonly Oracle[]
  readonly operator: GrowingOperatorView
}

/** A step of a life without faults. */
export interface LivedStep {
  readonly step: ExploreStep
  readonly before?: ExploreStep | undefined
  readonly next?: ExploreStep | undefined
  /** The state before the step. */
  readonly from: Snapshot
  /** The state right after the user's act of the step before. */
  readonly past?: Snapshot | undefined
  readonly inOneLife: TrialResult
}

/** What a run of a step consists of. */
export interface RunParts extends Pick<KnownStep, 'step' | 'from' | 'past'> {
  readonly faults: readonly InjectedFault[]
  readonly edit?: LaterEdit | undefined
}

/** With what the user does because of the faults. */
export function partsOf(planned: PlannedRun): RunParts {
  const { step, from, past, faults } = planned
  const edit = editOf(planned, faults)
  return { step, from, past, faults, edit: edit && { step: edit } }
}

export class Runner {
  /** Runs that failed after others in one cluster, and not in a cluster of their own. */
  unconfirmed = 0
  readonly #options: RunnerOptions
  readonly #judge: Judge
  /** Run in the cluster of other runs. */
  readonly #twins: Twins
  /** Run in clusters of their own. */
  readonly #ownTwins: Twins
  /** The cluster of the last run, if it can be used again. */
  #idle: Trial | undefined

  constructor(options: RunnerOptions) {
    this.#options = options
    this.#judge = new Judge(options)
    this.#twins = new Twins(this.#judge, async (parts, twin) => (await this.#runAgain(parts, new Set(), twin)).outcome)
    this.#ownTwins = new Twins(this.#judge, async (parts) => (await this.#run(parts, new Set())).outcome)
  }

  /** The steps one after the other, in one process, without faults. Each runs within `around`. */
  async *live(steps: readonly ExploreStep[], start?: Snapshot, around = doing): AsyncGenerator<LivedStep> {
    const { cluster, oracles, operator } = this.#options
    const life = await Trial.begin(cluster, { oracles, operator }, { from: start })
    let past: Snapshot | undefined
    try {
      for (const [index, step] of steps.entries()) {
        const from = life.cluster.snapshot()
        const inOneLife = await around(() => life.run({ step }))
        yield { step, before: steps[index - 1], next: steps[index + 1], from, past, inOneLife }
        past = inOneLife.acted
      }
    } finally {
      await life.stop()
    }
  }

  /** What is different after two runs of a step that should be the same. */
  differences(twin: TrialResult, outcome: TrialResult): readonly string[] {
    return this.#judge.differences(twin, outcome)
  }

  /** The step once more, after a restart: what runs with faults are compared with. */
  async known({ step, before, next, from, past, inOneLife }: LivedStep): Promise<{
    readonly run: TriedRun
    /** What is different after the restart. */
    readonly problems: readonly string[]
  }> {
    const { operator } = this.#options
    const parts = { step, from, past, faults: [] }
    const { outcome: twin, start, states } = await this.#run(parts, this.#judge.types(inOneLife))
    const rewrittenAtRest = rewritten(from, start, this.#judge.types(twin)).map(
      (name) => `restarted before the step, when all was at rest, it wrote ${name}`,
    )
    const problems = [...rewrittenAtRest, ...this.#judge.problems(inOneLife, twin)]
    return { run: { ...parts, before, next, twin, operator, outcome: twin, problems, states }, problems }
  }

  async try(planned: PlannedRun): Promise<TriedRun> {
    const parts = partsOf(planned)
    const twin = await this.#twins.of(planned, parts.edit)
    const types = this.#judge.types(twin.outcome)
    const { outcome, states } = await this.#runAgain(parts, types, twin.isComparable ? twin.outcome : undefined)
    const problems = this.#problems(planned, twin, outcome)
    if (problems.length === 0) return { ...planned, outcome, states, problems }
    // Only what fails in a cluster of its own counts: others can repeat it.
    const alone = await this.#run(parts, types)
    const confirmed = this.#problems(planned, await this.#ownTwins.of(planned, parts.edit), alone.outcome)
    if (confirmed.length === 0) this.unconfirmed++
    return { ...planned, outcome: alone.outcome, states: alone.states, problems: confirmed }
  }

  #problems(planned: PlannedRun, twin: Twin, outcome: TrialResult): readonly string[] {
    if (twin.isVoid || outcome.isVoid) return []
    const judged = twin.isComparable
      ? this.#judge.problems(twin.outcome, outcome, mayRepeat(planned.faults))
      : this.#judge.problemsOfItself(twin.outcome, outcome)
    return [...strayed(planned, outcome), ...lateEdit(partsOf(planned), outcome), ...judged]
  }

  /** In the cluster of the last run, if possible, and only until it goes on as the twin did. */
  async #runAgain(
    { step, from, past, faults, edit }: RunParts,
    types: ReadonlySet<string>,
    twin: TrialResult | undefined,
  ): Promise<Pick<TriedRun, 'outcome' | 'states'>> {
    const { cluster, oracles, operator } = this.#options
    const { oracle, states } = new StateTrace(types, from.time)
    const watchers = { oracles: [...oracles, oracle], operator }
    const start = { from, past }
    const idle = this.#idle
    this.#idle = undefined
    let trial = idle
    if (trial === undefined || !(await trial.again(watchers, start))) {
      await trial?.stop()
      trial = await Trial.begin(cluster, watchers, start)
    }
    const outcome = await trial.run({ step, faults, edit, twin })
    if (outcome.problems.length === 0) this.#idle = trial
    else await trial.stop()
    return { outcome, states }
  }

  async stop(): Promise<void> {
    await this.#idle?.stop()
    this.#idle = undefined
  }

  /** What happens in a run, in order. */
  async record({ step, from, past, faults, edit }: RunParts): Promise<readonly TimelineEntry[]> {
    const { cluster, oracles, operator } = this.#options
    const recorder = new RunRecorder(faults)
    const trial = await Trial.begin(recorder.watched(cluster), { oracles, operator }, { from, past, recorder })
    try {
      recorder.begin(trial.cluster)
      await trial.run({ step, faults, edit })
      return [...recorder.entries]
    } finally {
      await trial.stop()
    }
  }

  async #run(
    { step, from, past, faults, edit }: RunParts,
    types: ReadonlySet<string>,
  ): Promise<Pick<TriedRun, 'outcome' | 'states'> & { readonly start: Snapshot }> {
    const { cluster, oracles, operator } = this.#options
    const { oracle, states } = new StateTrace(types, from.time)
    const trial = await Trial.begin(cluster, { oracles: [...oracles, oracle], operator }, { from, past })
    try {
      return { outcome: await trial.run({ step, faults, edit }), start: trial.start, states }
    } finally {
      await trial.stop()
    }
  }
}

const doing = (work: () => Promise<TrialResult>): Promise<TrialResult> => work()

/** A user who acts meanwhile, and nothing goes wrong: the operator notices it as early as at rest. */
function lateEdit({ edit, faults: [first, ...others] }: RunParts, { calls }: TrialResult): readonly string[] {
  const call = first?.fault.startsWith('user-') === true ? callAt(first.at) : undefined
  return edit === undefined || call === undefined || others.length > 0
    ? []
    : tooLate(edit.step, calls, calls[call - 1]?.at)
}

/**
 * The operator did something else than without a fault, although nothing had happened yet: it depends on something
 * outside the simulation.
 */
function strayed({ twin, faults: [first] }: PlannedRun, outcome: TrialResult): readonly string[] {
  if (first === undefined) return []
  const call = callAt(first.at)
  if (call === undefined)
    return outcome.points.includes(first.at)
      ? []
      : [`the event ${first.at} did not come: the operator does not do the same in the same situation`]
  const [expected, actual] = [callLine(twin.calls[call - 1]), callLine(outcome.calls[call - 1])]
  return expected === actual
    ? []
    : [
        `call ${call} was ${actual}, and ${expected} without a fault: the operator does not do the same ` +
          'in the same situation',
      ]
}
