/** Defaults of custom resources: filled where a field is absent, or null where null is not allowed. */
import { cloneJson, getOwn, isObject, setOwn, type Json, type JsonObject } from '../../../api/json.ts'
import type { Schema } from './schema.ts'

/**
 * Fills defaults in place, and then the defaults below them. What is already filled does not change.
 * Costs nothing where the schema has no defaults.
 */
export function applyDefaults(value: Json, schema: Schema): void {
  if (!schema.below.defaults) return
  if (Array.isArray(value)) defaultItems(value, schema.items)
  else if (isObject(value)) defaultFields(value, schema)
}

function defaultItems(items: Json[], schema: Schema | undefined): void {
  if (schema === undefined || !schema.below.defaults) return
  for (let i = 0; i < items.length; i++) {
    if (items[i] === null && !schema.nullable && schema.default !== undefined) items[i] = cloneJson(schema.default)
    applyDefaults(items[i] as Json, schema)
  }
}

function defaultFields(value: JsonObject, schema: Schema): void {
  if (schema.properties !== undefined) {
    for (const [name, member] of schema.properties) {
      if (!member.below.defaults) continue
      let field = getOwn(value, name)
      if (member.default !== undefined && (field === undefined || (field === null && !member.nullable))) {
        field = cloneJson(member.default)
        setOwn(value, name, field)
      }
      if (field !== undefined) applyDefaults(field, member)
    }
  }
  const additional = schema.additionalProperties?.schema
  if (additional === undefined || !additional.below.defaults) return
  for (const name of Object.keys(value)) {
    if (schema.properties?.has(name) === true) continue
    if (value[name] === null && !additional.nullable && additional.default !== undefined) {
      setOwn(value, name, cloneJson(additional.default))
    }
    applyDefaults(value[name] as Json, additional)
  }
}
