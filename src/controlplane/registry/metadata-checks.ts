/**
 * Validates the metadata of a write, in upstream's order and as often as upstream. Upstream validates metadata once or
 * twice for all kinds, and then again in the validation of each kind. So one bad label is reported up to four times, in
 * an order that differs by kind. The message of a Status hides the duplicates, its causes do not.
 */
import { appendAll } from '../../api/append.ts'
import { fieldError, maxErrors, type FieldError } from '../../api/field-error.ts'
import { nameChecks, type NameCheck, type NameRule } from '../../api/names.ts'
import { validateManagedFields, validateObjectMeta, validateObjectMetaUpdate } from '../../api/object-meta.ts'
import type { ManagedFieldsEntry, ObjectMeta } from '../../api/object.ts'
import type { MetadataMark, MetadataStep, MetadataSteps, Resource } from '../contract/resource.ts'

/** For custom resources, and for built-in kinds that upstream serves from other libraries. */
const plainSteps: MetadataSteps = {
  create: ['plain', 'own'],
  update: ['plainChange', 'own'],
  status: ['plainChange', 'own'],
}

/** Errors of a new object: those of its metadata and `own`, those of the kind, in the order of the kind. */
export function creationErrors(
  resource: Resource,
  metadata: ObjectMeta,
  own: readonly FieldError[],
): readonly FieldError[] {
  const steps = (resource.strategy.metadataSteps ?? plainSteps).create
  const errors: FieldError[] = []
  let isChecked = false
  for (const step of steps) {
    if (errors.length > maxErrors) break
    if (step !== 'own') {
      appendAll(errors, check(step, resource, metadata, undefined))
      isChecked = true
      continue
    }
    for (const each of own) {
      if (isMark(each)) appendAll(errors, check(each.step, resource, metadata, undefined))
      else errors.push(each)
    }
  }
  return errors.length > 0 || isChecked ? errors : plainErrors(resource, metadata, 'pathSegment')
}

/**
 * Errors of an update; `steps` says how the validation of the kind checks metadata. `old` was valid when it was stored.
 * `isStored`: `old` is the stored metadata, not a converted version of it.
 */
export function changeErrors(
  resource: Resource,
  metadata: ObjectMeta,
  old: ObjectMeta,
  steps: readonly MetadataStep[] | undefined,
  own: readonly FieldError[],
  isStored: boolean,
): readonly FieldError[] {
  if (isStored && isUnchanged(metadata, old)) return unmarked(own)
  const errors = [...plainErrors(resource, metadata, 'pathSegment'), ...validateObjectMetaUpdate(metadata, old)]
  if (errors.length === 0 && hasNothingMore(metadata)) return unmarked(own)
  const ofKind = own.flatMap((each) => (isMark(each) ? check(each.step, resource, metadata, old) : [each]))
  for (const step of steps ?? plainSteps.update) {
    if (errors.length > maxErrors) break
    appendAll(errors, step === 'own' ? ofKind : check(step, resource, metadata, old))
  }
  return errors
}

/** Whether the write left metadata unchanged. */
function isUnchanged(metadata: ObjectMeta, old: ObjectMeta): boolean {
  return (
    metadata.name === old.name &&
    metadata.generateName === old.generateName &&
    metadata.namespace === old.namespace &&
    metadata.uid === old.uid &&
    metadata.creationTimestamp === old.creationTimestamp &&
    metadata.labels === old.labels &&
    metadata.annotations === old.annotations &&
    metadata.ownerReferences === old.ownerReferences &&
    metadata.finalizers === old.finalizers &&
    metadata.deletionTimestamp === old.deletionTimestamp &&
    metadata.deletionGracePeriodSeconds === old.deletionGracePeriodSeconds &&
    (metadata.generation ?? 0) >= (old.generation ?? 0) &&
    (metadata.resourceVersion ?? '') !== '' &&
    (metadata.managedFields === old.managedFields ||
      newEntriesAreValid(metadata.managedFields ?? [], old.managedFields ?? []))
  )
}

/** Up to this number a linear search is faster than a set. */
const fewEntries = 16

function newEntriesAreValid(entries: readonly ManagedFieldsEntry[], old: readonly ManagedFieldsEntry[]): boolean {
  const known = old.length > fewEntries ? new Set(old) : undefined
  const isKnown = (entry: ManagedFieldsEntry) => (known === undefined ? old.includes(entry) : known.has(entry))
  return entries.every((entry) => isKnown(entry) || validateManagedFields([entry], '').length === 0)
}

function unmarked(own: readonly FieldError[]): readonly FieldError[] {
  return own.some(isMark) ? own.filter((each) => !isMark(each)) : own
}

function isMark(error: FieldError): error is MetadataMark {
  return 'step' in error
}

/** Whether the checks of the kind find nothing that the common checks do not find. */
function hasNothingMore({ generateName = '', finalizers }: ObjectMeta): boolean {
  return generateName === '' && (finalizers === undefined || finalizers.length === 0)
}

function check(
  step: Exclude<MetadataStep, 'own'>,
  resource: Resource,
  metadata: ObjectMeta,
  old: ObjectMeta | undefined,
): readonly FieldError[] {
  const { nameRule } = resource.strategy
  switch (step) {
    case 'plain':
      return plainErrors(resource, metadata, nameRule)
    case 'full':
      return withFinalizers(plainErrors(resource, metadata, nameRule), metadata)
    case 'fullButPrefix':
      return [...plainErrors(resource, metadata, withoutPrefix(nameRule)), ...finalizerErrors(metadata)]
    case 'plainChange':
      return old === undefined ? [] : validateObjectMetaUpdate(metadata, old)
    case 'change':
      return old === undefined ? [] : [...validateObjectMetaUpdate(metadata, old), ...finalizerErrors(metadata)]
  }
}

function withFinalizers(errors: FieldError[], metadata: ObjectMeta): FieldError[] {
  if (metadata.finalizers !== undefined) appendAll(errors, finalizerErrors(metadata))
  return errors
}

function plainErrors(resource: Resource, metadata: ObjectMeta, nameRule: NameRule | NameCheck): FieldError[] {
  return validateObjectMeta(metadata, { namespaced: resource.namespaced, nameRule })
}

function withoutPrefix(nameRule: NameRule): NameCheck {
  return (name, prefix) => (prefix ? [] : nameChecks[nameRule](name, false))
}

const standardFinalizers = new Set(['kubernetes', 'orphan', 'foregroundDeletion'])

/** Most built-in kinds require qualified finalizer names; custom resources get a warning instead. */
function finalizerErrors({ finalizers }: ObjectMeta): FieldError[] {
  if (finalizers === undefined) return []
  return finalizers.flatMap((name, i) =>
    name.includes('/') || standardFinalizers.has(name)
      ? []
      : [
          fieldError.invalid(
            `metadata.finalizers[${i}]`,
            name,
            'name is neither a standard finalizer name nor is it fully qualified',
          ),
        ],
  )
}
