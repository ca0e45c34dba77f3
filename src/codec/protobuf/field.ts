/** Fields of a message: what both directions know about one of them. */
import type { Json, JsonObject } from '../../api/json.ts'
import { ProtobufError, wireType, type WireReader } from './wire-reader.ts'
import type { WireWriter } from './wire-writer.ts'

/** `json` stands for bytes that hold JSON text. */
export type Scalar = 'string' | 'bool' | 'bytes' | 'int32' | 'int64' | 'double' | 'json'

export interface Field {
  /** In JSON; '' for an embedded struct, whose fields are in the same JSON object. */
  readonly name: string
  readonly label: 'one' | 'list' | 'map' | 'embedded'
  readonly type: Scalar | 'message'
  /** Of the value, or of a list's or map's values. */
  readonly message: MessageCodec | undefined
  /** Field number and wire type. */
  readonly tag: number
  /** Written also when it is unset: what is no pointer, list, map or bytes in Go. */
  readonly always: boolean
  /** JSON leaves the field out when it is zero, which protobuf writes. */
  readonly dropsZero: boolean
}

export interface MessageCodec {
  /** Short, as in upstream's errors: `ConfigMap`. */
  readonly name: string
  /** A message that comes in parts is joined, as proto2 has it; types with a JSON of their own take the last part. */
  readonly merges: boolean
  /** A nil slice in Go: an unset field is left out although the type is no pointer. */
  readonly nilable: boolean
  read(reader: WireReader, end: number): Json
  /** Reads up to `end` and adds to what is in the target. */
  readInto(target: JsonObject, reader: WireReader, end: number): void
  /** Null stands for the zero value. */
  write(writer: WireWriter, value: Json): void
}

/** Entries of a map are messages of a key and a value. */
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
