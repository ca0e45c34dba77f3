/** ReplicationController: its selector is a map of labels, and defaults to the labels of the template. */
import { fieldError, type FieldError } from '../../../api/field-error.ts'
import { cloneJson, type JsonObject } from '../../../api/json.ts'
import type { KubeObject } from '../../../api/object.ts'
import type { KindStrategy } from '../kind-strategy.ts'
import { replicaWarnings, validateReplicaStatus } from '../replica-set/index.ts'
import { checkNonnegative, invalidStruct } from '../shared/errors.ts'
import {
  checkPodTemplate,
  checkRunsAlways,
  defaultPodTemplate,
  labelsText,
  templateWarnings,
} from '../shared/pod-template.ts'
import { entries, entry, fill, size, specOf, struct } from '../shared/values.ts'
import type { EmptyFields } from '../../../shape/empty-fields.ts'
import type { WriteContext } from '../../contract/resource.ts'

function setDefaults(object: KubeObject): void {
  const spec = specOf(object)
  fill(spec, 'replicas', 1)
  if (spec.template === undefined) return
  defaultPodTemplate(spec)
  const labels = struct(struct(struct(spec.template)?.metadata)?.labels)
  if (labels === undefined) return
  if (size(spec.selector) === 0) spec.selector = cloneJson(labels)
  if (size(object.metadata.labels) === 0) object.metadata.labels = cloneJson(labels) as Record<string, string>
}

function validate(object: KubeObject, empty: EmptyFields | undefined): FieldError[] {
  const errors: FieldError[] = []
  const spec = specOf(object)
  checkNonnegative(errors, 'spec.minReadySeconds', spec.minReadySeconds)
  if (size(spec.selector) === 0) errors.push(fieldError.required('spec.selector'))
  checkNonnegative(errors, 'spec.replicas', spec.replicas)
  const template = struct(spec.template)
  if (template === undefined) errors.push(fieldError.required('spec.template'))
  else checkTemplate(errors, spec, template, empty)
  return errors
}

function checkTemplate(
  errors: FieldError[],
  spec: JsonObject,
  template: JsonObject,
  empty: EmptyFields | undefined,
): void {
  const labels = struct(template.metadata)?.labels
  if (entries(spec.selector).some(([key, value]) => entry(labels, key) !== value)) {
    const message = '`selector` does not match template `labels`'
    errors.push(invalidStruct('spec.template.metadata.labels', labelsText(template, empty), message))
  }
  checkPodTemplate(errors, 'spec.template', template, empty)
  checkRunsAlways(errors, 'spec.template', template, 'ReplicationController')
}

/** A ReplicationController that loses its labels gets those of its template again. */
function prepareForStatusUpdate(object: KubeObject, _old: KubeObject, context: WriteContext): void {
  const labels = struct(struct(struct(specOf(object).template)?.metadata)?.labels)
  if (labels === undefined || size(object.metadata.labels) > 0) return
  object.metadata.labels = cloneJson(labels) as Record<string, string>
  context.needsRewrite = true
}

/** Upstream warns about the old template. */
function warnings(object: KubeObject, old: KubeObject | undefined): string[] {
  if (old === undefined) return replicaWarnings(object, undefined)
  const changed = object.metadata.generation !== old.metadata.generation
  return changed ? templateWarnings(struct(old.spec)?.template, 'spec.template') : []
}

export const replicationController: KindStrategy = {
  default: setDefaults,
  validate: (object, context) => validate(object, context.decoded?.empty),
  validateUpdate: (object, _old, context) => validate(object, context.decoded?.empty),
  validateStatusUpdate: validateReplicaStatus,
  prepareForStatusUpdate,
  warnings,
}
