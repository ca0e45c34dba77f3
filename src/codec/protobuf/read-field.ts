/** Reads one field of a message into the message's JSON object. */
import { isDeeper, setOwn, type Json, type JsonObject } from '../../api/json.ts'
import { maxDepth } from '../json-text.ts'
import { entryNumber, keyTag, wireOf, wrongWireType, type Field, type MessageCodec } from './field.ts'
import { ProtobufError, wireType, type WireReader } from './wire-reader.ts'

export function readField(target: JsonObject, field: Field, tag: number, reader: WireReader, end: number): void {
  if (tag !== field.tag) {
    if (!isPacked(field, tag)) throw wrongWireType(field, tag)
    return readPacked(target, field, reader, end)
  }
  const { name, label, message } = field
  switch (label) {
    case 'embedded':
      message?.readInto(target, reader, reader.block(end))
      break
    case 'list':
      listAt(target, name).push(readValue(field, reader, end))
      break
    case 'map':
      readEntry(target, field, reader, reader.block(end))
      break
    default: {
      const before = message?.merges ? target[name] : undefined
      if (before === undefined) setValue(target, field, readValue(field, reader, end))
      else message?.readInto(before as JsonObject, reader, reader.block(end))
    }
  }
}

/** If a field occurs twice, the last value wins. */
function setValue(target: JsonObject, { name, dropsZero }: Field, value: Json): void {
  const zero = value === '' || value === 0 || value === false || value === null
  if (!zero || !dropsZero) target[name] = value
  else if (target[name] !== undefined) delete target[name]
}

function isPacked({ label, type }: Field, tag: number): boolean {
  return label === 'list' && (tag & 7) === wireType.bytes && wireOf(type) !== wireType.bytes
}

function readValue({ type, message }: Field, reader: WireReader, end: number): Json {
  switch (type) {
    case 'string':
      return reader.text(end)
    case 'message':
      return (message as MessageCodec).read(reader, reader.block(end))
    case 'int32':
      return reader.int32(end)
    case 'int64':
      return reader.int64(end)
    case 'bool':
      return reader.bool(end)
    case 'bytes':
      return reader.base64(end)
    case 'double':
      return reader.double(end)
    case 'json':
      return readJson(reader.text(end))
  }
}

function readPacked(target: JsonObject, field: Field, reader: WireReader, end: number): void {
  const list = listAt(target, field.name)
  const stop = reader.block(end)
  while (reader.at < stop) list.push(readValue(field, reader, stop))
}

function listAt(target: JsonObject, name: string): Json[] {
  return (target[name] ??= []) as Json[]
}

/** An entry is a message with a key and a value, both optional. */
function readEntry(target: JsonObject, field: Field, reader: WireReader, end: number): void {
  const wire = wireOf(field.type)
  let key = ''
  let value: Json | undefined
  while (reader.at < end) {
    const tag = reader.tag(end, 'entry')
    if (tag === keyTag) key = reader.text(end)
    else if (tag === entryNumber.value * 8 + wire) value = readValue(field, reader, end)
    else if (tag >>> 3 <= entryNumber.value) throw wrongWireType(field, tag)
    else reader.skip(tag, end)
  }
  if (value === undefined) value = field.message === undefined ? '' : field.message.read(reader, reader.at)
  setOwn((target[field.name] ??= {}) as JsonObject, key, value)
}

/** Checks the depth only of text that is long enough to be too deep. */
function readJson(text: string): Json {
  if (text === '') return null
  let value: Json
  try {
    value = JSON.parse(text) as Json
  } catch (error) {
    throw new ProtobufError(`raw JSON: ${error instanceof Error ? error.message : String(error)}`)
  }
  if (text.length > maxDepth * 2 && isDeeper(value, maxDepth)) throw new ProtobufError('raw JSON: exceeded max depth')
  return value
}
