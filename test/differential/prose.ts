/** Takes prose out of recorded answers: facts are kept, descriptions of OpenAPI documents and table columns are not. */
import { isObject } from '../../src/api/json.ts'
import type { Json, JsonObject } from '../../src/api/json.ts'

export function withoutProse(record: JsonObject): JsonObject {
  const res = record['res']
  if (!isObject(res)) return record
  if (typeof record['path'] === 'string' && record['path'].startsWith('/openapi/')) {
    return { ...record, res: withoutDescriptions(res) }
  }
  if (res['kind'] !== 'Table' || !Array.isArray(res['columnDefinitions'])) return record
  return { ...record, res: { ...res, columnDefinitions: res['columnDefinitions'].map(withoutDescriptions) } }
}

/** A property that is called `description` is an object, prose is a string. */
function withoutDescriptions(value: Json): Json {
  if (Array.isArray(value)) return value.map(withoutDescriptions)
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key, child]) => key !== 'description' || typeof child !== 'string')
      .map(([key, child]) => [key, withoutDescriptions(child)]),
  )
}
