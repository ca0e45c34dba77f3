/** MutatingAdmissionPolicy and MutatingAdmissionPolicyBinding. */
import { fieldError, type FieldError } from '../../../api/field-error.ts'
import type { JsonObject } from '../../../api/json.ts'
import type { KubeObject } from '../../../api/object.ts'
import type { DeclaredNames } from '../shared/admission-expression.ts'
import { checkSupported } from '../shared/errors.ts'
import { items, size, specOf, strings, struct, text } from '../shared/values.ts'
import {
  checkExpression,
  checkMatchConditions,
  checkParamKind,
  checkVariables,
} from '../validating-admission-policy/expressions.ts'
import { checkMatch } from '../validating-admission-policy/match.ts'
import { bindingStrategy, policyStrategy } from '../validating-admission-policy/strategy.ts'

/** See `PolicyErrors`. */
function policyErrors(object: KubeObject, hasKnownConditions: boolean): FieldError[] {
  const errors: FieldError[] = []
  const spec = specOf(object)
  checkSupported(errors, 'spec.failurePolicy', text(spec.failurePolicy), ['Fail', 'Ignore'])
  const params = struct(spec.paramKind)
  if (params !== undefined) checkParamKind(errors, 'spec.paramKind', params)
  const match = struct(spec.matchConstraints)
  if (match === undefined) errors.push(fieldError.required('spec.matchConstraints'))
  else {
    checkMatch(errors, 'spec.matchConstraints', match, true)
    checkOperations(errors, 'spec.matchConstraints.resourceRules.operations', match)
  }
  const hasParams = params !== undefined
  if (!hasKnownConditions) {
    checkMatchConditions(errors, 'spec.matchConditions', items(spec.matchConditions), hasParams)
  }
  const variables = checkVariables(errors, 'spec.variables', items(spec.variables), hasParams)
  const names: DeclaredNames = { params: hasParams, authorizer: true, patchTypes: true, variables }
  if (size(spec.mutations) === 0) {
    errors.push(fieldError.required('spec.mutations', 'mutations must contain at least one item'))
  }
  for (const [i, mutation] of items(spec.mutations).entries()) {
    checkMutation(errors, `spec.mutations[${i}]`, mutation, names)
  }
  const reinvocation = text(spec.reinvocationPolicy)
  if (reinvocation === '') errors.push(fieldError.required('spec.reinvocationPolicy'))
  else checkSupported(errors, 'spec.reinvocationPolicy', reinvocation, ['IfNeeded', 'Never'])
  return errors
}

/** There is nothing to change in a DELETE. */
function checkOperations(errors: FieldError[], field: string, match: JsonObject): void {
  for (const rule of items(match.resourceRules)) {
    for (const operation of strings(rule.operations)) {
      checkSupported(errors, field, operation, ['*', 'CONNECT', 'CREATE', 'UPDATE'])
    }
  }
}

/** The type of a patch, the field that has its expression, and the type of that. */
const patchTypes = [
  ['ApplyConfiguration', 'applyConfiguration', 'Object'],
  ['JSONPatch', 'jsonPatch', 'list(JSONPatch)'],
] as const

function checkMutation(errors: FieldError[], field: string, mutation: JsonObject, names: DeclaredNames): void {
  const given = text(mutation.patchType)
  if (given === '') {
    errors.push(fieldError.required(`${field}.patchType`))
    return
  }
  const known = patchTypes.find(([type]) => type === given)
  if (known === undefined) {
    const types = patchTypes.map(([type]) => type)
    checkSupported(errors, `${field}.patchType`, given, types)
    return
  }
  const [type, own, wanted] = known
  const patch = struct(mutation[own])
  if (patch === undefined) {
    errors.push(fieldError.required(`${field}.${own}`, `must be specified when patchType is ${type}`))
  } else {
    const expression = text(patch.expression).trim()
    if (expression === '') errors.push(fieldError.required(`${field}.${own}.expression`))
    else checkExpression(errors, `${field}.${own}.expression`, expression, wanted, names)
  }
  for (const [, other] of patchTypes) {
    if (other === own || mutation[other] === undefined) continue
    errors.push(
      fieldError.invalid(`${field}.${other}`, `{${other}}`, `must not be specified when patchType is ${type}`),
    )
  }
}

export const mutatingAdmissionPolicy = policyStrategy(policyErrors)

export const mutatingAdmissionPolicyBinding = bindingStrategy({
  policies: 'mutatingadmissionpolicies',
  checkMatchResources: (errors, field, match) => checkOperations(errors, `${field}.resourceRules.operations`, match),
})
