/**
 * Decoding of custom resources: a fresh object with what the schema does not know pruned, nulls that are not allowed
 * dropped, and all metadata, the object's own and that of embedded resources, in the form of its type.
 */
import { fieldErrorMessage, type FieldError } from '../../../api/field-error.ts'
import { cloneJson, equalJson, getOwn, isObject, setOwn, type Json, type JsonObject } from '../../../api/json.ts'
import type { KubeObject } from '../../../api/object.ts'
import { objectMetaShape } from '../../shape/builtin-shapes.ts'
import { decodeTyped, UnmarshalError, unknownFields } from '../../shape/decode.ts'
import { goFieldValue } from '../../../api/go-json.ts'
import type { Schema } from './schema.ts'

/** Where an object comes from: a body, the result of an apply, or storage. */
export type Origin = 'sent' | 'applied' | 'stored'

export interface CustomDecoded {
  readonly object: KubeObject
  /** Pruned paths: those of metadata, then all others sorted, then those inside embedded metadata. */
  readonly unknown: string[]
  /** An applied object has in it what is not read back from storage. */
  readonly lossy: boolean
}

/**
 * Decodes by the schema of the object's version; defaults are not filled here.
 * An `applied` object keeps all it has, but for its own metadata: validation sees it so, and it is stored so. Of a `stored`
 * one, embedded types and metadata that the schema did not ask for when it was written are dropped where they do not fit.
 * Throws an {@link UnmarshalError} when metadata, or the type of an embedded resource, is not what it must be.
 */
export function decodeCustom(value: JsonObject, schema: Schema, origin: Origin = 'sent'): CustomDecoded {
  const run: Run = { path: [], pruned: [], embedded: [], keepAll: origin === 'applied', dropInvalid: origin === 'stored', lossy: false }
  const given = getOwn(value, 'metadata')
  const metadata = decodeMetadata(given ?? {})
  const object: JsonObject = {}
  for (const name of ['apiVersion', 'kind']) {
    const type = getOwn(value, name)
    if (type !== undefined) object[name] = type
  }
  object['metadata'] = metadata.object
  decodeFields(value, schema, { run, keep: schema.preserveUnknown, place: '', root: true }, object)
  const unknown = [...metadata.unknown, ...run.pruned.sort(), ...run.embedded.sort()]
  return { object: object as unknown as KubeObject, unknown, lossy: run.lossy }
}

/** An embedded resource whose type or metadata is not what it must be; the field error says where. */
export class EmbeddedError extends UnmarshalError {
  readonly error: FieldError

  constructor(field: string, value: Json, detail: string) {
    const error: FieldError = { type: 'Invalid', field, summary: `Invalid value: ${goFieldValue(value)}`, detail }
    super(fieldErrorMessage(error))
    this.error = error
  }
}

/**
 * What decoding would prune from a value that stands somewhere below the root.
 * `place` is its path in error messages. Throws an {@link EmbeddedError}.
 */
export function decodePart(value: Json, schema: Schema, place: string): string[] {
  const run: Run = { path: [], pruned: [], embedded: [], keepAll: false, dropInvalid: false, lossy: false }
  decodeValue(value, schema, { run, keep: schema.preserveUnknown, place, root: false })
  return run.pruned
}

interface Run {
  /** Names and indexes with their punctuation, down to where the walk is. */
  readonly path: string[]
  readonly pruned: string[]
  readonly embedded: string[]
  /** Nothing is taken out; whether something would be is told by `lossy`. */
  readonly keepAll: boolean
  readonly dropInvalid: boolean
  lossy: boolean
}

interface Position {
  readonly run: Run
  /** Unknown fields stay. A list hands this on to its items, a struct to none of its fields. */
  readonly keep: boolean
  /** The path in the notation of field errors, where keys of maps are in brackets. Only kept on the way to embedded resources. */
  readonly place: string
  readonly root: boolean
}

/** Metadata in the form of its type, and the paths that the type does not know. */
export function decodeMetadata(value: Json): { object: JsonObject; unknown: string[] } {
  if (!isObject(value)) {
    const type = Array.isArray(value) ? 'array' : typeof value === 'boolean' ? 'bool' : typeof value
    throw new UnmarshalError(`json: cannot unmarshal ${type} into Go value of type v1.ObjectMeta`)
  }
  const shape = objectMetaShape()
  const { object, sawUnknown } = decodeTyped(value, shape)
  // Empty entries are lost on upstream's way from and to its maps: what is there already stays.
  if (Array.isArray(object['managedFields']) && object['managedFields'].length === 0) delete object['managedFields']
  const unknown = sawUnknown ? unknownFields(value, shape).map((path) => `metadata.${path}`).sort() : []
  return { object, unknown }
}

