/** Encodes responses. A stored version is encoded at most once: get, list and watch share the text. */
import type { Json, JsonObject } from '../../api/json.ts'
import { encodeProtobuf, encodeProtobufList, encodeWatchFrame } from '../../codec/protobuf/protobuf.ts'
import { writeYaml } from '../../codec/yaml-text.ts'
import type { ListResponse, ObjectResponse, WatchEvent } from '../contract/request.ts'
import type { Stored } from '../storage/store.ts'

export function encodeStored(stored: Stored): string {
  return (stored.encoded ??= JSON.stringify(stored.object))
}

export function encodeObject(response: ObjectResponse): string {
  if (response.text !== undefined) return response.text
  if (response.stored !== undefined) return encodeStored(response.stored)
  return JSON.stringify(response.body)
}

/** Joins the encoded items. */
export function encodeList(response: ListResponse): string {
  const { kind, apiVersion, metadata, items, typedItems } = response
  const parts = new Array<string>(items.length)
  for (let i = 0; i < items.length; i++) {
    const stored = items[i] as Stored
    const text = encodeStored(stored)
    parts[i] = typedItems ? text : withoutType(text, stored)
  }
  return (
    `{"kind":${JSON.stringify(kind)},"apiVersion":${JSON.stringify(apiVersion)},` +
    `"metadata":${JSON.stringify(metadata)},"items":[${parts.join(',')}]}`
  )
}

/** Built-in kinds are stored with kind and apiVersion first; items of their lists omit both. */
function withoutType(text: string, { object }: Stored): string {
  const { kind, apiVersion } = object
  const head = `{"kind":"${kind}","apiVersion":"${apiVersion}",`
  if (text.startsWith(head)) return `{${text.slice(head.length)}`
  const { kind: _kind, apiVersion: _apiVersion, ...rest } = object
  return JSON.stringify(rest)
}

/** A list as one value, for the in-process transport and for encodings other than JSON. */
export function listValue(response: ListResponse): Json {
  const { kind, apiVersion, metadata, items, typedItems } = response
  const values = items.map((stored) => (typedItems ? stored.object : untyped(stored)))
  return { kind, apiVersion, metadata, items: values } as Json
}

function untyped(stored: Stored): object {
  const forms = (stored.forms ??= {})
  if (forms.untyped === undefined) {
    const { kind: _kind, apiVersion: _apiVersion, ...rest } = stored.object
    forms.untyped = Object.freeze(rest)
  }
  return forms.untyped
}

/** One line of a watch stream. */
export function encodeEvent(event: WatchEvent): string {
  const object = event.stored === undefined ? JSON.stringify(event.object) : encodeStored(event.stored)
  return `{"type":"${event.type}","object":${object}}\n`
}

function protobufStored(stored: Stored): Uint8Array {
  const forms = (stored.forms ??= {})
  return (forms.protobuf ??= encodeProtobuf(stored.object) as Uint8Array)
}

/** The response in protobuf. Undefined for kinds without a protobuf form. */
export function encodeInProtobuf(response: ObjectResponse | ListResponse): Uint8Array | undefined {
  if (response.type === 'object') {
    return response.stored === undefined ? encodeProtobuf(response.body as JsonObject) : protobufStored(response.stored)
  }
  const { kind, apiVersion, metadata, items } = response
  return encodeProtobufList({ kind, apiVersion, metadata }, items.map(protobufStored))
}

/** One frame of a watch stream in protobuf. */
export function encodeProtobufEvent(event: WatchEvent): Uint8Array {
  const object = event.stored === undefined ? encodeProtobuf(event.object as JsonObject) : protobufStored(event.stored)
  return encodeWatchFrame(event.type, object ?? new Uint8Array())
}

/** YAML, or indented JSON for people who use curl or a browser. */
export function encodeOther(value: Json, form: 'yaml' | 'pretty'): string {
  return form === 'yaml' ? writeYaml(value) : `${JSON.stringify(value, null, 2)}\n`
}
