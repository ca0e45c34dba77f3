/** The state of one evaluation: values of variables and the accumulated cost. */
import { takeSteps } from '../api/step-limit.ts'
import type { CelError, CelResult } from './library.ts'

/** Thrown if an evaluation exceeds its cost limit; nothing in an expression can absorb it. */
export class CostExceeded extends Error {
  override name = 'CostExceeded'
}

export const tooExpensive = 'operation cancelled: actual cost limit exceeded'

/** Thrown if an item inside a list or map is an error; ends the evaluation with it. */
export class EvaluationFailed extends Error {
  override name = 'EvaluationFailed'
  readonly error: CelError

  constructor(error: CelError) {
    super(error.message)
    this.error = error
  }
}

/** About what the evaluation of one node of an expression takes, whatever its cost. */
const nodeSteps = 5

export class EvaluationRun {
  cost = 0
  readonly limit: number
  /** Variables of the expression first, then those of its loops. */
  readonly slots: (CelResult | undefined)[]

  constructor(variables: readonly (CelResult | undefined)[], limit: number) {
    this.slots = [...variables]
    this.limit = limit
  }

  spend(cost: number): void {
    takeSteps(nodeSteps)
    this.cost += cost
    if (this.cost > this.limit) throw new CostExceeded()
  }
}

export type Evaluate = (run: EvaluationRun) => CelResult
