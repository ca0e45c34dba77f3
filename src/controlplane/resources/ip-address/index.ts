/** IPAddress: an allocated address, which is its name, and the object that has it. */
import { fieldError, type FieldError } from '../../../api/field-error.ts'
import { equalJson } from '../../../api/json.ts'
import { checkPathSegment, checkSubdomain } from '../../../api/names.ts'
import type { KubeObject } from '../../../api/object.ts'
import { metadataMark } from '../../contract/resource.ts'
import type { KindStrategy } from '../kind-strategy.ts'
import { invalidStruct, reject } from '../shared/errors.ts'
import { internalJson } from '../shared/internal-json.ts'
import { strictAddressMessages } from '../shared/ip-name.ts'
import { specOf, struct, text } from '../shared/values.ts'

const field = 'spec.parentRef'

function validate(object: KubeObject): FieldError[] {
  const errors: FieldError[] = []
  for (const name of ['generateName', 'name'] as const) {
    const value = object.metadata[name] ?? ''
    if (value !== '') reject(errors, `metadata.${name}`, value, strictAddressMessages(value))
  }
  errors.push(metadataMark('full'))
  const parent = struct(specOf(object).parentRef)
  if (parent === undefined) {
    errors.push(fieldError.required(field))
    return errors
  }
  const group = text(parent.group)
  if (group !== '') reject(errors, `${field}.group`, group, checkSubdomain(group))
  for (const part of ['resource', 'name'] as const) {
    const value = text(parent[part])
    if (value === '') errors.push(fieldError.required(`${field}.${part}`))
    else reject(errors, `${field}.${part}`, value, checkPathSegment(value))
  }
  const namespace = text(parent.namespace)
  if (namespace !== '') reject(errors, `${field}.namespace`, namespace, checkPathSegment(namespace))
  return errors
}

function validateUpdate(object: KubeObject, old: KubeObject): FieldError[] {
  const errors: FieldError[] = [...validate(object), metadataMark('change')]
  const parent = specOf(object).parentRef
  if (!equalJson(parent, struct(old.spec)?.parentRef)) {
    const shown = parent === undefined ? null : internalJson('ParentReference', struct(parent) ?? {})
    errors.push(invalidStruct(field, shown, 'field is immutable'))
  }
  return errors
}

export const ipAddress: KindStrategy = { validate, validateUpdate }
