/**
 * Checks that a schema is structural: every value has a known position and type, and the nested schemas in allOf,
 * anyOf, oneOf and not only restrict values, but never specify structure.
 */
import { takeSteps } from '../../../api/step-limit.ts'
import { appendAll } from '../../../api/append.ts'
import { fieldError, fieldErrorMessage, type FieldError } from '../../../api/field-error.ts'
import { getOwn, isObject, type Json, type JsonObject } from '../../../api/json.ts'
import { goQuote } from '../../../api/go-format.ts'
import { patternProblem } from '../../../structural/patterns.ts'
import { asList, asObject, flagOf, objectOf, objectsOf, textOf } from '../../../structural/reading.ts'
import { isLeaf } from '../../../structural/leaf.ts'

type Level = 'root' | 'item' | 'field'

/** All violations, in upstream's order. */
export function structuralErrors(path: string, schema: JsonObject): FieldError[] {
  const errors: FieldError[] = []
  checkInvariants(schema, 'root', path, errors)
  checkCompleteness(schema, schema, path, path, errors)
  return errors
    .map((error) => ({ error, text: fieldErrorMessage(error) }))
    .sort((a, b) => (a.text < b.text ? -1 : a.text > b.text ? 1 : 0))
    .map(({ error }) => error)
}

const supported = new WeakSet<JsonObject>()

/** Keywords that a structural schema cannot represent at all. Each of its rules asks, so that it is remembered. */
export function unsupportedPart(schema: JsonObject): string | undefined {
  if (supported.has(schema)) return undefined
  const problem = firstUnsupported(schema)
  if (problem === undefined) supported.add(schema)
  return problem
}

function firstUnsupported(schema: JsonObject): string | undefined {
  takeSteps(30)
  if (isLeaf(schema)) return undefined
  for (const [name, label] of [
    ['id', 'id'],
    ['$schema', 'schema'],
    ['$ref', '$ref'],
  ] as const) {
    if (textOf(schema, name) !== '') return `OpenAPIV3Schema '${label}' is not supported`
  }
  for (const name of ['patternProperties', 'dependencies'] as const) {
    if (Object.keys(objectOf(schema, name)).length > 0) return `OpenAPIV3Schema '${name}' is not supported`
  }
  if (getOwn(schema, 'additionalItems') !== undefined) return "OpenAPIV3Schema 'additionalItems' is not supported"
  if (Object.keys(objectOf(schema, 'definitions')).length > 0) return "OpenAPIV3Schema 'definitions' is not supported"
  if (getOwn(schema, 'x-kubernetes-preserve-unknown-fields') === false) {
    return "internal error: 'x-kubernetes-preserve-unknown-fields' must be true or undefined"
  }
  if (Array.isArray(getOwn(schema, 'items'))) return "OpenAPIV3Schema 'items' must be a schema, but is an array"
  for (const child of childSchemas(schema)) {
    const problem = firstUnsupported(child)
    if (problem !== undefined) return problem
  }
  return undefined
}

function childSchemas(schema: JsonObject): JsonObject[] {
  const children = Object.values(objectOf(schema, 'properties')).filter(isObject)
  for (const name of ['items', 'additionalProperties', 'not']) {
    const child = getOwn(schema, name)
    if (isObject(child)) children.push(child)
  }
  for (const name of ['allOf', 'anyOf', 'oneOf']) appendAll(children, objectsOf(schema, name))
  return children
}

function properties(schema: JsonObject): [string, JsonObject][] {
  const members = objectOf(schema, 'properties')
  return Object.keys(members)
    .sort()
    .map((name) => [name, asObject(members[name])])
}

function checkInvariants(schema: JsonObject, level: Level, path: string, errors: FieldError[]): void {
  const type = textOf(schema, 'type')
  if (level !== 'root' && type !== '' && type !== 'array' && isLeaf(schema)) {
    checkPattern(schema, path, errors)
    return
  }
  const items = getOwn(schema, 'items')
  if (type === 'array' && !isObject(items)) errors.push(fieldError.required(`${path}.items`, 'must be specified'))
  if (isObject(items)) checkInvariants(items, 'item', `${path}.items`, errors)
  for (const [name, member] of properties(schema))
    checkInvariants(member, 'field', `${path}.properties[${name}]`, errors)
  const additional = getOwn(schema, 'additionalProperties')
  if (additional !== undefined) {
    if (level === 'root') {
      errors.push(fieldError.forbidden(`${path}.additionalProperties`, 'must not be used at the root'))
    }
    if (isObject(additional)) checkInvariants(additional, 'field', `${path}.additionalProperties`, errors)
  }
  checkExtensions(schema, path, errors)
  checkValues(schema, { anyOf: isIntOrString(schema), allOf: isIntOrStringAllOf(schema) }, path, errors)
  checkTypeGiven(schema, level, path, errors)
  checkResource(schema, level, path, errors)
}

