/**
 * What an exploration found, as data: safe to store and to send as JSON. Pages and JUnit files are made from it.
 */
import type { ExploreCoverage } from '../coverage.ts'
import type { StepExpectation } from '../expectations.ts'
import type { FaultName } from '../faults.ts'
import type { Point } from '../point.ts'
import type { InjectedFault } from '../schedule.ts'
import type { ShrunkFailure } from '../shrunk.ts'
import type { Timeline } from '../timeline.ts'

/** The version of the form of a report, in each. */
export const reportVersion = 'coxswain.dev/explore/v1'

export interface ExploreReport {
  readonly version: typeof reportVersion
  readonly steps: readonly ExploredStep[]
  /** The number of schedules: of runs with faults. */
  readonly tried: number
  readonly coverage: ExploreCoverage
  /** Real milliseconds. */
  readonly took: number
  /** The number of processes that shared the schedules. */
  readonly processes: number
  /** The result of every schedule with one fault. */
  readonly singleFaults: readonly TriedFault[]
  /** In the order in which they were found. */
  readonly failures: readonly ExploreFailure[]
  /** A report for people: what was tried, the shortest description of a failure, and how to repeat it. */
  readonly text: string
}

/** A step of the scenario, as it ran without a fault. */
export interface ExploredStep {
  readonly name: string
  /** What the operator sent. */
  readonly calls: readonly ExploredCall[]
  /** Set if the step does not expect that everything is ready. */
  readonly expects?: StepExpectation | undefined
  /** Set if the step has a `rest` of its own: then nothing is expected of the time after it. */
  readonly hasOwnRest?: true | undefined
}

export interface ExploredCall {
  readonly method: string
  /** With its query, without what is random. */
  readonly path: string
  /** Simulated milliseconds since the step began. */
  readonly at: number
}

export interface TriedFault {
  /** The name of the step. */
  readonly step: string
  readonly at: Point
  readonly fault: FaultName
  readonly result: 'ok' | 'failed'
}

export interface ExploreFailure {
  /** The value for `only`. */
  readonly id: string
  readonly step: string
  /** `none`: without a fault. `restart`: the operator was restarted before the step. */
  readonly run: 'none' | 'restart' | 'faults'
  /** In order; empty unless `run` is `faults`. */
  readonly faults: readonly InjectedFault[]
  /** What the operator sent, as `PATCH /api/v1/...`. */
  readonly calls: readonly string[]
  readonly problems: readonly string[]
  /** What is left of the schedule: set for one of the failures with the same problems. */
  readonly shrunk?: ShrunkFailure | undefined
  /**
   * The run, shrunk if it was shrunk, beside the one without faults. Absent: it was not recorded, because there were
   * simpler failures.
   */
  readonly timeline?: Timeline | undefined
}

/** Failures that are easier to understand come first. */
export function bySize(a: ExploreFailure, b: ExploreFailure): number {
  return a.faults.length - b.faults.length || a.problems.length - b.problems.length || a.calls.length - b.calls.length
}
