/** Validation of selector and template, for workloads that keep pods running. */
import { fieldError, type FieldError } from '../../../api/field-error.ts'
import { getOwn, type JsonObject } from '../../../api/json.ts'
import { checkLabelValue, checkQualifiedName } from '../../../api/names.ts'
import { checkNonnegative, invalidStruct } from './errors.ts'
import { checkLabelSelector, labelMap, tryLabelSelector } from './label-selector.ts'
import { checkPodTemplate, checkRunsAlways, labelsText } from './pod-template.ts'
import { size, struct, text } from './values.ts'
import type { EmptyFields } from '../../../shape/empty-fields.ts'

/** The selector must be present, valid and not empty. `kind` is the name of the workload in the error. */
export function checkSelector(errors: FieldError[], spec: JsonObject, kind: string): void {
  const selector = struct(spec.selector)
  if (selector === undefined) {
    errors.push(fieldError.required('spec.selector'))
    return
  }
  checkLabelSelector(errors, 'spec.selector', selector)
  if (size(selector.matchLabels) + size(selector.matchExpressions) === 0) {
    errors.push(invalidStruct('spec.selector', selector, `empty selector is invalid for ${kind}`))
  }
}

/** The selector must match the labels of the template. */
export function checkSelectsTemplate(
  errors: FieldError[],
  spec: JsonObject,
  template: JsonObject,
  empty: EmptyFields | undefined,
): boolean {
  const labels = struct(template.metadata)?.labels
  if (saysTheSame(struct(spec.selector), struct(labels))) return true
  const selector = tryLabelSelector(spec.selector)
  if (selector === undefined) return false
  if (!selector.isEmpty && !selector.matches(labelMap(labels))) {
    const message = '`selector` does not match template `labels`'
    errors.push(invalidStruct('spec.template.metadata.labels', labelsText(template, empty), message))
  }
  return true
}

/** Whether matchLabels alone are a valid selector that matches the labels. Faster than compiling a selector. */
function saysTheSame(selector: JsonObject | undefined, labels: JsonObject | undefined): boolean {
  const wanted = struct(selector?.matchLabels)
  if (wanted === undefined || labels === undefined || selector?.matchExpressions !== undefined) return false
  for (const key in wanted) {
    const value = text(wanted[key])
    if (getOwn(labels, key) !== value || checkQualifiedName(key).length > 0 || checkLabelValue(value).length > 0)
      return false
  }
  return true
}

/** For Deployments and ReplicaSets; upstream's messages say ReplicaSet for both. */
export function checkReplicatedTemplate(errors: FieldError[], spec: JsonObject, empty: EmptyFields | undefined): void {
  const template = struct(spec.template) ?? {}
  if (!checkSelectsTemplate(errors, spec, template, empty)) {
    errors.push(invalidStruct('spec.selector', spec.selector, 'invalid label selector'))
    return
  }
  checkPodTemplate(errors, 'spec.template', template, empty)
  checkRunsAlways(errors, 'spec.template', template, 'ReplicaSet')
}

/** Replica counts of a status: none negative, none above `replicas`. */
export function checkCounts(
  errors: FieldError[],
  status: JsonObject,
  counts: readonly string[],
  bounded: readonly string[],
): void {
  for (const name of counts) checkNonnegative(errors, `status.${name}`, status[name])
  const count = (name: string) => (typeof status[name] === 'number' ? status[name] : 0)
  for (const name of bounded) {
    if (count(name) <= count('replicas')) continue
    errors.push(fieldError.invalid(`status.${name}`, count(name), 'cannot be greater than status.replicas'))
  }
}

/** The collision count never decreases. */
export function checkCollisionCount(errors: FieldError[], status: JsonObject, before: JsonObject): void {
  const count = typeof status.collisionCount === 'number' ? status.collisionCount : 0
  const old = before.collisionCount
  if (typeof old === 'number' && (status.collisionCount === undefined || count < old)) {
    errors.push(fieldError.invalid('status.collisionCount', count, 'cannot be decremented'))
  }
}
