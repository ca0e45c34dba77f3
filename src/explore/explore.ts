/**
 * The explorer: does an operator reach the same end state whatever fails at any of its calls, or in its watches?
 *
 * Expected flow: the scenario runs once in one process, and a snapshot is taken before each step. Each step must be as
 * it expects (see expectations.ts), else the exploration stops: it would prove nothing. From there each step runs
 * again: once without a fault in a cluster of its own, which gives the operator's calls and the expected end, then
 * once for every call, every event of its watches and every possible fault, in a cluster that is rewound. Pairs of
 * faults and random schedules follow if requested. In the end, failures are shrunk.
 *
 * Guarantees: the same options give the same runs, unless they limit the real time. After a fault the cluster must
 * settle; the objects that the operator writes must be the same as without the fault; none was created or deleted more
 * often; no oracle reported a problem.
 *
 * Caveats: the operator has just started when its step begins. Events may get lost in a crash: events and leases are
 * not compared.
 */
import { realEnv } from '../env/real.ts'
import { callLine, callText } from './call-text.ts'
import type { Oracle } from './changes.ts'
import type { ExploreCoverage } from './coverage.ts'
import { isQuiet, nothingWritten, tooLate } from './expectations.ts'
import { defaultFaults, editOf, hasEdit, type FaultName } from './faults.ts'
import { operatorView } from './operator-view.ts'
import { standardOracles } from './oracles.ts'
import { problemsAtRest } from './quiet-hour.ts'
import { recordFailures, type FailedRun } from './record-failures.ts'
import { makeReport } from './report/make-report.ts'
import type { ExploredStep, ExploreFailure, ExploreReport, TriedFault } from './report/report.ts'
import { Rehearsal } from './rehearsal.ts'
import { partsOf, Runner, type LivedStep, type RunParts } from './runner.ts'
import { scheduleText } from './schedule.ts'
import { FaultPairs } from './search/fault-pairs.ts'
import { ownShare, type Part } from './search/part.ts'
import { FaultTable } from './search/possible-faults.ts'
import { RandomFaults } from './search/random-faults.ts'
import type { KnownStep, PlannedRun } from './search/runs.ts'
import { SingleFaults } from './search/single-faults.ts'
import { selectRun, type Selection } from './selection.ts'
import { shrinkFailures } from './shrink.ts'
import type { ExploredCluster, ExploreStep, TrialResult } from './trial.ts'

export interface ExploreOptions {
  /** The operator and its cluster, as for `embedded`. Give controllers that keep state in memory as a function. */
  readonly cluster: ExploredCluster
  readonly steps: readonly ExploreStep[]
  /** Default: all faults, except for those that are the same to the operator as another one. */
  readonly faults?: readonly FaultName[] | undefined
  /** Default: `standardOracles`; include them in your own list to keep them. */
  readonly oracles?: readonly Oracle[] | undefined
  /**
   * Fields that may differ in the end: `status.attempts`, or for one type `apps/v1 ReplicaSet metadata.generation`; `*`
   * stands for any one key or index. Default: none.
   */
  readonly ignore?: readonly string[] | undefined
  /**
   * Types to compare besides those of the controllers and those that they write, for example `apps/v1 ReplicaSet`.
   * Default: none.
   */
  readonly types?: readonly string[] | undefined
  /** The maximum of runs with one fault, spread evenly over all. Default: no limit. */
  readonly atMost?: number | undefined
  /** The maximum of runs with two faults, or `all`. Default: 0. */
  readonly pairs?: number | 'all' | undefined
  /** The number of runs with one to four random faults. `Infinity` needs `budgetMs`. Default: 0. */
  readonly random?: number | undefined
  /** For `random`. Default: 1. */
  readonly seed?: number | undefined
  /**
   * Real milliseconds after which no other run begins, except to shrink failures. How far the exploration gets by then
   * depends on the machine: the only option that makes it differ from time to time. Default: no limit.
   */
  readonly budgetMs?: number | undefined
  /**
   * The maximum of attempts to shrink a failure: to fewer and simpler faults, and without earlier steps. Of failures
   * with the same problems one is shrunk, and at most five in all. Default: 60.
   */
  readonly shrink?: number | undefined
  /** How many failures are recorded for a timeline, the simplest first. Each costs two more runs. Default: 10. */
  readonly timelines?: number | undefined
  /** Shard the runs over several processes: `{ index: 0, of: 2 }` and `{ index: 1, of: 2 }`. Default: all runs. */
  readonly part?: Part | undefined
  /**
   * Only this run, as a report names it: `create/3/crash-after`, or with these steps only: `create,delete/3/error`.
   * Default: the environment variable COXSWAIN_EXPLORE.
   */
  readonly only?: string | undefined
  /** Ends with the first failure. The steps take turns, so that it is found early. Default: false. */
  readonly stopAtFirst?: boolean | undefined
  /** Called after every run. Pairs and random runs are counted with their maximum. */
  readonly onProgress?: ((done: number, of: number) => void) | undefined
}

