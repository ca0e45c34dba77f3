/** CEL declarations of schemas: the type of a value and bounds of its size. */
import type { Estimate } from '../../cel/costs.ts'
import {
  boolType,
  bytesType,
  doubleType,
  durationType,
  dynType,
  intType,
  listType,
  mapType,
  stringType,
  timestampType,
  type CelType,
  type FieldType,
} from '../../cel/library.ts'
import { schemaFieldsOf, type Schema } from '../schema.ts'
import { escapeName } from './field-names.ts'

export interface Declaration {
  /** The CEL type; object types are named after their path. */
  type(name: string): CelType
  /** The maximum number of characters, items or entries of a value. */
  readonly maxElements: number
  /** The minimum size of a value as JSON, in bytes. */
  readonly minSize: number
  /** By escaped name; objects only. */
  readonly fields?: ReadonlyMap<string, Declaration>
  /** Lists and maps only. */
  readonly element?: Declaration
  readonly key?: Declaration
}

/** The maximum size of a request, in bytes. */
const maxRequestBytes = 3 * 1024 * 1024

/** How often a value of at least this size can occur in an object. */
export function maxCardinality(minSize: number): number {
  return Math.floor(maxRequestBytes / (minSize + 1))
}

const declared = {
  plain: new WeakMap<Schema, Declaration | null>(),
  resource: new WeakMap<Schema, Declaration | null>(),
}

/** Undefined if CEL has no type for the value, so that expressions cannot use it. */
export function declarationOf(schema: Schema, isResource: boolean): Declaration | undefined {
  const known = isResource ? declared.resource : declared.plain
  let found = known.get(schema)
  if (found === undefined) known.set(schema, (found = declare(schema, isResource) ?? null))
  return found ?? undefined
}

function simple(type: CelType, minSize: number, maxElements = 0): Declaration {
  return { type: () => type, minSize, maxElements }
}

const text = simple(stringType, 2, maxRequestBytes - 2)

function declare(schema: Schema, isResource: boolean): Declaration | undefined {
  if (schema.intOrString) {
    return simple(dynType, 1, schema.maxLength === undefined ? maxRequestBytes - 2 : maxOf(schema.maxLength) * 4)
  }
  switch (schema.type) {
    case 'array':
      return declareList(schema)
    case 'object': {
      const given = isResource ? withResourceFields(schema) : schema
      const values = given.additionalProperties?.schema
      return values === undefined ? declareObject(given) : declareMap(given, values)
    }
    case 'string':
      return declareText(schema)
    case 'boolean':
      return simple(boolType, 4)
    case 'number':
      return simple(doubleType, 1)
    case 'integer':
      return simple(intType, 1)
    default:
      return undefined
  }
}

function maxOf(limit: number): number {
  return Math.max(limit, 0)
}

function declareList({ items, maxItems }: Schema): Declaration | undefined {
  const element = items === undefined ? undefined : declarationOf(items, items.embeddedResource)
  if (element === undefined) return undefined
  const maxElements =
    maxItems === undefined ? Math.floor((maxRequestBytes - 2) / (element.minSize + 1)) : maxOf(maxItems)
  return { type: (name) => listType(element.type(`${name}.@idx`)), minSize: 2, maxElements, element }
}

function declareMap({ maxProperties }: Schema, values: Schema): Declaration | undefined {
  const element = declarationOf(values, values.embeddedResource)
  if (element === undefined) return undefined
  const maxElements =
    maxProperties === undefined ? Math.floor((maxRequestBytes - 2) / (element.minSize + 6)) : maxOf(maxProperties)
  const key = simple(stringType, 2)
  return { type: (name) => mapType(stringType, element.type(`${name}.@elem`)), minSize: 2, maxElements, element, key }
}

function declareObject(schema: Schema): Declaration {
  const fields = new Map<string, Declaration>()
  let minSize = 2
  const required = new Set(schema.required)
  for (const [name, member] of schema.properties ?? []) {
    const field = declarationOf(member, member.embeddedResource)
    if (field === undefined) continue
    const escaped = escapeName(name)
    if (escaped !== undefined) fields.set(escaped, field)
    if (required.has(name) && member.default === undefined) {
      minSize += Buffer.byteLength(name) + field.minSize + 4
    }
  }
  return {
    type: (name) => ({ kind: 'object', name, fields: fieldTypes(name, fields) }),
    minSize,
    maxElements: 0,
    fields,
  }
}

