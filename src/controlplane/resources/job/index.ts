/** Job: its selector and the labels of its pods are generated from its uid, and its template is immutable. */
import { fieldError, type FieldError } from '../../../api/field-error.ts'
import { cloneJson, type JsonObject } from '../../../api/json.ts'
import { checkLabel } from '../../../api/names.ts'
import type { KubeObject } from '../../../api/object.ts'
import { metadataMark, type DecodeNotes, type WriteContext } from '../../contract/resource.ts'
import type { KindStrategy } from '../kind-strategy.ts'
import { checkImmutable, invalidStruct } from '../shared/errors.ts'
import { internalJson } from '../shared/internal-json.ts'
import { checkLabelSelector, labelMap, tryLabelSelector } from '../shared/label-selector.ts'
import { defaultPodTemplate, nameWarning, labelsText, templateWarnings } from '../shared/pod-template.ts'
import { entry, fill, fillZero, items, maybeInt, size, specOf, struct, structOf, text } from '../shared/values.ts'
import { checkJobSpec } from './spec.ts'
import { validateJobStatusUpdate } from './status.ts'
import type { EmptyFields } from '../../../shape/empty-fields.ts'

const maxInt32 = 2147483647

function setDefaults(object: KubeObject, notes?: DecodeNotes): void {
  const spec = specOf(object)
  if (spec.completions === undefined && spec.parallelism === undefined) spec.completions = 1
  fill(spec, 'parallelism', 1)
  fill(spec, 'backoffLimit', spec.backoffLimitPerIndex === undefined ? 6 : maxInt32)
  fill(spec, 'completionMode', 'NonIndexed')
  fill(spec, 'suspend', false)
  fill(spec, 'podReplacementPolicy', spec.podFailurePolicy === undefined ? 'TerminatingOrFailed' : 'Failed')
  fill(spec, 'manualSelector', false)
  defaultPodTemplate(spec)
  defaultFailurePolicy(spec)
  if (labelLikeTemplate(object, spec) && notes !== undefined) (notes.filled ??= new Set()).add('metadata.labels')
}

/** Also used by CronJob. */
export function defaultFailurePolicy(spec: JsonObject): void {
  for (const rule of items(struct(spec.podFailurePolicy)?.rules)) {
    for (const condition of items(rule.onPodConditions)) fillZero(condition, 'status', 'True')
  }
}

/** A Job without labels gets those of its pod template; returns whether it did. */
function labelLikeTemplate(object: KubeObject, spec: JsonObject): boolean {
  const labels = struct(struct(struct(spec.template)?.metadata)?.labels)
  if (labels === undefined || size(object.metadata.labels) > 0) return false
  object.metadata.labels = cloneJson(labels) as Record<string, string>
  return true
}

const nameLabels = ['job-name', 'batch.kubernetes.io/job-name']
const uidLabels = ['controller-uid', 'batch.kubernetes.io/controller-uid']
const selectorLabel = 'batch.kubernetes.io/controller-uid'

function prepareForCreate(object: KubeObject, context: WriteContext): void {
  const spec = specOf(object)
  if (spec.manualSelector === true) return
  const metadata = structOf(structOf(spec, 'template'), 'metadata')
  // In Go, defaulting makes job and template share one map of labels, so that filling one fills the other. Without a
  // map in the template there is nothing to share: the labels of the job are then not stored, but defaulted on reads.
  const { empty, filled } = context.decoded ?? {}
  const hadLabels = struct(metadata.labels) !== undefined || empty?.get(metadata, 'labels') !== undefined
  // Labels that were copied from the template are updated with it.
  const followed = size(object.metadata.labels) === 0 || filled?.has('metadata.labels') === true
  const labels = structOf(metadata, 'labels')
  for (const label of nameLabels) fill(labels, label, object.metadata.name ?? '')
  for (const label of uidLabels) fill(labels, label, object.metadata.uid ?? '')
  metadata.labels = Object.fromEntries(Object.entries(labels).toSorted(([a], [b]) => (a < b ? -1 : 1)))
  fill(structOf(structOf(spec, 'selector'), 'matchLabels'), selectorLabel, object.metadata.uid ?? '')
  if (!followed) return
  object.metadata.labels = cloneJson(metadata.labels) as Record<string, string>
  if (!hadLabels) context.needsRewrite = true
}

