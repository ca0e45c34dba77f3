/** ConfigMap: keys are file names, the data is limited to 1 MiB in total, and an immutable ConfigMap cannot change. */
import { fieldError, type FieldError } from '../../../api/field-error.ts'
import { ascendingKeys, getOwn } from '../../../api/json.ts'
import { checkConfigKey } from '../../../api/names.ts'
import type { KubeObject } from '../../../api/object.ts'
import { metadataMark } from '../../contract/resource.ts'
import type { KindStrategy } from '../kind-strategy.ts'
import { reject } from '../shared/errors.ts'
import { base64Bytes, checkStillImmutable, maxDataBytes } from '../shared/data-map.ts'
import { entries, struct, text } from '../shared/values.ts'
import type { WriteContext } from '../../contract/resource.ts'

function validate(object: KubeObject): FieldError[] {
  const errors: FieldError[] = []
  const binary = struct(object.binaryData)
  let size = 0
  const data = struct(object.data) ?? {}
  for (const key of ascendingKeys(data)) {
    const messages = checkConfigKey(key)
    if (messages.length > 0) reject(errors, `data[${key}]`, key, messages)
    if (binary !== undefined && getOwn(binary, key) !== undefined) {
      errors.push(fieldError.invalid(`data[${key}]`, key, 'duplicate of key present in binaryData'))
    }
    size += Buffer.byteLength(text(data[key]))
  }
  for (const [key, value] of entries(binary)) {
    reject(errors, `binaryData[${key}]`, key, checkConfigKey(key))
    size += base64Bytes(text(value))
  }
  if (size > maxDataBytes) errors.push(fieldError.tooLong('[]', maxDataBytes))
  return errors
}

function validateUpdate(object: KubeObject, old: KubeObject, context: WriteContext): FieldError[] {
  const errors: FieldError[] = []
  checkStillImmutable(errors, object, old, ['data', 'binaryData'], ['binaryData'], context.decoded?.empty)
  errors.push(metadataMark('full'), ...validate(object))
  return errors
}

export const configMap: KindStrategy = { validate, validateUpdate }
