/** Decoding of scalars, with the errors of upstream's JSON decoder. */
import { jsonTypeName } from '../../api/go-format.ts'
import type { Json } from '../../api/json.ts'
import { canonicalQuantity, QuantityError, resourceQuantity } from '../../api/quantity.ts'
import type { ScalarShape } from './shape.ts'

/** A JSON value that does not fit its Go type. */
export class UnmarshalError extends Error {
  /** The same complaint in the words of strategic merge, which restores objects in another way. */
  readonly restoring: string

  constructor(message: string, restoring = message) {
    super(message)
    this.name = 'UnmarshalError'
    this.restoring = restoring
  }
}

/** Where the decoder is: the struct it is in and the field names from the root. */
export interface Place {
  readonly struct: string
  readonly path: readonly string[]
}

export function wrongType(value: Json, goType: string, place: Place, described = jsonTypeName(value)): UnmarshalError {
  const where = place.path.length === 0 ? 'Go value' : `Go struct field ${place.struct}.${place.path.join('.')}`
  return new UnmarshalError(`json: cannot unmarshal ${described} into ${where} of type ${goType}`, restoringFails(value, goType))
}

function restoringFails(value: Json, goType: string): string {
  const kind = Array.isArray(value) ? 'slice' : typeof value === 'object' ? 'map'
    : typeof value === 'number' ? (Number.isInteger(value) ? 'int64' : 'float64') : typeof value === 'boolean' ? 'bool' : 'string'
  if (goType.includes('[]')) return `cannot restore slice from ${kind}`
  if (goType.startsWith('map[')) return `cannot restore map from ${kind}`
  if (/\.[A-Z]/.test(goType) && typeof value !== 'string') return `cannot restore struct from: ${kind}`
  return `unrecognized type: ${goType}`
}

/** `inList`: the value stands in a list of resources, where quantities are rounded. */
export function decodeScalar(value: Json, shape: ScalarShape, place: Place, inList = false): Json {
  switch (shape.scalar) {
    case 'string':
      if (typeof value !== 'string') throw wrongType(value, shape.goType ?? 'string', place)
      return value
    case 'boolean':
      if (typeof value !== 'boolean') throw wrongType(value, shape.goType ?? 'bool', place)
      return value
    case 'integer':
      return decodeInteger(value, shape, place)
    case 'number':
      if (typeof value !== 'number') throw wrongType(value, shape.goType ?? 'float64', place)
      return value
    case 'intOrString':
      return decodeIntOrString(value, place)
    case 'bytes':
      return decodeBytes(value, place)
    case 'time':
      return decodeTime(value, place, 'v1.Time', false)
    case 'microTime':
      return decodeTime(value, place, 'v1.MicroTime', true)
    case 'duration':
      if (typeof value !== 'string') throw wrongType(value, 'v1.Duration', place)
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
  const goType = shape.goType ?? shape.format ?? 'int64'
  if (typeof value !== 'number') throw wrongType(value, goType, place)
  const [low, high] = bounds[shape.format ?? 'int64'] ?? [-Infinity, Infinity]
  if (!Number.isInteger(value) || value < low || value > high) throw wrongType(value, goType, place, `number ${value}`)
  return value
}

function decodeIntOrString(value: Json, place: Place): Json {
  if (typeof value === 'string') return value
  if (typeof value !== 'number') throw wrongType(value, 'int32', { struct: '', path: [] })
  if (!Number.isInteger(value) || Math.abs(value) > 2 ** 31 - 1) {
    throw wrongType(value, 'int32', place.path.length === 0 ? place : { struct: '', path: [] }, `number ${value}`)
  }
  return value
}

function decodeBytes(value: Json, place: Place): Json {
  if (typeof value !== 'string') throw wrongType(value, '[]uint8', place)
  const clean = value.replace(/[\r\n]/g, '')
  const bad = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(clean) ? -1 : firstBadByte(clean)
  if (bad >= 0) throw new UnmarshalError(`illegal base64 data at input byte ${bad}`)
  return clean.endsWith('=') ? Buffer.from(clean, 'base64').toString('base64') : clean
}

function firstBadByte(text: string): number {
  const stop = text.search(/[^A-Za-z0-9+/]/)
  if (stop < 0) return text.length - (text.length % 4)
  if (text[stop] !== '=') return stop
  return stop % 4 < 2 ? stop : Math.min(text.length, stop + 1)
}

const rfc3339 = /^(\d{4})-(\d{2})-(\d{2})T(\d{2}):(\d{2}):(\d{2})(\.\d+)?(Z|[+-]\d{2}:\d{2})$/

/** Canonical already, and a day that every month has: nothing to do. */
const canonicalTime = /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\dZ$/

function decodeTime(value: Json, place: Place, goType: string, micro: boolean): Json {
  if (typeof value !== 'string') throw wrongType(value, goType === 'v1.Time' ? 'string' : 'string', { struct: '', path: [] })
  if (!micro && canonicalTime.test(value)) return value
  if (value === '' && !micro) return null
  const match = rfc3339.exec(value)
  const ms = match === null ? Number.NaN : Date.parse(value)
  if (match === null || Number.isNaN(ms)) {
    const layout = micro ? '2006-01-02T15:04:05.000000Z07:00' : '2006-01-02T15:04:05Z07:00'
    throw new UnmarshalError(`parsing time ${JSON.stringify(value)} as "${layout}": cannot parse ${JSON.stringify(value)} as "2006"`)
  }
  const seconds = new Date(ms).toISOString().slice(0, 19)
  if (!micro) return `${seconds}Z`
  return `${seconds}.${(match[7] ?? '.').slice(1, 7).padEnd(6, '0')}Z`
}

function decodeQuantity(value: Json, inList: boolean): Json {
  if (typeof value !== 'string' && typeof value !== 'number') throw new UnmarshalError("unable to parse quantity's suffix")
  try {
    return inList ? resourceQuantity(value) : canonicalQuantity(value)
  } catch (error) {
    if (error instanceof QuantityError) throw new UnmarshalError(error.message)
    throw error
  }
}
