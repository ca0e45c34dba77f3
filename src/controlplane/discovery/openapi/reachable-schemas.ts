/** Reachable schemas: those that a set of schemas refers to, directly or indirectly. */
import { appendAll } from '../../../api/append.ts'
import type { Json, JsonObject } from '../../../api/json.ts'
import { schemas } from '../../../facts/facts.ts'

/** A schema by name. Undefined if there is none. */
export type SchemaSource = (name: string) => Json | undefined

export const builtinSchema: SchemaSource = (name) => schemas().get(name) as JsonObject | undefined

/** By name, for built-in schemas only, since they never change. */
const builtinReferences = new Map<string, readonly string[]>()

/** Sorted by name. Names without a schema are omitted. */
export function reachableSchemas(roots: Iterable<string>, source: SchemaSource): JsonObject {
  const found = new Map<string, Json>()
  const waiting = [...roots]
  for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
    if (found.has(name)) continue
    const schema = source(name)
    if (typeof schema !== 'object' || schema === null) continue
    found.set(name, schema)
    appendAll(waiting, referencesOf(name, schema))
  }
  const sorted: JsonObject = {}
  for (const name of [...found.keys()].sort()) sorted[name] = found.get(name) as Json
  return sorted
}

function referencesOf(name: string, schema: Json): readonly string[] {
  const isBuiltin = schema === schemas().parsed(name)
  const known = isBuiltin ? builtinReferences.get(name) : undefined
  if (known !== undefined) return known
  const names = [...collect(schema, new Set())]
  if (isBuiltin) builtinReferences.set(name, names)
  return names
}

/** A property can have the name `$ref`; only a string is a reference. */
function collect(value: Json, names: Set<string>): Set<string> {
  if (Array.isArray(value)) {
    for (const item of value) collect(item, names)
  } else if (typeof value === 'object' && value !== null) {
    for (const key of Object.keys(value)) {
      const child = value[key] as Json
      if (key === '$ref' && typeof child === 'string') names.add(child.slice(child.lastIndexOf('/') + 1))
      else collect(child, names)
    }
  }
  return names
}
