/** Kubernetes' named formats: `format.named`, `format.dns1123Label()` and the others, and `validate`. */
import { regexLengthFactor, scaleCost, scaleEstimate, stringTraversalFactor } from '../../costs.ts'
import {
  actualSize,
  CelError,
  CelObject,
  CelOptional,
  type CelResult,
  type CelType,
  type CelValue,
  type Library,
  listOf,
  listType,
  objectType,
  optionalType,
  stringType,
} from '../../library.ts'
import { type Costs, declare, method, overload } from '../declare.ts'
import { none } from '../optional/library.ts'
import { maxPatternLength, type NamedFormat, namedFormats } from './named-formats.ts'

export const formatType = objectType('kubernetes.NamedFormat') as CelType & { kind: 'object' }

export class FormatValue extends CelObject {
  readonly type = formatType
  readonly format: NamedFormat

  constructor(format: NamedFormat) {
    super()
    this.format = format
  }

  equals(other: CelObject): CelResult {
    if (!(other instanceof FormatValue)) return new CelError('no such overload')
    return this.format.name === other.format.name
  }
}

const values = new Map([...namedFormats].map(([name, format]) => [name, new FormatValue(format)]))

function named(name: string): CelResult {
  const format = values.get(name)
  return format === undefined ? none : new CelOptional(format)
}

/** `optional.none()` if the text is valid. */
function validate({ format }: FormatValue, text: string): CelResult {
  const problems = format.validate(text)
  return problems.length === 0 ? none : new CelOptional(listOf(problems))
}

const validateCosts: Costs = {
  cost: ([value, text]) => {
    if (!(value instanceof FormatValue)) return 1
    const steps = scaleCost(1 + actualSize(text as CelValue), stringTraversalFactor)
    return steps * scaleCost(value.format.patternSize, regexLengthFactor)
  },
  estimate: (call) => {
    const [text] = call.args
    if (text === undefined) return undefined
    const steps = scaleEstimate(call.sizeOf(text), stringTraversalFactor)
    return { cost: scaleEstimate(steps, maxPatternLength * regexLengthFactor) }
  },
}

export const formatLibrary: Library = {
  name: 'kubernetes.format',
  functions: [
    declare(
      'validate',
      method('format-validate', [formatType, stringType], optionalType(listType(stringType)), validate, validateCosts),
    ),
    declare('format.named', overload('format-named', [stringType], optionalType(formatType), named)),
    ...[...values].map(([name, value]) =>
      declare(
        `format.${name}`,
        overload(`format.${name}`, [], formatType, () => value),
      ),
    ),
  ],
}
