/** ValidatingAdmissionPolicy and ValidatingAdmissionPolicyBinding. */
import { fieldError, type FieldError } from '../../../api/field-error.ts'
import { checkSubdomain } from '../../../api/names.ts'
import type { KubeObject } from '../../../api/object.ts'
import type { WriteContext } from '../../contract/resource.ts'
import type { KindStrategy } from '../kind-strategy.ts'
import type { DeclaredNames } from '../shared/admission-expression.ts'
import { checkConditions } from '../shared/conditions.ts'
import { checkSupported, reject, sameMeaning } from '../shared/errors.ts'
import { fill, items, size, specOf, strings, struct, text } from '../shared/values.ts'
import {
  checkAuditAnnotations,
  checkMatchConditions,
  checkParamKind,
  checkValidations,
  checkVariables,
  withinStepLimit,
} from './expressions.ts'
import { checkMatch, checkParamRef, defaultMatch } from './match.ts'
import { paramKindErrors, paramRefErrors } from './param-access.ts'

/** `hasKnownConditions`: an update leaves the match conditions and the kind of parameters as they are. */
function policyErrors(object: KubeObject, hasKnownConditions: boolean): FieldError[] {
  const errors: FieldError[] = []
  const spec = specOf(object)
  checkSupported(errors, 'spec.failurePolicy', text(spec.failurePolicy), ['Fail', 'Ignore'])
  const params = struct(spec.paramKind)
  if (params !== undefined) checkParamKind(errors, 'spec.paramKind', params)
  const match = struct(spec.matchConstraints)
  if (match === undefined) errors.push(fieldError.required('spec.matchConstraints'))
  else checkMatch(errors, 'spec.matchConstraints', match, true)
  const hasParams = params !== undefined
  if (!hasKnownConditions) {
    checkMatchConditions(errors, 'spec.matchConditions', items(spec.matchConditions), hasParams)
  }
  const variables = checkVariables(errors, 'spec.variables', items(spec.variables), hasParams)
  const names: DeclaredNames = {
    params: hasParams,
    authorizer: true,
    ...(size(spec.variables) === 0 ? {} : { variables }),
  }
  if (size(spec.validations) + size(spec.auditAnnotations) === 0) {
    const message = 'validations or auditAnnotations must contain at least one item'
    errors.push(fieldError.required('spec.validations', message), fieldError.required('spec.auditAnnotations', message))
  }
  checkValidations(errors, 'spec.validations', items(spec.validations), names)
  checkAuditAnnotations(errors, 'spec.auditAnnotations', spec, object.metadata.name ?? '', names)
  return errors
}

function validatePolicy(object: KubeObject, context: WriteContext): FieldError[] {
  const errors = withinStepLimit('spec', () => policyErrors(object, false))
  return errors.length > 0 ? errors : paramKindErrors(object, undefined, context)
}

function validatePolicyUpdate(object: KubeObject, old: KubeObject, context: WriteContext): FieldError[] {
  const [spec, before] = [specOf(object), struct(old.spec) ?? {}]
  const isSame = (['paramKind', 'matchConditions'] as const).every((field) => sameMeaning(spec[field], before[field]))
  const errors = withinStepLimit('spec', () => policyErrors(object, isSame))
  return errors.length > 0 ? errors : paramKindErrors(object, old, context)
}

function validateBinding(object: KubeObject, context: WriteContext): FieldError[] {
  const errors: FieldError[] = []
  const spec = specOf(object)
  const policy = text(spec.policyName)
  if (policy === '') errors.push(fieldError.required('spec.policyName'))
  else reject(errors, 'spec.policyName', policy, checkSubdomain(policy))
  const params = struct(spec.paramRef)
  if (params !== undefined) checkParamRef(errors, 'spec.paramRef', params)
  const match = struct(spec.matchResources)
  if (match !== undefined) checkMatch(errors, 'spec.matchResources', match, false)
  const actions = strings(spec.validationActions)
  checkActions(errors, 'spec.validationActions', actions)
  return errors.length > 0 ? errors : paramRefErrors(object, 'validatingadmissionpolicies', context)
}

function checkActions(errors: FieldError[], field: string, actions: readonly string[]): void {
  const seen = new Set<string>()
  for (const [i, action] of actions.entries()) {
    checkSupported(errors, `${field}[${i}]`, action, ['Audit', 'Deny', 'Warn'])
    if (seen.size === seen.add(action).size) errors.push(fieldError.duplicate(`${field}[${i}]`, action))
  }
  if (actions.includes('Deny') && actions.includes('Warn')) {
    const why = 'repeating the same validation failure information in the API response and headers serves no purpose'
    errors.push(fieldError.invalid(field, [...actions], `must not contain both Deny and Warn (${why})`))
  }
  if (actions.length === 0) {
    errors.push(fieldError.required(field, 'at least one validation action is required'))
  }
}

export const validatingAdmissionPolicy: KindStrategy = {
  default: (object) => {
    const spec = specOf(object)
    fill(spec, 'failurePolicy', 'Fail')
    defaultMatch(struct(spec.matchConstraints))
  },
  validate: validatePolicy,
  validateUpdate: validatePolicyUpdate,
  validateStatusUpdate: (object) => {
    const errors: FieldError[] = []
    const status = struct(object.status)
    for (const [i, { warning, fieldRef }] of items(struct(status?.typeChecking)?.expressionWarnings).entries()) {
      const field = `status.typeChecking.expressionWarnings[${i}]`
      if (text(warning) === '') errors.push(fieldError.required(`${field}.warning`))
      if (text(fieldRef).trim() === '') errors.push(fieldError.required(`${field}.fieldRef`))
    }
    checkConditions(errors, 'status.conditions', status?.conditions)
    return errors
  },
}

export const validatingAdmissionPolicyBinding: KindStrategy = {
  default: (object) => defaultMatch(struct(specOf(object).matchResources)),
  validate: validateBinding,
  validateUpdate: (object, _, context) => validateBinding(object, context),
}
