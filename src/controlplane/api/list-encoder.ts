/**
 * Encodes lists piece by piece, so that a list of any size needs neither a long turn of the event loop nor memory for
 * its whole text.
 */
import type { Json, JsonObject } from '../../api/json.ts'
import { encodeProtobuf, protobufListParts, type ProtobufListParts } from '../../codec/protobuf/protobuf.ts'
import { writeYaml } from '../../codec/yaml-text.ts'
import type { ListResponse } from '../contract/request.ts'
import type { Stored } from '../storage/store.ts'
import { encodeStored, listHead, listItem, protobufStored, withoutType } from './encode.ts'

/** YAML, or indented JSON for people who use curl or a browser. */
export type TextForm = 'json' | 'yaml' | 'pretty'

/** After this many items the encoder checks whether its turn is over. */
const itemsPerCheckCount = 16

/** A turn of the event loop, as the encoder needs it. */
export interface EncodingTurn {
  readonly isOver: boolean
}

export class ListEncoder {
  readonly #items: readonly Stored[]
  readonly #encode: (stored: Stored) => string
  readonly #head: string
  readonly #separator: string
  readonly #tail: string
  #next = 0
  #isDone = false

  constructor(response: ListResponse, form: TextForm) {
    this.#items = response.items
    const { head, separator, tail, encode } = textParts(response, form)
    this.#head = head
    this.#separator = separator
    this.#tail = tail
    this.#encode = encode
  }

  /** Whether the last piece was taken. */
  get isDone(): boolean {
    return this.#isDone
  }

  /** The next piece: about `maxLength` characters, or less if the turn is over. Always has an item, if any is left. */
  take(maxLength: number, turn: EncodingTurn): string {
    const items = this.#items
    const first = this.#next
    const parts: string[] = []
    let length = 0
    let next = first
    while (next < items.length && length < maxLength) {
      const text = this.#encode(items[next++] as Stored)
      length += text.length
      parts.push(text)
      if (next % itemsPerCheckCount === 0 && turn.isOver) break
    }
    this.#next = next
    this.#isDone = next === items.length
    const start = first === 0 ? this.#head : parts.length > 0 ? this.#separator : ''
    return start + parts.join(this.#separator) + (this.#isDone ? this.#tail : '')
  }
}

interface TextParts {
  readonly head: string
  readonly separator: string
  readonly tail: string
  readonly encode: (stored: Stored) => string
}

function textParts(response: ListResponse, form: TextForm): TextParts {
  const field = response.transformed?.field ?? 'items'
  const head = listHead(response)
  if (form === 'yaml') return yamlParts(response, head, field)
  if (form === 'pretty') return prettyParts(response, head, field)
  return {
    head: `${JSON.stringify(head).slice(0, -1)},"${field}":[`,
    separator: ',',
    tail: ']}',
    encode: jsonItem(response),
  }
}

function jsonItem(response: ListResponse): (stored: Stored) => string {
  if (response.transformed !== undefined) return (stored) => JSON.stringify(listItem(response, stored))
  if (response.typedItems) return encodeStored
  return (stored) => withoutType(encodeStored(stored), stored)
}

function prettyParts(response: ListResponse, head: JsonObject, field: string): TextParts {
  const indent = '\n    '
  return {
    head: `${JSON.stringify(head, null, 2).slice(0, -2)},\n  "${field}": [`,
    separator: ',',
    tail: response.items.length === 0 ? ']\n}\n' : '\n  ]\n}\n',
    encode: (stored) => indent + JSON.stringify(listItem(response, stored), null, 2).replaceAll('\n', indent),
  }
}

/** Keys are sorted in YAML, so other fields may follow the items. */
function yamlParts(response: ListResponse, head: JsonObject, field: string): TextParts {
  const empty = writeYaml({ ...head, [field]: [] })
  if (response.items.length === 0) return { head: empty, separator: '', tail: '', encode: () => '' }
  const line = `${field}: []\n`
  const at = empty.startsWith(line) ? 0 : empty.indexOf(`\n${line}`) + 1
  const key = `${field}:\n`
  return {
    head: empty.slice(0, at) + key,
    separator: '',
    tail: empty.slice(at + line.length),
    encode: (stored) => writeYaml({ [field]: [listItem(response, stored)] }).slice(key.length),
  }
}

/** All items are encoded before the first byte is sent, since a protobuf list begins with its length. */
export class ProtobufListEncoder {
  readonly #response: ListResponse
  readonly #list: ProtobufListParts
  readonly #items: Uint8Array[] = []
  #length = 0

  constructor(response: ListResponse, list: ProtobufListParts) {
    this.#response = response
    this.#list = list
  }

  /** Undefined for kinds without a protobuf form. */
  static of(response: ListResponse): ProtobufListEncoder | undefined {
    const list = protobufListParts(listHead(response))
    return list && new ProtobufListEncoder(response, list)
  }

  /** Encodes items until the turn is over. True if all are encoded. */
  encodeItems(turn: EncodingTurn): boolean {
    const { items, transformed } = this.#response
    while (this.#items.length < items.length) {
      const stored = items[this.#items.length] as Stored
      const object =
        transformed === undefined ? protobufStored(stored) : (encodeProtobuf(transformed.convert(stored)) as Uint8Array)
      const item = this.#list.item(object)
      this.#length += item.length
      this.#items.push(item)
      if (this.#items.length % itemsPerCheckCount === 0 && turn.isOver) break
    }
    return this.#items.length === items.length
  }

  /** The list in parts. */
  parts(): readonly Uint8Array[] {
    const { start, end } = this.#list.ends(this.#length)
    this.#items.push(end)
    this.#items.unshift(start)
    return this.#items
  }
}

/** A list as one value, for the in-process transport. */
export function listValue(response: ListResponse): Json {
  const { items, transformed } = response
  const value: Record<string, unknown> = listHead(response)
  value[transformed?.field ?? 'items'] = items.map((stored) => listItem(response, stored))
  return value as Json
}