export async function explore(options: ExploreOptions): Promise<ExploreReport> {
  return new Exploration(options).run()
}

const allRuns: Part = { index: 0, of: 1 }
const defaultShrink = 60

class Exploration {
  readonly #options: ExploreOptions
  readonly #runner: Runner
  readonly #selection: Selection
  readonly #steps: ExploredStep[] = []
  readonly #singleFaults: TriedFault[] = []
  readonly #known: KnownStep[] = []
  readonly #failed: FailedRun[] = []
  /** Those that need faults. */
  readonly #faulted = new Map<ExploreFailure, PlannedRun>()
  readonly #table: FaultTable
  readonly #pairs: FaultPairs | undefined
  readonly #random: RandomFaults | undefined
  #singles: SingleFaults | undefined
  readonly #tried = { singles: 0, pairs: 0 }

  constructor(options: ExploreOptions) {
    const { oracles = standardOracles, cluster, types = [], ignore = [], faults = defaultFaults } = options
    const { pairs = 0, random = 0, seed = 1, part = allRuns, budgetMs = Infinity } = options
    if (random === Infinity && budgetMs === Infinity) throw new Error('random: Infinity needs a budgetMs')
    this.#options = options
    this.#runner = new Runner({ cluster, oracles, operator: operatorView(cluster), types, ignore })
    this.#selection = selectRun(options.steps, options.only ?? process.env['COXSWAIN_EXPLORE'])
    this.#table = new FaultTable(faults)
    this.#pairs = pairs === 0 ? undefined : new FaultPairs(this.#table)
    this.#random = random === 0 ? undefined : new RandomFaults({ table: this.#table, seed, part: part.index })
  }

