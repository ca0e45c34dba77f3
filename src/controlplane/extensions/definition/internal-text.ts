/**
 * Prints parts of a CRD as upstream's error messages show them: as JSON of its internal types, with Go's field names
 * and every field. For example `spec.versions: Invalid value: [{"Name":"v1",…}]: must contain unique version names`.
 */
import { escapeHtml } from '../../../api/go-json.ts'
import { getOwn, isObject, setOwn, type Json, type JsonObject } from '../../../api/json.ts'
import { asList, asObject, flagOf, maybeText, numberOf, textOf } from '../../../structural/reading.ts'
import type { ServedDefinitionVersion } from './definition.ts'

/** Go's field name, the JSON name, and the type of the value. In the order of the Go type. */
const schemaFields: readonly (readonly [go: string, json: string, kind: FieldKind])[] = [
  ['ID', 'id', 'text'],
  ['Schema', '$schema', 'text'],
  ['Ref', '$ref', 'value'],
  ['Description', 'description', 'text'],
  ['Type', 'type', 'text'],
  ['Nullable', 'nullable', 'flag'],
  ['Format', 'format', 'text'],
  ['Title', 'title', 'text'],
  ['Default', 'default', 'value'],
  ['Maximum', 'maximum', 'value'],
  ['ExclusiveMaximum', 'exclusiveMaximum', 'flag'],
  ['Minimum', 'minimum', 'value'],
  ['ExclusiveMinimum', 'exclusiveMinimum', 'flag'],
  ['MaxLength', 'maxLength', 'value'],
  ['MinLength', 'minLength', 'value'],
  ['Pattern', 'pattern', 'text'],
  ['MaxItems', 'maxItems', 'value'],
  ['MinItems', 'minItems', 'value'],
  ['UniqueItems', 'uniqueItems', 'flag'],
  ['MultipleOf', 'multipleOf', 'value'],
  ['Enum', 'enum', 'value'],
  ['MaxProperties', 'maxProperties', 'value'],
  ['MinProperties', 'minProperties', 'value'],
  ['Required', 'required', 'value'],
  ['Items', 'items', 'items'],
  ['AllOf', 'allOf', 'schemas'],
  ['OneOf', 'oneOf', 'schemas'],
  ['AnyOf', 'anyOf', 'schemas'],
  ['Not', 'not', 'schema'],
  ['Properties', 'properties', 'map'],
  ['AdditionalProperties', 'additionalProperties', 'additional'],
  ['PatternProperties', 'patternProperties', 'map'],
  ['Dependencies', 'dependencies', 'dependencies'],
  ['AdditionalItems', 'additionalItems', 'additional'],
  ['Definitions', 'definitions', 'map'],
  ['ExternalDocs', 'externalDocs', 'docs'],
  ['Example', 'example', 'value'],
  ['XPreserveUnknownFields', 'x-kubernetes-preserve-unknown-fields', 'value'],
  ['XEmbeddedResource', 'x-kubernetes-embedded-resource', 'flag'],
  ['XIntOrString', 'x-kubernetes-int-or-string', 'flag'],
  ['XListMapKeys', 'x-kubernetes-list-map-keys', 'value'],
  ['XListType', 'x-kubernetes-list-type', 'value'],
  ['XMapType', 'x-kubernetes-map-type', 'value'],
  ['XValidations', 'x-kubernetes-validations', 'rules'],
]

type FieldKind =
  | 'text'
  | 'flag'
  | 'value'
  | 'schema'
  | 'schemas'
  | 'map'
  | 'items'
  | 'additional'
  | 'docs'
  | 'rules'
  | 'dependencies'

/** The Go names of the schema fields that are set, in Go's order. */
export function setSchemaFields(schema: JsonObject): string[] {
  return schemaFields.filter(([, json, kind]) => isSet(getOwn(schema, json), kind)).map(([go]) => go)
}

function isSet(value: Json | undefined, kind: FieldKind): boolean {
  if (value === undefined || value === null) return false
  if (kind === 'text') return value !== ''
  return kind === 'flag' ? value === true : true
}

export function schemaText(schema: JsonObject): string {
  return escapeHtml(JSON.stringify(internalSchema(schema)))
}

export function ruleText(rule: JsonObject): string {
  return escapeHtml(JSON.stringify(internalRule(rule)))
}

export function versionsText(versions: readonly ServedDefinitionVersion[]): string {
  return escapeHtml(JSON.stringify(versions.map(internalVersion)))
}

