/** Validation of a schema in a CRD: allowed keywords, list and map types, form of validation rules. */
import { fieldError, type FieldError } from '../../../api/field-error.ts'
import { getOwn, isObject, type Json, type JsonObject } from '../../../api/json.ts'
import { goQuote } from '../../../api/go-format.ts'
import { goJson } from '../../../api/go-json.ts'
import { asObject, flagOf, maybeText, objectOf, objectsOf, stringsOf, textOf } from '../../../structural/reading.ts'
import { compileSchema } from '../../../structural/schema.ts'
import { findField } from '../../../structural/field-path.ts'
import { isLeaf } from '../../../structural/leaf.ts'
import { unsupportedPart } from './structural-rules.ts'

/** What the position of a schema in the object allows. */
interface Place {
  readonly root: boolean
  /** Why a default is forbidden here; undefined if it is allowed. */
  readonly noDefaults: string | undefined
  readonly insideMeta: boolean
}

const metaFields = new Set(['metadata', 'kind', 'apiVersion'])
const types = ['array', 'boolean', 'integer', 'number', 'object', 'string']

export function schemaErrors(path: string, schema: JsonObject): FieldError[] {
  const errors: FieldError[] = []
  check(schema, path, { root: true, noDefaults: undefined, insideMeta: false }, errors)
  return errors
}

function check(schema: JsonObject, path: string, place: Place, errors: FieldError[]): void {
  checkKeywords(schema, path, place, errors)
  if (isLeaf(schema)) return
  if (flagOf(schema, 'uniqueItems')) {
    const detail = 'uniqueItems cannot be set to true since the runtime complexity becomes quadratic'
    errors.push(fieldError.forbidden(`${path}.uniqueItems`, detail))
  }
  checkChildren(schema, path, place, errors)
  if (getOwn(schema, 'x-kubernetes-preserve-unknown-fields') === false) {
    errors.push(fieldError.invalid(`${path}.x-kubernetes-preserve-unknown-fields`, false, 'must be true or undefined'))
  }
  checkMapType(schema, path, errors)
  checkListType(schema, path, errors)
  checkListMap(schema, path, errors)
  checkListMapKeys(schema, path, errors)
  objectsOf(schema, 'x-kubernetes-validations').forEach((rule, i) => {
    checkRule(rule, schema, `${path}.x-kubernetes-validations[${i}]`, errors)
  })
}

function checkKeywords(schema: JsonObject, path: string, place: Place, errors: FieldError[]): void {
  const type = textOf(schema, 'type')
  const refuse = (keyword: string, detail: string) => errors.push(fieldError.forbidden(`${path}.${keyword}`, detail))
  if (type !== '' && !types.includes(type)) errors.push(fieldError.notSupported(`${path}.type`, type, types))
  if ((getOwn(schema, 'default') ?? undefined) !== undefined && place.noDefaults !== undefined) {
    refuse('default', `must not be set ${place.noDefaults}`)
  }
  if (!isLeaf(schema)) checkUnsupported(schema, refuse)
  if (type === 'null') refuse('type', 'type cannot be set to null, use nullable as an alternative')
  const items = getOwn(schema, 'items')
  if (Array.isArray(items) && items.length > 0) refuse('items', 'items must be a schema object and not an array')
  if (place.insideMeta && flagOf(schema, 'x-kubernetes-embedded-resource')) {
    refuse('x-kubernetes-embedded-resource', 'must not be used inside of resource meta')
  }
}

function checkUnsupported(schema: JsonObject, refuse: (keyword: string, detail: string) => void): void {
  if (textOf(schema, 'id') !== '') refuse('id', 'id is not supported')
  if (isPresent(schema, 'additionalItems')) refuse('additionalItems', 'additionalItems is not supported')
  for (const keyword of ['patternProperties', 'definitions']) {
    if (Object.keys(objectOf(schema, keyword)).length > 0) refuse(keyword, `${keyword} is not supported`)
  }
  if (isPresent(schema, 'dependencies')) refuse('dependencies', 'dependencies is not supported')
  if (isPresent(schema, '$ref')) refuse('$ref', '$ref is not supported')
}

function isPresent(schema: JsonObject, keyword: string): boolean {
  return (getOwn(schema, keyword) ?? undefined) !== undefined
}

