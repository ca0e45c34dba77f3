/** Description of a message field, shared by reading and writing. */
import type { Json, JsonObject } from '../../api/json.ts'
import { ProtobufError, wireType, type WireReader } from './wire-reader.ts'
import type { WireWriter } from './wire-writer.ts'

/** `json` means bytes that contain JSON text. */
export type Scalar = 'string' | 'bool' | 'bytes' | 'int32' | 'int64' | 'double' | 'json'

export interface Field {
  /** The JSON name; '' for an embedded struct, whose fields are part of the same JSON object. */
  readonly name: string
  readonly label: 'one' | 'list' | 'map' | 'embedded'
  readonly type: Scalar | 'message'
  /** The type of the value, or of a list's or map's values. */
  readonly message: MessageCodec | undefined
  /** Field number and wire type. */
  readonly tag: number
  /** Written even if unset: anything that is not a pointer, list, map or bytes in Go. */
  readonly always: boolean
  /** JSON omits the field if it is zero; protobuf writes it. */
  readonly dropsZero: boolean
}

export interface MessageCodec {
  /** The short name in upstream's errors: `ConfigMap`. */
  readonly name: string
  /** Repeated occurrences of the message are merged, as in proto2. For adapted types, the last one wins. */
  readonly merges: boolean
  /** A nil slice in Go: an unset field is omitted although the type is not a pointer. */
  readonly nilable: boolean
  read(reader: WireReader, end: number): Json
  /** Reads up to `end` and merges into the target. */
  readInto(target: JsonObject, reader: WireReader, end: number): void
  /** Null means the zero value. */
  write(writer: WireWriter, value: Json): void
}

/** Field numbers of map entries, which are messages with a key and a value. */
export const entryNumber = { key: 1, value: 2 } as const
export const keyTag = entryNumber.key * 8 + wireType.bytes

export function wireOf(type: Field['type']): number {
  if (type === 'bool' || type === 'int32' || type === 'int64') return wireType.varint
  return type === 'double' ? wireType.fixed64 : wireType.bytes
}

export function wrongWireType({ name, message }: Field, tag: number): ProtobufError {
  const goName = name === '' ? (message?.name ?? '') : `${(name[0] as string).toUpperCase()}${name.slice(1)}`
  return new ProtobufError(`proto: wrong wireType = ${tag & 7} for field ${goName}`)
}
