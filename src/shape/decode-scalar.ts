/** Decodes scalars, with the errors of upstream's JSON decoder. */
import { jsonTypeName } from '../api/go-format.ts'
import { parseGoTime } from '../api/go-time.ts'
import type { Json } from '../api/json.ts'
import { canonicalQuantity, QuantityError, resourceQuantity } from '../api/quantity.ts'
import type { ScalarShape } from './shape.ts'

/** A JSON value does not fit its Go type. */
export class UnmarshalError extends Error {
  /** The error of a type with its own UnmarshalJSON: it ends decoding and replaces earlier errors. */
  readonly final: boolean

  constructor(message: string, final = false) {
    super(message)
    this.name = 'UnmarshalError'
    this.final = final
  }
}

/** The position of the decoder: the current struct and the field names from the root. */
export interface Place {
  readonly struct: string
  readonly path: readonly string[]
  /**
   * The value is the result of an apply or a strategic merge patch, which upstream converts from a map, with other
   * messages.
   */
  readonly converted?: boolean
}

const nowhere: Place = { struct: '', path: [] }

/** `kind` is the Go kind of the type: `struct`, `slice`, `int32`. */
export function wrongType(
  value: Json,
  goType: string,
  kind: string,
  place: Place,
  described = jsonTypeName(value),
): UnmarshalError {
  if (place.converted === true) return new UnmarshalError(cannotConvert(value, goType, kind))
  const where = place.path.length === 0 ? 'Go value' : `Go struct field ${place.struct}.${place.path.join('.')}`
  return new UnmarshalError(`json: cannot unmarshal ${described} into ${where} of type ${goType}`)
}

function cannotConvert(value: Json, goType: string, kind: string): string {
  const given = Array.isArray(value)
    ? 'slice'
    : typeof value === 'object'
      ? 'map'
      : typeof value === 'number'
        ? Number.isInteger(value)
          ? 'int64'
          : 'float64'
        : typeof value === 'boolean'
          ? 'bool'
          : 'string'
  if (kind === 'slice' || kind === 'map') return `cannot restore ${kind} from ${given}`
  if (kind === 'struct') return `cannot restore struct from: ${given}`
  // Go can convert integers to strings and floats to integers, but upstream's converter rejects both.
  if (kind === 'string' ? given === 'int64' : given === 'float64' && /^u?int/.test(kind))
    return `cannot convert ${given} to ${goType}`
  return `unrecognized type: ${kind}`
}

/** The error of a type with its own UnmarshalJSON. */
function wrongText(value: Json, goType: string, place: Place, described = jsonTypeName(value)): UnmarshalError {
  return new UnmarshalError(
    wrongType(value, goType, goType, place.converted === true ? nowhere : place, described).message,
    true,
  )
}

/** `inList`: the value is in a resource list, where quantities are rounded. */
export function decodeScalar(value: Json, shape: ScalarShape, place: Place, inList = false): Json {
  switch (shape.scalar) {
    case 'string':
      if (typeof value !== 'string') throw wrongType(value, shape.goType ?? 'string', 'string', place)
      return value
    case 'boolean':
      if (typeof value !== 'boolean') throw wrongType(value, shape.goType ?? 'bool', 'bool', place)
      return value
    case 'integer':
      return decodeInteger(value, shape, place)
    case 'number':
      if (typeof value !== 'number') throw wrongType(value, shape.goType ?? 'float64', 'float64', place)
      return value
    case 'intOrString':
      return decodeIntOrString(value, place)
    case 'bytes':
      return decodeBytes(value, place)
    case 'time':
      return decodeTime(value, place, false)
    case 'microTime':
      return decodeTime(value, place, true)
    case 'duration':
      if (typeof value !== 'string') throw wrongText(value, 'string', place)
      return value
    case 'quantity':
      return decodeQuantity(value, inList)
  }
}

