/** The runs of an exploration: what is known of a step, what to try, and what came of it. */
import type { Snapshot } from '../../cluster/embedded-handle.ts'
import type { OperatorView } from '../changes.ts'
import type { InjectedFault } from '../schedule.ts'
import type { ExploreStep, TrialResult } from '../trial.ts'

/** A step that was run without faults. */
export interface KnownStep {
  readonly step: ExploreStep
  /** The step that precedes in the scenario. */
  readonly before?: ExploreStep | undefined
  /** The step that follows in the scenario. */
  readonly next?: ExploreStep | undefined
  /** The state before the step. */
  readonly from: Snapshot
  /** An older state: as in the step before, right after the user had acted. */
  readonly past?: Snapshot | undefined
  /** The run without faults. */
  readonly twin: TrialResult
  readonly operator: OperatorView
}

/** A run to try. */
export interface PlannedRun extends KnownStep {
  readonly faults: readonly InjectedFault[]
}

export interface TriedRun extends PlannedRun {
  readonly outcome: TrialResult
  readonly problems: readonly string[]
  /** The states of the operator's objects, in order. */
  readonly states: readonly SeenState[]
}

export interface SeenState {
  /** Equal for equal objects. */
  readonly id: string
  /** Simulated milliseconds since the step began. */
  readonly atMs: number
}

/** Without what came of a run of the step: thousands of them are remembered. */
export function knownStep({ step, before, next, from, past, twin, operator }: KnownStep): KnownStep {
  return { step, before, next, from, past, twin, operator }
}

/** The method and path of a call, without what differs from run to run. */
export function targetOf({ method, path }: { readonly method: string; readonly path: string }): string {
  return `${method} ${path.replace(/\?.*/, '')}`
}