function internalSchema(schema: JsonObject): Json {
  const result: JsonObject = {}
  for (const [go, json, kind] of schemaFields) result[go] = internalField(schema, json, kind)
  return result
}

function internalField(schema: JsonObject, name: string, kind: FieldKind): Json {
  const value = getOwn(schema, name) ?? null
  switch (kind) {
    case 'text':
      return textOf(schema, name)
    case 'flag':
      return flagOf(schema, name)
    case 'value':
      return value
    case 'schema':
      return isObject(value) ? internalSchema(value) : null
    case 'schemas':
      return value === null ? null : asList(value).map((member) => internalSchema(asObject(member)))
    case 'map':
      return isObject(value) ? internalMap(value) : null
    case 'items':
      return internalItems(value)
    case 'additional':
      return internalAdditional(value)
    case 'dependencies':
      return isObject(value) ? internalDependencies(value) : null
    case 'docs':
      return isObject(value) ? { Description: textOf(value, 'description'), URL: textOf(value, 'url') } : null
    case 'rules':
      return value === null ? null : asList(value).map((rule) => internalRule(asObject(rule)))
  }
}

function internalMap(source: JsonObject): JsonObject {
  const result: JsonObject = {}
  for (const name of Object.keys(source).sort()) setOwn(result, name, internalSchema(asObject(source[name])))
  return result
}

function internalDependencies(source: JsonObject): JsonObject {
  const result: JsonObject = {}
  for (const name of Object.keys(source).sort()) {
    const dependency = source[name] as Json
    const isList = Array.isArray(dependency)
    setOwn(result, name, {
      Schema: isList ? null : internalSchema(asObject(dependency)),
      Property: isList ? dependency : null,
    })
  }
  return result
}

function internalItems(value: Json): Json {
  if (Array.isArray(value)) return { Schema: null, JSONSchemas: value.map((item) => internalSchema(asObject(item))) }
  return isObject(value) ? { Schema: internalSchema(value), JSONSchemas: null } : null
}

function internalAdditional(value: Json): Json {
  if (typeof value === 'boolean') return { Allows: value, Schema: null }
  return isObject(value) ? { Allows: true, Schema: internalSchema(value) } : null
}

function internalRule(rule: JsonObject): JsonObject {
  return {
    Rule: textOf(rule, 'rule'),
    Message: textOf(rule, 'message'),
    MessageExpression: textOf(rule, 'messageExpression'),
    Reason: maybeText(rule, 'reason') ?? null,
    FieldPath: textOf(rule, 'fieldPath'),
    OptionalOldSelf: getOwn(rule, 'optionalOldSelf') ?? null,
  }
}

function internalVersion(version: ServedDefinitionVersion): JsonObject {
  const { schema, subresources } = version
  return {
    Name: version.name,
    Served: version.served,
    Storage: version.storage,
    Deprecated: version.deprecated,
    DeprecationWarning: version.deprecationWarning ?? null,
    Schema:
      schema === undefined
        ? null
        : { OpenAPIV3Schema: schema.openAPIV3Schema === undefined ? null : internalSchema(schema.openAPIV3Schema) },
    Subresources: subresources === undefined ? null : internalSubresources(subresources),
    AdditionalPrinterColumns: version.columns.length === 0 ? null : version.columns.map(internalColumn),
    SelectableFields:
      version.selectableFields.length === 0
        ? null
        : version.selectableFields.map((field) => ({ JSONPath: textOf(field, 'jsonPath') })),
  }
}

function internalSubresources(subresources: JsonObject): JsonObject {
  const scale = getOwn(subresources, 'scale')
  return {
    Status: isObject(getOwn(subresources, 'status')) ? {} : null,
    Scale: isObject(scale)
      ? {
          SpecReplicasPath: textOf(scale, 'specReplicasPath'),
          StatusReplicasPath: textOf(scale, 'statusReplicasPath'),
          LabelSelectorPath: maybeText(scale, 'labelSelectorPath') ?? null,
        }
      : null,
  }
}

function internalColumn(column: JsonObject): JsonObject {
  return {
    Name: textOf(column, 'name'),
    Type: textOf(column, 'type'),
    Format: textOf(column, 'format'),
    Description: textOf(column, 'description'),
    Priority: numberOf(column, 'priority') ?? 0,
    JSONPath: textOf(column, 'jsonPath'),
  }
}
