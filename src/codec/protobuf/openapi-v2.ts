/**
 * OpenAPI v2 in protobuf, requested by kubectl and older clients: gnostic messages, built from the JSON document.
 *
 * Encoding rules: an object whose keys are data is a list of pairs; a union type is a message with one field per
 * alternative; arbitrary JSON (extensions, enums, defaults) is YAML text; zero values are omitted.
 */
import { isObject, type Json, type JsonObject } from '../../api/json.ts'
import { goYaml } from './go-yaml.ts'
import { wireType } from './wire-reader.ts'
import { WireWriter } from './wire-writer.ts'

/** Encodes the document, as `JSON.parse` returns it. JSON fields without a message field are omitted. */
export function encodeOpenApiV2(document: JsonObject): Uint8Array {
  const out = new WireWriter()
  writeFields(out, documentFields, document)
  return out.take()
}

/** Writes one field, last byte first; nothing if the value is zero or of another type. */
type WriteField = (out: WireWriter, number: number, value: Json | undefined) => void

/** Fields by JSON key, sorted by field number. `''` means the whole object. */
type Fields = readonly (readonly [key: string, number: number, write: WriteField])[]

function writeFields(out: WireWriter, fields: Fields, object: JsonObject): void {
  for (let i = fields.length - 1; i >= 0; i--) {
    const [key, number, write] = fields[i] as Fields[number]
    write(out, number, key === '' ? object : Object.hasOwn(object, key) ? object[key] : undefined)
  }
}

function writeMessage(out: WireWriter, number: number, writeContent: () => void): void {
  const before = out.length
  writeContent()
  out.varint(out.length - before)
  out.varint(number * 8 + wireType.bytes)
}

function writeText(out: WireWriter, number: number, value: string): void {
  out.text(value)
  out.varint(number * 8 + wireType.bytes)
}

const text: WriteField = (out, number, value) => {
  if (typeof value === 'string' && value !== '') writeText(out, number, value)
}

function writeFlag(out: WireWriter, number: number, value: boolean): void {
  out.varint(value ? 1 : 0)
  out.varint(number * 8 + wireType.varint)
}

const flag: WriteField = (out, number, value) => {
  if (value === true) writeFlag(out, number, value)
}

const count: WriteField = (out, number, value) => {
  if (typeof value !== 'number' || value === 0) return
  out.integer(value)
  out.varint(number * 8 + wireType.varint)
}

const real: WriteField = (out, number, value) => {
  if (typeof value !== 'number' || value === 0) return
  out.double(value)
  out.varint(number * 8 + wireType.fixed64)
}

/** Lazy, because schemas contain schemas. */
const message =
  (fields: () => Fields): WriteField =>
  (out, number, value) => {
    if (isObject(value)) writeMessage(out, number, () => writeFields(out, fields(), value))
  }

const list =
  (item: WriteField): WriteField =>
  (out, number, value) => {
    if (!Array.isArray(value)) return
    for (let i = value.length - 1; i >= 0; i--) item(out, number, value[i])
  }

/** A message with a single field. */
const within =
  (inner: number, write: WriteField): WriteField =>
  (out, number, value) => {
    if (value !== undefined) writeMessage(out, number, () => write(out, inner, value))
  }

/** The pairs of an object whose keys pass the filter. */
const pairs =
  (write: WriteField, passes: (key: string) => boolean = () => true): WriteField =>
  (out, number, value) => {
    if (!isObject(value)) return
    for (const key of Object.keys(value).toReversed()) {
      if (!passes(key)) continue
      writeMessage(out, number, () => {
        write(out, 2, value[key])
        writeText(out, 1, key)
      })
    }
  }

/** A message that contains only pairs. */
const named = (write: WriteField): WriteField => message(() => [['', 1, pairs(write)]])

const any: WriteField = (out, number, value) => {
  if (value !== undefined) writeMessage(out, number, () => writeText(out, 2, `${goYaml(value)}\n`))
}

const extensions = pairs(any, (key) => key.startsWith('x-'))
const texts = list(text)

const documentation = message(() => [
  ['description', 1, text],
  ['url', 2, text],
  ['', 3, extensions],
])

