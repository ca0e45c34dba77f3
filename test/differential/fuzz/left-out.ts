/** Requests that are not sent because the real server panics. */
import { isObject } from '../../../src/api/json.ts'
import type { Json } from '../../../src/api/json.ts'
import type { Step } from '../case.ts'

export function isLeftOut({ path, headers, body = null }: Step): boolean {
  const type = headers?.['content-type']
  if (type === 'application/json-patch+json') return Array.isArray(body) && body.some(testsNull)
  if (type === 'application/strategic-merge-patch+json' && hasOddKey(body, false)) return true
  return path.includes('/cronjobs') && lacksCompletions(JSON.stringify(body))
}

/** A JSON patch test of a list or an object that contains null. */
function testsNull(operation: Json): boolean {
  return (
    isObject(operation) &&
    operation['op'] === 'test' &&
    operation['value'] !== null &&
    JSON.stringify(operation['value'] ?? '').includes('null')
  )
}

const mergeKeys = new Set([
  'name',
  'key',
  'type',
  'ip',
  'port',
  'containerPort',
  'mountPath',
  'devicePath',
  'topologyKey',
  'uid',
  'conditionType',
])

/** A merge key in a list item whose value is itself a list or an object. */
function hasOddKey(value: Json, inList: boolean): boolean {
  if (Array.isArray(value)) return value.some((item) => hasOddKey(item, true))
  if (!isObject(value)) return false
  return Object.entries(value).some(
    ([key, child]) =>
      (inList && mergeKeys.has(key) && typeof child === 'object' && child !== null) || hasOddKey(child, false),
  )
}

/** The real server validates a success policy with completions, even if there are none. */
function lacksCompletions(body: string): boolean {
  return (
    body.includes('"completions":null') ||
    body.includes('/completions"') ||
    (body.includes('"successPolicy"') && !body.includes('"completions"'))
  )
}
