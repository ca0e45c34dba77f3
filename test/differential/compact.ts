/**
 * The stored form of recorded answers: without descriptions (of OpenAPI documents and table columns). Long filler texts
 * of requests become `{ "$repeat": [text, times] }`, as in the tables of cases.
 */
import { isObject, setOwn } from '../../src/api/json.ts'
import type { Json, JsonObject } from '../../src/api/json.ts'

export function compact(record: JsonObject): JsonObject {
  return record['body'] === undefined ? record : { ...record, body: withRepeats(record['body']) }
}

function withRepeats(value: Json): Json {
  if (typeof value === 'string') {
    const [first = ''] = value
    return value.length > 1000 && value === first.repeat(value.length) ? { $repeat: [first, value.length] } : value
  }
  if (Array.isArray(value)) return value.map(withRepeats)
  if (!isObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([key, child]) => [key, withRepeats(child)]))
}

/** Expands the filler texts. */
export function expand(value: Json): Json {
  if (Array.isArray(value)) return value.map(expand)
  if (!isObject(value)) return value
  const repeat = value['$repeat']
  if (Array.isArray(repeat)) return (repeat[0] as string).repeat(repeat[1] as number)
  const copy: JsonObject = {}
  for (const [key, child] of Object.entries(value)) setOwn(copy, key, expand(child))
  return copy
}

export function withoutProse(record: JsonObject): JsonObject {
  const { res, events } = record
  if (Array.isArray(events)) return { ...record, events: events.map(eventWithoutProse) }
  if (!isObject(res)) return record
  if (typeof record['path'] === 'string' && record['path'].startsWith('/openapi/')) {
    return { ...record, res: withoutDescriptions(res) }
  }
  return { ...record, res: tableWithoutProse(res) }
}

function eventWithoutProse(event: Json): Json {
  return isObject(event) && isObject(event['object']) ? { ...event, object: tableWithoutProse(event['object']) } : event
}

function tableWithoutProse(value: JsonObject): JsonObject {
  if (value['kind'] !== 'Table' || !Array.isArray(value['columnDefinitions'])) return value
  return { ...value, columnDefinitions: value['columnDefinitions'].map(withoutDescriptions) }
}

/** Keeps properties that are named `description`: their value is an object, a description is a string. */
function withoutDescriptions(value: Json): Json {
  if (Array.isArray(value)) return value.map(withoutDescriptions)
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key, child]) => key !== 'description' || typeof child !== 'string')
      .map(([key, child]) => [key, withoutDescriptions(child)]),
  )
}
