/** Lease. */
import { fieldError, type FieldError } from '../../../api/field-error.ts'
import { checkQualifiedName } from '../../../api/names.ts'
import type { KubeObject } from '../../../api/object.ts'
import type { KindStrategy } from '../kind-strategy.ts'
import { checkNonnegative, reject } from '../shared/errors.ts'
import { specOf, text } from '../shared/values.ts'

function validate(object: KubeObject): FieldError[] {
  const errors: FieldError[] = []
  const spec = specOf(object)
  const duration = spec.leaseDurationSeconds
  if (typeof duration === 'number' && duration <= 0) {
    errors.push(fieldError.invalid('spec.leaseDurationSeconds', duration, 'must be greater than 0'))
  }
  checkNonnegative(errors, 'spec.leaseTransitions', spec.leaseTransitions)
  const strategy = text(spec.strategy)
  if (strategy.includes('/')) reject(errors, 'spec.strategy.strategy', strategy, checkQualifiedName(strategy))
  if (text(spec.preferredHolder) !== '' && strategy === '') {
    errors.push(fieldError.forbidden('spec.preferredHolder', 'may only be specified if `strategy` is defined'))
  }
  return errors
}

/** The feature gate CoordinatedLeaderElection is off, so its fields are dropped, as upstream does. */
function prepareForCreate(object: KubeObject): void {
  const spec = specOf(object)
  delete spec.strategy
  delete spec.preferredHolder
}

export const lease: KindStrategy = {
  prepareForCreate,
  prepareForUpdate: prepareForCreate,
  validate,
  validateUpdate: validate,
}
