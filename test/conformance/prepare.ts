/**
 * Brings recorded and live answers into one form before they are compared, where upstream's own answers vary in form:
 * ages in tables, and what it writes in random order.
 */
import { getOwn, isObject } from '../../src/api/json.ts'
import type { Json, JsonObject } from '../../src/api/json.ts'

export function prepare(value: Json): Json {
  if (!isObject(value)) return Array.isArray(value) ? value.map(prepare) : value
  if (value['kind'] === 'Table') return prepareTable(value)
  if (value['kind'] !== 'Status') return value
  if (value['reason'] === 'Conflict') return prepareConflict(value)
  return value['reason'] === 'Invalid' ? prepareInvalid(value) : value
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

/** A schema's properties are checked in random order. Built-in resources are checked field by field in a fixed one. */
function prepareInvalid(status: JsonObject): JsonObject {
  const details = status['details']
  if (!isObject(details) || !Array.isArray(details['causes']) || details['causes'].length < 2) return status
  const group = textAt(details, 'group')
  if (!group.includes('.') || group.endsWith('.k8s.io')) return status
  const causes = details['causes'].toSorted((a, b) => compareText(JSON.stringify(a), JSON.stringify(b)))
  // The message repeats the causes, one after the other.
  const list = causes.map((cause) => (isObject(cause) ? `${textAt(cause, 'field')}: ${textAt(cause, 'message')}` : ''))
  let message = textAt(status, 'message')
  for (const text of list) message = message.replace(text, () => '…')
  return { ...status, message, details: { ...details, causes } }
}

function managerOf(cause: Json): string {
  return isObject(cause) ? textAt(cause, 'message') : ''
}

export function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}

/** The text at `key`; empty if there is none. */
export function textAt(object: JsonObject, key: string): string {
  const value = getOwn(object, key)
  return typeof value === 'string' ? value : ''
}
