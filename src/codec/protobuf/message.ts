/**
 * Messages: the protobuf form of a type, compiled from the facts on first use, and iteration over its fields.
 *
 * `protobuf.json` has the field numbers, `encoding.json` the JSON names and Go types. They are joined as follows:
 * names match without regard to case, `$` and `-`; and a message field without a JSON name is an embedded Go struct,
 * whose fields JSON writes into the outer object (`Volume.volumeSource`).
 */
import { isObject, type Json, type JsonObject } from '../../api/json.ts'
import { encoding, protobuf, type ProtobufField, type TypeEncoding } from '../../facts/facts.ts'
import { adapters, namedList, type Adapter } from './adapters.ts'
import { wireOf, type Field, type MessageCodec, type Scalar } from './field.ts'
import { metaTypes } from './kinds.ts'
import { readField } from './read-field.ts'
import { wireType, type WireReader } from './wire-reader.ts'
import type { WireWriter } from './wire-writer.ts'
import { mismatch, writeField } from './write-field.ts'

interface Tables {
  readonly ordered: readonly Field[]
  readonly byNumber: readonly (Field | undefined)[]
}

const none: JsonObject = Object.freeze({})

export class Message implements MessageCodec {
  readonly name: string
  readonly merges: boolean
  readonly nilable: boolean
  readonly #fullName: string
  readonly #json: TypeEncoding['fields']
  readonly #adapter: Adapter | undefined
  #compiled: Tables | undefined

  constructor(fullName: string, json: TypeEncoding['fields'], adapter?: Adapter) {
    this.name = fullName.slice(fullName.lastIndexOf('.') + 1)
    this.merges = adapter === undefined
    this.nilable = adapter?.nilable ?? false
    this.#fullName = fullName
    this.#json = json
    this.#adapter = adapter
  }

  /** Sorted by field number, the order on the wire. */
  get fields(): readonly Field[] {
    return this.#tables().ordered
  }

  read(reader: WireReader, end: number): Json {
    const target: JsonObject = {}
    this.readInto(target, reader, end)
    return this.#adapter === undefined ? target : this.#adapter.fromMessage(target)
  }

  readInto(target: JsonObject, reader: WireReader, end: number): void {
    const { byNumber } = this.#tables()
    reader.enter()
    while (reader.at < end) {
      const tag = reader.tag(end, this.name)
      const field = byNumber[tag >>> 3]
      if (field === undefined) reader.skip(tag, end)
      else readField(target, field, tag, reader, end)
    }
    reader.leave()
  }

  write(writer: WireWriter, value: Json): void {
    const source = this.#adapter === undefined ? value : this.#adapter.toMessage(value)
    if (source !== null && !isObject(source)) throw mismatch(this.name, source)
    const fields = this.#tables().ordered
    for (let i = fields.length - 1; i >= 0; i--) writeField(writer, fields[i] as Field, source ?? none)
  }

  #tables(): Tables {
    if (this.#compiled !== undefined) return this.#compiled
    const ordered = this.#compile().sort((a, b) => a.tag - b.tag)
    const byNumber: (Field | undefined)[] = []
    for (const field of ordered) {
      while (byNumber.length < field.tag >>> 3) byNumber.push(undefined)
      byNumber.push(field)
    }
    return (this.#compiled = { ordered, byNumber })
  }

  #compile(): Field[] {
    const facts = protobuf().get(this.#fullName)
    if (facts === undefined) throw new Error(`no protobuf facts for ${this.#fullName}`)
    const named = new Map(this.#json.map((field) => [plainName(field[0]), field]))
    return Object.entries(facts).map(([protobufName, fact]) => {
      const known = named.get(plainName(protobufName))
      if (known !== undefined) return this.#field(fact, known)
      const inner = messageName(this.#fullName, fact[1])
      if (fact.length !== 2 || !protobuf().has(inner)) {
        throw new Error(`no JSON name for ${this.#fullName}.${protobufName}`)
      }
      const message = new Message(inner, this.#json)
      const tag = tagOf(fact, wireType.bytes)
      return { name: '', label: 'embedded', type: 'message', message, tag, always: true, dropsZero: false }
    })
  }

  #field(fact: ProtobufField, [name, rule, goType]: TypeEncoding['fields'][number]): Field {
    const label = fact.length === 2 ? 'one' : fact[1] === 'list' ? 'list' : 'map'
    const factType = fact[fact.length - 1] as string
    const type = goType === 'json' ? 'json' : (scalars.get(factType) ?? 'message')
    const message = type === 'message' ? messageOf(messageName(this.#fullName, factType)) : undefined
    const nilable = goType.startsWith('*') || type === 'bytes' || type === 'json' || message?.nilable === true
    const always = label === 'one' && !nilable
    const wire = label === 'map' ? wireType.bytes : wireOf(type)
    return { name, label, type, message, tag: tagOf(fact, wire), always, dropsZero: rule === 'n' }
  }
}

const messages = new Map<string, Message>()

/** By OpenAPI name. Throws if the facts do not have the type. */
export function messageOfType(typeName: string): Message {
  return messageOf(typeName.replace(/^io\.k8s\./, 'k8s.io.').replaceAll('-', '_'))
}

function messageOf(fullName: string): Message {
  let message = messages.get(fullName)
  if (message === undefined) messages.set(fullName, (message = makeMessage(fullName)))
  return message
}

function makeMessage(fullName: string): Message {
  const typeName = fullName.replace(/^k8s\.io\./, 'io.k8s.').replaceAll('_', '-')
  const adapter = adapters.get(typeName)
  if (adapter !== undefined) return new Message(fullName, adapter.fields, adapter)
  const encoded = encoding().get(typeName)?.fields ?? metaTypes.get(typeName)
  if (encoded !== undefined) return new Message(fullName, encoded)
  const facts = protobuf().get(fullName) ?? {}
  if (facts['items']?.[1] === 'list' && Object.keys(facts).length === 1) {
    return new Message(fullName, namedList.fields, namedList)
  }
  throw new Error(`no encoding facts for ${typeName}`)
}

const scalars: ReadonlyMap<string, Scalar> = new Map(
  (['string', 'bool', 'bytes', 'int32', 'int64', 'double'] as const).map((each) => [each, each]),
)

function tagOf(fact: ProtobufField, wire: number): number {
  return fact[0] * 8 + wire
}

/** Facts name a message of the same package by its last part, and others with a leading dot. */
function messageName(from: string, type: string): string {
  return type.startsWith('.') ? type.slice(1) : `${from.slice(0, from.lastIndexOf('.'))}.${type}`
}

function plainName(name: string): string {
  return name.replace(/[$-]/g, '').toLowerCase()
}