function checkExtensions(schema: JsonObject, path: string, errors: FieldError[]): void {
  if (!flagOf(schema, 'x-kubernetes-int-or-string')) return
  for (const name of ['x-kubernetes-preserve-unknown-fields', 'x-kubernetes-embedded-resource']) {
    if (flagOf(schema, name)) {
      errors.push(fieldError.invalid(`${path}.${name}`, true, 'must be false if x-kubernetes-int-or-string is true'))
    }
  }
}

const emptyTypes: Readonly<Record<Level, string>> = {
  root: 'must not be empty at the root',
  item: 'must not be empty for specified array items',
  field: 'must not be empty for specified object fields',
}

function checkTypeGiven(schema: JsonObject, level: Level, path: string, errors: FieldError[]): void {
  const type = textOf(schema, 'type')
  const field = `${path}.type`
  if (flagOf(schema, 'x-kubernetes-embedded-resource') && type !== 'object') {
    const detail = 'must be object if x-kubernetes-embedded-resource is true'
    errors.push(type === '' ? fieldError.required(field, detail) : fieldError.invalid(field, type, detail))
  } else if (
    type === '' &&
    !flagOf(schema, 'x-kubernetes-int-or-string') &&
    !flagOf(schema, 'x-kubernetes-preserve-unknown-fields')
  ) {
    errors.push(fieldError.required(field, emptyTypes[level]))
  }
}

function checkResource(schema: JsonObject, level: Level, path: string, errors: FieldError[]): void {
  const embedded = flagOf(schema, 'x-kubernetes-embedded-resource')
  const type = textOf(schema, 'type')
  if (embedded && getOwn(schema, 'additionalProperties') !== undefined) {
    const detail = 'must not be used if x-kubernetes-embedded-resource is set'
    errors.push(fieldError.forbidden(`${path}.additionalProperties`, detail))
  }
  if (level === 'root' && type !== '' && type !== 'object') {
    errors.push(fieldError.invalid(`${path}.type`, type, 'must be object at the root'))
  }
  const members = objectOf(schema, 'properties')
  const isResource = level === 'root' || embedded
  for (const name of ['kind', 'apiVersion']) {
    const member = getOwn(members, name)
    if (isResource && isObject(member) && textOf(member, 'type') !== 'string') {
      errors.push(fieldError.invalid(`${path}.properties[${name}].type`, textOf(member, 'type'), 'must be string'))
    }
  }
  const metadata = getOwn(members, 'metadata')
  if (isObject(metadata)) checkMetadata(metadata, isResource, level, `${path}.properties[metadata]`, errors)
  if (embedded && !flagOf(schema, 'x-kubernetes-preserve-unknown-fields') && Object.keys(members).length === 0) {
    errors.push(
      fieldError.required(
        `${path}.properties`,
        'must not be empty if x-kubernetes-embedded-resource is true without x-kubernetes-preserve-unknown-fields',
      ),
    )
  }
}

/** Metadata at the root has a fixed schema: a CRD may only restrict name and generateName. */
function checkMetadata(
  schema: JsonObject,
  isResource: boolean,
  level: Level,
  path: string,
  errors: FieldError[],
): void {
  const type = textOf(schema, 'type')
  if (isResource && type !== 'object') errors.push(fieldError.invalid(`${path}.type`, type, 'must be object'))
  if (level !== 'root') return
  const names = Object.keys(objectOf(schema, 'properties'))
  const onlyNames = names.every((name) => name === 'name' || name === 'generateName')
  const other = Object.keys(schema).some((key) => !harmlessInMetadata.has(key) && !isZero(getOwn(schema, key)))
  if (other || !onlyNames) {
    errors.push(
      fieldError.forbidden(
        path,
        'must not specify anything other than name and generateName, but metadata is implicitly specified',
      ),
    )
  }
}

const harmlessInMetadata = new Set(['type', 'default', 'properties', 'externalDocs', 'example'])

function isZero(value: Json | undefined): boolean {
  return (
    value === undefined ||
    value === null ||
    value === '' ||
    value === false ||
    (Array.isArray(value) && value.length === 0)
  )
}

function isIntOrString(schema: JsonObject): boolean {
  const [first, second, ...rest] = objectsOf(schema, 'anyOf')
  return rest.length === 0 && isOnlyType(first, 'integer') && isOnlyType(second, 'string')
}

function isIntOrStringAllOf(schema: JsonObject): boolean {
  const first = objectsOf(schema, 'allOf')[0]
  return first !== undefined && isIntOrString(first)
}

function isOnlyType(schema: JsonObject | undefined, type: string): boolean {
  return schema !== undefined && textOf(schema, 'type') === type && Object.keys(schema).length === 1
}

