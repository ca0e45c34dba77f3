/** Validation of lists and names that the kinds of resource.k8s.io share. */
import { fieldError, type FieldError } from '../../../api/field-error.ts'
import { isObject, type JsonObject } from '../../../api/json.ts'
import { checkLabel } from '../../../api/names.ts'
import { reject } from '../shared/errors.ts'
import { checkDriverName } from '../shared/pod-spec/volumes.ts'
import { struct, text } from '../shared/values.ts'

type Check<T> = (item: T, field: string) => void

/** At most `most` items, each of which is checked. */
export function checkList<T>(
  errors: FieldError[],
  field: string,
  list: readonly T[],
  most: number,
  check: Check<T>,
): boolean {
  if (most >= 0 && list.length > most) {
    errors.push(fieldError.tooMany(field, list.length, most))
    return false
  }
  for (const [i, item] of list.entries()) check(item, `${field}[${i}]`)
  return true
}

/** Same, with unique keys. */
export function checkSet<T>(
  errors: FieldError[],
  field: string,
  list: readonly T[],
  most: number,
  check: Check<T>,
  keyOf: (item: T) => string,
): void {
  if (!checkList(errors, field, list, most, check)) return
  const seen = new Set<string>()
  for (const [i, item] of list.entries()) {
    const key = keyOf(item)
    if (seen.has(key)) errors.push(fieldError.duplicate(`${field}[${i}]`, key))
    seen.add(key)
  }
}

export const maxRequests = 32
const notARequest =
  "must be the name of a request in the claim or the name of a request and a subrequest separated by '/'"

/** The names of requests, each with the names of its subrequests. */
export type RequestNames = ReadonlyMap<string, ReadonlySet<string>>

export function checkRequestNames(
  errors: FieldError[],
  field: string,
  names: readonly string[],
  known: RequestNames,
): void {
  checkSet(
    errors,
    field,
    names,
    maxRequests,
    (name, at) => checkRequestName(errors, at, name, known),
    (name) => name,
  )
}

export function checkRequestName(errors: FieldError[], field: string, name: string, known: RequestNames): void {
  const parts = name.split('/')
  const unknown = fieldError.invalid(field, name, notARequest)
  if (parts.length > 2) {
    errors.push(unknown)
    return
  }
  for (const part of parts) reject(errors, field, part, checkLabel(part))
  const [first = '', second] = parts
  const alternatives = known.get(first)
  if (alternatives === undefined || (second !== undefined && !alternatives.has(second))) errors.push(unknown)
}

const maxParametersBytes = 10 * 1024

/** `opaque` is the only type of configuration so far. */
export function checkConfiguration(errors: FieldError[], field: string, config: JsonObject): void {
  const opaque = struct(config.opaque)
  if (opaque === undefined) {
    errors.push(fieldError.required(`${field}.opaque`))
    return
  }
  checkDriverName(errors, `${field}.opaque.driver`, text(opaque.driver))
  const at = `${field}.opaque.parameters`
  const { parameters } = opaque
  if (parameters === undefined || parameters === null) errors.push(fieldError.required(at))
  else if (Buffer.byteLength(JSON.stringify(parameters)) > maxParametersBytes)
    errors.push(fieldError.tooLong(at, maxParametersBytes))
  else if (!isObject(parameters)) errors.push(fieldError.invalid(at, '<value omitted>', 'must be a valid JSON object'))
}

const identifier = /^[A-Za-z_][A-Za-z0-9_]*$/
const identifierMessage =
  "a valid C identifier must start with alphabetic character or '_', followed by a string of alphanumeric " +
  "characters or '_' " +
  "(e.g. 'my_name',  or 'MY_NAME',  or 'MyName', regex used for validation is '[A-Za-z_][A-Za-z0-9_]*')"
const maxIdentifier = 32

function checkIdentifier(errors: FieldError[], field: string, name: string): void {
  if (Buffer.byteLength(name) > maxIdentifier) errors.push(fieldError.tooLong(field, maxIdentifier))
  if (!identifier.test(name)) errors.push(fieldError.invalid(field, name, identifierMessage))
}

/** `model`, or `example.com/model`. */
export function checkAttributeName(errors: FieldError[], field: string, name: string): void {
  const parts = name.split('/')
  if (parts.length === 1) checkIdentifier(errors, field, name)
  if (parts.length !== 2) return
  const [domain = '', id = ''] = parts
  if (domain === '') errors.push(fieldError.invalid(field, '', 'the domain must not be empty'))
  else checkDriverName(errors, field, domain)
  if (id === '') errors.push(fieldError.invalid(field, '', 'the name must not be empty'))
  else checkIdentifier(errors, field, id)
}

export function checkFullAttributeName(errors: FieldError[], field: string, name: string): void {
  checkAttributeName(errors, field, name)
  if (name.includes('/')) return
  errors.push(
    fieldError.invalid(field, name, 'a fully qualified name must be a domain and a name separated by a slash'),
  )
}

const maxPoolNameLength = 253

export function checkPoolName(
  errors: FieldError[],
  field: string,
  name: string,
  check: (part: string) => readonly string[],
): void {
  if (name === '') {
    errors.push(fieldError.required(field))
    return
  }
  if (Buffer.byteLength(name) > maxPoolNameLength) errors.push(fieldError.tooLong(field, maxPoolNameLength))
  for (const part of name.split('/')) reject(errors, field, part, check(part))
}
