/**
 * Decoding of custom resources. The result is a new object: unknown fields are pruned, nulls that are not allowed are
 * dropped, and all metadata (of the object and of embedded resources) is decoded by its type.
 */
import { appendAll } from '../api/append.ts'
import { fieldErrorMessage, type FieldError } from '../api/field-error.ts'
import { cloneJson, equalJson, getOwn, isObject, setOwn, type Json, type JsonObject } from '../api/json.ts'
import type { KubeObject } from '../api/object.ts'
import { objectMetaShape } from '../shape/builtin-shapes.ts'
import { orderedMetadata } from '../shape/ordered-metadata.ts'
import { decodeTyped, UnmarshalError, unknownFields } from '../shape/decode.ts'
import { EmptyFields } from '../shape/empty-fields.ts'
import { knownPart, type KnownParts } from '../api/known-part.ts'
import { goFieldValue } from '../api/go-json.ts'
import type { Schema } from './schema.ts'

/** Where an object comes from: a request body, the result of an apply, or storage. */
export type Origin = 'sent' | 'applied' | 'stored'

export interface CustomDecoded {
  readonly object: KubeObject
  /** Pruned paths: those of metadata, then all others sorted, then those inside embedded metadata. */
  readonly unknown: string[]
  /** An applied object has fields that would not be read back from storage. */
  readonly lossy: boolean
  /** What was sent empty in metadata, the object's own and that of embedded objects. Undefined: nothing. */
  readonly empty: EmptyFields | undefined
}

/**
 * Decodes by the schema of the object's version. Does not fill in defaults.
 * An `applied` object keeps all its fields except for its own metadata: it is validated and stored in this form. In a
 * `stored` object, invalid types and metadata of embedded resources are dropped, because the schema may not have
 * required them when the object was written. Values that are identical to those in `known` (see {@link decodedBy}) are
 * reused without decoding. Throws an {@link UnmarshalError} if metadata or the type of an embedded resource is invalid.
 */
export function decodeCustom(
  value: JsonObject,
  schema: Schema,
  origin: Origin = 'sent',
  known?: JsonObject,
): CustomDecoded {
  const run: Run = {
    path: [],
    pruned: [],
    embedded: [],
    keepAll: origin === 'applied',
    dropInvalid: origin === 'stored',
    lossy: false,
    empty: undefined,
  }
  const { object: metadata, unknown, empty } = decodeMetadata(getOwn(value, 'metadata') ?? {}, known?.['metadata'])
  const object: JsonObject = {}
  const apiVersion = getOwn(value, 'apiVersion')
  if (apiVersion !== undefined) object['apiVersion'] = apiVersion
  const kind = getOwn(value, 'kind')
  if (kind !== undefined) object['kind'] = kind
  object['metadata'] = metadata
  decodeFields(value, schema, { run, keep: schema.preserveUnknown, place: '', root: true }, object, known)
  if (run.pruned.length > 0) appendAll(unknown, run.pruned.sort())
  if (run.embedded.length > 0) appendAll(unknown, run.embedded.sort())
  if (empty !== undefined) (run.empty ??= new EmptyFields()).addAll(empty)
  return { object: object as KubeObject, unknown, lossy: run.lossy, empty: run.empty }
}

/** The metadata of a stored object and the fields that this schema decoded: usually the whole object. */
export function decodedBy(schema: Schema, live: JsonObject, parts: KnownParts | undefined): JsonObject {
  const isDecoded = (name: string): boolean => {
    return name === 'metadata' || knownPart(live[name], parts)?.schema === schema
  }
  const known: JsonObject = {}
  let isAll = true
  for (const name in live) {
    if (isDecoded(name)) setOwn(known, name, live[name] as Json)
    else if (name !== 'apiVersion' && name !== 'kind') isAll = false
  }
  return isAll ? live : known
}

/** An embedded resource with an invalid type or metadata; the field error has its path. */
export class EmbeddedError extends UnmarshalError {
  readonly error: FieldError

  constructor(field: string, value: Json, detail: string) {
    const error: FieldError = { type: 'Invalid', field, summary: `Invalid value: ${goFieldValue(value)}`, detail }
    super(fieldErrorMessage(error))
    this.error = error
  }
}

/**
 * The paths that decoding would prune from a value below the root.
 * `place` is the value's path in error messages. Throws an {@link EmbeddedError}.
 */
export function decodePart(value: Json, schema: Schema, place: string): string[] {
  const run: Run = {
    path: [],
    pruned: [],
    embedded: [],
    keepAll: false,
    dropInvalid: false,
    lossy: false,
    empty: undefined,
  }
  decodeValue(value, schema, { run, keep: schema.preserveUnknown, place, root: false }, undefined)
  return run.pruned
}

interface Run {
  /** Names and indexes with their punctuation, down to the current value. */
  readonly path: string[]
  readonly pruned: string[]
  readonly embedded: string[]
  /** Nothing is removed; `lossy` records whether something would be. */
  readonly keepAll: boolean
  readonly dropInvalid: boolean
  lossy: boolean
  empty: EmptyFields | undefined
}

interface Position {
  readonly run: Run
  /** Keep unknown fields. A list passes this on to its items; a struct does not pass it on to its fields. */
  readonly keep: boolean
  /**
   * The path as field errors write it, with map keys in brackets. Only maintained on the way to embedded resources.
   */
  readonly place: string
  readonly root: boolean
}

