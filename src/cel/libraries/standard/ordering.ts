/** The order of values: numbers of all types, strings by code point, bytes, booleans, timestamps, durations. */
import { takeSteps } from '../../../api/step-limit.ts'
import { CelDuration, CelError, CelTimestamp, CelUint, type CelValue } from '../../library.ts'
import { noSuchOverload } from './arithmetic.ts'

export type Order = -1 | 0 | 1

const unordered = new CelError('NaN values cannot be ordered')

/** -1, 0 or 1; an error if the values cannot be ordered. */
export function compareValues(a: CelValue, b: CelValue): Order | CelError {
  takeSteps(5)
  if (isNumber(a)) return isNumber(b) ? compareNumbers(a, b) : notANumber(a)
  if (typeof a === 'string') return typeof b === 'string' ? compareCelTexts(a, b) : noSuchOverload
  if (typeof a === 'boolean') return typeof b === 'boolean' ? order(Number(a), Number(b)) : noSuchOverload
  if (a instanceof CelTimestamp) return b instanceof CelTimestamp ? order(a.nanos, b.nanos) : noSuchOverload
  if (a instanceof CelDuration) return b instanceof CelDuration ? order(a.nanos, b.nanos) : noSuchOverload
  if (a instanceof Uint8Array && b instanceof Uint8Array) return Buffer.compare(a, b)
  return noSuchOverload
}

function notANumber(a: CelValue): CelError {
  return typeof a === 'number' && Number.isNaN(a) ? unordered : noSuchOverload
}

type CelNumber = bigint | number | CelUint

function isNumber(value: CelValue): value is CelNumber {
  return typeof value === 'bigint' || typeof value === 'number' || value instanceof CelUint
}

/** Integers compare exactly, signed with unsigned too; if one is a double, the other is converted to a double. */
export function compareNumbers(a: CelNumber, b: CelNumber): Order | CelError {
  const x = a instanceof CelUint ? a.value : a
  const y = b instanceof CelUint ? b.value : b
  if (typeof x === 'bigint' && typeof y === 'bigint') return order(x, y)
  const left = Number(x)
  const right = Number(y)
  return Number.isNaN(left) || Number.isNaN(right) ? unordered : order(left, right)
}

function order<T extends number | bigint>(a: T, b: T): Order {
  return a < b ? -1 : a > b ? 1 : 0
}

const surrogate = /[\ud800-\udfff]/

/** By code point: the order of UTF-8 bytes, not of UTF-16 units. */
export function compareCelTexts(a: string, b: string): Order {
  if (a === b) return 0
  takeSteps((a.length + b.length) >> 2)
  if (surrogate.test(a) || surrogate.test(b)) return Buffer.compare(Buffer.from(a), Buffer.from(b))
  return a < b ? -1 : 1
}
