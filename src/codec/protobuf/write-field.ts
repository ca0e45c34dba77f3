/** Writes one field of a message from the message's JSON object, last byte first. */
import { isObject, type Json, type JsonObject } from '../../api/json.ts'
import { entryNumber, keyTag, wireOf, type Field, type MessageCodec } from './field.ts'
import { ProtobufError } from './wire-reader.ts'
import type { WireWriter } from './wire-writer.ts'

export function writeField(writer: WireWriter, field: Field, source: JsonObject): void {
  if (field.label === 'embedded') {
    writeValue(writer, field, source)
    writer.varint(field.tag)
    return
  }
  const value = source[field.name]
  if (value === undefined || value === null) {
    if (!field.always) return
    writeValue(writer, field, null)
    writer.varint(field.tag)
  } else if (field.label === 'one') {
    writeValue(writer, field, value)
    writer.varint(field.tag)
  } else if (field.label === 'list') {
    if (!Array.isArray(value)) throw mismatch(field.name, value)
    for (let i = value.length - 1; i >= 0; i--) {
      writeValue(writer, field, value[i] as Json)
      writer.varint(field.tag)
    }
  } else {
    writeMap(writer, field, value)
  }
}

function writeMap(writer: WireWriter, field: Field, value: Json): void {
  if (!isObject(value)) throw mismatch(field.name, value)
  const keys = Object.keys(value).sort()
  for (let i = keys.length - 1; i >= 0; i--) {
    const key = keys[i] as string
    const item = value[key] as Json
    const before = writer.length
    if (item !== null || field.type !== 'bytes') {
      writeValue(writer, field, item)
      writer.varint(entryNumber.value * 8 + wireOf(field.type))
    }
    writer.text(key)
    writer.varint(keyTag)
    writer.varint(writer.length - before)
    writer.varint(field.tag)
  }
}

function writeValue(writer: WireWriter, { name, type, message }: Field, value: Json): void {
  switch (type) {
    case 'message': {
      const before = writer.length
      ;(message as MessageCodec).write(writer, value)
      writer.varint(writer.length - before)
      break
    }
    case 'string':
      if (typeof value === 'string') writer.text(value)
      else if (value === null) writer.varint(0)
      else throw mismatch(name, value)
      break
    case 'bool':
      if (typeof value !== 'boolean' && value !== null) throw mismatch(name, value)
      writer.varint(value === true ? 1 : 0)
      break
    case 'bytes':
      if (value === null) writer.varint(0)
      else if (typeof value !== 'string' || !writer.base64(value)) throw mismatch(name, value)
      break
    case 'json':
      writer.text(JSON.stringify(value))
      break
    default:
      if (typeof value !== 'number' && value !== null) throw mismatch(name, value)
      if (type === 'double') writer.double(value ?? 0)
      else writer.integer(value ?? 0)
  }
}

export function mismatch(name: string, value: Json): ProtobufError {
  return new ProtobufError(`${name}: ${JSON.stringify(value).slice(0, 60)} does not fit the field's type`)
}