/**
 * Metadata decoded by its type, and the unknown paths. Fields that are identical in `live`, which is frozen, are
 * reused.
 */
export function decodeMetadata(
  value: Json,
  live?: Json,
): { object: JsonObject; unknown: string[]; empty?: EmptyFields | undefined } {
  if (!isObject(value)) {
    const type = Array.isArray(value) ? 'array' : typeof value === 'boolean' ? 'bool' : typeof value
    throw new UnmarshalError(`json: cannot unmarshal ${type} into Go value of type v1.ObjectMeta`)
  }
  if (value === live) return { object: withoutEmptyEntries(orderedMetadata(value)), unknown: [] }
  const shape = objectMetaShape()
  const changed = isObject(live) ? changedFields(value, live) : value
  const { object, sawUnknown, empty } = decodeTyped(changed, shape)
  const unknown = sawUnknown
    ? unknownFields(changed, shape)
        .map((path) => `metadata.${path}`)
        .sort()
    : []
  if (changed === value) return { object: withoutEmptyEntries(object), unknown, empty }
  const whole: JsonObject = {}
  for (const name of shape.fields.keys()) {
    const field = Object.hasOwn(changed, name) ? object[name] : getOwn(value, name)
    if (field !== undefined) whole[name] = field
  }
  empty?.copy(whole, object)
  return { object: withoutEmptyEntries(whole), unknown, empty }
}

function changedFields(value: JsonObject, live: JsonObject): JsonObject {
  const changed: JsonObject = {}
  for (const name of Object.keys(value))
    if (value[name] !== getOwn(live, name)) setOwn(changed, name, value[name] as Json)
  return changed
}

/** Upstream's conversion to and from its maps loses an empty `managedFields`, so it is dropped here. */
function withoutEmptyEntries(metadata: JsonObject): JsonObject {
  if (Array.isArray(metadata['managedFields']) && metadata['managedFields'].length === 0)
    delete metadata['managedFields']
  return metadata
}

/** `known`: the value at the same path of an object that the same schema decoded. */
function decodeValue(value: Json, schema: Schema | undefined, position: Position, known: Json | undefined): Json {
  if (Array.isArray(value)) return decodeItems(value, schema, position, known)
  if (!isObject(value)) return value
  if (schema === undefined) {
    const pruned = position.keep ? [] : Object.keys(value)
    for (const name of pruned) recordPruned(name, position.run)
    return pruned.length === 0 || position.run.keepAll ? cloneJson(value) : {}
  }
  const result: JsonObject = {}
  decodeFields(value, schema, position, result, known)
  return result
}

function decodeItems(
  items: readonly Json[],
  schema: Schema | undefined,
  position: Position,
  known: Json | undefined,
): Json[] {
  const { run } = position
  const keep = position.keep || (schema?.items?.preserveUnknown ?? false)
  return items.map((item, i) => {
    const knownItem = Array.isArray(known) ? known[i] : undefined
    if (item === knownItem) return item
    run.path.push(`[${i}]`)
    const place = schema?.below.embedded === true ? `${position.place}[${i}]` : ''
    const decoded = decodeValue(item, schema?.items, { run, keep, place, root: false }, knownItem)
    run.path.pop()
    return decoded
  })
}

function decodeFields(
  value: JsonObject,
  schema: Schema,
  position: Position,
  result: JsonObject,
  known: Json | undefined,
): void {
  const { run, keep, root } = position
  for (const name of Object.keys(value)) {
    const field = value[name] as Json
    const isTypeOrMeta = name === 'apiVersion' || name === 'kind' || name === 'metadata'
    if (root && isTypeOrMeta) continue
    const knownField = isObject(known) ? getOwn(known, name) : undefined
    if (field === knownField) {
      setOwn(result, name, field)
      continue
    }
    if (isTypeOrMeta && schema.embeddedResource) {
      if (run.keepAll) setOwn(result, name, keptEmbedded(name, field, run))
      else if (!droppedNull(field, schema.properties?.get(name))) {
        const embedded = decodeEmbedded(name, field, position)
        if (embedded !== undefined) setOwn(result, name, embedded)
      }
      continue
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
    if (typeof field !== 'object' || field === null) {
      setOwn(result, name, field)
      continue
    }
    run.path.push(run.path.length === 0 ? name : `.${name}`)
    const place = member?.below.embedded === true ? childPlace(position.place, name, property !== undefined) : ''
    setOwn(
      result,
      name,
      decodeValue(field, member, { run, keep: member?.preserveUnknown ?? false, place, root: false }, knownField),
    )
    run.path.pop()
  }
}

/** A null that the schema does not allow and has no default for. */
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
    const { object, unknown, empty } = decodeMetadata(value ?? {})
    if (empty !== undefined) (run.empty ??= new EmptyFields()).addAll(empty)
    for (const path of unknown) run.embedded.push(`${place}.${path}`)
    return object
  } catch (error) {
    if (!(error instanceof UnmarshalError)) throw error
    if (run.dropInvalid) return undefined
    throw new EmbeddedError(field, value, error.message)
  }
}

/** The type or metadata of an embedded resource, unchanged. */
function keptEmbedded(name: string, value: Json, run: Run): Json {
  try {
    const decoded =
      name === 'metadata' ? decodeMetadata(value ?? {}).object : typeof value === 'string' ? value : undefined
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
