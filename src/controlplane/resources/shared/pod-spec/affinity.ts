/** Validation of node affinity, pod affinity and pod anti-affinity. */
import { fieldError, type FieldError } from '../../../../api/field-error.ts'
import type { JsonObject } from '../../../../api/json.ts'
import { checkLabel, checkLabelValue, checkSubdomain } from '../../../../api/names.ts'
import { reject } from '../errors.ts'
import { checkLabelKey, checkLabelSelector } from '../label-selector.ts'
import { int, items, size, strings, struct, text } from '../values.ts'

const required = 'requiredDuringSchedulingIgnoredDuringExecution'
const preferred = 'preferredDuringSchedulingIgnoredDuringExecution'
const badOperator = 'not a valid selector operator'

export function checkAffinity(errors: FieldError[], field: string, affinity: JsonObject | undefined): void {
  if (affinity === undefined) return
  const nodes = struct(affinity.nodeAffinity)
  if (nodes !== undefined) checkNodeAffinity(errors, `${field}.nodeAffinity`, nodes)
  for (const kind of ['podAffinity', 'podAntiAffinity'] as const) {
    const pods = struct(affinity[kind])
    if (pods !== undefined) checkPodAffinity(errors, `${field}.${kind}`, pods)
  }
}

function checkNodeAffinity(errors: FieldError[], field: string, affinity: JsonObject): void {
  const selector = struct(affinity[required])
  if (selector !== undefined) checkNodeSelector(errors, `${field}.${required}`, selector)
  for (const [i, term] of items(affinity[preferred]).entries()) {
    const at = `${field}.${preferred}[${i}]`
    checkWeight(errors, `${at}.weight`, term)
    checkTerm(errors, `${at}.preference`, struct(term.preference) ?? {}, false)
  }
}

function checkWeight(errors: FieldError[], field: string, term: JsonObject): void {
  const weight = int(term.weight)
  if (weight <= 0 || weight > 100) {
    errors.push(fieldError.invalid(field, weight, 'must be in the range 1-100'))
  }
}

/** Also used by PersistentVolume. */
export function checkNodeSelector(errors: FieldError[], field: string, selector: JsonObject): void {
  const terms = items(selector.nodeSelectorTerms)
  const at = `${field}.nodeSelectorTerms`
  if (terms.length === 0) errors.push(fieldError.required(at, 'must have at least one node selector term'))
  for (const [i, term] of terms.entries()) checkTerm(errors, `${at}[${i}]`, term, true)
}

function checkTerm(errors: FieldError[], field: string, term: JsonObject, checkValues: boolean): void {
  for (const [i, requirement] of items(term.matchExpressions).entries()) {
    checkExpression(errors, `${field}.matchExpressions[${i}]`, requirement, checkValues)
  }
  for (const [i, requirement] of items(term.matchFields).entries()) {
    checkField(errors, `${field}.matchFields[${i}]`, requirement)
  }
}

