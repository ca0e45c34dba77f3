/**
 * Shrinks failing schedules: to the fewest faults, each to a simpler one, and without the earlier steps that the
 * failure does not need. What is left fails with at least one of the problems, apart from numbers in it.
 *
 * Guarantees: deterministic, and the attempts are limited. Each attempt is a whole run of what would be reported, so
 * that the report's name repeats exactly that.
 */
import { callLine } from './call-text.ts'
import type { FaultName } from './faults.ts'
import { bySize, type ExploreFailure } from './report/report.ts'
import type { Runner } from './runner.ts'
import { scheduleText, type InjectedFault } from './schedule.ts'
import { pointsAfter, targetAt } from './search/possible-faults.ts'
import { knownStep, type KnownStep, type PlannedRun, type TriedRun } from './search/runs.ts'
import { selectionText } from './selection.ts'
import type { ShrunkFailure } from './shrunk.ts'

export interface ShrinkOptions {
  readonly runner: Runner
  /** All steps, in order. */
  readonly known: readonly KnownStep[]
  /** The limit for one failure. */
  readonly attempts: number
}

export interface ShrunkRun {
  readonly shrunk: ShrunkFailure
  readonly run: PlannedRun
}

/** Failures with the same problems probably have one cause. */
const maxShrunk = 5

/** What also happens, or happens more often, with less of a disturbance: the simplest comes first. */
const simpler: Partial<Readonly<Record<FaultName, readonly FaultName[]>>> = {
  'crash-after': ['lost-reply'],
  'crash-before': ['error', 'lost-call'],
  'lost-call': ['error'],
  'late-arrival': ['crash-after', 'crash-before'],
  'stale-cache': ['stale-kind'],
  stall: ['error'],
  'time-travel': ['crash-after'],
  'watch-compacted': ['watch-expired', 'watch-cut'],
}

/** Of the failures with the same problems, the one with the fewest faults. */
export async function shrinkFailures(
  options: ShrinkOptions,
  failed: ReadonlyMap<ExploreFailure, PlannedRun>,
): Promise<ReadonlyMap<ExploreFailure, ShrunkRun>> {
  const shrunk = new Map<ExploreFailure, ShrunkRun>()
  if (options.attempts === 0) return shrunk
  const groups = new Map<string, ExploreFailure[]>()
  for (const failure of failed.keys()) {
    const key = failure.problems.map(withoutNumbers).join('\n')
    groups.set(key, [...(groups.get(key) ?? []), failure])
  }
  for (const group of [...groups.values()].slice(0, maxShrunk)) {
    const [failure] = group.toSorted(bySize)
    const planned = failure && failed.get(failure)
    if (failure === undefined || planned === undefined) continue
    const result = await new Shrinking(options, failure.problems).of(planned)
    if (result !== undefined) shrunk.set(failure, result)
  }
  return shrunk
}

class Shrinking {
  readonly #options: ShrinkOptions
  readonly #problems: ReadonlySet<string>
  #attempts = 0
  #isComplete = true

  constructor(options: ShrinkOptions, problems: readonly string[]) {
    this.#options = options
    this.#problems = new Set(problems.map(withoutNumbers))
  }

  async of(planned: PlannedRun): Promise<ShrunkRun | undefined> {
    const failing = await this.#try(planned)
    if (failing === undefined) return undefined
    const fewest = await this.#withFewerFaults(failing)
    const simplest = await this.#withSimplerFaults(fewest)
    const { run, steps } = await this.#withFewerSteps(simplest)
    const { faults, outcome, problems } = run
    const all = this.#stepsUntil(run)
    const shrunk = {
      id: scheduleText({ step: steps.length === all.length ? run.step.name : selectionText(steps), faults }),
      steps,
      faults,
      calls: outcome.calls.map(callLine),
      problems,
      attempts: this.#attempts,
      isComplete: this.#isComplete,
    }
    return { shrunk, run }
  }

  async #withFewerFaults(run: TriedRun): Promise<TriedRun> {
    for (const [index] of run.faults.length === 1 ? [] : run.faults.entries()) {
      const kept = run.faults.toSpliced(index, 1)
      const found = (await this.#try({ ...run, faults: kept })) ?? (await this.#moved(run, run, kept, index))
      if (found !== undefined) return this.#withFewerFaults(found)
    }
    return run
  }