  async run(): Promise<ExploreReport> {
    const clock = realEnv()
    const startedAt = clock.monotonic()
    const { onProgress, stopAtFirst = false, budgetMs = Infinity } = this.#options
    const isOver = (): boolean => clock.monotonic() - startedAt >= budgetMs || (stopAtFirst && this.#failed.length > 0)
    let tried = 0
    if (await this.#runWithoutFaults()) {
      for (const planned of isOver() ? [] : this.#schedules()) {
        await this.#try(planned)
        tried++
        onProgress?.(tried, this.#expected)
        if (isOver()) break
      }
    }
    const shrunk = await this.#shrunk()
    const took = clock.monotonic() - startedAt
    await this.#runner.stop()
    const failures = await recordFailures(this.#runner, shrunk, this.#options.timelines)
    const [steps, singleFaults, coverage] = [this.#steps, this.#singleFaults, this.#coverage]
    return makeReport({ steps, tried, coverage, took, processes: 1, singleFaults, failures })
  }

  /** The scenario without faults: in one process, and each step once more after a restart. */
  async #runWithoutFaults(): Promise<boolean> {
    const { stopAtFirst = false } = this.#options
    const { steps } = this.#selection
    const rehearsal = await Rehearsal.of(this.#runner, steps)
    let writes = 0
    for await (const lived of rehearsal.again()) {
      const { step, from, inOneLife } = lived
      writes += inOneLife.writes
      const idle = writes === 0 ? nothingWritten(step.expects ?? 'ready', steps.indexOf(step), steps.length) : []
      const late = tooLate(step, inOneLife.calls)
      const problems = [...inOneLife.problems, ...inOneLife.unmet, ...late, ...idle, ...rehearsal.problems(lived)]
      if (this.#fail({ step, from, run: 'none', faults: [] }, inOneLife, problems) !== undefined) return false
      await this.#runAfterRestart(lived)
      if (stopAtFirst && this.#failed.length > 0) break
    }
    return true
  }

  async #runAfterRestart(lived: LivedStep): Promise<void> {
    const { run, problems } = await this.#runner.known(lived)
    const { step, twin } = run
    const isSilent = step.rest === undefined && isQuiet(step.expects ?? 'ready')
    const atRest = isSilent ? await problemsAtRest(this.#options.cluster, twin.end) : []
    this.#fail({ step, from: lived.from, run: 'restart', faults: [] }, twin, [...problems, ...atRest])
    this.#steps.push(summary(step, twin))
    this.#known.push(run)
    this.#random?.learn({ ...run, problems: [] })
  }

  /** Made one by one: pairs and random schedules follow from the runs before them. */
  *#schedules(): Generator<PlannedRun> {
    const { atMost, part = allRuns, stopAtFirst = false } = this.#options
    const { only } = this.#selection
    if (only !== undefined) {
      for (const each of this.#known) if (each.step.name === only.step) yield asked({ ...each, faults: only.faults })
      return
    }
    this.#singles = new SingleFaults(this.#known, this.#table, part, atMost)
    for (const planned of this.#singles.schedules(stopAtFirst)) {
      this.#tried.singles++
      yield planned
    }
    for (const planned of this.#pairs?.schedules() ?? []) {
      if (this.#tried.pairs >= this.#wantedPairs) break
      this.#tried.pairs++
      yield planned
    }
    if (this.#random !== undefined) yield* this.#random.schedules(this.#wantedRandom)
  }

  get #wantedPairs(): number {
    const { pairs = 0, part = allRuns } = this.#options
    return ownShare(pairs === 'all' ? Infinity : pairs, part)
  }

  get #wantedRandom(): number {
    const { random = 0, part = allRuns } = this.#options
    return ownShare(random, part)
  }

  /** How many runs there will be, as far as it is known by now. */
  get #expected(): number {
    if (this.#selection.only !== undefined) return 1
    const pairs = Math.min(this.#wantedPairs, this.#pairs?.total ?? 0)
    const random = this.#wantedRandom === Infinity ? (this.#random?.tried ?? 0) : this.#wantedRandom
    return (this.#singles?.chosen ?? 0) + pairs + random
  }

  async #try(planned: PlannedRun): Promise<void> {
    const run = await this.#runner.try(planned)
    this.#pairs?.learn(run)
    this.#random?.learn(run)
    const { step, faults, outcome, problems } = run
    const failure = this.#fail({ ...partsOf(planned), run: 'faults' }, outcome, problems)
    if (failure !== undefined) this.#faulted.set(failure, planned)
    const [first, ...others] = faults
    if (first !== undefined && others.length === 0)
      this.#singleFaults.push({ step: step.name, ...first, result: failure === undefined ? 'ok' : 'failed' })
  }

  #fail(
    { run, ...parts }: Pick<ExploreFailure, 'run'> & RunParts,
    outcome: TrialResult,
    problems: readonly string[],
  ): ExploreFailure | undefined {
    if (problems.length === 0) return undefined
    const { step, faults } = parts
    const id = run === 'faults' ? scheduleText({ step: step.name, faults }) : `${step.name}/0/${run}`
    const failure = { id, step: step.name, run, faults, calls: outcome.calls.map(callLine), problems }
    this.#failed.push({ ...parts, failure })
    return failure
  }

  /** The failures, some of them shrunk. A run that was asked for alone stays as it is. */
  async #shrunk(): Promise<readonly FailedRun[]> {
    const { shrink = this.#selection.only === undefined ? defaultShrink : 0 } = this.#options
    const found = await shrinkFailures({ runner: this.#runner, known: this.#known, attempts: shrink }, this.#faulted)
    return this.#failed.map((failed) => {
      const less = found.get(failed.failure)
      return less === undefined ? failed : { ...partsOf(less.run), failure: { ...failed.failure, shrunk: less.shrunk } }
    })
  }

  get #coverage(): ExploreCoverage {
    const { seed = 1 } = this.#options
    const [pairs, random] = [this.#pairs, this.#random]
    return {
      singles: { tried: this.#tried.singles, total: this.#singles?.total ?? 0 },
      unconfirmed: this.#runner.unconfirmed,
      ...(pairs && {
        pairs: { tried: this.#tried.pairs, total: pairs.total, equal: pairs.equal, failing: pairs.failing },
      }),
      ...(random && { random: { tried: random.tried, seed, growth: random.growth } }),
    }
  }
}

/** Throws if the user of a fault has nothing to do in the step: the run would prove nothing. */
function asked(planned: PlannedRun): PlannedRun {
  const { step, faults } = planned
  if (faults.some(({ fault }) => hasEdit(fault)) && editOf(planned, faults) === undefined)
    throw new Error(`${scheduleText({ step: step.name, faults })}: there is nothing that the user could do then`)
  return planned
}

function summary({ name, expects = 'ready', rest }: ExploreStep, { calls }: TrialResult): ExploredStep {
  return {
    name,
    calls: calls.map((call) => ({ ...callText(call), at: call.at })),
    ...(expects === 'ready' ? {} : { expects }),
    ...(rest === undefined ? {} : { hasOwnRest: true }),
  }
}
