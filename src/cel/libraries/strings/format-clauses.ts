/**
 * The clauses of `format` (`%s`, `%d`, ...): how each formats a value, and its error for unsupported values.
 */
import { goQuote } from '../../../api/go-format.ts'
import {
  CelDuration,
  CelError,
  CelList,
  CelMap,
  CelTimestamp,
  CelTypeValue,
  CelUint,
  type CelValue,
} from '../../library.ts'
import { toText } from '../standard/conversions.ts'
import { fixedText, floatText } from '../standard/go-numbers.ts'
import { compareCelTexts } from '../standard/ordering.ts'
import { typeNameOf } from '../standard/type-names.ts'

/** The value cannot be formatted, or the format is invalid; the message is cel-go's. */
export class FormatError extends Error {
  override readonly name = 'FormatError'
}

export type Clause = (value: CelValue) => string

/** The errors for a value of the wrong type; also reported for types when a program is created. */
export const clauseProblems = {
  s: (type: string) =>
    'string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, ' +
    `types, durations, and timestamps, was given ${type}`,
  d: (type: string) => `decimal clause can only be used on integers, was given ${type}`,
  f: (type: string) => `fixed-point clause can only be used on doubles, was given ${type}`,
  e: (type: string) => `scientific clause can only be used on doubles, was given ${type}`,
  b: (type: string) => `only integers and bools can be formatted as binary, was given ${type}`,
  x: (type: string) => `only integers, byte buffers, and strings can be formatted as hex, was given ${type}`,
  o: (type: string) => `octal clause can only be used on integers, was given ${type}`,
} as const

function refuse(clause: keyof typeof clauseProblems, value: CelValue): FormatError {
  return new FormatError(clauseProblems[clause](typeNameOf(value)))
}

/** `%s`. */
export function stringClause(value: CelValue): string {
  if (value === null) return 'null'
  if (value instanceof CelList) return listText(value)
  if (value instanceof CelMap) return mapText(value)
  if (!isPrintable(value)) throw refuse('s', value)
  const shown = toText(value)
  if (shown instanceof CelError) {
    throw new FormatError(`could not convert argument ${goQuote(shown.message)} to string`)
  }
  return shown as string
}

function isPrintable(value: CelValue): boolean {
  if (typeof value !== 'object') return true
  return (
    value instanceof CelUint ||
    value instanceof CelTimestamp ||
    value instanceof CelDuration ||
    value instanceof CelTypeValue ||
    value instanceof Uint8Array
  )
}

function listText(list: CelList): string {
  const items: string[] = []
  for (let i = 0; i < list.size; i++) items.push(literalText(list.at(i)))
  return `[${items.join(', ')}]`
}

function mapText(map: CelMap): string {
  const entries: [string, string][] = map.keys().map((key) => {
    const name = literalKey(key)
    return [name, literalText(map.get(key) as CelValue)]
  })
  entries.sort(([a], [b]) => compareCelTexts(a, b))
  return `{${entries.map(([key, value]) => `${key}:${value}`).join(', ')}}`
}

function literalKey(key: CelValue): string {
  if (typeof key === 'string') return goQuote(key)
  if (typeof key === 'boolean' || typeof key === 'bigint') return String(key)
  if (key instanceof CelUint) return String(key.value)
  throw new FormatError(`no formatting function for map key of type ${typeNameOf(key)}`)
}

/** A value inside a list or map, in CEL syntax. */
function literalText(value: CelValue): string {
  if (typeof value === 'number') {
    return Number.isFinite(value) ? signedFixed(value, 6) : goQuote(floatText(value))
  }
  if (value instanceof CelTimestamp) return `timestamp(${goQuote(stringClause(value))})`
  if (value instanceof CelDuration) return `duration(${goQuote(stringClause(value))})`
  if (value === null || value instanceof CelList || value instanceof CelMap) return stringClause(value)
  if (!isPrintable(value)) throw new FormatError(`no formatting function for ${typeNameOf(value)}`)
  const shown = stringClause(value)
  if (typeof value === 'string') return goQuote(shown)
  return value instanceof Uint8Array ? `b${goQuote(shown)}` : shown
}

