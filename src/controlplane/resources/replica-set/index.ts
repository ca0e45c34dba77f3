/** ReplicaSet. */
import { fieldError, type FieldError } from '../../../api/field-error.ts'
import { checkLabel } from '../../../api/names.ts'
import type { KubeObject } from '../../../api/object.ts'
import type { KindStrategy } from '../kind-strategy.ts'
import { checkImmutable, checkNonnegative } from '../shared/errors.ts'
import { defaultPodTemplate, nameWarning, templateWarnings } from '../shared/pod-template.ts'
import { checkCounts, checkReplicatedTemplate, checkSelector } from '../shared/replicas.ts'
import { fill, int, specOf, struct } from '../shared/values.ts'
import type { WriteContext } from '../../contract/resource.ts'

function setDefaults(object: KubeObject): void {
  const spec = specOf(object)
  fill(spec, 'replicas', 1)
  defaultPodTemplate(spec)
}

function validate(object: KubeObject, { decoded }: WriteContext): FieldError[] {
  const errors: FieldError[] = []
  const spec = specOf(object)
  checkNonnegative(errors, 'spec.replicas', spec.replicas)
  checkNonnegative(errors, 'spec.minReadySeconds', spec.minReadySeconds)
  checkSelector(errors, spec, 'deployment')
  checkReplicatedTemplate(errors, spec, decoded?.empty)
  return errors
}

function validateUpdate(object: KubeObject, old: KubeObject, context: WriteContext): FieldError[] {
  const errors = validate(object, context)
  checkImmutable(errors, 'spec.selector', specOf(object).selector, struct(old.spec)?.selector)
  return errors
}

const counts = [
  'replicas',
  'fullyLabeledReplicas',
  'readyReplicas',
  'availableReplicas',
  'observedGeneration',
  'terminatingReplicas',
]
const bounded = ['fullyLabeledReplicas', 'readyReplicas', 'availableReplicas']

/** Also used by ReplicationController. */
export function validateReplicaStatus(object: KubeObject): FieldError[] {
  const errors: FieldError[] = []
  const status = struct(object.status) ?? {}
  checkCounts(errors, status, counts, bounded)
  if (int(status.availableReplicas) > int(status.readyReplicas)) {
    const message = 'cannot be greater than readyReplicas'
    errors.push(fieldError.invalid('status.availableReplicas', int(status.availableReplicas), message))
  }
  return errors
}

/** Warnings of a workload whose pods are named after it. Also used by ReplicationController. */
export function replicaWarnings(object: KubeObject, old: KubeObject | undefined): string[] {
  const template = specOf(object).template
  if (old !== undefined) {
    const changed = object.metadata.generation !== old.metadata.generation
    return changed ? templateWarnings(template, 'spec.template') : []
  }
  const name = object.metadata.name ?? ''
  return [...nameWarning(name, checkLabel(name)), ...templateWarnings(template, 'spec.template')]
}

export const replicaSet: KindStrategy = {
  default: setDefaults,
  validate,
  validateUpdate,
  validateStatusUpdate: validateReplicaStatus,
  warnings: replicaWarnings,
}