function checkJob(errors: FieldError[], object: KubeObject, empty: EmptyFields | undefined): void {
  const spec = specOf(object)
  if (spec.manualSelector !== true && struct(spec.selector) !== undefined) {
    checkGenerated(errors, object, spec)
  }
  checkSelectedSpec(errors, spec, empty)
  const completions = maybeInt(spec.completions) ?? 0
  if (spec.completionMode === 'Indexed' && completions > 0) {
    const name = object.metadata.name ?? ''
    const host = `${name}-${completions - 1}`
    if (checkLabel(host).length > 0) {
      const message = `will not able to create pod with invalid DNS label: ${host}`
      errors.push(fieldError.invalid('metadata.name', name, message))
    }
  }
}

function checkGenerated(errors: FieldError[], object: KubeObject, spec: JsonObject): void {
  const labels = struct(struct(struct(spec.template)?.metadata)?.labels)
  const uid = object.metadata.uid ?? ''
  const name = object.metadata.name ?? ''
  const wanted = [
    ['controller-uid', uid],
    ['job-name', name],
    ['batch.kubernetes.io/controller-uid', uid],
    ['batch.kubernetes.io/job-name', name],
  ] as const
  for (const [label, value] of wanted) {
    const field = `spec.template.metadata.labels[${label}]`
    const given = entry(labels, label)
    if (given === undefined) errors.push(fieldError.required(field, `must be '${value}'`))
    else if (given !== value) errors.push(fieldError.invalid(field, labels ?? null, `must be '${value}'`))
  }
  const selector = tryLabelSelector(spec.selector)
  if (selector !== undefined && !selector.matches(Object.fromEntries(wanted))) {
    errors.push(invalidStruct('spec.selector', spec.selector, '`selector` not auto-generated'))
  }
}

function checkSelectedSpec(errors: FieldError[], spec: JsonObject, empty: EmptyFields | undefined): void {
  checkJobSpec(errors, 'spec', spec, empty)
  if (struct(spec.selector) === undefined) errors.push(fieldError.required('spec.selector'))
  else checkLabelSelector(errors, 'spec.selector', spec.selector)
  const labels = struct(struct(spec.template)?.metadata)?.labels
  if (tryLabelSelector(spec.selector)?.matches(labelMap(labels)) === false) {
    const message = '`selector` does not match template `labels`'
    errors.push(fieldError.invalid('spec.template.metadata.labels', labelsText(struct(spec.template), empty), message))
  }
}

function validate(object: KubeObject, { decoded }: WriteContext): FieldError[] {
  const errors: FieldError[] = []
  checkJob(errors, object, decoded?.empty)
  return errors
}

function validateUpdate(object: KubeObject, old: KubeObject, context: WriteContext): FieldError[] {
  const errors = validate(object, context)
  const empty = context.decoded?.empty
  const spec = specOf(object)
  const before = struct(old.spec) ?? {}
  errors.push(metadataMark('change'))
  checkSelectedSpec(errors, spec, empty)
  checkCompletions(errors, spec, before)
  checkImmutable(errors, 'spec.selector', spec.selector, before.selector)
  checkTemplate(errors, spec, before, old, empty)
  checkImmutable(errors, 'spec.completionMode', spec.completionMode, before.completionMode)
  checkPolicy(errors, 'podFailurePolicy', 'PodFailurePolicy', spec, before, empty)
  checkImmutable(errors, 'spec.backoffLimitPerIndex', spec.backoffLimitPerIndex, before.backoffLimitPerIndex)
  checkImmutable(errors, 'spec.managedBy', spec.managedBy, before.managedBy)
  checkPolicy(errors, 'successPolicy', 'SuccessPolicy', spec, before, empty)
  return errors
}

