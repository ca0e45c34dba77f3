/** Compiles an expression: parse, check, and create a program that can run any number of times. */
import { limitSteps, StepLimitExceeded, takeSteps } from '../api/step-limit.ts'
import { checkExpression, type Variables } from './checker.ts'
import { createEnvironment, type Environment } from './environment.ts'
import { estimateCost, type SizeLookup } from './estimator.ts'
import type { Estimate } from './costs.ts'
import { CelError, type CelResult, type CelType, type Runtime } from './library.ts'
import { languageLibrary } from './language.ts'
import { kubernetesLibraries } from './libraries/kubernetes.ts'
import { jsonPatchLibrary } from './libraries/json-patch/library.ts'
import { patchType } from './libraries/json-patch/values.ts'
import { add } from './libraries/standard/arithmetic.ts'
import { toText } from './libraries/standard/conversions.ts'
import { compareValues } from './libraries/standard/ordering.ts'
import { typeNameOf } from './libraries/standard/type-names.ts'
import { parseExpression } from './parser.ts'
import { PlanError, planProgram } from './planner.ts'
import { CostExceeded, EvaluationFailed, EvaluationRun, tooExpensive, type Evaluate } from './evaluation-run.ts'
import { describeIssues } from './source.ts'
import { validateExpression } from './validators.ts'
import { equalValues } from './values.ts'

export interface Expression {
  readonly type: CelType
  /** True if it uses the variable. */
  uses(variable: string): boolean
  /** Creates the program. Throws a {@link PlanError} if the expression can never run. */
  program(): Program
  /** The static cost estimate, with the limits from `sizes`. */
  estimate(sizes: SizeLookup): Estimate
}

export interface Evaluation {
  readonly result: CelResult
  readonly cost: number
  /** The cost limit was exceeded; the result is the error. */
  readonly exceeded: boolean
}

/** Runs with the values of the variables in their declared order. */
export type Program = (values: readonly (CelResult | undefined)[], limit: number) => Evaluation

const runtime: Runtime = {
  equal: (a, b) => equalValues(a, b) === true,
  equals: equalValues,
  compare: (a, b) => {
    const order = compareValues(a, b)
    return order instanceof CelError ? undefined : order
  },
  add,
  typeName: typeNameOf,
  toText,
}

let kubernetes: Environment | undefined
let patches: Environment | undefined

/** The environment of CRD validation rules; created on first use. */
export function kubernetesEnvironment(): Environment {
  kubernetes ??= createEnvironment([languageLibrary, ...kubernetesLibraries(runtime)])
  return kubernetes
}

/** The environment of the mutations of admission policies: also constructs objects and JSON patches. */
export function patchEnvironment(): Environment {
  patches ??= createEnvironment([languageLibrary, ...kubernetesLibraries(runtime), jsonPatchLibrary], patchType)
  return patches
}

/** The compiled expression, or upstream's error messages. */
export function compileExpression(text: string, variables: Variables, environment: Environment): Expression | string {
  // To parse, check and plan takes about 2.5 µs for each character.
  takeSteps(4000 + 250 * text.length)
  const parsed = parseExpression(text)
  if ('issues' in parsed) return describeIssues(text, parsed.issues)
  const { expr } = parsed
  const checked = checkExpression(expr, environment, variables)
  if (!('type' in checked)) return describeIssues(text, checked)
  const issues = validateExpression(expr)
  if (issues.length > 0) return describeIssues(text, issues)
  return {
    type: checked.type,
    uses: (variable) => checked.names.has(variable),
    program: () => programOf(planProgram(expr, environment, [...variables.keys()])),
    estimate: (sizes) => estimateCost(expr, sizes),
  }
}

function programOf(evaluate: Evaluate): Program {
  return (values, limit) => {
    const run = new EvaluationRun(values, limit)
    try {
      return { result: limitSteps(() => evaluate(run)), cost: run.cost, exceeded: false }
    } catch (error) {
      // Within upstream's costs, but not within ours: no rule of this object is run any more.
      if (error instanceof StepLimitExceeded) {
        return { result: new CelError(tooExpensive), cost: Infinity, exceeded: true }
      }
      if (error instanceof CostExceeded) return { result: new CelError(tooExpensive), cost: run.cost, exceeded: true }
      // The string is too long for JavaScript: treat it as too expensive.
      if (error instanceof RangeError) return { result: new CelError(tooExpensive), cost: limit + 1, exceeded: true }
      if (error instanceof EvaluationFailed) return { result: error.error, cost: run.cost, exceeded: false }
      throw error
    }
  }
}

export { PlanError }
