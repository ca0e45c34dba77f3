/** Type names in messages and in `type(x)`. */
import {
  CelDuration,
  CelList,
  CelMap,
  CelObject,
  CelOptional,
  CelTimestamp,
  CelTypeValue,
  CelUint,
  type CelValue,
} from '../../library.ts'

export function typeNameOf(value: CelValue): string {
  if (typeof value === 'string') return 'string'
  if (typeof value === 'bigint') return 'int'
  if (typeof value === 'boolean') return 'bool'
  if (typeof value === 'number') return 'double'
  if (value === null) return 'null_type'
  if (value instanceof CelList) return 'list'
  if (value instanceof CelMap) return value.objectName ?? 'map'
  if (value instanceof CelUint) return 'uint'
  if (value instanceof Uint8Array) return 'bytes'
  if (value instanceof CelTimestamp) return 'google.protobuf.Timestamp'
  if (value instanceof CelDuration) return 'google.protobuf.Duration'
  if (value instanceof CelOptional) return 'optional_type'
  if (value instanceof CelTypeValue) return 'type'
  return value instanceof CelObject ? value.type.name : 'dyn'
}
