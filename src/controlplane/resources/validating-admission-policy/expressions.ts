/** Validation of the parts of a policy that have CEL expressions. The expressions themselves are not compiled. */
import { fieldError, type FieldError } from '../../../api/field-error.ts'
import type { JsonObject } from '../../../api/json.ts'
import { checkLabel1035, checkQualifiedName, checkSubdomain } from '../../../api/names.ts'
import { checkSupported, reject } from '../shared/errors.ts'
import { items, text } from '../shared/values.ts'

const maxConditions = 64
const reasons = ['Forbidden', 'Invalid', 'RequestEntityTooLarge']

/** Also used by webhook configurations. */
export function checkMatchConditions(errors: FieldError[], field: string, conditions: readonly JsonObject[]): void {
  if (conditions.length > maxConditions) {
    errors.push(fieldError.tooMany(field, conditions.length, maxConditions))
  }
  const names = new Set<string>()
  for (const [i, condition] of conditions.entries()) {
    const at = `${field}[${i}]`
    const name = text(condition.name)
    if (text(condition.expression).trim() === '') errors.push(fieldError.required(`${at}.expression`))
    if (name === '') {
      errors.push(fieldError.required(`${at}.name`))
      continue
    }
    reject(errors, `${at}.name`, name, checkQualifiedName(name))
    if (names.has(name)) errors.push(fieldError.duplicate(`${at}.name`, name))
    names.add(name)
  }
}

export function checkParamKind(errors: FieldError[], field: string, kind: JsonObject): void {
  const apiVersion = text(kind.apiVersion)
  if (apiVersion === '') errors.push(fieldError.required(`${field}.apiVersion`))
  else checkVersion(errors, `${field}.apiVersion`, apiVersion)
  const name = text(kind.kind)
  const messages = checkLabel1035(name.toLowerCase())
  if (name === '') errors.push(fieldError.required(`${field}.kind`))
  else if (messages.length > 0) {
    const message = `may have mixed case, but should otherwise match: ${messages.join(',')}`
    errors.push(fieldError.invalid(`${field}.kind`, name, message))
  }
}

function checkVersion(errors: FieldError[], field: string, apiVersion: string): void {
  const parts = apiVersion.split('/')
  if (parts.length > 2) {
    errors.push(fieldError.invalid(field, apiVersion, `unexpected GroupVersion string: ${apiVersion}`))
    return
  }
  const version = parts.at(-1) ?? ''
  const group = parts.length > 1 ? (parts[0] ?? '') : ''
  const wrong = group === '' ? [] : checkSubdomain(group)
  if (wrong.length > 0) errors.push(fieldError.invalid(field, group, wrong.join(',')))
  const messages = checkLabel1035(version)
  if (version === '') errors.push(fieldError.invalid(field, apiVersion, 'version must be specified'))
  else if (messages.length > 0) errors.push(fieldError.invalid(field, version, messages.join(',')))
}

export function checkVariables(errors: FieldError[], field: string, variables: readonly JsonObject[]): void {
  for (const [i, variable] of variables.entries()) {
    const name = text(variable.name)
    if (name.trim() === '') errors.push(fieldError.required(`${field}[${i}].name`, 'name is not specified'))
    else if (!/^[_a-zA-Z][_a-zA-Z0-9]*$/.test(name)) {
      errors.push(fieldError.invalid(`${field}[${i}].name`, name, 'must be a valid CEL identifier'))
    }
    if (text(variable.expression).trim() === '') {
      errors.push(fieldError.required(`${field}[${i}].expression`, 'expression is not specified'))
    }
  }
}

export function checkValidations(errors: FieldError[], field: string, validations: readonly JsonObject[]): void {
  for (const [i, validation] of validations.entries()) {
    const at = `${field}[${i}]`
    if (text(validation.expression).trim() === '') {
      errors.push(fieldError.required(`${at}.expression`, 'expression is not specified'))
    }
    for (const part of ['messageExpression', 'message'] as const) {
      const given = text(validation[part])
      if (given !== '' && given.trim() === '') {
        errors.push(fieldError.invalid(`${at}.${part}`, given, 'must be non-empty if specified'))
      } else if (part === 'message' && given.trim().includes('\n')) {
        errors.push(fieldError.invalid(`${at}.message`, given, 'must not contain line breaks'))
      }
    }
    if (validation.reason !== undefined) {
      checkSupported(errors, `${at}.reason`, text(validation.reason), reasons)
    }
  }
}

/** The key is prefixed with the name of the policy, so both together must be a qualified name. */
export function checkAuditAnnotations(errors: FieldError[], field: string, spec: JsonObject, policy: string): void {
  const keys = new Set<string>()
  for (const [i, annotation] of items(spec.auditAnnotations).entries()) {
    const at = `${field}[${i}]`
    const key = text(annotation.key)
    const full = `${policy}/${key}`
    reject(errors, `${at}.key`, full, checkQualifiedName(full))
    if (text(annotation.valueExpression).trim() === '') {
      errors.push(fieldError.required(`${at}.valueExpression`, 'valueExpression is not specified'))
    }
    if (keys.has(key)) errors.push(fieldError.duplicate(`${at}.key`, key))
    keys.add(key)
  }
}
