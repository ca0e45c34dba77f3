/** ValidatingAdmissionPolicy and its binding. Expressions are not checked here. */
import { fieldError, type FieldError } from '../../../api/field-error.ts'
import type { JsonObject } from '../../../api/json.ts'
import { checkSubdomain } from '../../../api/names.ts'
import type { KubeObject } from '../../../api/object.ts'
import type { KindRules } from '../kind-rules.ts'
import { checkSupported, reject } from '../shared/errors.ts'
import { checkLabelSelector } from '../shared/label-selector.ts'
import { fill, items, size, specOf, strings, struct, text } from '../shared/values.ts'
import { checkAdmissionRule } from '../webhook-configuration/rules.ts'

const ruleLists = ['resourceRules', 'excludeResourceRules'] as const

function defaultMatch(match: JsonObject | undefined): void {
  if (match === undefined) return
  fill(match, 'matchPolicy', 'Equivalent')
  fill(match, 'namespaceSelector', {})
  fill(match, 'objectSelector', {})
  for (const list of ruleLists) for (const rule of items(match[list])) fill(rule, 'scope', '*')
}

function checkMatch(errors: FieldError[], field: string, match: JsonObject, needsRules: boolean): void {
  checkSupported(errors, `${field}.matchPolicy`, text(match.matchPolicy), ['Equivalent', 'Exact'])
  checkLabelSelector(errors, `${field}.namespaceSelector`, match.namespaceSelector)
  checkLabelSelector(errors, `${field}.objectSelector`, match.objectSelector)
  for (const list of ruleLists) {
    for (const [i, rule] of items(match[list]).entries()) checkAdmissionRule(errors, `${field}.${list}[${i}]`, rule)
  }
  if (needsRules && size(match.resourceRules) === 0) errors.push(fieldError.required(`${field}.resourceRules`))
}

function validatePolicy(object: KubeObject): FieldError[] {
  const errors: FieldError[] = []
  const spec = specOf(object)
  checkSupported(errors, 'spec.failurePolicy', text(spec.failurePolicy), ['Fail', 'Ignore'])
  const match = struct(spec.matchConstraints)
  if (match === undefined) errors.push(fieldError.required('spec.matchConstraints'))
  else checkMatch(errors, 'spec.matchConstraints', match, true)
  if (size(spec.validations) + size(spec.auditAnnotations) === 0) {
    const message = 'validations or auditAnnotations must contain at least one item'
    errors.push(fieldError.required('spec.validations', message), fieldError.required('spec.auditAnnotations', message))
  }
  for (const [i, validation] of items(spec.validations).entries()) {
    if (text(validation.expression).trim() === '') {
      errors.push(fieldError.required(`spec.validations[${i}].expression`, 'expression is not specified'))
    }
  }
  return errors
}

function validateBinding(object: KubeObject): FieldError[] {
  const errors: FieldError[] = []
  const spec = specOf(object)
  const policy = text(spec.policyName)
  if (policy === '') errors.push(fieldError.required('spec.policyName'))
  else reject(errors, 'spec.policyName', policy, checkSubdomain(policy))
  const match = struct(spec.matchResources)
  if (match !== undefined) checkMatch(errors, 'spec.matchResources', match, false)
  const actions = strings(spec.validationActions)
  if (actions.length === 0) errors.push(fieldError.required('spec.validationActions'))
  for (const [i, action] of actions.entries()) {
    checkSupported(errors, `spec.validationActions[${i}]`, action, ['Audit', 'Deny', 'Warn'])
  }
  return errors
}

export const validatingAdmissionPolicy: KindRules = {
  default: (object) => {
    const spec = specOf(object)
    fill(spec, 'failurePolicy', 'Fail')
    defaultMatch(struct(spec.matchConstraints))
  },
  validate: validatePolicy,
  validateUpdate: validatePolicy,
}

export const validatingAdmissionPolicyBinding: KindRules = {
  default: (object) => defaultMatch(struct(specOf(object).matchResources)),
  validate: validateBinding,
  validateUpdate: validateBinding,
}
