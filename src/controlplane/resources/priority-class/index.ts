/** PriorityClass: its value is immutable, and names with the prefix `system-` are reserved. */
import { fieldError, type FieldError } from '../../../api/field-error.ts'
import type { KubeObject } from '../../../api/object.ts'
import type { KindStrategy } from '../kind-strategy.ts'
import { checkImmutable, checkOneOf } from '../shared/errors.ts'
import { fill, int, text } from '../shared/values.ts'

const maxUserPriority = 1_000_000_000
const systemClasses: Readonly<Record<string, number>> = {
  'system-cluster-critical': 2000000000,
  'system-node-critical': 2000001000,
}

function validate(object: KubeObject): FieldError[] {
  const errors: FieldError[] = []
  const name = object.metadata.name ?? ''
  const value = int(object.value)
  if (name.startsWith('system-')) {
    const problem = systemProblem(name, value, object.globalDefault === true)
    if (problem !== undefined) {
      const message = "priority class names with 'system-' prefix are reserved for system use only."
      errors.push(fieldError.forbidden('metadata.name', `${message} error: ${problem}`))
    }
  } else if (value > maxUserPriority) {
    errors.push(fieldError.forbidden('value', `maximum allowed value of a user defined priority is ${maxUserPriority}`))
  }
  if (object.preemptionPolicy !== undefined) {
    checkOneOf(errors, 'preemptionPolicy', text(object.preemptionPolicy), ['PreemptLowerPriority', 'Never'])
  }
  return errors
}

function systemProblem(name: string, value: number, globalDefault: boolean): string | undefined {
  const known = Object.hasOwn(systemClasses, name) ? systemClasses[name] : undefined
  if (known === undefined) return `${name} is not a known system priority class`
  if (value !== known) return `value of ${name} PriorityClass must be ${known}`
  return globalDefault ? `globalDefault of ${name} PriorityClass must be false` : undefined
}

export const priorityClass: KindStrategy = {
  default: (object) => fill(object, 'preemptionPolicy', 'PreemptLowerPriority'),
  validate,
  validateUpdate: (object, old) => {
    const errors: FieldError[] = []
    if (int(object.value) !== int(old.value)) {
      errors.push(fieldError.forbidden('value', 'may not be changed in an update.'))
    }
    checkImmutable(errors, 'preemptionPolicy', object.preemptionPolicy, old.preemptionPolicy)
    return errors
  },
}
