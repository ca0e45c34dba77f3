/**
 * Normalizes recorded and live responses before the comparison where upstream's own responses vary: ages in tables, and
 * values in random order.
 */
import { getOwn, isObject } from '../../src/api/json.ts'
import type { Json, JsonObject } from '../../src/api/json.ts'

export function prepare(value: Json): Json {
  if (Array.isArray(value)) return withColumns(value).map(prepare)
  if (!isObject(value)) return value
  if (value['kind'] === 'Table') return prepareTable(value)
  if (isObject(value['object']) && typeof value['type'] === 'string')
    return { ...value, object: prepare(value['object']) }
  if (value['kind'] === 'APIResourceList') return { ...value, resources: byName(value['resources']) }
  if (value['kind'] === 'SelfSubjectRulesReview') return prepareRules(value)
  if (value['kind'] === 'APIGroupDiscoveryList') return prepareDiscovery(value)
  if (typeof value['gitVersion'] === 'string')
    return { ...value, ...Object.fromEntries(buildFacts.map((key) => [key, '(build)'])) }
  if (typeof value['jwks_uri'] === 'string') return prepareIssuer(value, value['jwks_uri'])
  if (value['kind'] !== 'Status') return value
  if (value['code'] === 500) return { ...value, message: sortedErrors(textAt(value, 'message')) }
  if (value['reason'] === 'Conflict') return prepareConflict(value)
  return value['reason'] === 'Invalid' ? prepareInvalid(value) : value
}

/** The fields of `/version` that depend on the build. */
const buildFacts = ['buildDate', 'compiler', 'gitCommit', 'gitTreeState', 'goVersion', 'platform']

/** Custom resources of a group are in random order. */
function prepareDiscovery(list: JsonObject): JsonObject {
  const groups = Array.isArray(list['items']) ? list['items'].filter(isObject) : []
  return {
    ...list,
    items: groups.map((group) => ({
      ...group,
      versions: (Array.isArray(group['versions']) ? group['versions'].filter(isObject) : []).map((version) => ({
        ...version,
        resources: byName(version['resources']),
      })),
    })),
  }
}

function byName(resources: Json | undefined): Json {
  if (!Array.isArray(resources)) return resources ?? null
  const nameOf = (each: Json): string => (isObject(each) ? textAt(each, 'name') || textAt(each, 'resource') : '')
  return resources.toSorted((a, b) => compareText(nameOf(a), nameOf(b)))
}

/** The document of a token issuer has the server's address and its signing algorithm. */
function prepareIssuer(issuer: JsonObject, keys: string): JsonObject {
  return { ...issuer, jwks_uri: new URL(keys).pathname, id_token_signing_alg_values_supported: '(algorithms)' }
}

/** The rules of a user are in random order, that of a map of bindings. */
function prepareRules(review: JsonObject): JsonObject {
  const status = isObject(review['status']) ? review['status'] : {}
  const sorted = (rules: Json | undefined): Json => {
    return Array.isArray(rules)
      ? rules.toSorted((a, b) => compareText(JSON.stringify(a), JSON.stringify(b)))
      : (rules ?? null)
  }
  return {
    ...review,
    status: {
      ...status,
      resourceRules: sorted(status['resourceRules']),
      nonResourceRules: sorted(status['nonResourceRules']),
    },
  }
}

/** Only the first table of a watch has columns, which show the ages in the others. */
function withColumns(events: Json[]): Json[] {
  const table = (event: Json | undefined): JsonObject | undefined => {
    return isObject(event) && isObject(event['object']) && event['object']['kind'] === 'Table'
      ? event['object']
      : undefined
  }
  const columns = table(events[0])?.['columnDefinitions']
  if (columns === undefined) return events
  return events.map((event, i) => {
    const later = i === 0 ? undefined : table(event)
    return later === undefined || later['columnDefinitions'] !== null
      ? event
      : { ...(event as JsonObject), object: { ...later, columnDefinitions: columns, 'columns of the first': true } }
  })
}

