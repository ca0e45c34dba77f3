/**
 * PersistentVolumeClaim: protected while in use, of the default class if it names none, and fixed once made.
 */
import { fieldError, type FieldError } from '../../../api/field-error.ts'
import { equalJson, type JsonObject } from '../../../api/json.ts'
import type { KubeObject } from '../../../api/object.ts'
import type { WriteContext } from '../../registry/resource.ts'
import type { KindRules } from '../kind-rules.ts'
import { checkImmutable } from '../shared/errors.ts'
import { internalJson } from '../shared/internal-json.ts'
import { checkClaimSpec } from '../shared/pod-spec/claim-template.ts'
import { defaultClaimSpec } from '../shared/pod-spec/defaults.ts'
import { checkBasicQuantity, compareTexts } from '../shared/quantities.ts'
import { unifiedDiff } from '../shared/unified-diff.ts'
import { entries, entry, fill, fillZero, specOf, struct, structOf, text } from '../shared/values.ts'

const protection = 'kubernetes.io/pvc-protection'
const classAnnotation = 'volume.beta.kubernetes.io/storage-class'
const defaultClassAnnotations = [
  'storageclass.kubernetes.io/is-default-class', 'storageclass.beta.kubernetes.io/is-default-class',
]

function setDefaults(object: KubeObject): void {
  fillZero(structOf(object as unknown as JsonObject, 'status'), 'phase', 'Pending')
  defaultClaimSpec(specOf(object))
}

function admitCreate(object: KubeObject, context: WriteContext): void {
  const finalizers = object.metadata.finalizers ?? []
  if (!finalizers.includes(protection)) object.metadata.finalizers = [...finalizers, protection]
  const spec = specOf(object)
  if (
    spec.storageClassName !== undefined ||
    entry(object.metadata.annotations, classAnnotation) !== undefined
  )
    return
  const name = defaultClass(context)
  if (name !== undefined) spec.storageClassName = name
}

/** Of several defaults the newest, then the first by name. */
function defaultClass(context: WriteContext): string | undefined {
  let found: KubeObject | undefined
  for (const candidate of context.lookupAll('storage.k8s.io', 'storageclasses', '')) {
    const { annotations, creationTimestamp = '', name = '' } = candidate.metadata
    if (!defaultClassAnnotations.some((key) => entry(annotations, key) === 'true')) continue
    const newest = found?.metadata.creationTimestamp ?? ''
    const wins =
      creationTimestamp > newest || (creationTimestamp === newest && name < (found?.metadata.name ?? ''))
    if (found === undefined || wins) found = candidate
  }
  return found?.metadata.name
}

/**
 * A claim may be filled from another volume. Old clients say so in `dataSource`, where only claims and
 * snapshots are known and all else is dropped; new ones in `dataSourceRef`. Each is shown in both fields.
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
  } else if (
    spec.dataSourceRef !== undefined &&
    spec.dataSource === undefined &&
    text(reference?.namespace) === ''
  ) {
    spec.dataSource = { ...reference }
  }
}

function validate(object: KubeObject): FieldError[] {
  const errors: FieldError[] = []
  checkClaimSpec(errors, 'spec', specOf(object))
  return errors
}

function validateUpdate(object: KubeObject, old: KubeObject): FieldError[] {
  const errors = validate(object)
  const spec = specOf(object)
  const before = struct(old.spec) ?? {}
  const changed: JsonObject = { ...spec }
  const fixed: JsonObject = { ...before }
  if (text(before.volumeName) === '' && spec.volumeName !== undefined) fixed.volumeName = spec.volumeName
  if (before.storageClassName === undefined && spec.storageClassName !== undefined) {
    const annotated = entry(old.metadata.annotations, classAnnotation)
    if (annotated === undefined || annotated === spec.storageClassName) delete changed.storageClassName
  }
  if (struct(object.status)?.phase === 'Bound') {
    changed.resources = before.resources ?? {}
    if (before.volumeAttributesClassName === undefined) delete changed.volumeAttributesClassName
    else changed.volumeAttributesClassName = before.volumeAttributesClassName
  }
  if (!equalJson(changed, fixed)) {
    const why = 'spec is immutable after creation except'
    const exceptions = 'resources.requests and volumeAttributesClassName for bound claims'
    errors.push(fieldError.forbidden('spec', `${why} ${exceptions}\n${specDiff(fixed, changed)}`))
  }
  checkSize(errors, spec, before, old)
  checkImmutable(errors, 'volumeMode', spec.volumeMode, before.volumeMode)
  return errors
}

function specDiff(before: JsonObject, after: JsonObject): string {
  const show = (spec: JsonObject) =>
    JSON.stringify(internalJson('PersistentVolumeClaimSpec', spec), undefined, 1)
  return unifiedDiff(show(before), show(after))
}

function checkSize(errors: FieldError[], spec: JsonObject, before: JsonObject, old: KubeObject): void {
  const sizeOf = (of: JsonObject) => entry(struct(of.resources)?.requests, 'storage') ?? '0'
  if (compareTexts(sizeOf(spec), sizeOf(before)) >= 0) return
  const capacity = entry(struct(old.status)?.capacity, 'storage') ?? '0'
  if (compareTexts(sizeOf(spec), capacity) > 0) return
  const field = 'spec.resources.requests.storage'
  errors.push(fieldError.forbidden(field, 'field can not be less than status.capacity'))
}

export const persistentVolumeClaim: KindRules = {
  default: setDefaults,
  admitCreate,
  prepareForCreate: (object) => {
    prepareDataSource(object, undefined)
    fill(structOf(object as unknown as JsonObject, 'status'), 'phase', 'Pending')
  },
  prepareForUpdate: prepareDataSource,
  validate,
  validateUpdate,
  validateStatusUpdate: (object) => {
    const errors: FieldError[] = []
    for (const [name, quantity] of entries(struct(object.status)?.capacity)) {
      checkBasicQuantity(errors, `status.capacity[${name}]`, text(quantity))
    }
    return errors
  },
}
