/** What ConfigMaps and Secrets share. */
import { fieldError, type FieldError } from '../../../api/field-error.ts'
import { equalJson } from '../../../api/json.ts'
import type { KubeObject } from '../../../api/object.ts'
import type { EmptyFields } from '../../../shape/empty-fields.ts'

/** The limit for all values together. */
export const maxDataBytes = 1024 * 1024

/** The number of bytes that a base64 text encodes. */
export function base64Bytes(base64: string): number {
  const padding = base64.endsWith('==') ? 2 : base64.endsWith('=') ? 1 : 0
  return (base64.length / 4) * 3 - padding
}

/** `nullable`: fields in which an explicit empty map counts as a change, since the stored object cannot have one. */
export function checkStillImmutable(
  errors: FieldError[],
  object: KubeObject,
  old: KubeObject,
  fields: readonly string[],
  nullable: readonly string[],
  empty: EmptyFields | undefined,
): void {
  if (old.immutable !== true) return
  const forbidden = (field: string) =>
    errors.push(fieldError.forbidden(field, 'field is immutable when `immutable` is set'))
  if (object.immutable !== true) forbidden('immutable')
  for (const field of fields) {
    const isGivenEmpty = nullable.includes(field) && empty?.get(object, field) !== undefined
    if (isGivenEmpty || !equalJson(object[field] ?? {}, old[field] ?? {})) forbidden(field)
  }
}
