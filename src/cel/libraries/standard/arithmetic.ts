/**
 * Arithmetic: 64-bit integers with overflow errors, doubles, timestamps and durations. Every function accepts values of
 * any type and returns "no such overload" if the types do not match.
 */
import {
  CelDuration,
  CelError,
  CelList,
  CelTimestamp,
  CelUint,
  type CelResult,
  type CelValue,
  joinLists,
} from '../../library.ts'
import { isInt64Range, isUint64, minInt64 } from './go-numbers.ts'
import { isInRange } from './timestamp.ts'

export const noSuchOverload = new CelError('no such overload')
const intOverflow = new CelError('integer overflow')
const uintOverflow = new CelError('unsigned integer overflow')
const divisionByZero = new CelError('division by zero')
const modulusByZero = new CelError('modulus by zero')
export const timestampOverflow = new CelError('timestamp overflow')

function int(value: bigint): CelResult {
  return isInt64Range(value) ? value : intOverflow
}

function uint(value: bigint): CelResult {
  return isUint64(value) ? new CelUint(value) : uintOverflow
}

function duration(nanos: bigint): CelResult {
  return isInt64Range(nanos) ? new CelDuration(nanos) : intOverflow
}

function timestamp(nanos: bigint, offset: number): CelResult {
  return isInRange(nanos) ? new CelTimestamp(nanos, offset) : timestampOverflow
}

/** `a + b`: sums, and concatenation of strings, bytes and lists. */
export function add(a: CelValue, b: CelValue): CelResult {
  if (typeof a === 'bigint') return typeof b === 'bigint' ? int(a + b) : noSuchOverload
  if (typeof a === 'string') return typeof b === 'string' ? a + b : noSuchOverload
  if (typeof a === 'number') return typeof b === 'number' ? a + b : noSuchOverload
  if (a instanceof CelList) return b instanceof CelList ? concat(a, b) : noSuchOverload
  if (a instanceof CelUint) return b instanceof CelUint ? uint(a.value + b.value) : noSuchOverload
  if (a instanceof Uint8Array) return b instanceof Uint8Array ? Buffer.concat([a, b]) : noSuchOverload
  if (a instanceof CelDuration) {
    if (b instanceof CelDuration) return duration(a.nanos + b.nanos)
    return b instanceof CelTimestamp ? timestamp(a.nanos + b.nanos, b.offset) : noSuchOverload
  }
  if (a instanceof CelTimestamp && b instanceof CelDuration) return timestamp(a.nanos + b.nanos, a.offset)
  return noSuchOverload
}

function concat(a: CelList, b: CelList): CelResult {
  return a.concat(b) ?? joinLists(a, b)
}

/** `a - b`. */
export function subtract(a: CelValue, b: CelValue): CelResult {
  if (typeof a === 'bigint') return typeof b === 'bigint' ? int(a - b) : noSuchOverload
  if (typeof a === 'number') return typeof b === 'number' ? a - b : noSuchOverload
  if (a instanceof CelUint) return b instanceof CelUint ? uint(a.value - b.value) : noSuchOverload
  if (a instanceof CelDuration) return b instanceof CelDuration ? duration(a.nanos - b.nanos) : noSuchOverload
  if (a instanceof CelTimestamp) {
    if (b instanceof CelTimestamp) return duration(a.nanos - b.nanos)
    if (b instanceof CelDuration) {
      return b.nanos === minInt64 ? intOverflow : timestamp(a.nanos - b.nanos, a.offset)
    }
  }
  return noSuchOverload
}

/** `a * b`. */
export function multiply(a: CelValue, b: CelValue): CelResult {
  if (typeof a === 'bigint') return typeof b === 'bigint' ? int(a * b) : noSuchOverload
  if (typeof a === 'number') return typeof b === 'number' ? a * b : noSuchOverload
  if (a instanceof CelUint) return b instanceof CelUint ? uint(a.value * b.value) : noSuchOverload
  return noSuchOverload
}

/** `a / b`: integers truncate towards zero. */
export function divide(a: CelValue, b: CelValue): CelResult {
  if (typeof a === 'bigint') {
    if (typeof b !== 'bigint') return noSuchOverload
    return b === 0n ? divisionByZero : int(a / b)
  }
  if (typeof a === 'number') return typeof b === 'number' ? a / b : noSuchOverload
  if (!(a instanceof CelUint && b instanceof CelUint)) return noSuchOverload
  return b.value === 0n ? divisionByZero : uint(a.value / b.value)
}

/** `a % b`: has the sign of `a`. */
export function modulo(a: CelValue, b: CelValue): CelResult {
  if (typeof a === 'bigint') {
    if (typeof b !== 'bigint') return noSuchOverload
    if (b === 0n) return modulusByZero
    return a === minInt64 && b === -1n ? intOverflow : a % b
  }
  if (!(a instanceof CelUint && b instanceof CelUint)) return noSuchOverload
  return b.value === 0n ? modulusByZero : uint(a.value % b.value)
}

/** `-a`. */
export function negate(a: CelValue): CelResult {
  if (typeof a === 'bigint') return int(-a)
  if (typeof a === 'number') return -a
  return a instanceof CelDuration ? duration(-a.nanos) : noSuchOverload
}