const bounds: Record<string, readonly [number, number]> = {
  int32: [-(2 ** 31), 2 ** 31 - 1],
  int64: [-(2 ** 63), 2 ** 63],
}

function decodeInteger(value: Json, shape: ScalarShape, place: Place): Json {
  const format = shape.format ?? 'int64'
  const goType = shape.goType ?? format
  if (typeof value !== 'number') throw wrongType(value, goType, format, place)
  const [low, high] = bounds[format] ?? [-Infinity, Infinity]
  if (Number.isInteger(value) && value >= low && value <= high) return value
  // Upstream does not check the range here, and truncates the number.
  if (place.converted === true && Number.isSafeInteger(value)) return Number(BigInt.asIntN(32, BigInt(value)))
  throw wrongType(value, goType, format, place, `number ${value}`)
}

function decodeIntOrString(value: Json, place: Place): Json {
  if (typeof value === 'string') return value
  if (typeof value !== 'number') throw wrongText(value, 'int32', place)
  if (!Number.isInteger(value) || value > 2 ** 31 - 1 || value < -(2 ** 31))
    throw wrongText(value, 'int32', place, `number ${value}`)
  return value
}

function decodeBytes(value: Json, place: Place): Json {
  if (Array.isArray(value)) return Buffer.from(value.map((item) => decodeByte(item, place))).toString('base64')
  if (typeof value !== 'string') throw wrongType(value, '[]uint8', 'slice', place)
  const clean = value.replace(/[\r\n]/g, '')
  const bad = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(clean) ? -1 : firstBadByte(clean)
  if (bad >= 0)
    throw new UnmarshalError(
      `${place.converted === true ? 'error decoding from json: ' : ''}illegal base64 data at input byte ${bad}`,
    )
  return clean.endsWith('=') ? Buffer.from(clean, 'base64').toString('base64') : clean
}

/** A byte of a []byte that was sent as a list of numbers. */
function decodeByte(value: Json, place: Place): number {
  if (value === null) return 0
  if (typeof value !== 'number') throw wrongType(value, 'uint8', 'uint8', place)
  if (Number.isInteger(value) && value >= 0 && value <= 255) return value
  if (place.converted === true && Number.isSafeInteger(value)) return Number(BigInt.asUintN(8, BigInt(value)))
  throw wrongType(value, 'uint8', 'uint8', place, `number ${value}`)
}

function firstBadByte(text: string): number {
  const stop = text.search(/[^A-Za-z0-9+/]/)
  if (stop < 0) return text.length - (text.length % 4)
  if (text[stop] !== '=' || stop % 4 < 2) return stop
  if (stop % 4 === 3) return stop + 1
  // There must be two padding characters, and nothing after them.
  if (stop + 1 === text.length) return text.length
  return text[stop + 1] === '=' ? stop + 2 : stop
}

/** Canonical already, with a day that every month has: nothing to do. */
const canonicalTime = /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\dZ$/

function decodeTime(value: Json, place: Place, micro: boolean): Json {
  if (typeof value !== 'string') throw wrongText(value, 'string', place)
  if (!micro && canonicalTime.test(value)) return value
  const time = parseGoTime(value, micro ? '2006-01-02T15:04:05.000000Z07:00' : '2006-01-02T15:04:05Z07:00')
  if (typeof time === 'string') throw new UnmarshalError(time, true)
  const { milliseconds, fraction } = time
  const seconds = new Date(milliseconds).toISOString().slice(0, 19)
  return micro ? `${seconds}.${fraction}Z` : `${seconds}Z`
}

const wrongQuantity = "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"

function decodeQuantity(value: Json, inList: boolean): Json {
  if (typeof value !== 'string' && typeof value !== 'number') throw new UnmarshalError(wrongQuantity, true)
  try {
    return inList ? resourceQuantity(value) : canonicalQuantity(value)
  } catch (error) {
    if (error instanceof QuantityError) throw new UnmarshalError(error.message, true)
    throw error
  }
}
