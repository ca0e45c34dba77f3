/**
 * Kubernetes protobuf: four magic bytes, an envelope with the kind (`runtime.Unknown`), and the object as the message
 * of that kind. A watch sends frames: a length, then an event that contains such an envelope.
 */
import type { JsonObject } from '../../api/json.ts'
import { envelopeEnd, readEnvelope, writeEnvelope, writeEnvelopeStart, type TypeMeta } from './envelope.ts'
import { protobufMessageType } from './kinds.ts'
import { messageOfType } from './message.ts'
import { ProtobufError, wireType, WireReader } from './wire-reader.ts'
import { WireWriter } from './wire-writer.ts'
import { writeField } from './write-field.ts'

export { ProtobufError } from './wire-reader.ts'

/** True if objects of the kind can be sent as protobuf. */
export function hasProtobuf(apiVersion: string, kind: string): boolean {
  return protobufMessageType(apiVersion, kind) !== undefined
}

/**
 * The object in a body, as a JSON client would have sent it; the caller must still pass it to the normal decoder.
 * `expected` fills in an absent kind or apiVersion. Throws {@link ProtobufError}.
 */
export function decodeProtobuf(bytes: Uint8Array, expected?: TypeMeta): JsonObject {
  const reader = new WireReader(bytes)
  const envelope = readEnvelope(reader, bytes)
  const kind = envelope.kind === '' ? (expected?.kind ?? '') : envelope.kind
  const apiVersion = envelope.apiVersion === '' ? (expected?.apiVersion ?? '') : envelope.apiVersion
  const where = `runtime.TypeMeta{APIVersion:${JSON.stringify(apiVersion)}, Kind:${JSON.stringify(kind)}}`
  if (kind === '') throw new ProtobufError(`Object 'Kind' is missing in '${where}'`)
  if (apiVersion === '') throw new ProtobufError(`Object 'apiVersion' is missing in '${where}'`)
  try {
    const type = protobufMessageType(apiVersion, kind)
    if (type === undefined) throw new ProtobufError(`no kind "${kind}" is registered for version "${apiVersion}"`)
    const object: JsonObject = { kind, apiVersion }
    reader.at = envelope.start
    messageOfType(type).readInto(object, reader, envelope.end)
    return object
  } catch (error) {
    if (error instanceof ProtobufError) Object.assign(error, { kind, apiVersion })
    throw error
  }
}

/**
 * Upstream's message of the 400 response to an invalid body. If the envelope is invalid, it shows the first 30 bytes.
 */
export function describeDecodeError(error: ProtobufError, bytes: Uint8Array, expectedKind: string): string {
  if (error.kind !== undefined) {
    const version = (error.apiVersion ?? '').slice((error.apiVersion ?? '').lastIndexOf('/') + 1)
    return `${error.kind} in version "${version}" cannot be handled as a ${expectedKind}: ${error.message}`
  }
  const shown = bytes.length === 0 ? '<empty>' : summary(bytes)
  return `the object provided is unrecognized (must be of type ${expectedKind}): ${error.message} (${shown})`
}

const shownBytes = 30

/** A JSON body with the wrong content type is shown as text. */
function summary(bytes: Uint8Array): string {
  const head = Buffer.from(bytes.subarray(0, shownBytes)).toString(bytes[0] === 0x7b ? 'utf8' : 'hex')
  return bytes.length > shownBytes ? `${head} ...` : head
}

/** Shared by all calls: encoding is synchronous, and `clear` resets the writer after a failure. */
const writer = new WireWriter()

/**
 * The bytes that upstream would send for the object; undefined if its kind has no protobuf form. `typeName` is the
 * OpenAPI name of the type, if the kind does not determine it. Throws {@link ProtobufError} if a value does not match
 * its field, which cannot happen for a decoded object.
 */
