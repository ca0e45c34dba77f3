/** What requests a policy or binding matches, and the parameters that a binding selects: defaults and validation. */
import { fieldError, type FieldError } from '../../../api/field-error.ts'
import type { JsonObject } from '../../../api/json.ts'
import { checkPathSegment } from '../../../api/names.ts'
import { checkOneOf, checkSupported, reject } from '../shared/errors.ts'
import { checkLabelSelector } from '../shared/label-selector.ts'
import { fill, items, size, strings, text } from '../shared/values.ts'
import { checkAdmissionRule } from '../webhook-configuration/rules.ts'

const ruleLists = ['resourceRules', 'excludeResourceRules'] as const

export function defaultMatch(match: JsonObject | undefined): void {
  if (match === undefined) return
  fill(match, 'matchPolicy', 'Equivalent')
  fill(match, 'namespaceSelector', {})
  fill(match, 'objectSelector', {})
  for (const list of ruleLists) for (const rule of items(match[list])) fill(rule, 'scope', '*')
}

export function checkMatch(errors: FieldError[], field: string, match: JsonObject, needsRules: boolean): void {
  checkSupported(errors, `${field}.matchPolicy`, text(match.matchPolicy), ['Equivalent', 'Exact'])
  checkLabelSelector(errors, `${field}.namespaceSelector`, match.namespaceSelector)
  checkLabelSelector(errors, `${field}.objectSelector`, match.objectSelector)
  for (const list of ruleLists) {
    for (const [i, rule] of items(match[list]).entries()) {
      checkResourceNames(errors, `${field}.${list}[${i}].resourceNames`, strings(rule.resourceNames))
      checkAdmissionRule(errors, `${field}.${list}[${i}]`, rule)
    }
  }
  if (needsRules && size(match.resourceRules) === 0) {
    errors.push(fieldError.required(`${field}.resourceRules`))
  }
}

function checkResourceNames(errors: FieldError[], field: string, names: readonly string[]): void {
  const seen = new Set<string>()
  for (const [i, name] of names.entries()) {
    reject(errors, `${field}[${i}]`, name, checkPathSegment(name))
    if (seen.size === seen.add(name).size) errors.push(fieldError.duplicate(`${field}[${i}]`, name))
  }
}

export function checkParamRef(errors: FieldError[], field: string, reference: JsonObject): void {
  const name = text(reference.name)
  const both = name !== '' && reference.selector !== undefined
  const exclusive = 'name and selector are mutually exclusive'
  if (name !== '') reject(errors, `${field}.name`, name, checkPathSegment(name))
  if (both) errors.push(fieldError.forbidden(`${field}.name`, exclusive))
  checkLabelSelector(errors, `${field}.selector`, reference.selector)
  if (both) errors.push(fieldError.forbidden(`${field}.selector`, exclusive))
  if (name === '' && reference.selector === undefined) {
    errors.push(fieldError.required(field, 'one of name or selector must be specified'))
  }
  checkOneOf(errors, `${field}.parameterNotFoundAction`, text(reference.parameterNotFoundAction), ['Deny', 'Allow'])
}
