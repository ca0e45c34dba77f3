/** Printer columns, and lookup of fields by paths such as `.spec.replicas`. */
import { isObject, type JsonObject } from '../api/json.ts'
import { SchemaError, type StructuralSchema } from './node.ts'

export type ColumnType = 'string' | 'integer' | 'number' | 'boolean' | 'date'

export interface ColumnOptions {
  /** Default: the type of the field in the schema; string if the path has more than field names. */
  readonly type?: ColumnType
  /** 0: always shown; higher: only with `-o wide`. Default 0. */
  readonly priority?: number
  readonly description?: string
}

export interface Column extends ColumnOptions {
  readonly name: string
  readonly path: string
}

/** A column that shows the value at `path` (a JSONPath in the object). */
export function column(name: string, path: string, options: ColumnOptions = {}): Column {
  return { name, path, ...options }
}

/** The usual last column. A kind without columns has it by default. */
export function age(): Column {
  return column('Age', '.metadata.creationTimestamp', { type: 'date' })
}

/** An entry of `additionalPrinterColumns`. Throws a {@link SchemaError} if the schema has no such field. */
export function columnSchema({ name, path, type, priority, description }: Column, root: StructuralSchema): JsonObject {
  return {
    name,
    jsonPath: path,
    type: type ?? columnType(name, path, root),
    ...(priority === undefined || priority === 0 ? {} : { priority }),
    ...(description === undefined ? {} : { description }),
  }
}

function columnType(name: string, path: string, root: StructuralSchema): ColumnType {
  if (!isPlain(path)) return 'string'
  if (/^\.metadata\.(creation|deletion)Timestamp$/.test(path)) return 'date'
  if (path === '.metadata.generation') return 'integer'
  if (path.startsWith('.metadata.') || path === '.kind' || path === '.apiVersion') return 'string'
  const field = fieldAt(root, path)
  if (field === undefined) throw new SchemaError(`column ${name}: the schema has no field ${path}`)
  const type = field['type']
  if (type === 'string' && field['format'] === 'date-time') return 'date'
  return type === 'integer' || type === 'number' || type === 'boolean' ? type : 'string'
}

const plainPath = /^(\.[\w-]+)+$/

/** Whether the path has only field names: no indexes, no filters. */
const isPlain = (path: string): boolean => plainPath.test(path)

/**
 * The schema of the field at a plain path; undefined if there is none. {} below fields that preserve unknown fields.
 */
export function fieldAt(root: StructuralSchema, path: string): StructuralSchema | undefined {
  if (!isPlain(path)) return undefined
  let schema: StructuralSchema = root
  for (const name of path.slice(1).split('.')) {
    const { properties, additionalProperties } = schema
    const member = isObject(properties) && Object.hasOwn(properties, name) ? properties[name] : additionalProperties
    if (isObject(member)) schema = member
    else if (schema['x-kubernetes-preserve-unknown-fields'] === true) return {}
    else return undefined
  }
  return schema
}