const duration = /^(\d+[smhdy])+$/
const ageColumns = new Set(['Age', 'Last Seen', 'First Seen', 'Created At', 'Duration', 'Last Schedule'])

function prepareTable(table: JsonObject): JsonObject {
  const columns = Array.isArray(table['columnDefinitions']) ? table['columnDefinitions'].filter(isObject) : []
  const rows = Array.isArray(table['rows']) ? table['rows'] : []
  return {
    ...table,
    columnDefinitions: columns.map(withoutDescription),
    rows: rows.map((row) => {
      if (!isObject(row) || !Array.isArray(row['cells'])) return row
      const cells = row['cells'].map((cell, i) => {
        const isAge = ageColumns.has(textAt(columns[i] ?? {}, 'name'))
        return isAge && typeof cell === 'string' && duration.test(cell) ? '(age)' : cell
      })
      return { ...row, cells }
    }),
  }
}

function withoutDescription(column: JsonObject): JsonObject {
  const { description: _description, ...rest } = column
  return rest
}

/** Schema errors of an apply are in random order. */
function sortedErrors(message: string): string {
  const [head = '', ...lines] = message.split('\n  ')
  return [head, ...lines.toSorted(compareText)].join('\n  ')
}

function prepareConflict(status: JsonObject): JsonObject {
  const details = status['details']
  const causes = isObject(details) ? details['causes'] : undefined
  if (!isObject(details) || !Array.isArray(causes)) return status
  const sorted = causes.toSorted((a, b) => compareText(managerOf(a), managerOf(b)))
  const message = textAt(status, 'message')
  const [head = '', ...blocks] = message.split(/\n?(?=conflicts? with ")/)
  const text = [head, ...blocks.toSorted(compareText)].join('\n')
  return { ...status, message: text, details: { ...details, causes: sorted } }
}

/** The properties of a schema are validated in random order. Built-in resources are validated in a fixed order. */
function prepareInvalid(status: JsonObject): JsonObject {
  const details = status['details']
  if (!isObject(details) || !Array.isArray(details['causes']) || details['causes'].length < 2) return status
  const group = textAt(details, 'group')
  const custom = group.includes('.') && !group.endsWith('.k8s.io')
  const causes = custom ? details['causes'].toSorted(byText) : entriesSorted(details['causes'])
  if (causes === undefined) return status
  // The message repeats the causes in order.
  const list = causes.map((cause) => (isObject(cause) ? `${textAt(cause, 'field')}: ${textAt(cause, 'message')}` : ''))
  let message = textAt(status, 'message')
  for (const text of list) message = message.replace(text, () => '…')
  return { ...status, message, details: { ...details, causes } }
}

const byText = (a: Json, b: Json): number => compareText(JSON.stringify(a), JSON.stringify(b))

/** Sorts neighbouring causes about entries of the same map; undefined if there are none. */
function entriesSorted(causes: readonly Json[]): Json[] | undefined {
  const runs: { readonly map: string | undefined; readonly causes: Json[] }[] = []
  for (const cause of causes) {
    const map = mapOf(cause)
    const last = runs.at(-1)
    if (map !== undefined && last?.map === map) last.causes.push(cause)
    else runs.push({ map, causes: [cause] })
  }
  return runs.length === causes.length ? undefined : runs.flatMap((run) => run.causes.toSorted(byText))
}

/** The map with the invalid entry: labels, annotations, or a field with a key in brackets. */
function mapOf(cause: Json | undefined): string | undefined {
  const field = cause !== undefined && isObject(cause) ? textAt(cause, 'field') : ''
  if (/\.(?:labels|annotations|nodeSelector|matchLabels)$/.test(field)) return field
  return /^(.*?)\[(?!\d+\])[^\]]*\]/.exec(field)?.[1]
}

function managerOf(cause: Json): string {
  return isObject(cause) ? textAt(cause, 'message') : ''
}

export function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}

/** The text at `key`; empty if absent. */
export function textAt(object: JsonObject, key: string): string {
  const value = getOwn(object, key)
  return typeof value === 'string' ? value : ''
}