function checkChildren(schema: JsonObject, path: string, place: Place, errors: FieldError[]): void {
  const inner: Place = { ...place, root: false }
  const members = objectOf(schema, 'properties')
  const names = Object.keys(members).sort()
  const additional = getOwn(schema, 'additionalProperties')
  if (additional !== undefined && additional !== null) {
    if (names.length > 0 && additional !== true) {
      const detail = 'additionalProperties and properties are mutual exclusive'
      errors.push(fieldError.forbidden(`${path}.additionalProperties`, detail))
    }
    const why = 'inside additionalProperties applying to object metadata'
    const below = place.insideMeta ? { ...inner, noDefaults: why } : inner
    if (isObject(additional)) check(additional, `${path}.additionalProperties`, below, errors)
  }
  for (const name of names) {
    const ofResource = (place.root || flagOf(schema, 'x-kubernetes-embedded-resource')) && metaFields.has(name)
    const noDefaults = ofResource && place.root ? `in top-level ${name}` : place.noDefaults
    const below = ofResource ? { root: false, insideMeta: true, noDefaults } : inner
    check(asObject(members[name]), `${path}.properties[${name}]`, below, errors)
  }
  const not = getOwn(schema, 'not')
  if (isObject(not)) check(not, `${path}.not`, inner, errors)
  for (const junctor of ['allOf', 'oneOf', 'anyOf']) {
    objectsOf(schema, junctor).forEach((member, i) => check(member, `${path}.${junctor}[${i}]`, inner, errors))
  }
  const definitions = objectOf(schema, 'definitions')
  for (const name of Object.keys(definitions).sort()) {
    check(asObject(definitions[name]), `${path}.definitions[${name}]`, inner, errors)
  }
  const items = getOwn(schema, 'items')
  if (isObject(items)) check(items, `${path}.items`, inner, errors)
  else objectsOf(schema, 'items').forEach((item, i) => check(item, `${path}.items[${i}]`, inner, errors))
}

/** An error that shows the value as JSON, whatever its type, as upstream does. */
function invalidJson(field: string, value: Json, detail: string): FieldError {
  return { type: 'Invalid', field, summary: `Invalid value: ${goJson(value)}`, detail }
}

function checkMapType(schema: JsonObject, path: string, errors: FieldError[]): void {
  const mapType = maybeText(schema, 'x-kubernetes-map-type')
  if (mapType === undefined) return
  requireType(schema, path, 'object', 'x-kubernetes-map-type', errors)
  if (mapType !== 'atomic' && mapType !== 'granular') {
    errors.push(fieldError.notSupported(`${path}.x-kubernetes-map-type`, mapType, ['atomic', 'granular']))
  }
}

function requireType(schema: JsonObject, path: string, type: string, keyword: string, errors: FieldError[]): boolean {
  const given = textOf(schema, 'type')
  if (given === type) return true
  const detail = `must be ${type} if ${keyword} is specified`
  const field = `${path}.type`
  errors.push(given === '' ? fieldError.required(field, detail) : fieldError.invalid(field, given, detail))
  return false
}

function checkListType(schema: JsonObject, path: string, errors: FieldError[]): void {
  const listType = maybeText(schema, 'x-kubernetes-list-type')
  const field = `${path}.x-kubernetes-list-type`
  if (listType !== undefined) {
    const isArray = requireType(schema, path, 'array', 'x-kubernetes-list-type', errors)
    const items = getOwn(schema, 'items')
    if (isArray && listType === 'set' && isObject(items)) checkSetItems(items, `${path}.items`, errors)
    if (listType !== 'atomic' && listType !== 'set' && listType !== 'map') {
      errors.push(fieldError.notSupported(field, listType, ['atomic', 'set', 'map']))
    }
  }
  if (stringsOf(schema, 'x-kubernetes-list-map-keys').length === 0) return
  const detail = 'must be map if x-kubernetes-list-map-keys is non-empty'
  if (listType === undefined) errors.push(fieldError.required(field, detail))
  else if (listType !== 'map') errors.push(fieldError.invalid(field, listType, detail))
}

/** Items of a set must be atomic. */
function checkSetItems(items: JsonObject, path: string, errors: FieldError[]): void {
  const detail = 'must be atomic as item of a list with x-kubernetes-list-type=set'
  const listType = maybeText(items, 'x-kubernetes-list-type')
  if (textOf(items, 'type') === 'array' && listType !== undefined && listType !== 'atomic') {
    errors.push(invalidJson(`${path}.x-kubernetes-list-type`, listType, detail))
  }
  if (textOf(items, 'type') === 'object' && maybeText(items, 'x-kubernetes-map-type') !== 'atomic') {
    errors.push(invalidJson(`${path}.x-kubernetes-map-type`, listType ?? null, detail))
  }
}

function checkListMap(schema: JsonObject, path: string, errors: FieldError[]): void {
  if (maybeText(schema, 'x-kubernetes-list-type') !== 'map') return
  const keys = stringsOf(schema, 'x-kubernetes-list-map-keys')
  const keysField = `${path}.x-kubernetes-list-map-keys`
  const items = getOwn(schema, 'items')
  if (keys.length === 0) {
    errors.push(fieldError.required(keysField, 'must not be empty if x-kubernetes-list-type is map'))
  }
  if (items === undefined || items === null) {
    errors.push(fieldError.required(`${path}.items`, 'must have a schema if x-kubernetes-list-type is map'))
  } else if (!isObject(items)) {
    const detail = 'must only have a single schema if x-kubernetes-list-type is map'
    errors.push(invalidJson(`${path}.items`, items, detail))
  } else if (textOf(items, 'type') !== 'object') {
    const detail = "must be object if parent array's x-kubernetes-list-type is map"
    errors.push(fieldError.invalid(`${path}.items.type`, textOf(items, 'type'), detail))
  } else {
    checkKeyNames(items, keys, path, errors)
  }
}

