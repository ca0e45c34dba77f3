/** Kubernetes' regular expressions: `findRegex` and `findAllRegex`. */
import {
  addEstimates,
  multiplyEstimates,
  regexLengthFactor,
  scaleCost,
  scaleEstimate,
  stringTraversalFactor,
} from '../../costs.ts'
import {
  actualSize,
  type CallEstimate,
  type CallNode,
  CelError,
  type CelResult,
  type CelValue,
  intType,
  type Library,
  listOf,
  listType,
  stringType,
} from '../../library.ts'
import { type Costs, declare, method } from '../declare.ts'
import { compileRegex, findRegex, findAllRegex, RegexError } from '../../../api/regex.ts'

/** Converts a pattern error into a CEL error. */
export function guardPattern(run: () => CelResult, prefix: string): CelResult {
  try {
    return run()
  } catch (error) {
    if (error instanceof RegexError) return new CelError(prefix + error.message)
    throw error
  }
}

/** A literal pattern must compile when the program is created. */
export const preparePattern: Required<Pick<Costs, 'prepare'>> = {
  prepare: ([, pattern]) => {
    if (typeof pattern !== 'string') return undefined
    const result = guardPattern(() => compileRegex(pattern) && null, '')
    return result instanceof CelError ? result : undefined
  },
}

/** Cost of matching a text: at least 1, even for an empty text. */
export function patternCost([text, pattern]: readonly CelValue[]): number {
  const steps = scaleCost(1 + actualSize(text as CelValue), stringTraversalFactor)
  return steps * scaleCost(actualSize(pattern as CelValue), regexLengthFactor)
}

export function estimatePattern(call: CallNode): CallEstimate | undefined {
  const {
    target,
    args: [pattern],
  } = call
  if (target === undefined || pattern === undefined) return undefined
  const text = addEstimates(call.sizeOf(target), { min: 1, max: 1 })
  const each = scaleEstimate(call.sizeOf(pattern), regexLengthFactor)
  return { cost: multiplyEstimates(scaleEstimate(text, stringTraversalFactor), each) }
}

const findCosts: Costs = {
  ...preparePattern,
  cost: patternCost,
  estimate: (call) => {
    const estimate = estimatePattern(call)
    if (estimate === undefined || call.target === undefined) return undefined
    return { ...estimate, resultSize: { min: 0, max: call.sizeOf(call.target).max } }
  },
}

const illegal = 'Illegal regex: '
const findOne = (text: string, pattern: string): CelResult => guardPattern(() => findRegex(text, pattern), illegal)
const findSome = (text: string, pattern: string, limit?: bigint): CelResult =>
  guardPattern(() => listOf(findAllRegex(text, pattern, limit)), illegal)

const text = stringType
const texts = listType(stringType)

export const regexLibrary: Library = {
  name: 'kubernetes.regex',
  functions: [
    declare('find', method('string_find_string', [text, text], text, findOne, findCosts)),
    declare(
      'findAll',
      method('string_find_all_string', [text, text], texts, findSome, findCosts),
      method('string_find_all_string_int', [text, text, intType], texts, findSome, findCosts),
    ),
  ],
}