/** Creates field types lazily: most are never used. */
function fieldTypes(name: string, fields: ReadonlyMap<string, Declaration>): ReadonlyMap<string, FieldType> {
  const types = new Map<string, FieldType>()
  for (const [field, declaration] of fields) {
    let type: CelType | undefined
    types.set(field, {
      get type() {
        return (type ??= declaration.type(`${name}.${field}`))
      },
    })
  }
  return types
}

function declareText(schema: Schema): Declaration {
  switch (schema.format) {
    case 'byte':
      return simple(bytesType, 2, schema.maxLength === undefined ? maxRequestBytes - 2 : maxOf(schema.maxLength))
    case 'duration':
      return simple(durationType, 3, 32)
    case 'date':
      return simple(timestampType, 12, 12)
    case 'date-time':
      return simple(timestampType, 21, 32)
  }
  if (schema.maxLength !== undefined) return simple(stringType, 2, maxOf(schema.maxLength) * 4)
  if (schema.enum.length === 0) return text
  let longest = 0
  for (const value of schema.enum) if (typeof value === 'string') longest = Math.max(longest, Buffer.byteLength(value))
  return simple(stringType, 2, longest)
}

/** The size estimate of the value at a path that starts with a variable. */
export function sizeAt(root: Declaration, path: readonly string[]): Estimate | undefined {
  let at: Declaration | undefined = root
  for (const link of path.slice(1)) {
    at = link === '@items' || link === '@values' ? at.element : link === '@keys' ? at.key : at.fields?.get(link)
    if (at === undefined) return undefined
  }
  return { min: 0, max: at.maxElements }
}

const withFields = new WeakMap<Schema, Schema>()

/** Resources always have apiVersion, kind and metadata.name, even if their schema does not declare them. */
export function withResourceFields(schema: Schema): Schema {
  const { properties } = schema
  const metadata = properties?.get('metadata')
  const known =
    properties?.get('kind')?.type === 'string' &&
    properties.get('apiVersion')?.type === 'string' &&
    metadata?.type === 'object' &&
    metadata.properties?.get('name')?.type === 'string' &&
    metadata.properties.get('generateName')?.type === 'string'
  if (known) return schema
  let extended = withFields.get(schema)
  if (extended === undefined) withFields.set(schema, (extended = extend(schema)))
  return extended
}

function extend(schema: Schema): Schema {
  const plain: Schema = { ...emptySchema, type: 'string', types: ['string'] }
  const metadata: Schema = {
    ...emptySchema,
    type: 'object',
    types: ['object'],
    properties: new Map([
      ['name', plain],
      ['generateName', plain],
    ]),
  }
  const properties = new Map(schema.properties)
  properties.set('kind', plain).set('apiVersion', plain).set('metadata', metadata)
  return { ...schema, properties, fields: schemaFieldsOf(properties) }
}

const emptySchema: Schema = {
  type: '',
  types: [],
  nullable: false,
  default: undefined,
  properties: undefined,
  fields: [],
  items: undefined,
  additionalProperties: undefined,
  preserveUnknown: false,
  embeddedResource: false,
  intOrString: false,
  listType: undefined,
  listMapKeys: [],
  mapType: undefined,
  rules: [],
  format: '',
  givenFormat: '',
  checkFormat: undefined,
  maximum: undefined,
  exclusiveMaximum: false,
  minimum: undefined,
  exclusiveMinimum: false,
  multipleOf: undefined,
  maxLength: undefined,
  minLength: undefined,
  pattern: undefined,
  maxItems: undefined,
  minItems: undefined,
  uniqueItems: false,
  maxProperties: undefined,
  minProperties: undefined,
  required: [],
  enum: [],
  allOf: [],
  anyOf: [],
  oneOf: [],
  not: undefined,
  below: { defaults: false, embedded: false, uniqueLists: false, rules: false },
}