export function encodeProtobuf(object: Readonly<Record<string, unknown>>, typeName?: string): Uint8Array | undefined {
  const type = typeMetaOf(object)
  const name = typeName ?? protobufMessageType(type.apiVersion, type.kind)
  if (name === undefined) return undefined
  return encode(type, () => messageOfType(name).write(writer, object as JsonObject))
}

/**
 * Encodes a list part by part: the items one by one, then what precedes and what follows them. `list` has the list's
 * own fields: kind, apiVersion and metadata. Undefined for kinds without a protobuf form.
 */
export function protobufListParts(list: Readonly<Record<string, unknown>>): ProtobufListParts | undefined {
  const type = typeMetaOf(list)
  const name = protobufMessageType(type.apiVersion, type.kind)
  return name === undefined ? undefined : new ProtobufListParts(list as JsonObject, type, messageOfType(name).fields)
}

type MessageField = ReturnType<typeof messageOfType>['fields'][number]

export class ProtobufListParts {
  readonly #list: JsonObject
  readonly #type: TypeMeta
  readonly #fields: readonly MessageField[]
  /** The items are the last field of most lists, but not of all. */
  readonly #itemsAt: number

  constructor(list: JsonObject, type: TypeMeta, fields: readonly MessageField[]) {
    this.#list = list
    this.#type = type
    this.#fields = fields
    this.#itemsAt = fields.findIndex(({ name }) => name === 'items')
  }

  /** An object that {@link encodeProtobuf} already encoded, as an item; its message is copied unchanged. */
  item(object: Uint8Array): Uint8Array {
    const { start, end } = readEnvelope(new WireReader(object), object)
    return written(() => {
      writer.raw(object.subarray(start, end))
      writer.varint(end - start)
      writer.varint((this.#fields[this.#itemsAt] as MessageField).tag)
    })
  }

  /** What precedes and what follows the items, which have `itemsLength` bytes in all. */
  ends(itemsLength: number): { readonly start: Uint8Array; readonly end: Uint8Array } {
    const after = this.#fields.slice(this.#itemsAt + 1)
    const afterLength = written(() => this.#writeFields(after)).length
    const end = written(() => {
      writer.raw(envelopeEnd)
      this.#writeFields(after)
    })
    const start = written(() => {
      this.#writeFields(this.#fields.slice(0, this.#itemsAt))
      writeEnvelopeStart(writer, this.#type, writer.length + itemsLength + afterLength)
    })
    return { start, end }
  }

  #writeFields(fields: readonly MessageField[]): void {
    for (const field of fields.toReversed()) writeField(writer, field, this.#list)
  }
}

/** The bytes that `write` writes, last byte first. */
function written(write: () => void): Uint8Array {
  try {
    write()
    return writer.take()
  } finally {
    writer.clear()
  }
}

function typeMetaOf(object: Readonly<Record<string, unknown>>): TypeMeta {
  const { apiVersion, kind } = object
  return { apiVersion: typeof apiVersion === 'string' ? apiVersion : '', kind: typeof kind === 'string' ? kind : '' }
}

function encode(type: TypeMeta, writeObject: () => void): Uint8Array {
  return written(() => writeEnvelope(writer, type, writeObject))
}

/**
 * One frame of a watch stream (`application/vnd.kubernetes.protobuf;stream=watch`): four bytes of length, then the
 * event. Its object is an envelope as returned by {@link encodeProtobuf}.
 */
export function encodeWatchFrame(type: string, object: Uint8Array): Uint8Array {
  try {
    writer.raw(object)
    writer.varint(object.length)
    writer.varint(rawTag)
    writer.varint(writer.length)
    writer.varint(objectTag)
    writer.text(type)
    writer.varint(typeTag)
    const { length } = writer
    writer.raw(Uint8Array.of(length >>> 24, length >>> 16, length >>> 8, length))
    return writer.take()
  } finally {
    writer.clear()
  }
}

/** Fields of `meta.v1.WatchEvent` and `runtime.RawExtension`. */
const typeTag = 8 + wireType.bytes
const objectTag = 16 + wireType.bytes
const rawTag = 8 + wireType.bytes
