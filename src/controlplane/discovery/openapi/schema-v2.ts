/** Built-in schemas in OpenAPI v2: no defaults, references instead of `allOf`, one type instead of `oneOf`. */
import type { Json, JsonObject } from '../../../api/json.ts'
import type { TypeSchema } from '../../../facts/facts.ts'

const refPrefix = '#/definitions/'

export function schemaV2(schema: TypeSchema): JsonObject {
  const converted: JsonObject = {}
  if (schema.oneOf !== undefined) converted['type'] = 'string'
  const reference = schema.$ref ?? schema.allOf?.[0]?.$ref
  if (reference !== undefined) converted['$ref'] = refPrefix + reference.slice(reference.lastIndexOf('/') + 1)
  for (const [key, value] of Object.entries(schema)) {
    switch (key) {
      case 'default':
      case 'allOf':
      case 'oneOf':
      case '$ref':
        break
      case 'properties': {
        const properties: JsonObject = {}
        for (const [name, each] of Object.entries(schema.properties ?? {})) properties[name] = schemaV2(each)
        converted['properties'] = properties
        break
      }
      case 'items':
      case 'additionalProperties':
        converted[key] = schemaV2(value as TypeSchema)
        break
      default:
        converted[key] = value as Json
    }
  }
  return converted
}
