/** OpenAPI schemas as CEL types, for the type check of policies. */
import { getOwn, isObject, type JsonObject } from '../../../api/json.ts'
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
} from '../../../cel/library.ts'
import { escapeName } from '../../../structural/rules/field-names.ts'

/** Schemas by name, and the names of those around a schema: a reference to one of them is an object without fields. */
interface Scope {
  readonly schemas: JsonObject
  readonly around: readonly string[]
}

interface Found {
  readonly schema: JsonObject
  readonly scope: Scope
}

const prefix = '#/components/schemas/'
const emptyObject: JsonObject = { type: 'object' }

/** Undefined if the value has no type in CEL. */
export function schemaType(name: string, schemas: JsonObject, typeName: string): CelType | undefined {
  const schema = getOwn(schemas, name)
  return isObject(schema) ? typeOf({ schema, scope: { schemas, around: [name] } }, typeName) : undefined
}

function resolved(given: JsonObject, scope: Scope): Found {
  const name = referenceOf(given)
  if (name === undefined) return { schema: given, scope }
  if (scope.around.includes(name)) return { schema: emptyObject, scope }
  const schema = getOwn(scope.schemas, name)
  return {
    schema: isObject(schema) ? schema : {},
    scope: { schemas: scope.schemas, around: [...scope.around, name] },
  }
}

/** A reference may be within `allOf`, beside a description. */
function referenceOf(schema: JsonObject): string | undefined {
  const reference = schema['$ref']
  if (typeof reference === 'string') return reference.slice(prefix.length)
  const parts = schema['allOf']
  if (!Array.isArray(parts)) return undefined
  for (const part of parts) {
    const name = isObject(part) ? referenceOf(part) : undefined
    if (name !== undefined) return name
  }
  return undefined
}

function typeOf({ schema, scope }: Found, typeName: string): CelType | undefined {
  if (isIntOrString(schema)) return dynType
  switch (schema['type']) {
    case 'array': {
      const items = schema['items']
      const element = isObject(items) ? typeOf(resolved(items, scope), `${typeName}.@idx`) : undefined
      return element && listType(element)
    }
    case 'object': {
      const values = schema['additionalProperties']
      if (!isObject(values)) return { kind: 'object', name: typeName, fields: fieldsOf(schema, scope, typeName) }
      const value = typeOf(resolved(values, scope), `${typeName}.@elem`)
      return value && mapType(stringType, value)
    }
    case 'string':
      return textTypes.get(String(schema['format'])) ?? stringType
    case 'boolean':
      return boolType
    case 'number':
      return doubleType
    case 'integer':
      return intType
    default:
      return undefined
  }
}

const textTypes: ReadonlyMap<string, CelType> = new Map([
  ['byte', bytesType],
  ['duration', durationType],
  ['date', timestampType],
  ['date-time', timestampType],
])

function isIntOrString(schema: JsonObject): boolean {
  return schema['format'] === 'int-or-string' || schema['x-kubernetes-int-or-string'] === true
}

/** Types of fields are made on first use: most are never used. */
function fieldsOf(schema: JsonObject, scope: Scope, typeName: string): ReadonlyMap<string, FieldType> {
  const fields = new Map<string, FieldType>()
  const properties = schema['properties']
  for (const [name, property] of Object.entries(isObject(properties) ? properties : {})) {
    const escaped = escapeName(name)
    if (escaped === undefined || !isObject(property)) continue
    const found = resolved(property, scope)
    if (!hasType(found)) continue
    let type: CelType | undefined
    fields.set(escaped, {
      get type() {
        return (type ??= typeOf(found, `${typeName}.${escaped}`) ?? dynType)
      },
    })
  }
  return fields
}

function hasType({ schema, scope }: Found): boolean {
  if (isIntOrString(schema)) return true
  const { type, items, additionalProperties: values } = schema
  if (type === 'array') return isObject(items) && hasType(resolved(items, scope))
  if (type === 'object') return !isObject(values) || hasType(resolved(values, scope))
  return type === 'string' || type === 'boolean' || type === 'number' || type === 'integer'
}
