/** Validation of the parts of a policy that have CEL expressions, which are compiled for it. */
import { fieldError, type FieldError } from '../../../api/field-error.ts'
import type { JsonObject } from '../../../api/json.ts'
import { checkLabel1035, checkQualifiedName, checkSubdomain } from '../../../api/names.ts'
import { limitSteps, StepLimitExceeded } from '../../../api/step-limit.ts'
import { dynType, type FieldType } from '../../../cel/library.ts'
import {
  compileAdmissionExpression,
  variableType,
  type AdmissionExpression,
  type DeclaredNames,
  type WantedType,
} from '../shared/admission-expression.ts'
import { checkSupported, reject } from '../shared/errors.ts'
import { items, text } from '../shared/values.ts'

const maxConditions = 64
const maxAnnotations = 20
const maxAnnotationExpressionBytes = 5 * 1024
const reasons = ['Forbidden', 'Invalid', 'RequestEntityTooLarge']

/** Compiles the expressions of an object within the limit for one object. */
export function withinStepLimit(field: string, validate: () => FieldError[]): FieldError[] {
  try {
    return limitSteps(validate)
  } catch (error) {
    if (!(error instanceof StepLimitExceeded)) throw error
    return [fieldError.forbidden(field, `${error.message} (try fewer and simpler expressions)`)]
  }
}

/** `shown`: the value in the error, if it is not the expression that is compiled. */
export function checkExpression(
  errors: FieldError[],
  field: string,
  source: string,
  wanted: WantedType,
  names: DeclaredNames,
  shown = source,
): AdmissionExpression | undefined {
  const compiled = compileAdmissionExpression(source, wanted, names)
  if (!('problem' in compiled)) return compiled
  const { problem, isInternal } = compiled
  errors.push(isInternal ? fieldError.internal(field, problem) : fieldError.invalid(field, shown, problem))
  return undefined
}

/** Also used by webhook configurations, which have no parameters. */
export function checkMatchConditions(
  errors: FieldError[],
  field: string,
  conditions: readonly JsonObject[],
  hasParams: boolean,
): void {
  if (conditions.length > maxConditions) {
    errors.push(fieldError.tooMany(field, conditions.length, maxConditions))
  }
  const names = new Set<string>()
  for (const [i, condition] of conditions.entries()) {
    const at = `${field}[${i}]`
    const name = text(condition.name)
    const expression = text(condition.expression).trim()
    if (expression === '') errors.push(fieldError.required(`${at}.expression`))
    else checkExpression(errors, `${at}.expression`, expression, 'bool', { params: hasParams, authorizer: true })
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

const identifier = /^[_a-zA-Z][_a-zA-Z0-9]*$/
const reservedWords = new Set(
  (
    'true false null in as break const continue else for function if import let loop package namespace return var ' +
    'void while'
  ).split(' '),
)

/** The types of the variables. Each can use those before it; one that does not compile has any type. */
export function checkVariables(
  errors: FieldError[],
  field: string,
  variables: readonly JsonObject[],
  hasParams: boolean,
): ReadonlyMap<string, FieldType> {
  const types = new Map<string, FieldType>()
  const names: DeclaredNames = { params: hasParams, authorizer: true, variables: types }
  for (const [i, variable] of variables.entries()) {
    const name = text(variable.name)
    const at = `${field}[${i}]`
    if (name.trim() === '') errors.push(fieldError.required(`${at}.name`, 'name is not specified'))
    else if (!identifier.test(name) || reservedWords.has(name)) {
      errors.push(fieldError.invalid(`${at}.name`, name, 'must be a valid CEL identifier'))
    }
    const expression = text(variable.expression)
    if (expression.trim() === '') {
      errors.push(fieldError.required(`${at}.expression`, 'expression is not specified'))
      continue
    }
    const compiled = checkExpression(errors, `${at}.expression`, expression, 'any', names)
    types.set(name, { type: compiled === undefined ? dynType : variableType(compiled.type) })
  }
  return types
}

export function checkValidations(
  errors: FieldError[],
  field: string,
  validations: readonly JsonObject[],
  names: DeclaredNames,
): void {
  const withoutAuthorizer: DeclaredNames = { ...names, authorizer: false }
  for (const [i, validation] of validations.entries()) {
    const at = `${field}[${i}]`
    const expression = text(validation.expression)
    if (expression.trim() === '') {
      errors.push(fieldError.required(`${at}.expression`, 'expression is not specified'))
    } else checkExpression(errors, `${at}.expression`, expression, 'bool', names)
    const messageExpression = text(validation.messageExpression)
    if (messageExpression.trim() !== '') {
      checkExpression(errors, `${at}.messageExpression`, messageExpression, 'string', withoutAuthorizer)
    } else if (messageExpression !== '') {
      const detail = 'must be non-empty if specified'
      errors.push(fieldError.invalid(`${at}.messageExpression`, messageExpression, detail))
    }
    const message = text(validation.message)
    if (message !== '' && message.trim() === '') {
      errors.push(fieldError.invalid(`${at}.message`, message, 'must be non-empty if specified'))
    } else if (/[\n\r]/.test(message.trim())) {
      errors.push(fieldError.invalid(`${at}.message`, message, 'must not contain line breaks'))
    }
    if (validation.reason !== undefined) {
      checkSupported(errors, `${at}.reason`, text(validation.reason), reasons)
    }
  }
}

/** The key is prefixed with the name of the policy, so both together must be a qualified name. */
export function checkAuditAnnotations(
  errors: FieldError[],
  field: string,
  spec: JsonObject,
  policy: string,
  names: DeclaredNames,
): void {
  const annotations = items(spec.auditAnnotations)
  if (annotations.length > maxAnnotations) {
    // The names of the fields of upstream's internal type.
    const shown = annotations.map(({ key, valueExpression }) => {
      return { Key: text(key), ValueExpression: text(valueExpression) }
    })
    errors.push(fieldError.invalid(field, shown, `must not have more than ${maxAnnotations} auditAnnotations`))
  }
  const keys = new Set<string>()
  for (const [i, annotation] of annotations.entries()) {
    const at = `${field}[${i}]`
    const key = text(annotation.key)
    if (policy === '') errors.push(fieldError.invalid(`${at}.key`, key, 'requires metadata.name be non-empty'))
    else reject(errors, `${at}.key`, `${policy}/${key}`, checkQualifiedName(`${policy}/${key}`))
    const given = text(annotation.valueExpression)
    const expression = given.trim()
    if (expression === '') {
      errors.push(fieldError.required(`${at}.valueExpression`, 'valueExpression is not specified'))
    } else if (Buffer.byteLength(expression) > maxAnnotationExpressionBytes) {
      const detail = `must not exceed ${maxAnnotationExpressionBytes} bytes in length`
      errors.push(fieldError.required(`${at}.valueExpression`, detail))
    } else checkExpression(errors, `${at}.valueExpression`, expression, 'string or null', names, given)
    if (keys.has(key)) errors.push(fieldError.duplicate(`${at}.key`, key))
    keys.add(key)
  }
}
