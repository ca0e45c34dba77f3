/** Validation of tolerations, topology spread constraints, scheduling gates and readiness gates. */
import { fieldError, type FieldError } from '../../../../api/field-error.ts'
import type { JsonObject } from '../../../../api/json.ts'
import { checkLabelValue, checkQualifiedName } from '../../../../api/names.ts'
import { checkPositive, checkSupported, reject } from '../errors.ts'
import { checkLabelKey, checkLabelSelector } from '../label-selector.ts'
import { int, items, strings, text } from '../values.ts'
import { checkLabelKeys } from './affinity.ts'

export const taintEffects = ['NoSchedule', 'PreferNoSchedule', 'NoExecute']

export function checkTolerations(errors: FieldError[], field: string, tolerations: readonly JsonObject[]): void {
  for (const [i, toleration] of tolerations.entries()) checkToleration(errors, `${field}[${i}]`, toleration)
}

function checkToleration(errors: FieldError[], field: string, toleration: JsonObject): void {
  const key = text(toleration.key)
  const operator = text(toleration.operator)
  const value = text(toleration.value)
  const effect = text(toleration.effect)
  if (key !== '') checkLabelKey(errors, `${field}.key`, key)
  if (key === '' && operator !== 'Exists') {
    const message = 'operator must be Exists when `key` is empty, which means "match all values and all keys"'
    errors.push(fieldError.invalid(`${field}.operator`, operator, message))
  }
  if (toleration.tolerationSeconds !== undefined && effect !== 'NoExecute') {
    const message = "effect must be 'NoExecute' when `tolerationSeconds` is set"
    errors.push(fieldError.invalid(`${field}.effect`, effect, message))
  }
  switch (operator) {
    case '':
    case 'Equal': {
      const messages = checkLabelValue(value)
      if (messages.length > 0) errors.push(fieldError.invalid(`${field}.operator`, value, messages.join(';')))
      break
    }
    case 'Exists':
      if (value === '') break
      errors.push(fieldError.invalid(`${field}.operator`, value, "value must be empty when `operator` is 'Exists'"))
      break
    case 'Lt':
    case 'Gt':
      errors.push(fieldError.notSupported(`${field}.operator`, operator, ['Equal', 'Exists', 'Lt', 'Gt']))
      break
    default:
      errors.push(fieldError.notSupported(`${field}.operator`, operator, ['Equal', 'Exists']))
  }
  if (effect !== '') checkSupported(errors, `${field}.effect`, effect, taintEffects)
}

const inclusion = ['Honor', 'Ignore']

export function checkSpreadConstraints(errors: FieldError[], field: string, constraints: readonly JsonObject[]): void {
  const later = new Map<string, number>()
  for (const constraint of constraints) count(later, pairOf(constraint), 1)
  for (const [i, constraint] of constraints.entries()) {
    const at = `${field}[${i}]`
    const key = text(constraint.topologyKey)
    const action = text(constraint.whenUnsatisfiable)
    checkPositive(errors, `${at}.maxSkew`, int(constraint.maxSkew))
    if (key === '') errors.push(fieldError.required(`${at}.topologyKey`, 'can not be empty'))
    checkSupported(errors, `${at}.whenUnsatisfiable`, action, ['DoNotSchedule', 'ScheduleAnyway'])
    if (count(later, pairOf(constraint), -1) > 0) {
      errors.push(fieldError.duplicate(`${at}.{topologyKey, whenUnsatisfiable}`, `{${key}, ${action}}`))
    }
    checkMinDomains(errors, `${at}.minDomains`, constraint, action)
    for (const policy of ['nodeAffinityPolicy', 'nodeTaintsPolicy'] as const) {
      const given = constraint[policy]
      if (given !== undefined) checkSupported(errors, `${at}.${policy}`, text(given), inclusion)
    }
    checkLabelKeys(errors, at, strings(constraint.matchLabelKeys), [], constraint.labelSelector)
    checkLabelSelector(errors, `${at}.labelSelector`, constraint.labelSelector)
  }
}

const pairOf = ({ topologyKey, whenUnsatisfiable }: JsonObject): string =>
  JSON.stringify([text(topologyKey), text(whenUnsatisfiable)])

function count(counts: Map<string, number>, key: string, by: number): number {
  const next = (counts.get(key) ?? 0) + by
  counts.set(key, next)
  return next
}

function checkMinDomains(errors: FieldError[], field: string, constraint: JsonObject, action: string): void {
  const minimum = constraint.minDomains
  if (typeof minimum !== 'number') return
  checkPositive(errors, field, minimum)
  if (action !== 'DoNotSchedule') {
    const message = `can only use minDomains if whenUnsatisfiable=DoNotSchedule, not ${action}`
    errors.push(fieldError.invalid(field, minimum, message))
  }
}

export function checkGates(errors: FieldError[], field: string, spec: JsonObject): void {
  for (const [i, gate] of items(spec.readinessGates).entries()) {
    const type = text(gate.conditionType)
    reject(errors, `${field}.readinessGates[${i}].conditionType`, type, checkQualifiedName(type))
  }
  const seen = new Set<string>()
  for (const [i, gate] of items(spec.schedulingGates).entries()) {
    const at = `${field}.schedulingGates[${i}]`
    const name = text(gate.name)
    reject(errors, at, name, checkQualifiedName(name))
    if (seen.has(name)) errors.push(fieldError.duplicate(at, name))
    seen.add(name)
  }
}