function checkExpression(errors: FieldError[], field: string, requirement: JsonObject, checkValues: boolean): void {
  const values = strings(requirement.values)
  const operator = text(requirement.operator)
  switch (operator) {
    case 'In':
    case 'NotIn':
      if (values.length > 0) break
      errors.push(fieldError.required(`${field}.values`, "must be specified when `operator` is 'In' or 'NotIn'"))
      break
    case 'Exists':
    case 'DoesNotExist':
      if (values.length === 0) break
      errors.push(
        fieldError.forbidden(`${field}.values`, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"),
      )
      break
    case 'Gt':
    case 'Lt':
      if (values.length === 1) break
      errors.push(
        fieldError.required(`${field}.values`, "must be specified single value when `operator` is 'Lt' or 'Gt'"),
      )
      break
    default:
      errors.push(fieldError.invalid(`${field}.operator`, operator, badOperator))
  }
  checkLabelKey(errors, `${field}.key`, text(requirement.key))
  if (!checkValues) return
  for (const [i, value] of values.entries()) {
    reject(errors, `${field}.values[${i}]`, value, checkLabelValue(value))
  }
}

function checkField(errors: FieldError[], field: string, requirement: JsonObject): void {
  const values = strings(requirement.values)
  const operator = text(requirement.operator)
  if (operator !== 'In' && operator !== 'NotIn') {
    errors.push(fieldError.invalid(`${field}.operator`, operator, badOperator))
  } else if (values.length !== 1) {
    const message = "must be only one value when `operator` is 'In' or 'NotIn' for node field selector"
    errors.push(fieldError.required(`${field}.values`, message))
  }
  const key = text(requirement.key)
  if (key !== 'metadata.name') {
    errors.push(fieldError.invalid(`${field}.key`, key, 'not a valid field selector key'))
    return
  }
  for (const [i, value] of values.entries()) {
    reject(errors, `${field}.values[${i}]`, value, checkSubdomain(value))
  }
}

function checkPodAffinity(errors: FieldError[], field: string, affinity: JsonObject): void {
  for (const [i, term] of items(affinity[required]).entries()) {
    checkPodTerm(errors, `${field}.${required}[${i}]`, term)
  }
  for (const [i, weighted] of items(affinity[preferred]).entries()) {
    const at = `${field}.${preferred}[${i}]`
    checkWeight(errors, `${at}.weight`, weighted)
    checkPodTerm(errors, `${at}.podAffinityTerm`, struct(weighted.podAffinityTerm) ?? {})
  }
}

function checkPodTerm(errors: FieldError[], field: string, term: JsonObject): void {
  checkLabelSelector(errors, `${field}.labelSelector`, term.labelSelector)
  checkLabelSelector(errors, `${field}.namespaceSelector`, term.namespaceSelector)
  for (const name of strings(term.namespaces)) reject(errors, `${field}.namespace`, name, checkLabel(name))
  checkLabelKeys(errors, field, strings(term.matchLabelKeys), strings(term.mismatchLabelKeys), term.labelSelector)
  const key = text(term.topologyKey)
  if (key === '') errors.push(fieldError.required(`${field}.topologyKey`, 'can not be empty'))
  checkLabelKey(errors, `${field}.topologyKey`, key)
}

/**
 * matchLabelKeys and mismatchLabelKeys: their values are taken from the pod. Also used by topology spread constraints.
 */
export function checkLabelKeys(
  errors: FieldError[],
  field: string,
  match: readonly string[],
  mismatch: readonly string[],
  selector: unknown,
): void {
  for (const [name, keys] of [
    ['matchLabelKeys', match],
    ['mismatchLabelKeys', mismatch],
  ] as const) {
    if (keys.length === 0) continue
    if (struct(selector) === undefined) {
      errors.push(fieldError.forbidden(`${field}.${name}`, 'must not be specified when labelSelector is not set'))
      continue
    }
    for (const [i, key] of keys.entries()) checkLabelKey(errors, `${field}.${name}[${i}]`, key)
  }
  const given = struct(selector)
  if (given !== undefined && match.length > 0) {
    const places = new Map(match.map((key, i) => [key, i]))
    const selected = new Set(size(given.matchLabels) === 0 ? [] : Object.keys(given.matchLabels as JsonObject))
    for (const expression of items(given.matchExpressions)) {
      const key = text(expression.key)
      const i = places.get(key)
      if (i !== undefined && selected.has(key)) {
        errors.push(fieldError.invalid(`${field}[${i}]`, key, 'exists in both matchLabelKeys and labelSelector'))
      }
      selected.add(key)
    }
  }
  const excluded = new Set(mismatch)
  for (const [i, key] of match.entries()) {
    if (!excluded.has(key)) continue
    const message = 'exists in both matchLabelKeys and mismatchLabelKeys'
    errors.push(fieldError.invalid(`${field}.matchLabelKeys[${i}]`, key, message))
  }
}
