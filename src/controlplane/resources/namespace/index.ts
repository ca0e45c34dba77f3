/** Namespace: has its name as a label, and stays until its content and its spec.finalizers are gone. */
import { fieldError, type FieldError } from '../../../api/field-error.ts'
import { sortedKeys } from '../../../api/json.ts'
import { checkQualifiedName } from '../../../api/names.ts'
import type { KubeObject } from '../../../api/object.ts'
import type { SubresourceStrategy } from '../../contract/resource.ts'
import type { KindStrategy } from '../kind-strategy.ts'
import { reject } from '../shared/errors.ts'
import { fillZero, size, specOf, strings, struct, structOf, text } from '../shared/values.ts'

const nameLabel = 'kubernetes.io/metadata.name'
const finalizer = 'kubernetes'
const standardFinalizers = new Set([finalizer, 'orphan', 'foregroundDeletion'])

function setDefaults(object: KubeObject): void {
  fillZero(structOf(object, 'status'), 'phase', 'Active')
  setNameLabel(object)
}

/** Does nothing until a generated name is known; it is called again before the object is stored. */
function setNameLabel(object: KubeObject): void {
  const { metadata } = object
  if ((metadata.name ?? '') === '') return
  metadata.labels = sortedKeys({ ...metadata.labels, [nameLabel]: metadata.name as string })
}

function prepareForCreate(object: KubeObject): void {
  setNameLabel(object)
  object.status = { phase: 'Active' }
  const spec = specOf(object)
  const finalizers = strings(spec.finalizers)
  if (!finalizers.includes(finalizer)) spec.finalizers = [...finalizers, finalizer]
}

/** Only the finalize subresource changes spec.finalizers. */
function prepareForUpdate(object: KubeObject, old: KubeObject): void {
  setNameLabel(object)
  const finalizers = struct(old.spec)?.finalizers
  const spec = specOf(object)
  if (finalizers === undefined) delete spec.finalizers
  else spec.finalizers = finalizers
}

function validate(object: KubeObject): FieldError[] {
  const errors: FieldError[] = []
  for (const name of strings(struct(object.spec)?.finalizers)) checkFinalizer(errors, 'spec.finalizers', name)
  return errors
}

function checkFinalizer(errors: FieldError[], field: string, name: string): void {
  reject(errors, field, name, checkQualifiedName(name))
  if (name.includes('/') || standardFinalizers.has(name)) return
  errors.push(fieldError.invalid(field, name, 'name is neither a standard finalizer name nor is it fully qualified'))
}

function validateStatusUpdate(object: KubeObject): FieldError[] {
  const phase = text(struct(object.status)?.phase)
  const deleting = object.metadata.deletionTimestamp !== undefined
  const wanted = deleting ? 'Terminating' : 'Active'
  if (phase === wanted) return []
  const state = deleting ? 'not empty' : 'empty'
  return [fieldError.invalid('status.Phase', phase, `may only be '${wanted}' if \`deletionTimestamp\` is ${state}`)]
}

/** The finalize subresource changes spec.finalizers and metadata. Here the order of metadata errors is explicit. */
const finalize: SubresourceStrategy = {
  metadataSteps: ['change', 'own'],
  resetPaths: [['status']],
  prepare(object, old) {
    setNameLabel(object)
    if (old.status === undefined) delete object.status
    else object.status = old.status
  },
  validate(object) {
    const errors: FieldError[] = []
    for (const [i, name] of strings(struct(object.spec)?.finalizers).entries())
      checkFinalizer(errors, `spec.finalizers[${i}]`, name)
    return errors
  },
}

export const namespace: KindStrategy = {
  subresources: { finalize },
  default: setDefaults,
  prepareForCreate,
  prepareForUpdate,
  validate,
  validateUpdate: validate,
  validateStatusUpdate,
  markDeleting: (object) => {
    structOf(object, 'status').phase = 'Terminating'
  },
  holdsDeletion: (object) => size(struct(object.spec)?.finalizers) > 0,
}
