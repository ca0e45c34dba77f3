/** Lists of type set and map: no value, and no combination of keys, may come twice. */
import type { FieldError } from '../../../api/field-error.ts'
import { getOwn, isObject, setOwn, type Json, type JsonObject } from '../../../api/json.ts'
import { goJson, goValue } from '../go-text.ts'
import type { Schema } from './schema.ts'

/** All duplicates of the object, each told at its second appearance. */
export function listTypeErrors(object: Json, schema: Schema): FieldError[] {
  const errors: FieldError[] = []
  if (schema.below.uniqueLists) check(object, schema, '', errors)
  return errors
}

function check(value: Json, schema: Schema, path: string, errors: FieldError[]): void {
  if (!schema.below.uniqueLists) return
  if (Array.isArray(value)) {
    if (schema.listType === 'set') checkSet(value, path, errors)
    else if (schema.listType === 'map') checkMap(value, schema, path, errors)
    const { items } = schema
    if (items !== undefined) value.forEach((item, i) => check(item, items, `${path}[${i}]`, errors))
  } else if (isObject(value)) {
    checkFields(value, schema, path, errors)
  }
}

function checkFields(value: JsonObject, schema: Schema, path: string, errors: FieldError[]): void {
  const additional = schema.additionalProperties?.schema
  if (additional !== undefined && additional.below.uniqueLists) {
    for (const name of Object.keys(value).sort()) check(value[name] as Json, additional, `${path}[${name}]`, errors)
  }
  if (schema.properties === undefined) return
  for (const [name, member] of schema.properties) {
    const field = member.below.uniqueLists ? getOwn(value, name) : undefined
    if (field !== undefined) check(field, member, path === '' ? name : `${path}.${name}`, errors)
  }
}

function checkSet(items: readonly Json[], path: string, errors: FieldError[]): void {
  for (const i of repeated(items)) errors.push(duplicate(`${path}[${i}]`, items[i] as Json))
}

function checkMap(items: readonly Json[], schema: Schema, path: string, errors: FieldError[]): void {
  const stranger = items.findIndex((item) => item !== null && !isObject(item))
  if (stranger >= 0) {
    errors.push({
      type: 'Invalid', field: `${path}[${stranger}]`, summary: `Invalid value: ${goValue(items[stranger] as Json)}`,
      detail: 'must be an object for an array of list-type map',
    })
    return
  }
  if (items.length <= 1) return
  const keys = items.map((item) => keyOf(item, schema.listMapKeys))
  for (const i of repeated(keys)) errors.push(duplicate(`${path}[${i}]`, keys[i] as Json))
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

/** The indexes where a value comes for the second time; third and later ones are not told. */
function repeated(values: readonly Json[]): number[] {
  if (values.length <= 1) return []
  const counts = new Map<string, number>()
  const indexes: number[] = []
  values.forEach((value, i) => {
    const id = goJson(value)
    const count = (counts.get(id) ?? 0) + 1
    counts.set(id, count)
    if (count === 2) indexes.push(i)
  })
  return indexes
}

function duplicate(field: string, value: Json): FieldError {
  return { type: 'Duplicate', field, summary: `Duplicate value: ${goValue(value)}`, detail: '' }
}
