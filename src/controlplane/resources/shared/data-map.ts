/** What ConfigMaps and Secrets share. */
import { fieldError, type FieldError } from '../../../api/field-error.ts'
import type { KubeObject } from '../../../api/object.ts'

/** Bytes of all values together. */
export const maxDataSize = 1024 * 1024

/** How many bytes a base64 text stands for. */
export function base64Size(base64: string): number {
  const padding = base64.endsWith('==') ? 2 : base64.endsWith('=') ? 1 : 0
  return (base64.length / 4) * 3 - padding
}

export function checkStillImmutable(errors: FieldError[], object: KubeObject): void {
  if (object.immutable === true) return
  errors.push(fieldError.forbidden('immutable', 'field is immutable when `immutable` is set'))
}