const schema = message(() => schemaFields)
const schemaFields: Fields = [
  ['$ref', 1, text],
  ['format', 2, text],
  ['title', 3, text],
  ['description', 4, text],
  ['default', 5, any],
  ['multipleOf', 6, real],
  ['maximum', 7, real],
  ['exclusiveMaximum', 8, flag],
  ['minimum', 9, real],
  ['exclusiveMinimum', 10, flag],
  ['maxLength', 11, count],
  ['minLength', 12, count],
  ['pattern', 13, text],
  ['maxItems', 14, count],
  ['minItems', 15, count],
  ['uniqueItems', 16, flag],
  ['maxProperties', 17, count],
  ['minProperties', 18, count],
  ['required', 19, texts],
  ['enum', 20, list(any)],
  [
    'additionalProperties',
    21,
    (out, number, value) => {
      if (isObject(value)) within(1, schema)(out, number, value)
      else if (typeof value === 'boolean') writeMessage(out, number, () => writeFlag(out, 2, value))
    },
  ],
  ['type', 22, (out, number, value) => within(1, texts)(out, number, typeof value === 'string' ? [value] : value)],
  ['items', 23, within(1, schema)],
  ['allOf', 24, list(schema)],
  ['properties', 25, named(schema)],
  ['discriminator', 26, text],
  ['readOnly', 27, flag],
  ['externalDocs', 29, documentation],
  ['example', 30, any],
  ['', 31, extensions],
]

const inBody = within(
  1,
  message(() => [
    ['description', 1, text],
    ['name', 2, text],
    ['in', 3, text],
    ['required', 4, flag],
    ['schema', 5, schema],
    ['', 6, extensions],
  ]),
)

/** Query parameters have an additional field before their type, which shifts the later field numbers. */
const otherParameter = (shift: 0 | 1): WriteField =>
  message(() => [
    ['required', 1, flag],
    ['in', 2, text],
    ['description', 3, text],
    ['name', 4, text],
    ['type', 5 + shift, text],
    ['format', 6 + shift, text],
    ['uniqueItems', 19 + shift, flag],
    ['', 22 + shift, extensions],
  ])

const inHeader = within(1, otherParameter(0))
const inQuery = within(3, otherParameter(1))
const inPath = within(4, otherParameter(0))

const parameter: WriteField = (out, number, value) => {
  const where = isObject(value) ? value['in'] : undefined
  if (where === 'body') inBody(out, number, value)
  else within(2, where === 'query' ? inQuery : where === 'path' ? inPath : inHeader)(out, number, value)
}

const reference = message(() => [
  ['$ref', 1, text],
  ['description', 2, text],
])

/** A value, or a reference to a shared one. */
const orReference =
  (write: WriteField): WriteField =>
  (out, number, value) => {
    const isReference = isObject(value) && typeof value['$ref'] === 'string'
    within(isReference ? 2 : 1, isReference ? reference : write)(out, number, value)
  }

const parameters = list(orReference(parameter))

const response = message(() => [
  ['description', 1, text],
  ['schema', 2, within(1, schema)],
  ['', 5, extensions],
])

const responses = message(() => [
  ['', 1, pairs(orReference(response), (key) => !key.startsWith('x-'))],
  ['', 2, extensions],
])

const security = list(named(within(1, texts)))

const operation = message(() => [
  ['tags', 1, texts],
  ['summary', 2, text],
  ['description', 3, text],
  ['externalDocs', 4, documentation],
  ['operationId', 5, text],
  ['produces', 6, texts],
  ['consumes', 7, texts],
  ['parameters', 8, parameters],
  ['responses', 9, responses],
  ['schemes', 10, texts],
  ['deprecated', 11, flag],
  ['security', 12, security],
  ['', 13, extensions],
])

const pathItem = message(() => [
  ['$ref', 1, text],
  ['get', 2, operation],
  ['put', 3, operation],
  ['post', 4, operation],
  ['delete', 5, operation],
  ['options', 6, operation],
  ['head', 7, operation],
  ['patch', 8, operation],
  ['parameters', 9, parameters],
  ['', 10, extensions],
])

const keySecurity = message(() => [
  ['type', 1, text],
  ['name', 2, text],
  ['in', 3, text],
  ['description', 4, text],
  ['', 5, extensions],
])

const documentFields: Fields = [
  ['swagger', 1, text],
  [
    'info',
    2,
    message(() => [
      ['title', 1, text],
      ['version', 2, text],
      ['description', 3, text],
      ['', 7, extensions],
    ]),
  ],
  [
    'paths',
    8,
    message(() => [
      ['', 1, extensions],
      ['', 2, pairs(pathItem, (key) => key.startsWith('/'))],
    ]),
  ],
  ['definitions', 9, named(schema)],
  ['parameters', 10, named(parameter)],
  ['security', 12, security],
  ['securityDefinitions', 13, named(within(2, keySecurity))],
  ['', 16, extensions],
]
