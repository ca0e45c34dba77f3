/** DaemonSet: counts the generations of its template, which v1 shows as an annotation. */
import { appendAll } from '../../../api/append.ts'
import { fieldError, type FieldError } from '../../../api/field-error.ts'
import { equalJson, type JsonObject } from '../../../api/json.ts'
import type { KubeObject } from '../../../api/object.ts'
import type { KindStrategy } from '../kind-strategy.ts'
import { checkImmutable, checkNonnegative, invalidStruct, notSupportedStruct } from '../shared/errors.ts'
import { checkAtMostAll, checkIntOrPercent, intOrPercent } from '../shared/int-or-percent.ts'
import { internalJson } from '../shared/internal-json.ts'
import { checkLabelSelector, labelMap, tryLabelSelector } from '../shared/label-selector.ts'
import {
  checkPodTemplate,
  checkRunsAlways,
  defaultPodTemplate,
  labelsText,
  templateWarnings,
} from '../shared/pod-template.ts'
import { checkCollisionCount, checkCounts } from '../shared/replicas.ts'
import { entry, fill, fillZero, size, specOf, struct, structOf, text } from '../shared/values.ts'
import type { WriteContext } from '../../contract/resource.ts'

const generationAnnotation = 'deprecated.daemonset.template.generation'

function setDefaults(object: KubeObject): void {
  const spec = specOf(object)
  const strategy = structOf(spec, 'updateStrategy')
  fillZero(strategy, 'type', 'RollingUpdate')
  if (strategy.type === 'RollingUpdate') {
    const rolling = structOf(strategy, 'rollingUpdate')
    fill(rolling, 'maxUnavailable', 1)
    fill(rolling, 'maxSurge', 0)
  }
  fill(spec, 'revisionHistoryLimit', 10)
  defaultPodTemplate(spec)
  if (entry(object.metadata.annotations, generationAnnotation) === undefined) setTemplateGeneration(object, 0)
}

/** Upstream's internal type has a field for it; v1 has an annotation. */
function setTemplateGeneration(object: KubeObject, generation: number): void {
  // In order: maps are served sorted.
  const all = Object.entries({ ...object.metadata.annotations, [generationAnnotation]: String(generation) })
  object.metadata.annotations = Object.fromEntries(all.toSorted(([a], [b]) => (a < b ? -1 : 1)))
}

function templateGeneration(object: KubeObject): number {
  const given = Number(object.metadata.annotations?.[generationAnnotation] ?? '0')
  return Number.isSafeInteger(given) ? given : 0
}

function prepareForCreate(object: KubeObject): void {
  setTemplateGeneration(object, Math.max(1, templateGeneration(object)))
}

function prepareForUpdate(object: KubeObject, old: KubeObject): void {
  const before = templateGeneration(old)
  const same = equalJson(specOf(object).template, struct(old.spec)?.template)
  setTemplateGeneration(object, same ? before : before + 1)
}

/** Upstream keeps it in the spec, which a status update does not change. */
function prepareForStatusUpdate(object: KubeObject, old: KubeObject): void {
  setTemplateGeneration(object, templateGeneration(old))
}

function validate(object: KubeObject, { decoded }: WriteContext): FieldError[] {
  const errors: FieldError[] = []
  const spec = specOf(object)
  const selector = struct(spec.selector)
  checkLabelSelector(errors, 'spec.selector', selector)
  const template = struct(spec.template) ?? {}
  const labels = struct(template.metadata)?.labels
  if (tryLabelSelector(selector)?.matches(labelMap(labels)) === false) {
    const message = '`selector` does not match template `labels`'
    errors.push(invalidStruct('spec.template.metadata.labels', labelsText(template, decoded?.empty), message))
  }
  if (selector !== undefined && size(selector.matchLabels) + size(selector.matchExpressions) === 0) {
    errors.push(invalidStruct('spec.selector', selector, 'empty selector is invalid for daemonset'))
  }
  checkPodTemplate(errors, 'spec.template', template, decoded?.empty)
  checkRunsAlways(errors, 'spec.template', template, 'DaemonSet')
  checkNonnegative(errors, 'spec.minReadySeconds', spec.minReadySeconds)
  checkStrategy(errors, struct(spec.updateStrategy) ?? {})
  checkNonnegative(errors, 'spec.revisionHistoryLimit', spec.revisionHistoryLimit)
  return errors
}

function checkStrategy(errors: FieldError[], strategy: JsonObject): void {
  const type = text(strategy.type)
  if (type === 'OnDelete') return
  const field = 'spec.updateStrategy.rollingUpdate'
  const rolling = struct(strategy.rollingUpdate)
  if (type !== 'RollingUpdate') {
    const shown = internalJson('DaemonSetUpdateStrategy', strategy)
    errors.push(notSupportedStruct('spec.updateStrategy', shown, ['RollingUpdate', 'OnDelete']))
  } else if (rolling === undefined) {
    errors.push(fieldError.required(field))
  } else {
    for (const part of ['maxUnavailable', 'maxSurge'] as const) {
      checkIntOrPercent(errors, `${field}.${part}`, rolling[part])
    }
    for (const part of ['maxUnavailable', 'maxSurge'] as const) {
      checkAtMostAll(errors, `${field}.${part}`, rolling[part])
    }
    const unavailable = intOrPercent(rolling.maxUnavailable) !== 0
    const surge = intOrPercent(rolling.maxSurge) !== 0
    if (unavailable && surge) {
      const message = 'may not be set when maxUnavailable is non-zero'
      errors.push(fieldError.invalid(`${field}.maxSurge`, rolling.maxSurge, message))
    } else if (!unavailable && !surge) {
      errors.push(fieldError.required(`${field}.maxUnavailable`, 'cannot be 0 when maxSurge is 0'))
    }
  }
}

function validateUpdate(object: KubeObject, old: KubeObject, context: WriteContext): FieldError[] {
  const errors: FieldError[] = []
  checkImmutable(errors, 'spec.selector', specOf(object).selector, struct(old.spec)?.selector)
  appendAll(errors, validate(object, context))
  return errors
}

const counts = [
  'currentNumberScheduled',
  'numberMisscheduled',
  'desiredNumberScheduled',
  'numberReady',
  'observedGeneration',
  'updatedNumberScheduled',
  'numberAvailable',
  'numberUnavailable',
  'collisionCount',
]

function validateStatusUpdate(object: KubeObject, old: KubeObject): FieldError[] {
  const errors: FieldError[] = []
  const status = struct(object.status) ?? {}
  checkCounts(errors, status, counts, [])
  checkCollisionCount(errors, status, struct(old.status) ?? {})
  return errors
}

function warnings(object: KubeObject, old: KubeObject | undefined): string[] {
  const changed = old === undefined || templateGeneration(object) !== templateGeneration(old)
  return changed ? templateWarnings(specOf(object).template, 'spec.template') : []
}

/**
 * Upstream's internal type, which Tables are made from, has a field for the template generation, not the annotation.
 */
function tableForm(object: KubeObject): KubeObject {
  const { annotations, ...metadata } = object.metadata
  if (annotations === undefined || !Object.hasOwn(annotations, generationAnnotation)) return object
  const { [generationAnnotation]: _, ...rest } = annotations
  return { ...object, metadata: Object.keys(rest).length === 0 ? metadata : { ...object.metadata, annotations: rest } }
}

export const daemonSet: KindStrategy = {
  tableForm,
  default: setDefaults,
  prepareForCreate,
  prepareForUpdate,
  prepareForStatusUpdate,
  validate,
  validateUpdate,
  validateStatusUpdate,
  warnings,
}
