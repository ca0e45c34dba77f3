/**
 * Types whose JSON form is not an object with the fields of their message. Example: a time is a string in JSON and two
 * numbers on the wire. Each adapter lists the message's fields and converts in both directions.
 */
import { isObject, type Json, type JsonObject } from '../../api/json.ts'
import type { TypeEncoding } from '../../facts/facts.ts'
import { ProtobufError } from './wire-reader.ts'

export interface Adapter {
  /** As in `encoding.json`; the Go type `json` means bytes that contain JSON text. */
  readonly fields: TypeEncoding['fields']
  fromMessage(message: JsonObject): Json
  /** `null` means the zero value. Callers do not modify the result. */
  toMessage(value: Json): JsonObject
  /** A nil slice in Go: an unset field is omitted although the type is not a pointer. */
  readonly nilable?: boolean
}

const meta = 'io.k8s.apimachinery.pkg.apis.meta.v1'
const extensions = 'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1'

const empty: JsonObject = Object.freeze({})

/** Raw JSON. FieldsV1 capitalizes its field name, but names are matched case-insensitively. */
const rawJson: Adapter = {
  fields: [['raw', 's', 'json']],
  fromMessage: (message) => message['raw'] ?? null,
  toMessage: (value) => (value === null ? empty : { raw: value }),
}

const quantity: Adapter = {
  fields: [['string', 'a', 'string']],
  fromMessage: (message) => message['string'] ?? '0',
  toMessage: (value) => ({ string: value ?? '0' }),
}

const intOrString: Adapter = {
  fields: [
    ['type', 'a', 'int64'],
    ['intVal', 'a', 'int32'],
    ['strVal', 'a', 'string'],
  ],
  fromMessage: ({ type, intVal, strVal }) => ((type ?? 0) === 0 ? (intVal ?? 0) : (strVal ?? '')),
  toMessage: (value) => (typeof value === 'string' ? { type: 1, strVal: value } : { intVal: value }),
}

const timeFields: Adapter['fields'] = [
  ['seconds', 's', '*int64'],
  ['nanos', 's', '*int32'],
]
/** Go's zero time, the first second of the year 1. */
const zeroSeconds = -62_135_596_800
/** The years 0 to 9999, the range of RFC 3339. */
const minSeconds = -62_167_219_200
const maxSeconds = 253_402_300_799

/** An empty message and Go's zero time are both null in JSON. */
function timeText(message: JsonObject, micro: boolean): Json {
  if (message['seconds'] === undefined && message['nanos'] === undefined) return null
  let seconds = (message['seconds'] ?? 0) as number
  let micros = micro ? Math.trunc(((message['nanos'] ?? 0) as number) / 1000) : 0
  seconds += Math.floor(micros / 1e6)
  micros -= Math.floor(micros / 1e6) * 1e6
  if (seconds === zeroSeconds && micros === 0) return null
  if (seconds < minSeconds || seconds > maxSeconds) throw new ProtobufError(`time ${seconds} is out of range`)
  const text = new Date(seconds * 1000).toISOString().slice(0, 19)
  return micro ? `${text}.${String(micros).padStart(6, '0')}Z` : `${text}Z`
}

function timeMessage(value: Json, micro: boolean): JsonObject {
  if (value === null || value === '') return empty
  const ms = typeof value === 'string' ? Date.parse(value) : Number.NaN
  if (Number.isNaN(ms)) throw new ProtobufError(`cannot write ${JSON.stringify(value)} as a time`)
  const seconds = Math.floor(ms / 1000)
  const micros = micro ? microsOf(value as string) : 0
  return seconds === zeroSeconds && micros === 0 ? empty : { seconds, nanos: micros * 1000 }
}

function microsOf(text: string): number {
  if (text[19] !== '.') return 0
  let end = 20
  while (end < 26 && text.charCodeAt(end) >= 48 && text.charCodeAt(end) <= 57) end++
  return Number(text.slice(20, end).padEnd(6, '0'))
}

const schemaField = ['schema', 's', '*v1.JSONSchemaProps'] as const

export const adapters: ReadonlyMap<string, Adapter> = new Map<string, Adapter>([
  [
    `${meta}.Time`,
    {
      fields: timeFields,
      fromMessage: (message) => timeText(message, false),
      toMessage: (value) => timeMessage(value, false),
    },
  ],
  [
    `${meta}.MicroTime`,
    {
      fields: timeFields,
      fromMessage: (message) => timeText(message, true),
      toMessage: (value) => timeMessage(value, true),
    },
  ],
  [`${meta}.FieldsV1`, rawJson],
  ['io.k8s.apimachinery.pkg.runtime.RawExtension', rawJson],
  [`${extensions}.JSON`, rawJson],
  ['io.k8s.apimachinery.pkg.api.resource.Quantity', quantity],
  ['io.k8s.apimachinery.pkg.util.intstr.IntOrString', intOrString],
  [
    `${extensions}.JSONSchemaPropsOrBool`,
    {
      fields: [['allows', 'a', 'bool'], schemaField],
      fromMessage: ({ allows, schema }) => schema ?? allows ?? false,
      toMessage: (value) => (isObject(value) ? { allows: true, schema: value } : { allows: value }),
    },
  ],
  [
    `${extensions}.JSONSchemaPropsOrArray`,
    {
      fields: [schemaField, ['jsonSchemas', 'n', '[]v1.JSONSchemaProps']],
      fromMessage: ({ schema, jsonSchemas }) => jsonSchemas ?? schema ?? null,
      toMessage: (value) => (Array.isArray(value) ? { jsonSchemas: value } : { schema: value }),
    },
  ],
  [
    `${extensions}.JSONSchemaPropsOrStringArray`,
    {
      fields: [schemaField, ['property', 'n', '[]string']],
      fromMessage: ({ schema, property }) => property ?? schema ?? null,
      toMessage: (value) => (Array.isArray(value) ? { property: value } : { schema: value }),
    },
  ],
])

/** A list in JSON that is a message on the wire, because it is a named type in Go (Verbs, ExtraValue). */
export const namedList: Adapter = {
  fields: [['items', 'n', '[]string']],
  fromMessage: ({ items }) => items ?? [],
  toMessage: (value) => (value === null ? empty : { items: value }),
  nilable: true,
}