function decodeValue(value: Json, schema: Schema | undefined, position: Position): Json {
  if (Array.isArray(value)) return decodeItems(value, schema, position)
  if (!isObject(value)) return value
  if (schema === undefined) {
    const pruned = position.keep ? [] : Object.keys(value)
    for (const name of pruned) recordPruned(name, position.run)
    return pruned.length === 0 || position.run.keepAll ? cloneJson(value) : {}
  }
  const result: JsonObject = {}
  decodeFields(value, schema, position, result)
  return result
}

function decodeItems(items: readonly Json[], schema: Schema | undefined, position: Position): Json[] {
  const { run } = position
  const keep = position.keep || (schema?.items?.preserveUnknown ?? false)
  return items.map((item, i) => {
    run.path.push(`[${i}]`)
    const place = schema?.below.embedded === true ? `${position.place}[${i}]` : ''
    const decoded = decodeValue(item, schema?.items, { run, keep, place, root: false })
    run.path.pop()
    return decoded
  })
}

function decodeFields(value: JsonObject, schema: Schema, position: Position, result: JsonObject): void {
  const { run, keep, root } = position
  for (const name of Object.keys(value)) {
    const field = value[name] as Json
    if (name === 'apiVersion' || name === 'kind' || name === 'metadata') {
      if (root) continue
      if (schema.embeddedResource) {
        if (run.keepAll) setOwn(result, name, keptEmbedded(name, field, run))
        else if (!droppedNull(field, schema.properties?.get(name))) {
          const embedded = decodeEmbedded(name, field, position)
          if (embedded !== undefined) setOwn(result, name, embedded)
        }
        continue
      }
    }
    const property = schema.properties?.get(name)
    const additional = property === undefined ? schema.additionalProperties : undefined
    if (property === undefined && additional === undefined) {
      if (!keep) recordPruned(name, run)
      if (keep || run.keepAll) setOwn(result, name, cloneJson(field))
      continue
    }
    const member = property ?? additional?.schema
    if (droppedNull(field, member)) {
      if (!run.keepAll) continue
      run.lossy = true
    }
    run.path.push(run.path.length === 0 ? name : `.${name}`)
    const place = member?.below.embedded === true ? childPlace(position.place, name, property !== undefined) : ''
    setOwn(result, name, decodeValue(field, member, { run, keep: member?.preserveUnknown ?? false, place, root: false }))
    run.path.pop()
  }
}

/** A null that the schema neither allows nor replaces by a default. */
function droppedNull(value: Json, schema: Schema | undefined): boolean {
  return value === null && schema !== undefined && !schema.nullable && schema.default === undefined
}

function childPlace(parent: string, name: string, known: boolean): string {
  if (!known) return `${parent}[${name}]`
  return parent === '' ? name : `${parent}.${name}`
}

function decodeEmbedded(name: string, value: Json, { run, place }: Position): Json | undefined {
  const field = childPlace(place, name, true)
  if (name !== 'metadata') {
    if (typeof value === 'string') return value
    if (run.dropInvalid) return undefined
    throw new EmbeddedError(field, value, 'must be a string')
  }
  try {
    const { object, unknown } = decodeMetadata(value ?? {})
    for (const path of unknown) run.embedded.push(`${place}.${path}`)
    return object
  } catch (error) {
    if (!(error instanceof UnmarshalError)) throw error
    if (run.dropInvalid) return undefined
    throw new EmbeddedError(field, value, error.message)
  }
}

/** The type or metadata of an embedded resource as it is given. */
function keptEmbedded(name: string, value: Json, run: Run): Json {
  try {
    const decoded = name === 'metadata' ? decodeMetadata(value ?? {}).object : typeof value === 'string' ? value : undefined
    if (!equalJson(decoded, value)) run.lossy = true
  } catch (error) {
    if (!(error instanceof UnmarshalError)) throw error
    run.lossy = true
  }
  return cloneJson(value)
}

function recordPruned(name: string, run: Run): void {
  run.lossy = true
  run.pruned.push(run.path.length === 0 ? name : `${run.path.join('')}.${name}`)
}
