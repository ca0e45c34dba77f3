/**
 * OpenAPI schemas of custom resources, from the schema in the definition: cleaned, with keys in upstream's order, and
 * with type and object metadata added. OpenAPI v2 has neither nullable values nor alternatives, so there such fields
 * lose their type.
 */
import { getOwn, isObject, setOwn, type Json, type JsonObject } from '../../../api/json.ts'
import type { Resource } from '../../contract/resource.ts'
import type { CustomDefinition } from '../served-groups.ts'
import { typeDescriptions } from './descriptions.ts'
import { metaSchema } from './operation.ts'

export type OpenApiVersion = 'v2' | 'v3'

/** `io.ex.v1.Widget` for Widget of `ex.io/v1`. */
export function customTypeName(group: string, version: string, kind: string): string {
  return `${group.split('.').reverse().join('.')}.${version}.${kind}`
}

export function customListName(resource: Resource): string {
  return customTypeName(resource.group, resource.version, resource.listKind)
}

/** The schemas of the kind and of its list, by name. */
export function customSchemas(
  resource: Resource,
  definition: CustomDefinition | undefined,
  openapi: OpenApiVersion,
): ReadonlyMap<string, Json> {
  const { group, version, kind, listKind } = resource
  const name = customTypeName(group, version, kind)
  const object = objectSchema(definition?.schema, openapi)
  object['x-kubernetes-group-version-kind'] = [{ group, kind, version }]
  const list: JsonObject = {
    description: `${listKind} is a list of ${kind} objects.`,
    type: 'object',
    required: ['items'],
    properties: {
      apiVersion: text(typeDescriptions.apiVersion),
      items: { description: 'The objects.', type: 'array', items: { $ref: refTo(name, openapi) } },
      kind: text(typeDescriptions.kind),
      metadata: metadata('ListMeta', openapi, typeDescriptions.listMetadata),
    },
    'x-kubernetes-group-version-kind': [{ group, kind: listKind, version }],
  }
  const paths = definition?.selectableFields ?? []
  if (paths.length > 0) {
    const fields = paths.map((path) => ({ fieldPath: path.startsWith('.') ? path.slice(1) : path }))
    object['x-kubernetes-selectable-fields'] = fields
    list['x-kubernetes-selectable-fields'] = fields
  }
  return new Map<string, Json>([
    [name, sortExtensions(object)],
    [customListName(resource), list],
  ])
}

function objectSchema(written: unknown, openapi: OpenApiVersion): JsonObject {
  if (!isObject(written)) return { type: 'object' }
  // Clients of v2 would take the listed properties for a complete list.
  if (openapi === 'v2' && written['x-kubernetes-preserve-unknown-fields'] === true) return { type: 'object' }
  const converted = convert(written, openapi, false)
  const properties = isObject(converted['properties']) ? converted['properties'] : {}
  addTypeMeta(properties, openapi)
  return inOrder({ ...converted, properties: sorted(properties) })
}

function addTypeMeta(properties: JsonObject, openapi: OpenApiVersion): void {
  properties['apiVersion'] = text(typeDescriptions.apiVersion)
  properties['kind'] = text(typeDescriptions.kind)
  properties['metadata'] = metadata('ObjectMeta', openapi, typeDescriptions.metadata)
}

function text(description: string): JsonObject {
  return { description, type: 'string' }
}

function refTo(name: string, openapi: OpenApiVersion): string {
  return openapi === 'v2' ? `#/definitions/${name}` : `#/components/schemas/${name}`
}

function metadata(type: string, openapi: OpenApiVersion, description: string): JsonObject {
  const $ref = refTo(metaSchema(type), openapi)
  return openapi === 'v2' ? { description, $ref } : { description, allOf: [{ $ref }] }
}

/** The supported keywords in the order of output. Vendor extensions follow, by name. */
const keywords = [
  'description',
  'type',
  'nullable',
  'format',
  'title',
  'default',
  'maximum',
  'exclusiveMaximum',
  'minimum',
  'exclusiveMinimum',
  'maxLength',
  'minLength',
  'pattern',
  'maxItems',
  'minItems',
  'uniqueItems',
  'multipleOf',
  'enum',
  'maxProperties',
  'minProperties',
  'required',
  'items',
  'allOf',
  'oneOf',
  'anyOf',
  'not',
  'properties',
  'additionalProperties',
]
const extensions = [
  'x-kubernetes-embedded-resource',
  'x-kubernetes-int-or-string',
  'x-kubernetes-list-map-keys',
  'x-kubernetes-list-type',
  'x-kubernetes-map-type',
  'x-kubernetes-preserve-unknown-fields',
  'x-kubernetes-validations',
]
const known = [...keywords, ...extensions]

function inOrder(schema: JsonObject): JsonObject {
  const ordered: JsonObject = {}
  for (const key of known) if (Object.hasOwn(schema, key)) ordered[key] = schema[key] as Json
  return ordered
}

function sortExtensions(schema: JsonObject): JsonObject {
  const ordered: JsonObject = {}
  for (const key of keywords) if (Object.hasOwn(schema, key)) ordered[key] = schema[key] as Json
  for (const key of Object.keys(schema).sort()) if (key.startsWith('x-')) ordered[key] = schema[key] as Json
  return ordered
}

