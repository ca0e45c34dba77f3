/**
 * Validation of `metadata`, the same for every kind, with upstream's messages and order.
 * The object must be decoded: fields that are present have the right JSON type.
 */
import { appendAll } from './append.ts'
import { childPath, fieldError, indexPath, maxErrors, type FieldError } from './field-error.ts'
import { goQuote, isPrintable } from './go-format.ts'
import { goStructJson } from './go-json.ts'
import { equalJson, type Json } from './json.ts'
import type { Labels } from './label-requirement.ts'
import { validateLabels } from './label-selector-object.ts'
import { checkLabel, checkQualifiedName, nameChecks, type NameCheck, type NameRule } from './names.ts'
import { parseApiVersion, type ManagedFieldsEntry, type ObjectMeta, type OwnerReference } from './object.ts'

export interface ObjectMetaOptions {
  readonly namespaced: boolean
  /** How names are validated: by a standard rule or by a function of the kind. */
  readonly nameRule: NameRule | NameCheck
}

/** Total size of keys and values. */
const maxAnnotationBytes = 256 * 1024
const maxManagerBytes = 128
const maxSubresourceBytes = 256

/** For create. A name from generateName must already be generated. */
export function validateObjectMeta(meta: ObjectMeta, options: ObjectMetaOptions, path = 'metadata'): FieldError[] {
  const errors = validateNames(meta, options, path)
  if ((meta.generation ?? 0) < 0) {
    const detail = 'must be greater than or equal to 0'
    errors.push(fieldError.invalid(childPath(path, 'generation'), meta.generation, detail))
  }
  collect(errors, meta.labels, validateLabels, path, 'labels')
  collect(errors, meta.annotations, validateAnnotations, path, 'annotations')
  collect(errors, meta.ownerReferences, validateOwnerReferences, path, 'ownerReferences')
  collect(errors, meta.finalizers, validateFinalizers, path, 'finalizers')
  collect(errors, meta.managedFields, validateManagedFields, path, 'managedFields')
  return errors
}

/** Immutable metadata on update. Called in addition to {@link validateObjectMeta}. */
export function validateObjectMetaUpdate(next: ObjectMeta, old: ObjectMeta, path = 'metadata'): FieldError[] {
  const errors: FieldError[] = []
  if (typeof old.deletionTimestamp === 'string') appendAll(errors, validateNoNewFinalizers(next, old, path))
  if ((next.resourceVersion ?? '') === '') {
    errors.push(fieldError.invalid(childPath(path, 'resourceVersion'), '', 'must be specified for an update'))
  }
  if ((next.generation ?? 0) < (old.generation ?? 0)) {
    const detail = 'must not be decremented'
    errors.push(fieldError.invalid(childPath(path, 'generation'), next.generation ?? 0, detail))
  }
  for (const [field, unset] of immutableFields) {
    const value = next[field] ?? unset
    if (equalJson(value, old[field] ?? unset)) continue
    errors.push(fieldError.invalid(childPath(path, field), value, 'field is immutable'))
  }
  collect(errors, next.labels, validateLabels, path, 'labels')
  collect(errors, next.annotations, validateAnnotations, path, 'annotations')
  collect(errors, next.ownerReferences, validateOwnerReferences, path, 'ownerReferences')
  collect(errors, next.managedFields, validateManagedFields, path, 'managedFields')
  return errors
}

type ImmutableField =
  | 'name'
  | 'namespace'
  | 'uid'
  | 'creationTimestamp'
  | 'deletionTimestamp'
  | 'deletionGracePeriodSeconds'

/** Each field with the value that represents an absent one. */
const immutableFields: readonly (readonly [ImmutableField, string | null])[] = [
  ['name', ''],
  ['namespace', ''],
  ['uid', ''],
  ['creationTimestamp', null],
  ['deletionTimestamp', null],
  ['deletionGracePeriodSeconds', null],
]

type Validate<T> = (value: T, path: string) => readonly FieldError[]

