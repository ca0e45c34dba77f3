/** One requirement on labels: evaluation, text form and validation. */
import { fieldErrorMessage, type FieldError } from './field-error.ts'
import { goQuote } from './go-format.ts'
import { checkLabelValue, checkQualifiedName } from './names.ts'

export type Labels = Readonly<Record<string, string>>

export type SelectorOperator = 'in' | 'notin' | '=' | '==' | '!=' | 'gt' | 'lt' | 'exists' | '!'

export interface LabelRequirement {
  readonly key: string
  readonly operator: SelectorOperator
  /** One value for `=`, `==`, `!=`, `gt` and `lt`; no values for `exists` and `!`. */
  readonly values: readonly string[]
}

/** True if the labels match a requirement. */
export type Test = (labels: Labels | undefined) => boolean

function valueOf(labels: Labels | undefined, key: string): string | undefined {
  return labels !== undefined && Object.hasOwn(labels, key) ? labels[key] : undefined
}

/** Compiled once per selector, called once per object. */
export function testOf({ key, operator, values }: LabelRequirement): Test {
  const [single] = values
  const among = new Set(values)
  switch (operator) {
    case 'exists':
      return (labels) => valueOf(labels, key) !== undefined
    case '!':
      return (labels) => valueOf(labels, key) === undefined
    case 'gt':
    case 'lt':
      return orderTest(key, operator, parseInt64(single ?? ''))
    case 'in':
    case '=':
    case '==':
      if (values.length === 1) return (labels) => valueOf(labels, key) === single
      return (labels) => {
        const value = valueOf(labels, key)
        return value !== undefined && among.has(value)
      }
    default:
      if (values.length === 1) return (labels) => valueOf(labels, key) !== single
      return (labels) => {
        const value = valueOf(labels, key)
        return value === undefined || !among.has(value)
      }
  }
}

function orderTest(key: string, operator: 'gt' | 'lt', limit: bigint | undefined): Test {
  return (labels) => {
    const value = parseInt64(valueOf(labels, key) ?? '')
    if (value === undefined || limit === undefined) return false
    return operator === 'gt' ? value > limit : value < limit
  }
}

const decimal = /^[+-]?[0-9]{1,64}$/

/** Undefined if the text is not a 64-bit integer. */
function parseInt64(text: string): bigint | undefined {
  if (!decimal.test(text)) return undefined
  const value = BigInt(text.startsWith('+') ? text.slice(1) : text)
  return BigInt.asIntN(64, value) === value ? value : undefined
}

/** The canonical text of one requirement. */
export function requirementText({ key, operator, values }: LabelRequirement): string {
  switch (operator) {
    case 'exists':
      return key
    case '!':
      return `!${key}`
    case 'in':
    case 'notin':
      return `${key} ${operator} (${values.toSorted().join(',')})`
    case 'gt':
      return `${key}>${values[0]}`
    case 'lt':
      return `${key}<${values[0]}`
    default:
      return key + operator + values[0]
  }
}

/** The errors of a requirement. Field paths are relative: `key`, `values[0][KEY]`. */
export function requirementErrors({ key, operator, values }: LabelRequirement): FieldError[] {
  const errors: FieldError[] = []
  const keyProblems = checkQualifiedName(key)
  if (keyProblems.length > 0) errors.push(invalid('key', goQuote(key), keyProblems.join('; ')))
  if ((operator === 'in' || operator === 'notin') && values.length === 0) {
    errors.push(invalid('values', 'null', "for 'in', 'notin' operators, values set can't be empty"))
  }
  if ((operator === 'exists' || operator === '!') && values.length > 0) {
    const detail = 'values set must be empty for exists and does not exist'
    errors.push(invalid('values', JSON.stringify(values), detail))
  }
  if ((operator === 'gt' || operator === 'lt') && parseInt64(values[0] ?? '') === undefined) {
    const detail = "for 'Gt', 'Lt' operators, the value must be an integer"
    errors.push(invalid('values[0]', goQuote(values[0] ?? ''), detail))
  }
  values.forEach((value, i) => {
    const problems = checkLabelValue(value)
    if (problems.length > 0) errors.push(invalid(`values[${i}][${key}]`, goQuote(value), problems.join('; ')))
  })
  return errors
}

function invalid(field: string, value: string, detail: string): FieldError {
  return { type: 'Invalid', field, summary: `Invalid value: ${value}`, detail }
}

/** A single error unchanged, several as `[a, b]`. */
export function joinErrors(errors: readonly FieldError[]): string {
  const messages = [...new Set(errors.map(fieldErrorMessage))]
  return messages.length === 1 ? (messages[0] as string) : `[${messages.join(', ')}]`
}
