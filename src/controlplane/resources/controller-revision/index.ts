/** ControllerRevision: its data is immutable. */
import { fieldError, type FieldError } from '../../../api/field-error.ts'
import { isObject } from '../../../api/json.ts'
import type { KubeObject } from '../../../api/object.ts'
import type { KindStrategy } from '../kind-strategy.ts'
import { checkNonnegative, invalidStruct } from '../shared/errors.ts'
import { isImmutable } from '../shared/formats.ts'

function validate(object: KubeObject): FieldError[] {
  const errors: FieldError[] = []
  checkNonnegative(errors, 'revision', object.revision)
  if (object.data === undefined || object.data === null) {
    errors.push(fieldError.required('data', 'data is mandatory'))
  } else if (!isObject(object.data)) {
    errors.push(fieldError.required('data', 'data must be a valid JSON object'))
  }
  return errors
}

function validateUpdate(object: KubeObject, old: KubeObject): FieldError[] {
  const errors: FieldError[] = []
  checkNonnegative(errors, 'revision', object.revision)
  // Upstream stores the raw JSON text, so the order of keys matters.
  if (JSON.stringify(object.data) !== JSON.stringify(old.data))
    errors.push(invalidStruct('data', object.data, isImmutable))
  return errors
}

export const controllerRevision: KindStrategy = { validate, validateUpdate }
