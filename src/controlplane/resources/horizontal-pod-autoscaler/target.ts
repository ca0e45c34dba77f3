/** References to objects of any kind: the target of an autoscaler, and the object that a metric describes. */
import { fieldError, type FieldError } from '../../../api/field-error.ts'
import type { JsonObject } from '../../../api/json.ts'
import { checkPathSegment } from '../../../api/names.ts'
import { parseApiVersion } from '../../../api/object.ts'
import { reject } from '../shared/errors.ts'
import { text } from '../shared/values.ts'

/** `anyVersion` skips the check of apiVersion: old objects may have any. */
export function checkTarget(
  errors: FieldError[],
  field: string,
  target: JsonObject,
  allowsCore: boolean,
  anyVersion: boolean,
): void {
  for (const part of ['kind', 'name'] as const) {
    const value = text(target[part])
    if (value === '') errors.push(fieldError.required(`${field}.${part}`))
    else reject(errors, `${field}.${part}`, value, checkPathSegment(value))
  }
  if (anyVersion) return
  const version = text(target.apiVersion)
  const parsed = parseApiVersion(version)
  if (parsed === undefined) {
    errors.push(fieldError.invalid(`${field}.apiVersion`, version, `unexpected GroupVersion string: ${version}`))
  } else if (parsed.group === '' && !allowsCore) {
    errors.push(fieldError.invalid(`${field}.apiVersion`, version, 'apiVersion must specify API group'))
  }
}
