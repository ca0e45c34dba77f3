/** What is left of a failing schedule without what the failure does not need. */
import type { InjectedFault } from './schedule.ts'

export interface ShrunkFailure {
  /** The value for `only`: the steps that are needed, and the faults, as in `create,delete/3/crash-after`. */
  readonly id: string
  /** The steps that are needed; the faults are in the last one. */
  readonly steps: readonly string[]
  readonly faults: readonly InjectedFault[]
  /** What the operator sent in the last step. */
  readonly calls: readonly string[]
  readonly problems: readonly string[]
  /** How many runs and reduced scenarios were tried. */
  readonly attempts: number
  /** False: the limit of attempts was reached, so that it may be possible to shrink it further. */
  readonly isComplete: boolean
}