function collect<T>(
  errors: FieldError[],
  value: T | undefined,
  validate: Validate<T>,
  path: string,
  field: string,
): void {
  if (value === undefined || value === null) return
  for (const error of validate(value, childPath(path, field))) errors.push(error)
}

function validateNames(meta: ObjectMeta, options: ObjectMetaOptions, path: string): FieldError[] {
  const { namespaced, nameRule } = options
  const errors: FieldError[] = []
  const check = typeof nameRule === 'function' ? nameRule : nameChecks[nameRule]
  const { generateName = '', name = '', namespace = '' } = meta
  const complain = (field: string, value: string, details: readonly string[]) => {
    for (const detail of details) errors.push(fieldError.invalid(childPath(path, field), value, detail))
  }
  if (generateName !== '') complain('generateName', generateName, check(generateName, true))
  if (name === '') errors.push(fieldError.required(childPath(path, 'name'), 'name or generateName is required'))
  else complain('name', name, check(name, false))
  if (!namespaced) {
    const detail = 'not allowed on this type'
    if (namespace !== '') errors.push(fieldError.forbidden(childPath(path, 'namespace'), detail))
  } else if (namespace === '') {
    errors.push(fieldError.required(childPath(path, 'namespace')))
  } else {
    complain('namespace', namespace, checkLabel(namespace))
  }
  return errors
}

/** Keys as for labels, but the prefix may have upper case; values are any text; 256 KiB in total. */
export function validateAnnotations(annotations: Labels, path: string): FieldError[] {
  const errors: FieldError[] = []
  let characters = 0
  for (const key in annotations) {
    if (errors.length > maxErrors) break
    for (const detail of checkQualifiedName(key.toLowerCase())) {
      errors.push(fieldError.invalid(path, key, detail))
    }
    characters += key.length + (annotations[key] as string).length
  }
  // A character takes at most three bytes, so an exact count is only needed near the limit.
  if (characters * 3 > maxAnnotationBytes && byteSize(annotations) > maxAnnotationBytes) {
    errors.push(fieldError.tooLong(path, maxAnnotationBytes))
  }
  return errors
}

function byteSize(map: Labels): number {
  let size = 0
  for (const key in map) size += Buffer.byteLength(key) + Buffer.byteLength(map[key] as string)
  return size
}

/** Errors have the whole list as their field, not the item. */
export function validateOwnerReferences(references: readonly Partial<OwnerReference>[], path: string): FieldError[] {
  const errors: FieldError[] = []
  let controller = ''
  let shown: string | undefined
  for (const reference of references) {
    appendAll(errors, validateOwnerReference(reference, path))
    if (reference['controller'] !== true) continue
    const name = `${reference.kind ?? ''}/${reference.name ?? ''}`
    if (controller === '') {
      controller = name
    } else {
      const found = `Found "true" in references for ${controller} and ${name}`
      const detail = `Only one reference can have Controller set to true. ${found}`
      shown ??= goStructJson(references.map(orderedReference))
      errors.push(invalidReferences(path, shown, detail))
    }
  }
  return errors
}

function validateOwnerReference(reference: Partial<OwnerReference>, path: string): FieldError[] {
  const errors: FieldError[] = []
  const { apiVersion = '', kind = '' } = reference
  const parsed = apiVersion === '/' ? undefined : parseApiVersion(apiVersion)
  if ((parsed?.version ?? '') === '') {
    errors.push(fieldError.invalid(childPath(path, 'apiVersion'), apiVersion, 'version must not be empty'))
  }
  for (const field of ['kind', 'name', 'uid'] as const) {
    if ((reference[field] ?? '') !== '') continue
    errors.push(fieldError.invalid(childPath(path, field), '', 'must not be empty'))
  }
  if (apiVersion === 'v1' && kind === 'Event') {
    const detail = '/v1, Kind=Event is disallowed from being an owner'
    errors.push(invalidReferences(path, goStructJson(orderedReference(reference)), detail))
  }
  return errors
}

function invalidReferences(path: string, shown: string, detail: string): FieldError {
  return { type: 'Invalid', field: path, summary: `Invalid value: ${shown}`, detail }
}

