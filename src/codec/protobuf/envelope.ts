/** The envelope of every object (`runtime.Unknown`): magic, kind, the object's message. */
import { ProtobufError, wireType, type WireReader } from './wire-reader.ts'
import type { WireWriter } from './wire-writer.ts'

export interface TypeMeta {
  readonly apiVersion: string
  readonly kind: string
}

export interface Envelope extends TypeMeta {
  /** The offset of the object's message. */
  readonly start: number
  readonly end: number
}

const magic = Uint8Array.of(0x6b, 0x38, 0x73, 0x00)

/** Tags of the first fields of `runtime.Unknown` and `runtime.TypeMeta`; all are length-delimited. */
const first = 8 + wireType.bytes
const second = 16 + wireType.bytes
const contentEncoding = 24 + wireType.bytes
const contentType = 32 + wireType.bytes

export function readEnvelope(reader: WireReader, bytes: Uint8Array): Envelope {
  if (bytes.length === 0) throw new ProtobufError('empty data')
  if (magic.some((byte, i) => bytes[i] !== byte)) {
    const prefix = magic.join(' ')
    throw new ProtobufError(`provided data does not appear to be a protobuf message, expected prefix [${prefix}]`)
  }
  if (bytes.length === magic.length) throw new ProtobufError('empty body')
  const end = bytes.length
  let type = { apiVersion: '', kind: '' }
  let raw = { start: 0, end: 0 }
  reader.at = magic.length
  while (reader.at < end) {
    const tag = reader.tag(end, 'Unknown')
    if (tag === first) type = readTypeMeta(reader, reader.block(end), type)
    else if (tag === second) {
      const stop = reader.block(end)
      raw = { start: reader.at, end: stop }
      reader.at = stop
    } else if (tag >>> 3 > 2) reader.skip(tag, end)
    else throw wrongWireType(tag, ['TypeMeta', 'Raw'])
  }
  return { ...type, ...raw }
}

function readTypeMeta(reader: WireReader, end: number, before: TypeMeta): { apiVersion: string; kind: string } {
  const type = { ...before }
  while (reader.at < end) {
    const tag = reader.tag(end, 'TypeMeta')
    if (tag === first) type.apiVersion = reader.text(end)
    else if (tag === second) type.kind = reader.text(end)
    else if (tag >>> 3 > 2) reader.skip(tag, end)
    else throw wrongWireType(tag, ['APIVersion', 'Kind'])
  }
  return type
}

function wrongWireType(tag: number, names: readonly string[]): ProtobufError {
  return new ProtobufError(`proto: wrong wireType = ${tag & 7} for field ${names[(tag >>> 3) - 1]}`)
}

/** What follows the object's message: no content encoding and no content type. */
export const envelopeEnd = Uint8Array.of(contentEncoding, 0, contentType, 0)

/** Writes an envelope, last byte first, around the output of `writeObject`. */
export function writeEnvelope(writer: WireWriter, type: TypeMeta, writeObject: () => void): void {
  writer.raw(envelopeEnd)
  const before = writer.length
  writeObject()
  writeEnvelopeStart(writer, type, writer.length - before)
}

/** Writes what precedes an object's message of this length. */
export function writeEnvelopeStart(writer: WireWriter, { apiVersion, kind }: TypeMeta, length: number): void {
  writer.varint(length)
  writer.varint(second)
  const before = writer.length
  writer.text(kind)
  writer.varint(second)
  writer.text(apiVersion)
  writer.varint(first)
  writer.varint(writer.length - before)
  writer.varint(first)
  writer.raw(magic)
}
