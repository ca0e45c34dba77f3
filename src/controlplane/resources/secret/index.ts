/** Secret: `stringData` is merged into `data`, and some types require certain keys. */
import { fieldError, type FieldError } from '../../../api/field-error.ts'
import { getOwn, setOwn, type JsonObject } from '../../../api/json.ts'
import { checkConfigKey } from '../../../api/names.ts'
import type { KubeObject } from '../../../api/object.ts'
import { metadataMark } from '../../contract/resource.ts'
import type { KindStrategy } from '../kind-strategy.ts'
import { base64Bytes, checkStillImmutable, maxDataBytes } from '../shared/data-map.ts'
import { checkImmutable, reject } from '../shared/errors.ts'
import { entries, entry, fillZero, struct, structOf, text } from '../shared/values.ts'
import { jsonObjectProblem } from './json-object.ts'
import type { WriteContext } from '../../contract/resource.ts'

function setDefaults(object: KubeObject): void {
  const given = object
  fillZero(given, 'type', 'Opaque')
  const plain = struct(given.stringData)
  if (plain === undefined) return
  delete given.stringData
  if (Object.keys(plain).length === 0) return
  const data = structOf(given, 'data')
  for (const [key, value] of entries(plain)) setOwn(data, key, Buffer.from(text(value)).toString('base64'))
}

function validate(object: KubeObject): FieldError[] {
  const errors: FieldError[] = []
  const data = struct(object.data) ?? {}
  let size = 0
  for (const [key, value] of entries(data)) {
    reject(errors, `data[${key}]`, key, checkConfigKey(key))
    size += base64Bytes(text(value))
  }
  if (size > maxDataBytes) errors.push(fieldError.tooLong('data', maxDataBytes))
  checkType(errors, object, data)
  return errors
}

/** Types whose data must be a JSON object, and its key. */
const jsonTypes: Readonly<Record<string, string>> = {
  'kubernetes.io/dockercfg': '.dockercfg',
  'kubernetes.io/dockerconfigjson': '.dockerconfigjson',
}

function checkType(errors: FieldError[], object: KubeObject, data: JsonObject): void {
  const require = (key: string) => {
    if (getOwn(data, key) === undefined) errors.push(fieldError.required(`data[${key}]`))
  }
  const type = text(object.type)
  switch (type) {
    case 'kubernetes.io/service-account-token': {
      const key = 'kubernetes.io/service-account.name'
      if ((entry(object.metadata.annotations, key) ?? '') !== '') break
      errors.push(fieldError.required(`metadata.annotations[${key}]`))
      break
    }
    case 'kubernetes.io/dockercfg':
    case 'kubernetes.io/dockerconfigjson':
      checkJson(errors, data, jsonTypes[type] as string)
      break
    case 'kubernetes.io/basic-auth':
      if (getOwn(data, 'username') !== undefined || getOwn(data, 'password') !== undefined) break
      require('username')
      require('password')
      break
    case 'kubernetes.io/ssh-auth':
      if ((entry(data, 'ssh-privatekey') ?? '') === '') {
        errors.push(fieldError.required('data[ssh-privatekey]'))
      }
      break
    case 'kubernetes.io/tls':
      require('tls.crt')
      require('tls.key')
      break
  }
}

function checkJson(errors: FieldError[], data: JsonObject, key: string): void {
  const value = entry(data, key)
  if (value === undefined) {
    errors.push(fieldError.required(`data[${key}]`))
    return
  }
  const problem = jsonObjectProblem(Buffer.from(value, 'base64').toString('utf8'))
  if (problem !== undefined) {
    errors.push(fieldError.invalid(`data[${key}]`, '<secret contents redacted>', problem))
  }
}

function validateUpdate(object: KubeObject, old: KubeObject, context: WriteContext): FieldError[] {
  const errors: FieldError[] = []
  checkImmutable(errors, 'type', text(object.type), text(old.type))
  checkStillImmutable(errors, object, old, ['data'], ['data'], context.decoded?.empty)
  errors.push(metadataMark('full'), ...validate(object))
  return errors
}

/** Warns about the first error that loading the key pair would give. */
function warnings(object: KubeObject): string[] {
  if (object.type !== 'kubernetes.io/tls') return []
  for (const [key, what] of [
    ['tls.crt', 'certificate'],
    ['tls.key', 'key'],
  ] as const) {
    const pem = Buffer.from(entry(object.data, key) ?? '', 'base64').toString('latin1')
    if (!pem.includes('-----BEGIN ')) return [`tls: failed to find any PEM data in ${what} input`]
  }
  return []
}

export const secret: KindStrategy = { default: setDefaults, validate, validateUpdate, warnings }