function checkKeyNames(items: JsonObject, keys: readonly string[], path: string, errors: FieldError[]): void {
  const keysField = `${path}.x-kubernetes-list-map-keys`
  const members = objectOf(items, 'properties')
  let shown: string | undefined
  const wrong = (detail: string): FieldError => {
    shown ??= `Invalid value: ${goJson([...keys])}`
    return { type: 'Invalid', field: keysField, summary: shown, detail }
  }
  const seen = new Set<string>()
  for (const key of keys) {
    const member = getOwn(members, key)
    if (member === undefined) {
      errors.push(wrong('entries must all be names of item properties'))
    } else if (['array', 'object'].includes(textOf(asObject(member), 'type'))) {
      const detail = "must be a scalar type if parent array's x-kubernetes-list-type is map"
      errors.push(fieldError.invalid(`${path}.items.properties[${key}].type`, textOf(items, 'type'), detail))
    }
    if (seen.has(key)) errors.push(wrong('must not contain duplicate entries'))
    seen.add(key)
  }
}

/** Items of sets and maps, and keys of maps, cannot be nullable, and keys must be required or have a default. */
function checkListMapKeys(schema: JsonObject, path: string, errors: FieldError[]): void {
  const listType = maybeText(schema, 'x-kubernetes-list-type')
  const items = getOwn(schema, 'items')
  if (!isObject(items) || (listType !== 'set' && listType !== 'map')) return
  if (flagOf(items, 'nullable')) {
    const detail = `cannot be nullable when x-kubernetes-list-type is ${listType}`
    errors.push(fieldError.forbidden(`${path}.items.nullable`, detail))
  }
  if (listType === 'set') return
  const required = new Set(stringsOf(items, 'required'))
  const members = objectOf(items, 'properties')
  for (const key of stringsOf(schema, 'x-kubernetes-list-map-keys')) {
    const member = getOwn(members, key)
    if (!isObject(member)) continue
    const field = `${path}.items.properties[${key}]`
    const because = 'this property is in x-kubernetes-list-map-keys, so it'
    if (!required.has(key) && !isPresent(member, 'default')) {
      errors.push(fieldError.required(`${field}.default`, `${because} must have a default or be a required property`))
    }
    if (flagOf(member, 'nullable')) {
      errors.push(fieldError.forbidden(`${field}.nullable`, `${because} cannot be nullable`))
    }
  }
}

const reasons = ['FieldValueDuplicate', 'FieldValueForbidden', 'FieldValueInvalid', 'FieldValueRequired']

function checkRule(rule: JsonObject, schema: JsonObject, path: string, errors: FieldError[]): void {
  const expression = textOf(rule, 'rule').trim()
  const message = textOf(rule, 'message')
  if (expression === '') {
    errors.push(fieldError.required(`${path}.rule`, 'rule is not specified'))
  } else if (message !== '' && message.trim() === '') {
    errors.push(invalidText(`${path}.message`, message, 'must be non-empty if specified'))
  } else if (hasNewline(message.trim())) {
    errors.push(invalidText(`${path}.message`, message, 'must not contain line breaks'))
  } else if (hasNewline(expression) && message.trim() === '') {
    errors.push(fieldError.required(`${path}.message`, 'message must be specified if rule contains line breaks'))
  }
  const messageExpression = textOf(rule, 'messageExpression')
  if (messageExpression !== '' && messageExpression.trim() === '') {
    errors.push(fieldError.required(`${path}.messageExpression`, 'messageExpression must be non-empty if specified'))
  }
  const reason = maybeText(rule, 'reason')
  if (reason !== undefined && !reasons.includes(reason)) {
    errors.push(fieldError.notSupported(`${path}.reason`, reason, reasons))
  }
  checkRuleField(textOf(rule, 'fieldPath'), schema, `${path}.fieldPath`, errors)
}

function checkRuleField(fieldPath: string, schema: JsonObject, field: string, errors: FieldError[]): void {
  if (fieldPath === '') return
  if (fieldPath.trim() === '') errors.push(invalidText(field, fieldPath, 'must be non-empty if specified'))
  if (hasNewline(fieldPath)) errors.push(invalidText(field, fieldPath, 'must not contain line breaks'))
  if (unsupportedPart(schema) === undefined && typeof findField(fieldPath, compileSchema(schema)) === 'string') {
    errors.push(invalidText(field, fieldPath, 'must be a valid path'))
  }
}

function invalidText(field: string, value: string, detail: string): FieldError {
  return { type: 'Invalid', field, summary: `Invalid value: ${goQuote(value)}`, detail }
}

function hasNewline(text: string): boolean {
  return /[\n\r]/.test(text)
}
