/** Defaults of custom resources: filled in where a field is absent, or null where null is not allowed. */
import { cloneJson, getOwn, isObject, setOwn, type Json, type JsonObject } from '../api/json.ts'
import type { Schema } from './schema.ts'

/**
 * Fills in defaults in place, including defaults below a default. Idempotent.
 * Skips schemas without defaults, and values that are identical to those in `known`, which are already defaulted.
 */
export function applyDefaults(value: Json, schema: Schema, known?: Json): void {
  if (!schema.below.defaults || value === known) return
  if (Array.isArray(value)) defaultItems(value, schema.items, Array.isArray(known) ? known : [])
  else if (isObject(value)) defaultFields(value, schema, isObject(known) ? known : {})
}

function defaultItems(items: Json[], schema: Schema | undefined, known: readonly Json[]): void {
  if (schema === undefined || !schema.below.defaults) return
  for (let i = 0; i < items.length; i++) {
    if (items[i] === null && !schema.nullable && schema.default !== undefined) items[i] = cloneJson(schema.default)
    applyDefaults(items[i] as Json, schema, known[i])
  }
}

function defaultFields(value: JsonObject, schema: Schema, known: JsonObject): void {
  for (const { name, schema: member } of schema.fields) {
    if (!member.below.defaults) continue
    let field = getOwn(value, name)
    if (member.default !== undefined && (field === undefined || (field === null && !member.nullable))) {
      field = cloneJson(member.default)
      setOwn(value, name, field)
    }
    if (field !== undefined) applyDefaults(field, member, getOwn(known, name))
  }
  const additional = schema.additionalProperties?.schema
  if (additional === undefined || !additional.below.defaults) return
  for (const name of Object.keys(value)) {
    if (schema.properties?.has(name) === true) continue
    if (value[name] === null && !additional.nullable && additional.default !== undefined) {
      setOwn(value, name, cloneJson(additional.default))
    }
    applyDefaults(value[name] as Json, additional, getOwn(known, name))
  }
}
