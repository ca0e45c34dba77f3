/**
 * The string functions that Kubernetes enables: version 2 of cel-go's extension, so there is no `reverse`.
 */
import { takeSteps } from '../../../api/step-limit.ts'
import {
  addEstimates,
  maxCost,
  multiplyEstimates,
  type Estimate,
  scaleEstimate,
  stringTraversalFactor,
} from '../../costs.ts'
import {
  actualSize,
  type CallEstimate,
  type CallNode,
  CelError,
  type CelList,
  type CelResult,
  dynType,
  intType,
  type Library,
  listOf,
  listType,
  stringType,
} from '../../library.ts'
import { type Costs, declare, method, overload, traversal, traversalOfSameSize } from '../declare.ts'
import { searchCosts } from '../lists/costs.ts'
import { toText } from '../standard/conversions.ts'
import { formatText } from './format.ts'
import { FormatError } from './format-clauses.ts'
import {
  charAt,
  indexOf,
  lastIndexOf,
  lowerAscii,
  PositionError,
  quote,
  replace,
  split,
  substring,
  trim,
  upperAscii,
} from './text.ts'

function guarded<Args extends unknown[]>(run: (...args: Args) => CelResult): (...args: Args) => CelResult {
  return (...args) => {
    try {
      return run(...args)
    } catch (error) {
      if (error instanceof PositionError || error instanceof FormatError) return new CelError(error.message)
      throw error
    }
  }
}

function join(list: CelList, separator = ''): CelResult {
  const parts: string[] = []
  for (let i = 0; i < list.size; i++) {
    const item = list.at(i)
    if (typeof item !== 'string') {
      const shown = toText(item)
      return new CelError(`join: invalid input: ${shown instanceof CelError ? shown.message : String(shown)}`)
    }
    takeSteps(2 + ((item.length + separator.length) >> 2))
    parts.push(item)
  }
  return parts.join(separator)
}

const joinCosts: Costs = {
  cost: (_args, result) => Math.ceil(actualSize(result) * 2 * stringTraversalFactor),
  estimate: (call) => {
    const { target, args } = call
    if (target === undefined) return undefined
    const list = call.sizeOf(target)
    const element = call.elementOf(target)
    let size: Estimate = { min: 0, max: 0 }
    if (element !== undefined) size = multiplyEstimates(list, call.sizeOf(element))
    const [separator] = args
    if (separator !== undefined) {
      const gaps = { min: Math.max(list.min - 1, 0), max: Math.max(list.max - 1, 0) }
      size = addEstimates(size, multiplyEstimates(call.sizeOf(separator), gaps))
    }
    return { cost: scaleEstimate(size, stringTraversalFactor), resultSize: size }
  },
}

const replaceCosts: Costs = { ...traversal(2), estimate: estimateReplace }

/** The result may be longer or shorter than the text; both bounds assume the extreme case. */
function estimateReplace(call: CallNode): CallEstimate | undefined {
  const {
    target,
    args: [part, by],
  } = call
  if (target === undefined || part === undefined || by === undefined) return undefined
  const text = call.sizeOf(target)
  const from = call.sizeOf(part)
  const to = call.sizeOf(by)
  let most = Math.ceil(text.max / from.min)
  let keptMost = 0
  if (from.min === 0) [most, keptMost] = [Math.min(text.max + 1, maxCost), text.max]
  else if (to.max <= from.min) [most, keptMost] = [0, text.max]
  let least = Math.ceil(text.min / from.max)
  let keptLeast = 0
  if (from.max === 0) [least, keptLeast] = [text.min + 1, text.min]
  else if (from.max <= to.min) [least, keptLeast] = [0, text.min]
  const replaced = multiplyEstimates({ min: least, max: most }, to)
  return {
    cost: scaleEstimate(text, 2 * stringTraversalFactor),
    resultSize: addEstimates(replaced, { min: keptLeast, max: keptMost }),
  }
}

const splitCosts: Costs = {
  ...traversal(2),
  estimate: (call) => {
    const { target, args } = call
    if (target === undefined) return undefined
    const size = call.sizeOf(target)
    const limit = args[1]?.literal
    const max = typeof limit === 'bigint' ? Number(BigInt.asUintN(64, limit)) : size.max
    return { cost: scaleEstimate(size, 2 * stringTraversalFactor), resultSize: { min: 0, max } }
  },
}

const quoteCosts: Costs = {
  ...traversal(),
  estimate: (call) => {
    const [text] = call.args
    if (text === undefined) return undefined
    const size = call.sizeOf(text)
    // Upstream's sum overflows: the quotes of an unbounded string count as zero.
    const max = size.max >= maxCost ? 0 : size.max * 2 + 2
    return { cost: scaleEstimate(size, stringTraversalFactor), resultSize: { min: size.min + 2, max } }
  },
}

const text = stringType
const texts = listType(stringType)
const listOfTexts = (...args: Parameters<typeof split>): CelResult => listOf(split(...args))

export const stringsLibrary: Library = {
  name: 'cel.lib.ext.strings',
  functions: [
    declare('charAt', method('string_char_at_int', [text, intType], text, guarded(charAt))),
    declare(
      'indexOf',
      method('string_index_of_string', [text, text], intType, guarded(indexOf), searchCosts),
      method('string_index_of_string_int', [text, text, intType], intType, guarded(indexOf), searchCosts),
    ),
    declare(
      'lastIndexOf',
      method('string_last_index_of_string', [text, text], intType, guarded(lastIndexOf), searchCosts),
      method('string_last_index_of_string_int', [text, text, intType], intType, guarded(lastIndexOf), searchCosts),
    ),
    declare('lowerAscii', method('string_lower_ascii', [text], text, lowerAscii, traversalOfSameSize)),
    declare(
      'replace',
      method('string_replace_string_string', [text, text, text], text, replace, replaceCosts),
      method('string_replace_string_string_int', [text, text, text, intType], text, replace, replaceCosts),
    ),
    declare(
      'split',
      method('string_split_string', [text, text], texts, listOfTexts, splitCosts),
      method('string_split_string_int', [text, text, intType], texts, listOfTexts, splitCosts),
    ),
    declare(
      'substring',
      method('string_substring_int', [text, intType], text, guarded(substring), traversalOfSameSize),
      method('string_substring_int_int', [text, intType, intType], text, guarded(substring), traversalOfSameSize),
    ),
    declare('trim', method('string_trim', [text], text, trim, traversalOfSameSize)),
    declare('upperAscii', method('string_upper_ascii', [text], text, upperAscii, traversalOfSameSize)),
    declare('format', method('string_format', [text, listType(dynType)], text, guarded(formatText), traversal())),
    declare('strings.quote', overload('strings_quote', [text], text, quote, quoteCosts)),
    declare(
      'join',
      method('list_join', [texts], text, join, joinCosts),
      method('list_join_string', [texts, text], text, join, joinCosts),
    ),
  ],
}
