/** Printer columns of custom resources: the name, then `additionalPrinterColumns`, or the age if there are none. */
import type { Json, JsonObject } from '../../api/json.ts'
import type { KubeObject } from '../../api/object.ts'
import type { Column } from '../contract/resource.ts'
import { ageText } from '../../api/age.ts'
import { goNumber } from '../../api/go-format.ts'
import { goJson } from '../../api/go-json.ts'
import { evaluateJsonPath } from './jsonpath/evaluate.ts'
import { JsonPathError, parseJsonPath, type PathNode } from './jsonpath/parse.ts'
import { numberOf, textOf } from '../../structural/reading.ts'

export interface CustomColumns {
  readonly columns: readonly Column[]
  /** One cell for each column; null if the object has no such value. */
  cells(object: KubeObject, now: number): Json[]
}

interface Source {
  readonly type: string
  readonly path: readonly PathNode[]
}

const nameColumn: Column = { name: 'Name', type: 'string', format: 'name', priority: 0 }
const ageColumn: JsonObject = { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' }

/** From `additionalPrinterColumns` of a version. As upstream, a path that cannot be parsed ends the list. */
export function customColumns(definitions: readonly JsonObject[]): CustomColumns {
  const columns: Column[] = [nameColumn]
  const sources: Source[] = []
  for (const definition of definitions.length === 0 ? [ageColumn] : definitions) {
    const jsonPath = textOf(definition, 'jsonPath')
    let path: PathNode[]
    try {
      path = parseJsonPath(jsonPath)
    } catch (error) {
      if (error instanceof JsonPathError) break
      throw error
    }
    columns.push(column(definition, jsonPath))
    sources.push({ type: textOf(definition, 'type'), path })
  }
  return {
    columns,
    cells: (object, now) => [object.metadata.name ?? '', ...sources.map((source) => cell(source, object, now))],
  }
}

function column(definition: JsonObject, jsonPath: string): Column {
  const given = textOf(definition, 'description')
  const described = given === '' ? `Custom resource definition column (in JSONPath format): ${jsonPath}` : given
  return {
    name: textOf(definition, 'name'),
    type: textOf(definition, 'type'),
    format: textOf(definition, 'format'),
    ...(definition === ageColumn ? {} : { description: described }),
    priority: numberOf(definition, 'priority') ?? 0,
  }
}

function cell({ type, path }: Source, object: KubeObject, now: number): Json {
  let results: Json[]
  try {
    results = evaluateJsonPath(path, object)
  } catch (error) {
    if (error instanceof JsonPathError) return null
    throw error
  }
  const value = results[0]
  return value === undefined ? null : formatCell(type, value, now)
}

function formatCell(type: string, value: Json, now: number): Json {
  switch (type) {
    case 'string':
      return cellText(value)
    case 'integer':
      return typeof value === 'number' ? Math.trunc(value) : null
    case 'number':
      return typeof value === 'number' ? value : null
    case 'boolean':
      return typeof value === 'boolean' ? value : null
    case 'date':
      return typeof value === 'string' ? ageText(value === 'null' ? '' : value, now) : null
    default:
      return null
  }
}

function cellText(value: Json): string {
  if (typeof value === 'string') return value
  if (value === null) return '<no value>'
  if (typeof value === 'number') return goNumber(value)
  return typeof value === 'boolean' ? String(value) : goJson(value)
}
