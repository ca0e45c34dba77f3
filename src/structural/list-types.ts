/** Lists of type set and map: values, or combinations of keys, must be unique. */
import type { FieldError } from '../api/field-error.ts'
import { getOwn, isObject, setOwn, type Json, type JsonObject } from '../api/json.ts'
import { goFieldValue, goJson } from '../api/go-json.ts'
import type { Schema } from './schema.ts'

/** All duplicates in the object, each reported at its second occurrence. Skips what it shares with `known`. */
export function listTypeErrors(object: Json, schema: Schema, known?: Json): FieldError[] {
  const errors: FieldError[] = []
  if (schema.below.uniqueLists) check(object, schema, '', errors, known)
  return errors
}

function check(value: Json, schema: Schema, path: string, errors: FieldError[], known: Json | undefined): void {
  if (!schema.below.uniqueLists || value === known) return
  if (Array.isArray(value)) {
    if (schema.listType === 'set') checkSet(value, path, errors)
    else if (schema.listType === 'map') checkMap(value, schema, path, errors)
    const { items } = schema
    if (items?.below.uniqueLists === true) {
      value.forEach((item, i) =>
        check(item, items, `${path}[${i}]`, errors, Array.isArray(known) ? known[i] : undefined),
      )
    }
  } else if (isObject(value)) {
    checkFields(value, schema, path, errors, isObject(known) ? known : undefined)
  }
}

function checkFields(
  value: JsonObject,
  schema: Schema,
  path: string,
  errors: FieldError[],
  known: JsonObject | undefined,
): void {
  const additional = schema.additionalProperties?.schema
  if (additional !== undefined && additional.below.uniqueLists) {
    for (const name of Object.keys(value).sort()) {
      check(value[name] as Json, additional, `${path}[${name}]`, errors, known && getOwn(known, name))
    }
  }
  for (const { name, schema: member } of schema.fields) {
    const field = member.below.uniqueLists ? getOwn(value, name) : undefined
    if (field !== undefined)
      check(field, member, path === '' ? name : `${path}.${name}`, errors, known && getOwn(known, name))
  }
}

function checkSet(items: readonly Json[], path: string, errors: FieldError[]): void {
  if (items.length <= 1) return
  for (const i of repeated(items.map(identity))) errors.push(duplicate(`${path}[${i}]`, items[i] as Json))
}

function checkMap(items: readonly Json[], schema: Schema, path: string, errors: FieldError[]): void {
  const stranger = items.findIndex((item) => item !== null && !isObject(item))
  if (stranger >= 0) {
    errors.push({
      type: 'Invalid',
      field: `${path}[${stranger}]`,
      summary: `Invalid value: ${goFieldValue(items[stranger] as Json)}`,
      detail: 'must be an object for an array of list-type map',
    })
    return
  }
  if (items.length <= 1) return
  const names = schema.listMapKeys
  for (const i of repeated(items.map((item) => keyIdentity(item, names)))) {
    errors.push(duplicate(`${path}[${i}]`, keyOf(items[i] as Json, names)))
  }
}

/** The key fields that the item has; an item without any has the key {}. */
function keyOf(item: Json, names: readonly string[]): JsonObject {
  const key: JsonObject = {}
  if (!isObject(item)) return key
  for (const name of names) {
    const part = getOwn(item, name)
    if (part !== undefined) setOwn(key, name, part)
  }
  return key
}

/** Equal for equal values and only for them; a scalar is its own identity. */
type Identity = string | number | boolean | null

function identity(value: Json): Identity {
  if (typeof value === 'object' && value !== null) return `\u0000${goJson(value)}`
  return typeof value === 'string' && value.startsWith('\u0000') ? `\u0000s${value}` : value
}

/** Equal for items with equal keys. Cheap for scalar keys, the only ones a CRD may declare. */
function keyIdentity(item: Json, names: readonly string[]): Identity {
  const fields = isObject(item) ? item : {}
  let id = ''
  for (const name of names) {
    const part = getOwn(fields, name)
    if (part === undefined) id += '\u0000'
    else if (typeof part === 'string') id += `"${part.length}:${part}`
    else id += `\u0001${goJson(part)}\u0000`
  }
  return id
}

/** The indexes of second occurrences; third and later ones are not reported. */
function repeated(ids: readonly Identity[]): number[] {
  const indexes: number[] = []
  if (new Set(ids).size === ids.length) return indexes
  const counts = new Map<Identity, number>()
  for (const [i, id] of ids.entries()) {
    const count = (counts.get(id) ?? 0) + 1
    counts.set(id, count)
    if (count === 2) indexes.push(i)
  }
  return indexes
}

function duplicate(field: string, value: Json): FieldError {
  return { type: 'Duplicate', field, summary: `Duplicate value: ${goFieldValue(value)}`, detail: '' }
}
