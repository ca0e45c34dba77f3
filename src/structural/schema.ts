/**
 * Schema: one node of a CRD's OpenAPI v3 schema, compiled once when the CRD is served and walked on every write.
 * The same type represents the structural schema and the value validations below allOf, anyOf, oneOf and not.
 */
import { takeSteps } from '../api/step-limit.ts'
import { getOwn, isObject, type Json, type JsonObject } from '../api/json.ts'
import { knownFormat, type FormatCheck } from './formats.ts'
import { isLeaf } from './leaf.ts'
import { lazyPattern, type Pattern } from './patterns.ts'
import { asList, flagOf, maybeText, numberOf, objectsOf, stringsOf, textOf } from './reading.ts'

export interface ValidationRule {
  readonly rule: string
  readonly message: string
  readonly messageExpression: string
  readonly reason: string
  readonly fieldPath: string
  readonly optionalOldSelf: boolean | undefined
}

export interface Schema {
  /** '' if the schema has no type. */
  readonly type: string
  /** The allowed types of the value; empty: any. */
  readonly types: readonly string[]
  readonly nullable: boolean
  /** Undefined also for a default of null, which upstream ignores. */
  readonly default: Json | undefined
  /** Sorted by name; undefined if the schema has none. */
  readonly properties: ReadonlyMap<string, Schema> | undefined
  /** The same as a list, which is faster to iterate. */
  readonly fields: readonly SchemaField[]
  readonly items: Schema | undefined
  readonly additionalProperties: AdditionalProperties | undefined
  readonly preserveUnknown: boolean
  readonly embeddedResource: boolean
  readonly intOrString: boolean
  readonly listType: string | undefined
  readonly listMapKeys: readonly string[]
  readonly mapType: string | undefined
  readonly rules: readonly ValidationRule[]

  /** The format to check; '' if there is none or upstream does not check it. */
  readonly format: string
  /** The format as declared. Field tracking does not distinguish strings with a format from other scalars. */
  readonly givenFormat: string
  readonly checkFormat: FormatCheck | undefined
  readonly maximum: number | undefined
  readonly exclusiveMaximum: boolean
  readonly minimum: number | undefined
  readonly exclusiveMinimum: boolean
  readonly multipleOf: number | undefined
  readonly maxLength: number | undefined
  readonly minLength: number | undefined
  readonly pattern: Pattern | undefined
  readonly maxItems: number | undefined
  readonly minItems: number | undefined
  readonly uniqueItems: boolean
  readonly maxProperties: number | undefined
  readonly minProperties: number | undefined
  readonly required: readonly string[]
  readonly enum: readonly Json[]
  readonly allOf: readonly Schema[]
  readonly anyOf: readonly Schema[]
  readonly oneOf: readonly Schema[]
  readonly not: Schema | undefined

  /** Features of this node and all nodes below, so that walks can stop early. */
  readonly below: SchemaFeatures
}

export interface SchemaField {
  readonly name: string
  readonly schema: Schema
}

/** `allows` is false only for `additionalProperties: false`; `schema` is undefined for a boolean. */
export interface AdditionalProperties {
  readonly allows: boolean
  readonly schema: Schema | undefined
}

export interface SchemaFeatures {
  readonly defaults: boolean
  readonly embedded: boolean
  /** Lists of type set or map. */
  readonly uniqueLists: boolean
  readonly rules: boolean
}

const compiled = new WeakMap<JsonObject, Schema>()

/**
 * Compiles `openAPIV3Schema`, once for each object: several checks of a CRD need it, some for each of its rules. The
 * object must not change afterwards. The CRD is already validated, so invalid parts are ignored.
 */
export function compileSchema(source: Json | undefined): Schema {
  if (!isObject(source)) return compile({})
  let schema = compiled.get(source)
  if (schema === undefined) compiled.set(source, (schema = compile(source)))
  return schema
}

function compile(source: JsonObject): Schema {
  takeSteps(50)
  const type = textOf(source, 'type')
  const format = textOf(source, 'format')
  const checkFormat = format === '' ? undefined : knownFormat(format)
  const fallback = getOwn(source, 'default') ?? undefined
  const inner = isLeaf(source) ? nothingInside : compileInner(source)
  const { below } = inner
  return {
    type,
    types: inner.intOrString ? ['integer', 'string'] : type === '' ? [] : [type],
    nullable: flagOf(source, 'nullable'),
    default: fallback,
    properties: inner.properties,
    fields: inner.fields,
    items: inner.items,
    additionalProperties: inner.additionalProperties,
    preserveUnknown: inner.preserveUnknown,
    embeddedResource: inner.embeddedResource,
    intOrString: inner.intOrString,
    listType: inner.listType,
    listMapKeys: inner.listMapKeys,
    mapType: inner.mapType,
    rules: inner.rules,
    format: checkFormat === undefined ? '' : format,
    givenFormat: format,
    checkFormat,
    maximum: numberOf(source, 'maximum'),
    exclusiveMaximum: flagOf(source, 'exclusiveMaximum'),
    minimum: numberOf(source, 'minimum'),
    exclusiveMinimum: flagOf(source, 'exclusiveMinimum'),
    multipleOf: numberOf(source, 'multipleOf'),
    maxLength: numberOf(source, 'maxLength'),
    minLength: numberOf(source, 'minLength'),
    pattern: pattern(textOf(source, 'pattern')),
    maxItems: inner.maxItems,
    minItems: inner.minItems,
    uniqueItems: inner.uniqueItems,
    maxProperties: inner.maxProperties,
    minProperties: inner.minProperties,
    required: inner.required,
    enum: asList(getOwn(source, 'enum')),
    allOf: inner.allOf,
    anyOf: inner.anyOf,
    oneOf: inner.oneOf,
    not: inner.not,
    below: fallback === undefined || below.defaults ? below : { ...below, defaults: true },
  }
}

