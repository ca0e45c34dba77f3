/**
 * Encodes objects and events; `list-encoder.ts` encodes lists. A stored version is encoded at most once: get, list and
 * watch share the text.
 */
import type { Json, JsonObject } from '../../api/json.ts'
import { encodeProtobuf, encodeWatchFrame } from '../../codec/protobuf/protobuf.ts'
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

/** Built-in kinds are stored with kind and apiVersion first; items of their lists omit both. */
export function withoutType(text: string, { object }: Stored): string {
  const { kind, apiVersion } = object
  const head = `{"kind":"${kind}","apiVersion":"${apiVersion}",`
  if (text.startsWith(head)) return `{${text.slice(head.length)}`
  const { kind: _kind, apiVersion: _apiVersion, ...rest } = object
  return JSON.stringify(rest)
}

/** The fields of a list in front of its items. */
export function listHead({ kind, apiVersion, metadata, transformed }: ListResponse): JsonObject {
  return transformed === undefined ? { kind, apiVersion, metadata } : { ...transformed.head }
}

/** An item of a list, as a value. */
export function listItem({ transformed, typedItems }: ListResponse, stored: Stored): JsonObject {
  if (transformed !== undefined) return transformed.convert(stored)
  return (typedItems ? stored.object : untyped(stored)) as JsonObject
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

export function protobufStored(stored: Stored): Uint8Array {
  const forms = (stored.forms ??= {})
  return (forms.protobuf ??= encodeProtobuf(stored.object) as Uint8Array)
}

/** The response in protobuf. Undefined for kinds without a protobuf form. */
export function encodeInProtobuf({ body, stored }: ObjectResponse): Uint8Array | undefined {
  return stored === undefined ? encodeProtobuf(body as JsonObject) : protobufStored(stored)
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
