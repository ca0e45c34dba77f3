/** Embedded resources: each must have apiVersion, kind and metadata that would be valid at the root of an object. */
import type { FieldError } from '../api/field-error.ts'
import { getOwn, isObject, type Json, type JsonObject } from '../api/json.ts'
import { checkLabel1035 } from '../api/names.ts'
import { validateObjectMeta } from '../api/object-meta.ts'
import { parseApiVersion, type ObjectMeta } from '../api/object.ts'
import { goFieldValue } from '../api/go-json.ts'
import { UnmarshalError } from '../shape/decode.ts'
import { decodeMetadata } from './decode.ts'
import type { Schema } from './schema.ts'

/** Errors of all embedded resources below `value`; with `asRoot`, `value` itself is one. */
export function embeddedErrors(value: Json, schema: Schema, path = '', asRoot = false): FieldError[] {
  const errors: FieldError[] = []
  if (asRoot || schema.below.embedded) check(value, schema, path, errors, asRoot)
  return errors
}

function check(value: Json, schema: Schema, path: string, errors: FieldError[], asRoot: boolean): void {
  if (Array.isArray(value)) {
    const { items } = schema
    if (items?.below.embedded === true) value.forEach((item, i) => check(item, items, `${path}[${i}]`, errors, false))
    return
  }
  if (!isObject(value)) return
  if (schema.embeddedResource || asRoot) checkResource(value, path, errors)
  for (const name of Object.keys(value).sort()) {
    const property = schema.properties?.get(name)
    const member = property ?? schema.additionalProperties?.schema
    if (member?.below.embedded !== true) continue
    check(value[name] as Json, member, property === undefined ? `${path}[${name}]` : child(path, name), errors, false)
  }
}

function child(path: string, name: string): string {
  return path === '' ? name : `${path}.${name}`
}

function checkResource(value: JsonObject, path: string, errors: FieldError[]): void {
  for (const name of ['apiVersion', 'kind']) {
    if (!Object.hasOwn(value, name)) {
      errors.push({ type: 'Required', field: child(path, name), summary: 'Required value', detail: '' })
    }
  }
  const apiVersion = getOwn(value, 'apiVersion')
  if (apiVersion !== undefined) checkText(apiVersion, child(path, 'apiVersion'), apiVersionProblem, errors)
  const kind = getOwn(value, 'kind')
  if (kind !== undefined) checkText(kind, child(path, 'kind'), kindProblem, errors)
  const metadata = getOwn(value, 'metadata')
  if (metadata !== undefined) checkMetadata(metadata, child(path, 'metadata'), errors)
}

function checkText(
  value: Json,
  field: string,
  problem: (text: string) => string | undefined,
  errors: FieldError[],
): void {
  const detail = typeof value !== 'string' ? 'must be a string' : value === '' ? 'must not be empty' : problem(value)
  if (detail !== undefined)
    errors.push({ type: 'Invalid', field, summary: `Invalid value: ${goFieldValue(value)}`, detail })
}

function apiVersionProblem(text: string): string | undefined {
  return parseApiVersion(text) === undefined ? `unexpected GroupVersion string: ${text}` : undefined
}

function kindProblem(text: string): string | undefined {
  const problems = checkLabel1035(text.toLowerCase())
  return problems.length === 0 ? undefined : `may have mixed case, but should otherwise match: ${problems.join(',')}`
}

/** The name is optional here. Applied metadata has not been decoded yet. */
function checkMetadata(value: Json, field: string, errors: FieldError[]): void {
  let metadata: ObjectMeta
  try {
    metadata = decodeMetadata(value ?? {}).object
  } catch (error) {
    if (!(error instanceof UnmarshalError)) throw error
    errors.push({ type: 'Invalid', field, summary: `Invalid value: ${goFieldValue(value)}`, detail: error.message })
    return
  }
  const named: ObjectMeta = metadata.name === undefined ? { ...metadata, name: 'fakename' } : metadata
  const namespaced = (named.namespace ?? '') !== ''
  for (const error of validateObjectMeta(named, { namespaced, nameRule: 'pathSegment' })) {
    errors.push({ ...error, field: error.field.replace(/^metadata/, field) })
  }
}
