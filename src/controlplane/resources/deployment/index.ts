/** Deployment: defaults, validation, and a generation that also counts changes of annotations. */
import { fieldError, type FieldError } from '../../../api/field-error.ts'
import { equalJson, type JsonObject } from '../../../api/json.ts'
import type { KubeObject } from '../../../api/object.ts'
import type { KindStrategy } from '../kind-strategy.ts'
import { replicaWarnings } from '../replica-set/index.ts'
import { checkImmutable, checkNonnegative, notSupportedStruct } from '../shared/errors.ts'
import { checkAtMostAll, checkIntOrPercent, intOrPercent } from '../shared/int-or-percent.ts'
import { internalJson } from '../shared/internal-json.ts'
import { defaultPodTemplate } from '../shared/pod-template.ts'
import { checkCollisionCount, checkCounts, checkReplicatedTemplate, checkSelector } from '../shared/replicas.ts'
import { fill, fillZero, int, specOf, struct, structOf } from '../shared/values.ts'
import type { WriteContext } from '../../contract/resource.ts'

const strategies = ['Recreate', 'RollingUpdate']

function setDefaults(object: KubeObject): void {
  const spec = specOf(object)
  fill(spec, 'replicas', 1)
  const strategy = structOf(spec, 'strategy')
  fillZero(strategy, 'type', 'RollingUpdate')
  if (strategy.type === 'RollingUpdate') {
    const rolling = structOf(strategy, 'rollingUpdate')
    fill(rolling, 'maxUnavailable', '25%')
    fill(rolling, 'maxSurge', '25%')
  }
  fill(spec, 'revisionHistoryLimit', 10)
  fill(spec, 'progressDeadlineSeconds', 600)
  defaultPodTemplate(spec)
}

function validate(object: KubeObject, { decoded }: WriteContext): FieldError[] {
  const errors: FieldError[] = []
  const spec = specOf(object)
  checkNonnegative(errors, 'spec.replicas', spec.replicas)
  checkSelector(errors, spec, 'deployment')
  checkReplicatedTemplate(errors, spec, decoded?.empty)
  checkStrategy(errors, struct(spec.strategy) ?? {})
  checkNonnegative(errors, 'spec.minReadySeconds', spec.minReadySeconds)
  checkNonnegative(errors, 'spec.revisionHistoryLimit', spec.revisionHistoryLimit)
  const deadline = spec.progressDeadlineSeconds
  if (typeof deadline === 'number') {
    checkNonnegative(errors, 'spec.progressDeadlineSeconds', deadline)
    if (deadline <= int(spec.minReadySeconds)) {
      const message = 'must be greater than minReadySeconds'
      errors.push(fieldError.invalid('spec.progressDeadlineSeconds', deadline, message))
    }
  }
  return errors
}

function checkStrategy(errors: FieldError[], strategy: JsonObject): void {
  const rolling = struct(strategy.rollingUpdate)
  const field = 'spec.strategy.rollingUpdate'
  if (strategy.type === 'Recreate') {
    if (rolling === undefined) return
    errors.push(fieldError.forbidden(field, "may not be specified when strategy `type` is 'Recreate'"))
  } else if (strategy.type !== 'RollingUpdate') {
    errors.push(notSupportedStruct('spec.strategy', internalJson('DeploymentStrategy', strategy), strategies))
  } else if (rolling === undefined) {
    errors.push(fieldError.required(field, 'this should be defaulted and never be nil'))
  } else {
    checkIntOrPercent(errors, `${field}.maxUnavailable`, rolling.maxUnavailable)
    checkIntOrPercent(errors, `${field}.maxSurge`, rolling.maxSurge)
    if (intOrPercent(rolling.maxUnavailable) === 0 && intOrPercent(rolling.maxSurge) === 0) {
      const message = 'may not be 0 when `maxSurge` is 0'
      errors.push(fieldError.invalid(`${field}.maxUnavailable`, rolling.maxUnavailable, message))
    }
    checkAtMostAll(errors, `${field}.maxUnavailable`, rolling.maxUnavailable)
  }
}

function validateUpdate(object: KubeObject, old: KubeObject, context: WriteContext): FieldError[] {
  const errors = validate(object, context)
  checkImmutable(errors, 'spec.selector', specOf(object).selector, struct(old.spec)?.selector)
  return errors
}

const counts = [
  'observedGeneration',
  'replicas',
  'updatedReplicas',
  'readyReplicas',
  'availableReplicas',
  'unavailableReplicas',
  'terminatingReplicas',
  'collisionCount',
]
const bounded = ['updatedReplicas', 'readyReplicas', 'availableReplicas']

function validateStatusUpdate(object: KubeObject, old: KubeObject): FieldError[] {
  const errors: FieldError[] = []
  const status = struct(object.status) ?? {}
  checkCounts(errors, status, counts, bounded)
  if (int(status.availableReplicas) > int(status.readyReplicas)) {
    const message = 'cannot be greater than readyReplicas'
    errors.push(fieldError.invalid('status.availableReplicas', int(status.availableReplicas), message))
  }
  checkCollisionCount(errors, status, struct(old.status) ?? {})
  return errors
}

function generation(object: KubeObject, old: KubeObject): boolean {
  const { annotations } = object.metadata
  return !equalJson(object.spec, old.spec) || !equalJson(annotations ?? {}, old.metadata.annotations ?? {})
}

export const deployment: KindStrategy = {
  default: setDefaults,
  validate,
  validateUpdate,
  validateStatusUpdate,
  generation,
  warnings: replicaWarnings,
}