interface Excused {
  /** Types are allowed in the anyOf of int-or-string. */
  readonly anyOf: boolean
  /** And in the anyOf of its first allOf. */
  readonly allOf: boolean
}

const nothingExcused: Excused = { anyOf: false, allOf: false }

function checkValues(schema: JsonObject, excused: Excused, path: string, errors: FieldError[]): void {
  if (!excused.anyOf) {
    objectsOf(schema, 'anyOf').forEach((member, i) =>
      checkNested(member, nothingExcused, `${path}.anyOf[${i}]`, errors),
    )
  }
  objectsOf(schema, 'allOf').forEach((member, i) => {
    checkNested(member, { anyOf: excused.allOf && i === 0, allOf: false }, `${path}.allOf[${i}]`, errors)
  })
  objectsOf(schema, 'oneOf').forEach((member, i) => checkNested(member, nothingExcused, `${path}.oneOf[${i}]`, errors))
  const not = getOwn(schema, 'not')
  if (isObject(not)) checkNested(not, nothingExcused, `${path}.not`, errors)
  checkPattern(schema, path, errors)
}

function checkPattern(schema: JsonObject, path: string, errors: FieldError[]): void {
  const pattern = textOf(schema, 'pattern')
  const problem = pattern === '' ? undefined : patternProblem(pattern)
  if (problem !== undefined) {
    errors.push({
      type: 'Invalid',
      field: `${path}.pattern`,
      summary: `Invalid value: ${goQuote(pattern)}`,
      detail: `must be a valid regular expression, but isn't: ${problem}`,
    })
  }
}

/** Structural keywords that are forbidden in nested schemas, and the value that upstream's message demands. */
const forbiddenInNested: readonly (readonly [keyword: string, must: 'empty' | 'undefined' | 'false'])[] = [
  ['type', 'empty'],
  ['additionalProperties', 'undefined'],
  ['default', 'undefined'],
  ['title', 'empty'],
  ['description', 'empty'],
  ['nullable', 'false'],
  ['x-kubernetes-preserve-unknown-fields', 'false'],
  ['x-kubernetes-embedded-resource', 'false'],
  ['x-kubernetes-int-or-string', 'false'],
  ['x-kubernetes-list-map-keys', 'empty'],
  ['x-kubernetes-list-type', 'undefined'],
  ['x-kubernetes-map-type', 'undefined'],
  ['x-kubernetes-validations', 'empty'],
]

function checkNested(schema: JsonObject, excused: Excused, path: string, errors: FieldError[]): void {
  checkValues(schema, excused, path, errors)
  const items = getOwn(schema, 'items')
  if (isObject(items)) checkNested(items, nothingExcused, `${path}.items`, errors)
  for (const [name, member] of properties(schema)) {
    checkNested(member, nothingExcused, `${path}.properties[${name}]`, errors)
  }
  for (const [keyword, must] of forbiddenInNested) {
    const value = getOwn(schema, keyword)
    if (keyword === 'default' ? value === undefined || value === null : isZero(value)) continue
    errors.push(fieldError.forbidden(`${path}.${keyword}`, `must be ${must} to be structural`))
  }
  if (Object.hasOwn(objectOf(schema, 'properties'), 'metadata')) {
    errors.push(fieldError.forbidden(`${path}.properties[metadata]`, 'must not be specified in a nested context'))
  }
}

/** Every field in a nested schema must also be specified outside of it. */
function checkCompleteness(
  nested: JsonObject,
  schema: JsonObject,
  path: string,
  nestedPath: string,
  errors: FieldError[],
): void {
  const not = getOwn(nested, 'not')
  if (isObject(not)) checkMember(not, schema, path, `${nestedPath}.not`, errors)
  for (const name of ['allOf', 'anyOf', 'oneOf']) {
    asList(getOwn(nested, name)).forEach((member, i) => {
      checkMember(asObject(member), schema, path, `${nestedPath}.${name}[${i}]`, errors)
    })
  }
}

function checkMember(
  nested: JsonObject,
  schema: JsonObject | undefined,
  path: string,
  nestedPath: string,
  errors: FieldError[],
): void {
  if (schema === undefined) {
    errors.push(fieldError.required(path, `because it is defined in ${nestedPath}`))
    return
  }
  checkCompleteness(nested, schema, path, nestedPath, errors)
  const items = getOwn(nested, 'items')
  const described = getOwn(schema, 'items')
  if (isObject(items)) {
    checkMember(items, isObject(described) ? described : undefined, `${path}.items`, `${nestedPath}.items`, errors)
  }
  const known = objectOf(schema, 'properties')
  for (const [name, member] of properties(nested)) {
    const counterpart = getOwn(known, name)
    const place = `.properties[${name}]`
    checkMember(member, isObject(counterpart) ? counterpart : undefined, path + place, nestedPath + place, errors)
  }
}