/** What {@link isLeaf} excludes. */
type Inner = Pick<
  Schema,
  | 'properties'
  | 'fields'
  | 'items'
  | 'additionalProperties'
  | 'preserveUnknown'
  | 'embeddedResource'
  | 'intOrString'
  | 'listType'
  | 'listMapKeys'
  | 'mapType'
  | 'rules'
  | 'maxItems'
  | 'minItems'
  | 'uniqueItems'
  | 'maxProperties'
  | 'minProperties'
  | 'required'
  | 'allOf'
  | 'anyOf'
  | 'oneOf'
  | 'not'
  | 'below'
>

function compileInner(source: JsonObject): Inner {
  const properties = compileProperties(getOwn(source, 'properties'))
  const items = compileOptional(getOwn(source, 'items'))
  const additionalProperties = compileAdditional(getOwn(source, 'additionalProperties'))
  const listType = maybeText(source, 'x-kubernetes-list-type')
  const embeddedResource = flagOf(source, 'x-kubernetes-embedded-resource')
  const rules = compileRules(source)
  const allOf = compileList(source, 'allOf')
  const anyOf = compileList(source, 'anyOf')
  const oneOf = compileList(source, 'oneOf')
  const not = compileOptional(getOwn(source, 'not'))
  const children: Schema[] = [...(properties?.values() ?? []), ...allOf, ...anyOf, ...oneOf]
  for (const child of [items, additionalProperties?.schema, not]) if (child !== undefined) children.push(child)
  return {
    properties,
    fields: schemaFieldsOf(properties),
    items,
    additionalProperties,
    preserveUnknown: flagOf(source, 'x-kubernetes-preserve-unknown-fields'),
    embeddedResource,
    intOrString: flagOf(source, 'x-kubernetes-int-or-string'),
    listType,
    listMapKeys: stringsOf(source, 'x-kubernetes-list-map-keys'),
    mapType: maybeText(source, 'x-kubernetes-map-type'),
    rules,
    maxItems: numberOf(source, 'maxItems'),
    minItems: numberOf(source, 'minItems'),
    uniqueItems: flagOf(source, 'uniqueItems'),
    maxProperties: numberOf(source, 'maxProperties'),
    minProperties: numberOf(source, 'minProperties'),
    required: stringsOf(source, 'required'),
    allOf,
    anyOf,
    oneOf,
    not,
    below: {
      defaults: children.some((child) => child.below.defaults),
      embedded: embeddedResource || children.some((child) => child.below.embedded),
      uniqueLists: listType === 'set' || listType === 'map' || children.some((child) => child.below.uniqueLists),
      rules: rules.length > 0 || children.some((child) => child.below.rules),
    },
  }
}

/** {@link Schema.fields} of these properties. */
export function schemaFieldsOf(properties: Schema['properties']): readonly SchemaField[] {
  return [...(properties ?? [])].map(([name, schema]) => ({ name, schema }))
}

function compileOptional(source: Json | undefined): Schema | undefined {
  return isObject(source) ? compile(source) : undefined
}

function compileList(source: JsonObject, name: string): Schema[] {
  return objectsOf(source, name).map(compile)
}

function compileProperties(source: Json | undefined): ReadonlyMap<string, Schema> | undefined {
  if (!isObject(source)) return undefined
  const names = Object.keys(source).sort()
  if (names.length === 0) return undefined
  const properties = new Map<string, Schema>()
  for (const name of names) {
    const member = source[name]
    properties.set(name, compile(isObject(member) ? member : {}))
  }
  return properties
}

function compileAdditional(source: Json | undefined): AdditionalProperties | undefined {
  if (typeof source === 'boolean') return { allows: source, schema: undefined }
  return isObject(source) ? { allows: true, schema: compile(source) } : undefined
}

function compileRules(source: JsonObject): ValidationRule[] {
  return objectsOf(source, 'x-kubernetes-validations').map((rule) => ({
    rule: textOf(rule, 'rule'),
    message: textOf(rule, 'message'),
    messageExpression: textOf(rule, 'messageExpression'),
    reason: textOf(rule, 'reason'),
    fieldPath: textOf(rule, 'fieldPath'),
    optionalOldSelf: Object.hasOwn(rule, 'optionalOldSelf') ? flagOf(rule, 'optionalOldSelf') : undefined,
  }))
}

function pattern(source: string): Pattern | undefined {
  return source === '' ? undefined : lazyPattern(source)
}

const nothingInside = compileInner({})
