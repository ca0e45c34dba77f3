/** ValidatingAdmissionPolicy and ValidatingAdmissionPolicyBinding. */
import { fieldError, type FieldError } from '../../../api/field-error.ts'
import type { KubeObject } from '../../../api/object.ts'
import type { KindStrategy } from '../kind-strategy.ts'
import type { DeclaredNames } from '../shared/admission-expression.ts'
import { checkConditions } from '../shared/conditions.ts'
import { checkSupported } from '../shared/errors.ts'
import { items, size, specOf, strings, struct, text } from '../shared/values.ts'
import {
  checkAuditAnnotations,
  checkMatchConditions,
  checkParamKind,
  checkValidations,
  checkVariables,
} from './expressions.ts'
import { checkMatch } from './match.ts'
import { bindingStrategy, policyStrategy } from './strategy.ts'

/** See `PolicyErrors`. */
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
  ...policyStrategy(policyErrors),
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

export const validatingAdmissionPolicyBinding = bindingStrategy({
  policies: 'validatingadmissionpolicies',
  checkOwn: (errors, spec) => checkActions(errors, 'spec.validationActions', strings(spec.validationActions)),
})