/** The reference in upstream's format: its field order, with the first four fields always present. */
function orderedReference(reference: Partial<OwnerReference>): Record<string, Json> {
  const { apiVersion = '', kind = '', name = '', uid = '' } = reference
  const ordered: Record<string, Json> = { apiVersion, kind, name, uid }
  for (const field of ['controller', 'blockOwnerDeletion'] as const) {
    const value = reference[field]
    if (typeof value === 'boolean') ordered[field] = value
  }
  return ordered
}

const orphan = 'orphan'
const foreground = 'foregroundDeletion'

/** Qualified names; the orphan and foreground finalizers exclude each other. Errors have the list as their field. */
export function validateFinalizers(finalizers: readonly string[], path: string): FieldError[] {
  const errors: FieldError[] = []
  for (const finalizer of finalizers) {
    if (errors.length > maxErrors) break
    for (const detail of checkQualifiedName(finalizer)) {
      errors.push(fieldError.invalid(path, finalizer, detail))
    }
  }
  if (finalizers.includes(orphan) && finalizers.includes(foreground)) {
    const detail = `finalizer ${orphan} and ${foreground} cannot be both set`
    errors.push(fieldError.invalid(path, [...finalizers], detail))
  }
  return errors
}

function validateNoNewFinalizers(next: ObjectMeta, old: ObjectMeta, path: string): FieldError[] {
  const known = new Set(old.finalizers)
  const added = [...new Set(next.finalizers)].filter((finalizer) => !known.has(finalizer)).sort()
  if (added.length === 0) return []
  const found = `found new finalizers []string{${added.map(goQuote).join(', ')}}`
  const detail = `no new finalizers can be added if the object is being deleted, ${found}`
  return [fieldError.forbidden(childPath(path, 'finalizers'), detail)]
}

export function validateManagedFields(entries: readonly ManagedFieldsEntry[], path: string): FieldError[] {
  if (entries === lastFine) return []
  const errors: FieldError[] = []
  entries.forEach((entry, i) => {
    const { operation, fieldsType = '', manager = '', subresource = '' } = entry
    const at = indexPath(path, i)
    if (operation !== 'Apply' && operation !== 'Update') {
      errors.push(fieldError.invalid(childPath(at, 'operation'), operation ?? '', 'must be `Apply` or `Update`'))
    }
    if (fieldsType !== '' && fieldsType !== 'FieldsV1') {
      errors.push(fieldError.invalid(childPath(at, 'fieldsType'), fieldsType, 'must be `FieldsV1`'))
    }
    appendAll(errors, validateFieldManager(manager, childPath(at, 'manager')))
    if (Buffer.byteLength(subresource) > maxSubresourceBytes) {
      errors.push(fieldError.tooLong(childPath(at, 'subresource'), maxSubresourceBytes))
    }
  })
  if (errors.length === 0 && Object.isFrozen(entries)) lastFine = entries
  return errors
}

/** Objects that are created in sequence often have the same entries. Frozen entries come from the server itself. */
let lastFine: readonly ManagedFieldsEntry[] | undefined

/** Up to 128 bytes of printable characters. The `fieldManager` option of a write is validated the same way. */
export function validateFieldManager(manager: string, path: string): FieldError[] {
  const errors: FieldError[] = []
  if (manager.length * 3 > maxManagerBytes && Buffer.byteLength(manager) > maxManagerBytes) {
    errors.push(fieldError.tooLong(path, maxManagerBytes))
  }
  if (isPrintable(manager)) return errors
  let position = 0
  for (const char of manager) {
    if (!isPrintable(char)) {
      const detail = `invalid character ${unicodeName(char)} (at position ${position})`
      errors.push({ type: 'Invalid', field: path, summary: `Invalid value: ${goQuote(manager)}`, detail })
    }
    position += Buffer.byteLength(char)
  }
  return errors
}

/** `U+0007`. Only called for unprintable characters, so the character itself is not shown. */
function unicodeName(char: string): string {
  return `U+${(char.codePointAt(0) as number).toString(16).toUpperCase().padStart(4, '0')}`
}
