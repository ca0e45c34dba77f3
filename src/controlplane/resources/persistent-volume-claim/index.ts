/** PersistentVolumeClaim: its spec is immutable, except for a few fields. */
import { fieldError, type FieldError } from '../../../api/field-error.ts'
import { equalJson, type JsonObject } from '../../../api/json.ts'
import type { KubeObject } from '../../../api/object.ts'
import type { KindStrategy } from '../kind-strategy.ts'
import { checkImmutable } from '../shared/errors.ts'
import { internalJson } from '../shared/internal-json.ts'
import { checkClaimSpec } from '../shared/pod-spec/claim-template.ts'
import { defaultClaimSpec } from '../shared/pod-spec/defaults.ts'
import { checkBasicQuantity, compareQuantityTexts } from '../shared/quantities.ts'
import { unifiedDiff } from '../shared/unified-diff.ts'
import { entries, entry, fill, fillZero, specOf, struct, structOf, text } from '../shared/values.ts'
import type { EmptyFields } from '../../../shape/empty-fields.ts'
import type { WriteContext } from '../../contract/resource.ts'

const classAnnotation = 'volume.beta.kubernetes.io/storage-class'

function setDefaults(object: KubeObject): void {
  fillZero(structOf(object, 'status'), 'phase', 'Pending')
  defaultClaimSpec(specOf(object))
}

/**
 * A claim may be populated from another object. Old clients set `dataSource`, which supports only claims and snapshots
 * and drops others; new ones set `dataSourceRef`. Each is copied to the other.
 */
function prepareDataSource(object: KubeObject, old: KubeObject | undefined): void {
  const spec = specOf(object)
  const before = struct(old?.spec)
  const reference = struct(spec.dataSourceRef)
  if (text(reference?.namespace) !== '' && before?.dataSourceRef === undefined) delete spec.dataSourceRef
  const local = struct(spec.dataSource)
  if (local !== undefined && before?.dataSource === undefined && spec.dataSourceRef === undefined) {
    const group = text(local.apiGroup)
    const isClaim = group === '' && local.kind === 'PersistentVolumeClaim'
    if (!isClaim && !(group === 'snapshot.storage.k8s.io' && local.kind === 'VolumeSnapshot')) {
      delete spec.dataSource
    }
  }
  if (spec.dataSource !== undefined && spec.dataSourceRef === undefined) {
    spec.dataSourceRef = { ...struct(spec.dataSource) }
  } else if (spec.dataSourceRef !== undefined && spec.dataSource === undefined && text(reference?.namespace) === '') {
    spec.dataSource = { ...reference }
  }
}

function validate(object: KubeObject, old?: KubeObject): FieldError[] {
  const errors: FieldError[] = []
  const spec = specOf(object)
  checkClaimSpec(errors, 'spec', spec, struct(old?.spec))
  const local = struct(spec.dataSource)
  const reference = struct(spec.dataSourceRef)
  const isSame = ['apiGroup', 'kind', 'name'].every((part) => text(local?.[part]) === text(reference?.[part]))
  if (local !== undefined && reference !== undefined && !isSame && text(reference.namespace) === '') {
    errors.push({ ...fieldError.invalid('spec', '', 'must match dataSourceRef'), summary: 'Invalid value: {}' })
  }
  return errors
}

function validateUpdate(object: KubeObject, old: KubeObject, context: WriteContext): FieldError[] {
  const errors = validate(object, old)
  const spec = specOf(object)
  const before = struct(old.spec) ?? {}
  const empty = context.decoded?.empty
  const changed: JsonObject = { ...spec }
  empty?.copy(changed, spec)
  const fixed: JsonObject = { ...before }
  if (text(before.volumeName) === '' && spec.volumeName !== undefined) fixed.volumeName = spec.volumeName
  if (before.storageClassName === undefined && spec.storageClassName !== undefined) {
    const annotated = entry(old.metadata.annotations, classAnnotation)
    if (annotated === undefined || annotated === spec.storageClassName) delete changed.storageClassName
  }
  if (struct(object.status)?.phase === 'Bound') {
    const size = entry(struct(before.resources)?.requests, 'storage')
    changed.resources = withRequest(struct(spec.resources), size, empty)
    if (before.volumeAttributesClassName === undefined) delete changed.volumeAttributesClassName
    else changed.volumeAttributesClassName = before.volumeAttributesClassName
  }
  if (!equalJson(changed, fixed)) {
    const why = 'spec is immutable after creation except'
    const exceptions = 'resources.requests and volumeAttributesClassName for bound claims'
    errors.push(fieldError.forbidden('spec', `${why} ${exceptions}\n${specDiff(fixed, changed, empty)}`))
  }
  checkSize(errors, spec, before, old)
  checkImmutable(errors, 'volumeMode', spec.volumeMode, before.volumeMode)
  return errors
}

/** With the old storage request, if storage is requested at all. */
function withRequest(
  resources: JsonObject | undefined,
  storage: string | undefined,
  empty: EmptyFields | undefined,
): JsonObject {
  const requests = struct(resources?.requests ?? empty?.get(resources, 'requests'))
  if (requests === undefined) return resources ?? {}
  const result = { ...resources, requests: { ...requests, storage: storage ?? '0' } }
  empty?.copy(result, resources)
  return result
}

function specDiff(before: JsonObject, after: JsonObject, empty: EmptyFields | undefined): string {
  const show = (spec: JsonObject) =>
    JSON.stringify(internalJson('PersistentVolumeClaimSpec', spec, empty), undefined, 1)
  return unifiedDiff(show(before), show(after))
}

function checkSize(errors: FieldError[], spec: JsonObject, before: JsonObject, old: KubeObject): void {
  const sizeOf = (of: JsonObject) => entry(struct(of.resources)?.requests, 'storage') ?? '0'
  if (compareQuantityTexts(sizeOf(spec), sizeOf(before)) >= 0) return
  const capacity = entry(struct(old.status)?.capacity, 'storage') ?? '0'
  if (compareQuantityTexts(sizeOf(spec), capacity) > 0) return
  const field = 'spec.resources.requests.storage'
  errors.push(fieldError.forbidden(field, 'field can not be less than status.capacity'))
}

export const persistentVolumeClaim: KindStrategy = {
  default: setDefaults,
  prepareForCreate: (object, context) => {
    prepareDataSource(object, undefined)
    fill(structOf(object, 'status'), 'phase', 'Pending')
    context.needsRewrite = true
  },
  prepareForUpdate: prepareDataSource,
  validate: (object) => validate(object),
  validateUpdate,
  validateStatusUpdate: (object) => {
    const errors: FieldError[] = []
    for (const [name, quantity] of entries(struct(object.status)?.capacity)) {
      checkBasicQuantity(errors, `status.capacity[${name}]`, text(quantity))
    }
    return errors
  },
}
