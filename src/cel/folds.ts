/** Loops, the expansion of macros. The accumulator is initialized on first access. */
import { takeSteps } from '../api/step-limit.ts'
import { CelError, CelList, CelMap, type CelResult } from './library.ts'
import type { Evaluate, EvaluationRun } from './evaluation-run.ts'
import { EntryMap, GrowingList } from './values.ts'

export interface FoldParts {
  readonly range: Evaluate
  readonly init: Evaluate
  readonly condition: Evaluate
  readonly step: Evaluate
  readonly result: Evaluate
  /** Slots of the accumulator and of the one or two variables. */
  readonly held: number
  readonly first: number
  readonly second: number | undefined
  /** True for `cel.bind`: a named value and not a loop. */
  readonly isBinding: boolean
}

export function planFold(parts: FoldParts): Evaluate {
  const { range, init, held, result } = parts
  if (parts.isBinding) {
    return (run) => {
      run.slots[held] = init(run)
      return result(run)
    }
  }
  return (run) => {
    const over = range(run)
    if (over instanceof CelError) return over
    run.slots[held] = growing(init(run))
    const problem = iterate(parts, over, run)
    if (problem !== undefined) return problem
    const value = result(run)
    return value instanceof GrowingList ? value.finish() : value
  }
}

/** An empty list or map becomes one that can be appended to in place. */
function growing(value: CelResult): CelResult {
  if (value instanceof CelList && value.size === 0) return new GrowingList()
  return value instanceof CelMap && value.size === 0 ? new EntryMap() : value
}

function iterate(parts: FoldParts, over: CelResult, run: EvaluationRun): CelError | undefined {
  if (over instanceof CelList) {
    const { size } = over
    for (let i = 0; i < size; i++) {
      const goesOn =
        parts.second === undefined ? round(parts, run, over.at(i)) : round(parts, run, BigInt(i), over.at(i))
      if (!goesOn) return undefined
    }
    return undefined
  }
  if (over instanceof CelMap) {
    const keys = over.keys()
    takeSteps(4 * keys.length)
    for (const key of keys) if (!round(parts, run, key, over.get(key))) return undefined
    return undefined
  }
  const type = goTypeName(over)
  const message =
    parts.second === undefined
      ? `got '${type}', expected iterable type`
      : `unsupported comprehension range type: ${type}`
  return new CelError(message)
}

function round(parts: FoldParts, run: EvaluationRun, first: CelResult, second?: CelResult): boolean {
  run.slots[parts.first] = first
  if (parts.second !== undefined) run.slots[parts.second] = second
  if (parts.condition(run) === false) return false
  run.slots[parts.held] = parts.step(run)
  return true
}

/** Upstream's Go type name of a value that is neither a list nor a map. */
function goTypeName(value: CelResult): string {
  switch (typeof value) {
    case 'string':
      return 'types.String'
    case 'bigint':
      return 'types.Int'
    case 'number':
      return 'types.Double'
    case 'boolean':
      return 'types.Bool'
    default:
      return value === null ? 'types.Null' : 'types.Value'
  }
}
