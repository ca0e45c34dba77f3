/** APIService: its name is VERSION.GROUP. */
import { fieldError, type FieldError } from '../../../api/field-error.ts'
import { checkLabel1035, checkPathSegment, checkSubdomain } from '../../../api/names.ts'
import type { KubeObject } from '../../../api/object.ts'
import { metadataMark } from '../../contract/resource.ts'
import type { KindStrategy } from '../kind-strategy.ts'
import { reject } from '../shared/errors.ts'
import { inclusiveRange } from '../shared/formats.ts'
import { fill, int, items, specOf, struct, text } from '../shared/values.ts'

const maxGroupPriority = 20000
const maxVersionPriority = 1000
const httpsPort = 443
const states = ['True', 'False', 'Unknown']

function setDefaults(object: KubeObject): void {
  const service = struct(specOf(object).service)
  if (service !== undefined) fill(service, 'port', httpsPort)
}

function validate(object: KubeObject): FieldError[] {
  const errors: FieldError[] = []
  const spec = specOf(object)
  const group = text(spec.group)
  const version = text(spec.version)
  checkName(errors, object, `${version}.${group}`)
  errors.push(metadataMark('plain'))
  if (group === '' && version !== 'v1') {
    errors.push(fieldError.required('spec.group', 'only v1 may have an empty group and it better be legacy kube'))
  }
  if (group !== '') reject(errors, 'spec.group', group, checkSubdomain(group))
  reject(errors, 'spec.version', version, checkLabel1035(version))
  checkPriority(errors, 'groupPriorityMinimum', int(spec.groupPriorityMinimum), maxGroupPriority)
  checkPriority(errors, 'versionPriority', int(spec.versionPriority), maxVersionPriority)
  const bundle = Buffer.byteLength(text(spec.caBundle), 'base64')
  const service = struct(spec.service)
  if (service === undefined) {
    if (bundle > 0) {
      errors.push(fieldError.invalid('spec.caBundle', `${bundle} bytes`, 'local APIServices may not have a caBundle'))
    }
    if (spec.insecureSkipTLSVerify === true) {
      errors.push(
        fieldError.invalid('spec.insecureSkipTLSVerify', true, 'local APIServices may not have insecureSkipTLSVerify'),
      )
    }
    return errors
  }
  for (const field of ['namespace', 'name'] as const) {
    if (text(service[field]) === '') errors.push(fieldError.required(`spec.service.${field}`))
  }
  const port = int(service.port)
  if (port < 1 || port > 65535) {
    errors.push(fieldError.invalid('spec.service.port', port, `port is not valid: ${inclusiveRange(1, 65535)}`))
  }
  if (spec.insecureSkipTLSVerify === true && bundle > 0) {
    errors.push(fieldError.invalid('spec.insecureSkipTLSVerify', true, 'may not be true if caBundle is present'))
  }
  return errors
}

function checkName(errors: FieldError[], { metadata }: KubeObject, wanted: string): void {
  for (const field of ['generateName', 'name'] as const) {
    const value = metadata[field] ?? ''
    if (value === '' || value === wanted) continue
    const messages = checkPathSegment(value)
    reject(
      errors,
      `metadata.${field}`,
      value,
      messages.length > 0 ? messages : [`must be \`spec.version+"."+spec.group\`: ${JSON.stringify(wanted)}`],
    )
  }
}

function checkPriority(errors: FieldError[], field: string, value: number, most: number): void {
  if (value > 0 && value <= most) return
  errors.push(fieldError.invalid(`spec.${field}`, value, `must be positive and less than ${most}`))
}

function validateStatusUpdate(object: KubeObject): FieldError[] {
  const errors: FieldError[] = []
  for (const [i, condition] of items(struct(object.status)?.conditions).entries()) {
    const status = text(condition.status)
    if (!states.includes(status)) errors.push(fieldError.notSupported(`status.conditions[${i}].status`, status, states))
  }
  return errors
}

export const apiService: KindStrategy = {
  default: setDefaults,
  validate,
  validateUpdate: validate,
  validateStatusUpdate,
}