function checkPolicy(
  errors: FieldError[],
  field: string,
  type: string,
  spec: JsonObject,
  before: JsonObject,
  empty: EmptyFields | undefined,
): void {
  const policy = struct(spec[field])
  const show = () => (policy === undefined ? null : internalJson(type, policy, empty))
  checkImmutable(errors, `spec.${field}`, spec[field], before[field], show)
}

function checkCompletions(errors: FieldError[], spec: JsonObject, before: JsonObject): void {
  if (spec.completionMode !== 'Indexed') {
    checkImmutable(errors, 'spec.completions', spec.completions, before.completions)
  } else if (
    spec.completions !== undefined &&
    spec.completions !== before.completions &&
    spec.completions !== spec.parallelism
  ) {
    const message = 'can only be modified in tandem with spec.parallelism'
    errors.push(fieldError.invalid('spec.completions', spec.completions, message))
  }
}

/** The scheduling directives of a Job that is suspended and has not started may change. */
function checkTemplate(
  errors: FieldError[],
  spec: JsonObject,
  before: JsonObject,
  old: KubeObject,
  empty: EmptyFields | undefined,
): void {
  const template = struct(spec.template) ?? {}
  let fixed = struct(before.template) ?? {}
  if (before.suspend === true && struct(old.status)?.startTime === undefined) {
    const podSpec = struct(template.spec) ?? {}
    const merged: JsonObject = { ...struct(fixed.spec) }
    for (const field of ['nodeSelector', 'tolerations', 'schedulingGates'] as const) {
      const value = podSpec[field]
      if (value === undefined) delete merged[field]
      else merged[field] = value
    }
    const affinity = withNodeAffinity(struct(merged.affinity), struct(podSpec.affinity))
    if (affinity === undefined) delete merged.affinity
    else merged.affinity = affinity
    fixed = { ...fixed, metadata: template.metadata ?? {}, spec: merged }
  }
  checkImmutable(errors, 'spec.template', template, fixed, () => internalJson('PodTemplateSpec', template, empty))
}

/** Of the affinity, only node affinity may change. */
function withNodeAffinity(old: JsonObject | undefined, given: JsonObject | undefined): JsonObject | undefined {
  const { nodeAffinity: _, ...rest } = old ?? {}
  if (given === undefined) return Object.keys(rest).length === 0 ? undefined : rest
  return given.nodeAffinity === undefined ? rest : { ...rest, nodeAffinity: given.nodeAffinity }
}

/** A Job that loses its labels gets those of its template again, unless this write removes the last finalizer. */
function prepareForStatusUpdate(object: KubeObject, old: KubeObject, context: WriteContext): void {
  if (size(object.metadata.labels) > 0) return
  if (old.metadata.deletionTimestamp !== undefined && size(object.metadata.finalizers) === 0) return
  labelLikeTemplate(object, specOf(object))
  if (size(object.metadata.labels) > 0) context.needsRewrite = true
}

function warnings(object: KubeObject, old: KubeObject | undefined): string[] {
  const template = specOf(object).template
  if (old !== undefined) {
    const changed = object.metadata.generation !== old.metadata.generation
    return changed ? templateWarnings(template, 'spec.template') : []
  }
  const name = object.metadata.name ?? ''
  return [...nameWarning(name, checkLabel(name)), ...templateWarnings(template, 'spec.template')]
}

/** `status.successful` selects by `status.succeeded`. */
function selectableField(object: KubeObject, field: string): string {
  return field === 'status.successful' ? text(String(maybeInt(struct(object.status)?.succeeded) ?? 0)) : ''
}

export const job: KindStrategy = {
  default: setDefaults,
  prepareForCreate,
  prepareForStatusUpdate,
  validate,
  validateUpdate,
  validateStatusUpdate: validateJobStatusUpdate,
  warnings,
  selectableField,
}