/** Go also prints the sign of a negative zero. */
function signedFixed(value: number, precision: number): string {
  return Object.is(value, -0) ? `-${fixedText(0, precision)}` : fixedText(value, precision)
}

/** `%d`. */
export function decimalClause(value: CelValue): string {
  return integerOf(value, 'd').toString()
}

function integerOf(value: CelValue, clause: keyof typeof clauseProblems): bigint {
  if (typeof value === 'bigint') return value
  if (value instanceof CelUint) return value.value
  throw refuse(clause, value)
}

/** `%b`. */
export function binaryClause(value: CelValue): string {
  if (typeof value === 'boolean') return value ? '1' : '0'
  return integerOf(value, 'b').toString(2)
}

/** `%o`. */
export function octalClause(value: CelValue): string {
  return integerOf(value, 'o').toString(8)
}

/** `%x`. */
export function hexClause(value: CelValue): string {
  if (typeof value === 'string') return Buffer.from(value).toString('hex')
  if (value instanceof Uint8Array) return Buffer.from(value).toString('hex')
  return integerOf(value, 'x').toString(16)
}

/** A double, or one of the three texts that represent one. */
function doubleOf(value: CelValue, clause: 'f' | 'e'): number {
  if (typeof value === 'number') return value
  if (value === 'NaN') return NaN
  if (value === 'Infinity') return Infinity
  if (value === '-Infinity') return -Infinity
  throw refuse(clause, value)
}

function notFinite(value: number): string {
  return Number.isNaN(value) ? 'NaN' : value > 0 ? '∞' : '-∞'
}

/** No double has more decimals; further digits are zeros. */
const maxFractionDigits = 1074
/** Upstream stores the precision in a byte: larger values add no zeros, but digits still count. */
const maxZeros = 256
const thousands = /\B(?=(?:\d{3})+$)/g

/** `%f` and `%.Nf`, with commas between thousands. */
export function fixedClause(value: CelValue, precision = 6): string {
  const double = doubleOf(value, 'f')
  if (!Number.isFinite(double)) return notFinite(double)
  const text = fixedText(double, Math.min(precision, maxFractionDigits))
  const [integer, fraction] = text.split('.') as [string, string?]
  const grouped = integer.replace(thousands, ',')
  if (fraction === undefined) return grouped
  if (precision < maxZeros) return `${grouped}.${fraction}`
  const shown = fraction.replace(/0+$/, '').padEnd(precision % maxZeros, '0')
  return shown === '' ? grouped : `${grouped}.${shown}`
}

const superscripts = '⁰¹²³⁴⁵⁶⁷⁸⁹'

/** `%e`: always six decimals; cel-go treats a precision as a width, which has no effect. */
export function scientificClause(value: CelValue): string {
  const double = doubleOf(value, 'e')
  if (!Number.isFinite(double)) return notFinite(double)
  const [mantissa, exponent] = roundedExponential(double).split('e') as [string, string]
  const power = Math.abs(Number(exponent)).toString().padStart(2, '0')
  const raised = power.replace(/\d/g, (digit) => superscripts.charAt(Number(digit)))
  return `${mantissa}×10${exponent.startsWith('-') ? '⁻' : ''}${raised}`
}

const exactTie = /^(-?\d\.\d{5}(\d))50*e/

/** Six decimals; ties round to even, whereas JavaScript rounds up. */
function roundedExponential(value: number): string {
  const tie = exactTie.exec(value.toExponential(20))
  if (tie === null || Number(tie[2]) % 2 === 1) return value.toExponential(6)
  return tie[1] + value.toExponential().slice(value.toExponential().indexOf('e'))
}
