/** Validation of the backends of an Ingress. */
import { fieldError, type FieldError } from '../../../api/field-error.ts'
import type { JsonObject } from '../../../api/json.ts'
import { checkLabel1035, checkPathSegment, checkSubdomain } from '../../../api/names.ts'
import { reject } from '../shared/errors.ts'
import { portName, portNumber } from '../shared/formats.ts'
import { int, struct, text } from '../shared/values.ts'

export function checkBackend(errors: FieldError[], field: string, backend: JsonObject): void {
  const resource = struct(backend.resource)
  const service = struct(backend.service)
  if (resource !== undefined && service !== undefined) {
    errors.push(fieldError.invalid(field, '', 'cannot set both resource and service backends'))
  } else if (resource !== undefined) {
    checkReference(errors, `${field}.resource`, resource)
  } else if (service !== undefined) {
    checkService(errors, field, service)
  } else {
    errors.push(fieldError.invalid(field, '', 'resource or service backend is required'))
  }
}

function checkService(errors: FieldError[], field: string, service: JsonObject): void {
  const name = text(service.name)
  if (name === '') errors.push(fieldError.required(`${field}.service.name`))
  else reject(errors, `${field}.service.name`, name, checkLabel1035(name))
  const port = struct(service.port)
  const number = int(port?.number)
  const named = text(port?.name)
  if (named !== '' && number !== 0) {
    errors.push(fieldError.invalid(field, '', 'cannot set both port name & port number'))
  } else if (named !== '') {
    reject(errors, `${field}.service.port.name`, named, portName(named))
  } else if (number !== 0) {
    reject(errors, `${field}.service.port.number`, number, portNumber(number))
  } else {
    errors.push(fieldError.required(field, 'port name or number is required'))
  }
}

/** A reference to an object of any kind. Also used by IngressClass. */
export function checkReference(errors: FieldError[], field: string, reference: JsonObject): void {
  // A pointer in Go: an explicit empty value is validated, too.
  const group = text(reference.apiGroup)
  if (typeof reference.apiGroup === 'string') reject(errors, `${field}.apiGroup`, group, checkSubdomain(group))
  for (const part of ['kind', 'name'] as const) {
    const value = text(reference[part])
    if (value === '') errors.push(fieldError.required(`${field}.${part}`))
    else reject(errors, `${field}.${part}`, value, checkPathSegment(value))
  }
}