  async #withSimplerFaults(run: TriedRun): Promise<TriedRun> {
    for (const [index, { at, fault }] of run.faults.entries()) {
      for (const other of simpler[fault] ?? []) {
        const faults = run.faults.with(index, { at, fault: other })
        const found = (await this.#try({ ...run, faults })) ?? (await this.#moved(run, run, faults, index + 1))
        if (found !== undefined) return this.#withSimplerFaults(found)
      }
    }
    return run
  }

  /** Leaves out all earlier steps, then half of them, and so on; those near the failing step first. */
  async #withFewerSteps(run: TriedRun): Promise<{ readonly run: TriedRun; readonly steps: readonly string[] }> {
    let best = run
    let earlier = this.#stepsUntil(run).slice(0, -1)
    for (let size = earlier.length; size > 0; size = size === 1 ? 0 : Math.ceil(size / 2)) {
      for (let end = earlier.length; end > 0; end -= size) {
        const kept = earlier.toSpliced(Math.max(0, end - size), Math.min(size, end))
        const found = await this.#after(kept, best)
        if (found === undefined) continue
        best = found
        earlier = kept
      }
    }
    return { run: best, steps: [...earlier, run.step.name] }
  }

  /** The failing run after these steps only, if they are good without faults. */
  async #after(names: readonly string[], run: TriedRun): Promise<TriedRun | undefined> {
    if (!this.#begin()) return undefined
    const { runner, known } = this.#options
    const steps = [...known.map(({ step }) => step).filter(({ name }) => names.includes(name)), run.step]
    for await (const lived of runner.live(steps)) {
      const { step, inOneLife } = lived
      if (inOneLife.problems.length + inOneLife.unmet.length > 0) return undefined
      if (step !== run.step) continue
      const { run: twin, problems } = await runner.known(lived)
      if (problems.length > 0) return undefined
      return (await this.#try({ ...twin, faults: run.faults })) ?? (await this.#moved(twin, run, run.faults, 0))
    }
    return undefined
  }

  /** The steps of the scenario up to the one of the run. */
  #stepsUntil({ step }: PlannedRun): readonly string[] {
    const names = this.#options.known.map((each) => each.step.name)
    return names.slice(0, names.indexOf(step.name) + 1)
  }

  /**
   * The numbers of calls and events differ without what was left out: the faults from this index on move to the next
   * equal ones of the run that has only the faults before them.
   */
  async #moved(
    known: KnownStep,
    failing: TriedRun,
    faults: readonly InjectedFault[],
    index: number,
  ): Promise<TriedRun | undefined> {
    const placed = faults.slice(0, index)
    for (const { at, fault } of faults.slice(index)) {
      const before = placed.length === 0 ? known.twin : (await this.#run({ ...known, faults: [...placed] }))?.outcome
      if (before === undefined) return undefined
      const wanted = targetAt(at, failing.outcome)
      const found = pointsAfter(placed, before).find((point) => targetAt(point, before) === wanted)
      if (found === undefined) return undefined
      placed.push({ at: found, fault })
    }
    const isSame = placed.every(({ at }, each) => at === faults[each]?.at)
    return isSame ? undefined : this.#try({ ...known, faults: placed })
  }

  /** The run, if it still fails with one of the problems. */
  async #try(planned: PlannedRun): Promise<TriedRun | undefined> {
    const run = await this.#run(planned)
    return run?.problems.some((problem) => this.#problems.has(withoutNumbers(problem))) === true ? run : undefined
  }

  async #run(planned: PlannedRun): Promise<TriedRun | undefined> {
    const { faults } = planned
    return this.#begin() ? this.#options.runner.try({ ...knownStep(planned), faults }) : undefined
  }

  #begin(): boolean {
    if (this.#attempts >= this.#options.attempts) this.#isComplete = false
    else this.#attempts++
    return this.#isComplete
  }
}

function withoutNumbers(problem: string): string {
  return problem.replace(/\d+/g, '#')
}
