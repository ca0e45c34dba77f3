/** Validation of environment variables. */
import { fieldError, type FieldError } from '../../../../api/field-error.ts'
import type { JsonObject } from '../../../../api/json.ts'
import { checkConfigKey, checkLabel, checkSubdomain, nameChecks } from '../../../../api/names.ts'
import { reject } from '../errors.ts'
import { envName } from '../formats.ts'
import { checkNoBackstep } from '../paths.ts'
import { checkFieldRef, checkResourceFieldRef, envFieldPaths } from './downward-api.ts'
import { struct, text } from '../values.ts'

export function checkEnv(errors: FieldError[], field: string, variables: readonly JsonObject[]): void {
  for (const [i, variable] of variables.entries()) {
    const at = `${field}[${i}]`
    const name = text(variable.name)
    if (name === '') errors.push(fieldError.required(`${at}.name`))
    else reject(errors, `${at}.name`, name, envName(name))
    const source = struct(variable.valueFrom)
    if (source !== undefined) checkSource(errors, `${at}.valueFrom`, source, text(variable.value))
  }
}

function checkSource(errors: FieldError[], field: string, source: JsonObject, value: string): void {
  let count = 0
  const fieldRef = struct(source.fieldRef)
  if (fieldRef !== undefined) {
    count++
    checkFieldRef(errors, `${field}.fieldRef`, fieldRef, envFieldPaths)
  }
  const resourceRef = struct(source.resourceFieldRef)
  if (resourceRef !== undefined) {
    count++
    checkResourceFieldRef(errors, `${field}.resourceFieldRef`, resourceRef, false)
  }
  for (const kind of ['configMapKeyRef', 'secretKeyRef'] as const) {
    const reference = struct(source[kind])
    if (reference === undefined) continue
    count++
    checkKeyRef(errors, `${field}.${kind}`, reference)
  }
  const fileRef = struct(source.fileKeyRef)
  if (fileRef !== undefined) {
    count++
    checkFileRef(errors, `${field}.fileKeyRef`, fileRef)
  }
  if (count === 0) {
    const message =
      'must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef`, `secretKeyRef` or `fileKeyRef`'
    errors.push(fieldError.invalid(field, '', message))
  } else if (value !== '') {
    errors.push(fieldError.invalid(field, '', 'may not be specified when `value` is not empty'))
  } else if (count > 1) {
    errors.push(fieldError.invalid(field, '', 'may not have more than one field specified at a time'))
  }
}

function checkKeyRef(errors: FieldError[], field: string, reference: JsonObject): void {
  const name = text(reference.name)
  const key = text(reference.key)
  reject(errors, `${field}.name`, name, checkSubdomain(name))
  if (key === '') errors.push(fieldError.required(`${field}.key`))
  else reject(errors, `${field}.key`, key, checkConfigKey(key))
}

function checkFileRef(errors: FieldError[], field: string, reference: JsonObject): void {
  const key = text(reference.key)
  const volume = text(reference.volumeName)
  const path = text(reference.path)
  if (key === '') errors.push(fieldError.required(`${field}.key`))
  else reject(errors, `${field}.key`, key, envName(key))
  if (volume === '') errors.push(fieldError.required(`${field}.volumeName`))
  else reject(errors, `${field}.volumeName`, volume, checkLabel(volume))
  if (path === '') errors.push(fieldError.required(`${field}.path`))
  else checkNoBackstep(errors, `${field}.path`, path)
}

export function checkEnvFrom(errors: FieldError[], field: string, sources: readonly JsonObject[]): void {
  for (const [i, source] of sources.entries()) {
    const at = `${field}[${i}]`
    const prefix = text(source.prefix)
    if (prefix !== '') reject(errors, `${at}.prefix`, prefix, envName(prefix))
    let count = 0
    for (const kind of ['configMapRef', 'secretRef'] as const) {
      const reference = struct(source[kind])
      if (reference === undefined) continue
      count++
      const name = text(reference.name)
      if (name === '') errors.push(fieldError.required(`${at}.${kind}.name`))
      else reject(errors, `${at}.${kind}.name`, name, nameChecks.subdomain(name, true))
    }
    if (count === 0) {
      errors.push(fieldError.invalid(field, '', 'must specify one of: `configMapRef` or `secretRef`'))
    }
    if (count > 1) {
      errors.push(fieldError.invalid(field, '', 'may not have more than one field specified at a time'))
    }
  }
}
