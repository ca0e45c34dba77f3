/** `size`, and the string functions of the language without extensions. */
import { multiplyEstimates, scaleCost, scaleEstimate, stringTraversalFactor } from '../../costs.ts'
import {
  actualSize,
  boolType,
  bytesType,
  type CelType,
  type CelValue,
  type FunctionDeclaration,
  intType,
  listType,
  mapType,
  paramType,
  stringType,
} from '../../library.ts'
import { type Costs, declare, method, overload } from '../declare.ts'
import { estimatePattern, guardPattern, patternCost, preparePattern } from '../regex/library.ts'
import { matchesRegex } from '../../../api/regex.ts'
import { takeSearchSteps } from '../strings/text.ts'

const size = (value: CelValue): bigint => BigInt(actualSize(value))

const sized: readonly [string, string, CelType][] = [
  ['size_bytes', 'bytes_size', bytesType],
  ['size_list', 'list_size', listType(paramType('A'))],
  ['size_map', 'map_size', mapType(paramType('A'), paramType('B'))],
  ['size_string', 'string_size', stringType],
]

/** The estimate counts the affix; the actual cost counts the text. */
const affixCosts: Costs = {
  cost: ([text]) => scaleCost(actualSize(text as CelValue), stringTraversalFactor),
  estimate: (call) => {
    const [affix] = call.args
    return affix && { cost: scaleEstimate(call.sizeOf(affix), stringTraversalFactor) }
  },
}

const containsCosts: Costs = {
  cost: ([text, part]) =>
    scaleCost(actualSize(text as CelValue), stringTraversalFactor) *
    scaleCost(actualSize(part as CelValue), stringTraversalFactor),
  estimate: (call) => {
    const {
      target,
      args: [part],
    } = call
    if (target === undefined || part === undefined) return undefined
    const text = scaleEstimate(call.sizeOf(target), stringTraversalFactor)
    return { cost: multiplyEstimates(text, scaleEstimate(call.sizeOf(part), stringTraversalFactor)) }
  },
}

const pair = [stringType, stringType]
const contains = (text: string, part: string): boolean => {
  takeSearchSteps(text, part)
  return text.includes(part)
}
const match = (text: string, pattern: string) => guardPattern(() => matchesRegex(text, pattern), '')

export const textFunctions: readonly FunctionDeclaration[] = [
  declare(
    'size',
    ...sized.flatMap(([id, memberId, type]) => [
      overload(id, [type], intType, size),
      method(memberId, [type], intType, size),
    ]),
  ),
  declare('contains', method('contains_string', pair, boolType, contains, containsCosts)),
  declare(
    'endsWith',
    method('ends_with_string', pair, boolType, (text: string, part: string) => text.endsWith(part), affixCosts),
  ),
  declare(
    'startsWith',
    method('starts_with_string', pair, boolType, (text: string, part: string) => text.startsWith(part), affixCosts),
  ),
  declare(
    'matches',
    // Only the member form has the cost of a pattern match.
    overload('matches', pair, boolType, match, preparePattern),
    method('matches_string', pair, boolType, match, {
      ...preparePattern,
      cost: patternCost,
      estimate: estimatePattern,
    }),
  ),
]
