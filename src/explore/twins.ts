/** The runs without faults with which others are compared. */
import type { Judge } from './judge.ts'
import type { KnownStep } from './search/runs.ts'
import type { RunParts } from './runner.ts'
import type { LaterEdit, TrialResult } from './trial.ts'

export interface Twin {
  readonly outcome: TrialResult
  /** Whether the end of a run must be the same. */
  readonly isComparable: boolean
  /** The user cannot do it at all. */
  readonly isVoid: boolean
}

/** With a twin the run may end when it comes to a moment of it. */
export type RunWithoutFaults = (parts: RunParts, twin?: TrialResult) => Promise<TrialResult>

export class Twins {
  readonly #judge: Judge
  readonly #run: RunWithoutFaults
  /** By the run without an edit, and the name of the edit. */
  readonly #known = new WeakMap<TrialResult, Map<string, Promise<Twin>>>()

  constructor(judge: Judge, run: RunWithoutFaults) {
    this.#judge = judge
    this.#run = run
  }

  /** With an edit: the run in which the user waits for rest before he does it. */
  of(known: KnownStep, edit: LaterEdit | undefined): Promise<Twin> {
    if (edit === undefined) return Promise.resolve({ outcome: known.twin, isComparable: true, isVoid: false })
    const twins = this.#known.get(known.twin) ?? new Map<string, Promise<Twin>>()
    this.#known.set(known.twin, twins)
    const twin = twins.get(edit.step.name) ?? this.#withEdit(known, edit)
    twins.set(edit.step.name, twin)
    return twin
  }

  /** The ends can be compared if it makes no difference whether the user waits for rest or not. */
  async #withEdit({ step, from, past, twin }: KnownStep, edit: LaterEdit): Promise<Twin> {
    const parts = { step, from, past, faults: [] }
    if (edit.step.startsFrom !== undefined)
      return this.#fresh({ ...parts, step: edit.step, from: edit.step.startsFrom }, twin)
    const outcome = await this.#run({ ...parts, edit })
    const isVoid = outcome.isVoid || outcome.problems.length > 0
    if (isVoid) return { outcome, isComparable: false, isVoid }
    const atOnce = await this.#run({ ...parts, edit: { ...edit, isAtOnce: true } }, outcome)
    const isComparable = !atOnce.isVoid && this.#judge.problems(outcome, atOnce).length === 0
    return { outcome, isComparable, isVoid }
  }

  /** The operator starts on another state; it may be as busy as in the usual run. */
  async #fresh(parts: RunParts, usual: TrialResult): Promise<Twin> {
    const outcome = await this.#run(parts)
    const isVoid = outcome.problems.length > 0
    return { outcome: { ...usual, end: outcome.end }, isComparable: !isVoid, isVoid }
  }
}
