/** PodDisruptionBudget. */
import { type FieldError } from '../../../api/field-error.ts'
import type { KubeObject } from '../../../api/object.ts'
import type { KindStrategy } from '../kind-strategy.ts'
import { checkSupported, invalidStruct } from '../shared/errors.ts'
import { checkAtMostAll, checkIntOrPercent } from '../shared/int-or-percent.ts'
import { checkLabelSelector } from '../shared/label-selector.ts'
import { checkConditions } from '../shared/conditions.ts'
import { checkCounts } from '../shared/replicas.ts'
import { specOf, struct, text } from '../shared/values.ts'

function validate(object: KubeObject): FieldError[] {
  const errors: FieldError[] = []
  const spec = specOf(object)
  if (spec.minAvailable !== undefined && spec.maxUnavailable !== undefined) {
    const shown = {
      MinAvailable: spec.minAvailable,
      Selector: spec.selector ?? null,
      MaxUnavailable: spec.maxUnavailable,
      UnhealthyPodEvictionPolicy: spec.unhealthyPodEvictionPolicy ?? null,
    }
    errors.push(invalidStruct('spec', shown, 'minAvailable and maxUnavailable cannot be both set'))
  }
  for (const field of ['minAvailable', 'maxUnavailable'] as const) {
    if (spec[field] === undefined) continue
    checkIntOrPercent(errors, `spec.${field}`, spec[field])
    checkAtMostAll(errors, `spec.${field}`, spec[field])
  }
  checkLabelSelector(errors, 'spec.selector', spec.selector)
  if (spec.unhealthyPodEvictionPolicy !== undefined) {
    const policies = ['AlwaysAllow', 'IfHealthyBudget']
    checkSupported(errors, 'spec.unhealthyPodEvictionPolicy', text(spec.unhealthyPodEvictionPolicy), policies)
  }
  return errors
}

const counts = ['disruptionsAllowed', 'currentHealthy', 'desiredHealthy', 'expectedPods']

export const podDisruptionBudget: KindStrategy = {
  validate,
  validateUpdate: validate,
  validateStatusUpdate: (object) => {
    const errors: FieldError[] = []
    checkConditions(errors, 'status.conditions', struct(object.status)?.conditions)
    checkCounts(errors, struct(object.status) ?? {}, counts, [])
    return errors
  },
}
