/** Where the numbers of a CRD are floats: the bounds of schemas. All others are integers or raw JSON upstream. */
import { isObject, type Json } from '../../../api/json.ts'

const bounds: ReadonlySet<string> = new Set(['maximum', 'minimum', 'multipleOf'])
const schemas: ReadonlySet<string> = new Set(['items', 'additionalItems', 'additionalProperties', 'not'])
const schemaLists: ReadonlySet<string> = new Set(['items', 'allOf', 'anyOf', 'oneOf'])
const schemaMaps: ReadonlySet<string> = new Set(['properties', 'patternProperties', 'definitions', 'dependencies'])

/** Whether no number of the CRD beyond 2^53 is anything but a bound. */
export function onlyBoundsAreLarge(value: Json): boolean {
  return every(value, (key, child) => (key === 'openAPIV3Schema' ? inSchema(child) : onlyBoundsAreLarge(child)))
}

function inSchema(schema: Json): boolean {
  return every(schema, (key, child) => {
    if (bounds.has(key)) return true
    if (Array.isArray(child)) return child.every(schemaLists.has(key) ? inSchema : isExact)
    if (schemas.has(key)) return inSchema(child)
    return schemaMaps.has(key) && isObject(child) ? Object.values(child).every(inSchema) : isExact(child)
  })
}

function isExact(value: Json): boolean {
  return every(value, (_, child) => isExact(child))
}

function every(value: Json, accepts: (key: string, child: Json) => boolean): boolean {
  if (typeof value === 'number') return Math.abs(value) <= Number.MAX_SAFE_INTEGER
  if (Array.isArray(value)) return value.every((item) => accepts('', item))
  return !isObject(value) || Object.keys(value).every((key) => accepts(key, value[key] as Json))
}
