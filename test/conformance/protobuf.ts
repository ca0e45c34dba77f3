/**
 * Decodes Kubernetes' protobuf encoding into JSON, by the field numbers in the control plane's facts, so that
 * differences have names. Unknown fields appear by number. Independent of the server's own encoder, which it checks.
 */
import { readFileSync } from 'node:fs'
import { setOwn } from '../../src/api/json.ts'
import type { Json, JsonObject } from '../../src/api/json.ts'

type Field = [number, string] | [number, 'list', string] | [number, 'map', string, string]

let loaded: Record<string, Record<string, Field>> | undefined

function messages(): Record<string, Record<string, Field>> {
  const file = new URL('../../src/facts/protobuf.json', import.meta.url)
  loaded ??= JSON.parse(readFileSync(file, 'utf8')) as Record<string, Record<string, Field>>
  return loaded
}

const meta = 'k8s.io.apimachinery.pkg.apis.meta.v1'
const magic = Buffer.from('k8s\0')

/** The decoded object, with empty fields if the encoding has them; undefined if `bytes` is not this encoding. */
export function decodeProtobuf(bytes: Buffer): Json | undefined {
  if (!bytes.subarray(0, 4).equals(magic)) return undefined
  const envelope = fieldsOf(bytes.subarray(4))
  const type = fieldsOf(bytesAt(envelope, 1))
  const apiVersion = bytesAt(type, 1).toString()
  const kind = bytesAt(type, 2).toString()
  const raw = bytesAt(envelope, 2)
  // The package of `rbac.authorization.k8s.io/v1` is `rbac.v1`.
  const path = apiVersion
    .replace(/^v/, 'core/v')
    .replace(/\.[^/]*/, '')
    .replace('/', '.')
  const isMeta = kind === 'Status' || kind.startsWith('PartialObjectMetadata') || discoveryKinds.has(kind)
  const name = isMeta ? `${meta}.${kind}` : `k8s.io.api.${path}.${kind}`
  return { apiVersion, kind, ...(decodeMessage(raw, name) as JsonObject) }
}

/** Kinds of the unaggregated discovery. */
const discoveryKinds = new Set(['APIVersions', 'APIGroup', 'APIGroupList', 'APIResourceList'])

/** A watch event, without the length prefix of the stream. */
export function decodeWatchEvent(bytes: Buffer): Json {
  const event = fieldsOf(bytes)
  const object = bytesAt(fieldsOf(bytesAt(event, 2)), 1)
  return { type: bytesAt(event, 1).toString(), object: decodeProtobuf(object) ?? null }
}

function decodeMessage(bytes: Buffer, name: string): Json {
  const fields = fieldsOf(bytes)
  if (name === `${meta}.Time`) return timeText(Number(fields.get(1)?.[0] ?? 0))
  if (name === `${meta}.FieldsV1`) return JSON.parse(bytesAt(fields, 1).toString()) as Json
  const known = new Map(Object.entries(messages()[name] ?? {}).map(([key, field]) => [field[0], { key, field }]))
  const result: JsonObject = {}
  for (const [number, values] of fields) {
    const { key, field } = known.get(number) ?? { key: `field ${number}`, field: [number, 'bytes'] as Field }
    if (field[1] === 'list') {
      setOwn(
        result,
        key,
        values.map((value) => decodeValue(value, field[2] as string, name)),
      )
    } else if (field[1] === 'map') {
      setOwn(result, key, decodeMap(values as Buffer[], field as [number, 'map', string, string], name))
    } else {
      setOwn(result, key, decodeValue(values.at(-1) as Buffer | bigint, field[1], name))
    }
  }
  return result
}

function decodeMap(entries: Buffer[], field: [number, 'map', string, string], within: string): JsonObject {
  const result: JsonObject = {}
  for (const entry of entries) {
    const fields = fieldsOf(entry)
    const key = bytesAt(fields, 1).toString()
    setOwn(result, key, decodeValue(fields.get(2)?.[0] ?? Buffer.alloc(0), field[3], within))
  }
  return result
}

function decodeValue(value: Buffer | bigint, type: string, within: string): Json {
  if (type === 'bool') return value !== 0n
  if (typeof value === 'bigint') return Number(BigInt.asIntN(64, value))
  if (type === 'string') return value.toString('utf8')
  if (type === 'bytes') return value.toString('base64')
  const name = type.startsWith('.') ? type.slice(1) : `${within.slice(0, within.lastIndexOf('.'))}.${type}`
  return decodeMessage(value, name)
}

function timeText(seconds: number): string {
  return `${new Date(seconds * 1000).toISOString().slice(0, 19)}Z`
}

function bytesAt(fields: Map<number, (Buffer | bigint)[]>, number: number): Buffer {
  const value = fields.get(number)?.[0]
  return typeof value === 'object' ? value : Buffer.alloc(0)
}

function fieldsOf(bytes: Buffer): Map<number, (Buffer | bigint)[]> {
  const fields = new Map<number, (Buffer | bigint)[]>()
  let at = 0
  const varint = (): bigint => {
    let value = 0n
    for (let shift = 0n; ; shift += 7n) {
      const byte = bytes[at++]
      if (byte === undefined || shift > 63n) throw new RangeError('the protobuf message ends early')
      value |= BigInt(byte & 0x7f) << shift
      if (byte < 0x80) return value
    }
  }
  while (at < bytes.length) {
    const tag = Number(varint())
    const number = varint()
    const value = tag % 8 === 2 ? bytes.subarray(at, at + Number(number)) : number
    if (typeof value !== 'bigint') at += value.length
    const list = fields.get(tag >> 3) ?? []
    list.push(value)
    fields.set(tag >> 3, list)
  }
  return fields
}