function sorted(properties: JsonObject): JsonObject {
  const ordered: JsonObject = {}
  for (const name of Object.keys(properties).sort()) setOwn(ordered, name, properties[name] as Json)
  return ordered
}

/** `nested`: inside of allOf, anyOf, oneOf or not, which may contain validations only. */
function convert(written: JsonObject, openapi: OpenApiVersion, nested: boolean): JsonObject {
  const schema: JsonObject = {}
  for (const key of known) {
    const value = getOwn(written, key)
    if (value !== undefined && !isAbsent(key, value)) schema[key] = value
  }
  if (openapi === 'v2') simplify(schema)
  else if (schema['x-kubernetes-int-or-string'] === true && !nested) unfoldIntOrString(schema)
  convertChildren(schema, openapi, nested)
  const isOpen = schema['x-kubernetes-preserve-unknown-fields'] === true
  const embedded = schema['x-kubernetes-embedded-resource'] === true
  if (embedded && !(isOpen && openapi === 'v2')) embed(schema, openapi)
  return inOrder(schema)
}

/** Values without a meaning, which are omitted. `additionalProperties: false` has one. */
function isAbsent(key: string, value: Json): boolean {
  if (key === 'additionalProperties') return false
  if (value === null || value === '' || value === false) return key !== 'default' || value === null
  if (key === 'default') return false
  if (Array.isArray(value)) return value.length === 0
  return key === 'properties' && isObject(value) && Object.keys(value).length === 0
}

/** Reduces a schema to what OpenAPI v2 and kubectl support, by upstream's rules. */
function simplify(schema: JsonObject): void {
  for (const key of ['allOf', 'oneOf', 'anyOf', 'not', 'default']) delete schema[key]
  const open = schema['x-kubernetes-preserve-unknown-fields'] === true
  if (schema['nullable'] === true || open) {
    delete schema['items']
    delete schema['properties']
  }
  if (schema['nullable'] === true) {
    delete schema['type']
    delete schema['nullable']
  }
  if (schema['type'] === 'array' && schema['items'] === undefined) delete schema['type']
  if (schema['type'] === 'object' && open) delete schema['type']
  dropNullableFromRequired(schema)
}

function dropNullableFromRequired(schema: JsonObject): void {
  const { properties, required, additionalProperties } = schema
  if (!Array.isArray(required)) return
  const isNullable = (value: Json | undefined): boolean => isObject(value) && value['nullable'] === true
  const optional = new Set<Json>()
  if (isObject(properties)) {
    for (const [name, property] of Object.entries(properties)) if (isNullable(property)) optional.add(name)
  }
  const kept = isNullable(additionalProperties) ? [] : required.filter((name) => !optional.has(name))
  if (kept.length === 0) delete schema['required']
  else schema['required'] = kept
}

/** Expresses int-or-string in plain OpenAPI too, unless the author has done so. */
function unfoldIntOrString(schema: JsonObject): void {
  const either = [{ type: 'integer' }, { type: 'string' }]
  const allOf = Array.isArray(schema['allOf']) ? schema['allOf'] : []
  const [first] = allOf
  if (isEither(schema['anyOf']) || (isObject(first) && isEither(first['anyOf']))) return
  if (schema['anyOf'] === undefined) schema['anyOf'] = either
  else schema['allOf'] = [{ anyOf: either }, ...allOf]
}

function isEither(anyOf: Json | undefined): boolean {
  return Array.isArray(anyOf) && JSON.stringify(anyOf) === '[{"type":"integer"},{"type":"string"}]'
}

function convertChildren(schema: JsonObject, openapi: OpenApiVersion, nested: boolean): void {
  const { properties, items, additionalProperties, not } = schema
  if (isObject(properties)) {
    const converted: JsonObject = {}
    for (const name of Object.keys(properties).sort()) {
      const property = properties[name]
      if (isObject(property)) setOwn(converted, name, convert(property, openapi, nested))
    }
    schema['properties'] = converted
  }
  if (isObject(items)) schema['items'] = convert(items, openapi, nested)
  if (nested) {
    delete schema['additionalProperties']
  } else if (isObject(additionalProperties)) {
    schema['additionalProperties'] = convert(additionalProperties, openapi, nested)
  }
  if (isObject(not)) schema['not'] = convert(not, openapi, true)
  for (const key of ['allOf', 'oneOf', 'anyOf']) {
    const alternatives = schema[key]
    if (!Array.isArray(alternatives)) continue
    schema[key] = alternatives.map((each) => (isObject(each) ? convert(each, openapi, true) : each))
  }
}

/** An embedded resource has its own type and metadata. */
function embed(schema: JsonObject, openapi: OpenApiVersion): void {
  const properties = isObject(schema['properties']) ? schema['properties'] : {}
  addTypeMeta(properties, openapi)
  schema['properties'] = sorted(properties)
  const required = Array.isArray(schema['required']) ? schema['required'] : []
  schema['required'] = [...required, ...['kind', 'apiVersion'].filter((name) => !required.includes(name))]
}
