/** Type conversions: `int(x)`, `string(x)` and others, with their error messages. */
import {
  CelDuration,
  CelError,
  CelTimestamp,
  CelTypeValue,
  CelUint,
  type CelResult,
  type CelValue,
} from '../../library.ts'
import { timestampOverflow } from './arithmetic.ts'
import { durationText, parseGoDuration } from './duration.ts'
import { floatText, isInt64Range, parseBool, parseFloat64, parseInt64, parseUint64 } from './go-numbers.ts'
import { isInRange, parseTimestamp, timestampText, unixSeconds } from './timestamp.ts'
import { typeNameOf } from './type-names.ts'

const intOverflow = new CelError('integer overflow')
const uintOverflow = new CelError('unsigned integer overflow')
const invalidUtf8 = new CelError('invalid UTF-8 in bytes, cannot convert to string')
const two63 = 2 ** 63
const two64 = 2 ** 64

function conversionError(value: CelValue, to: string): CelError {
  return new CelError(`type conversion error from '${typeNameOf(value)}' to '${to}'`)
}

export function toInt(value: CelValue): CelResult {
  if (typeof value === 'bigint') return value
  if (typeof value === 'number') {
    return value > -two63 && value < two63 ? BigInt(Math.trunc(value)) : intOverflow
  }
  if (value instanceof CelUint) return isInt64Range(value.value) ? value.value : intOverflow
  if (value instanceof CelDuration) return value.nanos
  if (value instanceof CelTimestamp) return unixSeconds(value.nanos)
  const parsed = typeof value === 'string' ? parseInt64(value) : undefined
  return parsed ?? conversionError(value, 'int')
}

export function toUint(value: CelValue): CelResult {
  if (value instanceof CelUint) return value
  if (typeof value === 'bigint') return value >= 0n ? new CelUint(value) : uintOverflow
  if (typeof value === 'number') {
    return value >= 0 && value < two64 ? new CelUint(BigInt(Math.trunc(value))) : uintOverflow
  }
  const parsed = typeof value === 'string' ? parseUint64(value) : undefined
  return parsed === undefined ? conversionError(value, 'uint') : new CelUint(parsed)
}

export function toDouble(value: CelValue): CelResult {
  if (typeof value === 'number') return value
  if (typeof value === 'bigint') return Number(value)
  if (value instanceof CelUint) return Number(value.value)
  const parsed = typeof value === 'string' ? parseFloat64(value) : undefined
  return parsed ?? conversionError(value, 'double')
}

export function toBool(value: CelValue): CelResult {
  if (typeof value === 'boolean') return value
  const parsed = typeof value === 'string' ? parseBool(value) : undefined
  return parsed ?? conversionError(value, 'bool')
}

export function toBytes(value: CelValue): CelResult {
  if (value instanceof Uint8Array) return value
  return typeof value === 'string' ? Buffer.from(value) : conversionError(value, 'bytes')
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** `string(x)` of the built-in types. */
export function toText(value: CelValue): CelResult {
  if (typeof value === 'string') return value
  if (typeof value === 'bigint' || typeof value === 'boolean') return String(value)
  if (typeof value === 'number') return floatText(value)
  if (value instanceof CelUint) return value.value.toString()
  if (value instanceof CelDuration) return durationText(value.nanos)
  if (value instanceof CelTimestamp) return timestampText(value)
  if (value instanceof CelTypeValue) return value.name
  if (!(value instanceof Uint8Array)) return conversionError(value, 'string')
  try {
    return utf8.decode(value)
  } catch {
    return invalidUtf8
  }
}

export function toTimestamp(value: CelValue): CelResult {
  if (value instanceof CelTimestamp) return value
  if (typeof value === 'bigint') {
    const nanos = value * 1_000_000_000n
    return isInRange(nanos) ? new CelTimestamp(nanos) : timestampOverflow
  }
  const parsed = typeof value === 'string' ? parseTimestamp(value) : undefined
  if (parsed === undefined) return conversionError(value, 'google.protobuf.Timestamp')
  return isInRange(parsed.nanos) ? new CelTimestamp(parsed.nanos, parsed.offset) : timestampOverflow
}

/** An int cannot be converted, although `duration(int)` passes the type check. */
export function toDuration(value: CelValue): CelResult {
  if (value instanceof CelDuration) return value
  const parsed = typeof value === 'string' ? parseGoDuration(value) : undefined
  return parsed === undefined ? conversionError(value, 'google.protobuf.Duration') : new CelDuration(parsed)
}
