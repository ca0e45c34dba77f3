/** Validation of domain-prefixed paths such as `acme.io/foo`. */
import { fieldError, type FieldError } from '../../../api/field-error.ts'
import { checkSubdomain, patternMessage } from '../../../api/names.ts'
import { reject } from './errors.ts'

const pathPattern = "[A-Za-z0-9/\\-._~%!$&'()*+,;=:]+"
const path = new RegExp(`^${pathPattern}$`)

export function checkDomainPath(errors: FieldError[], field: string, value: string): void {
  if (value === '') {
    errors.push(fieldError.required(field))
    return
  }
  const slash = value.indexOf('/')
  if (slash <= 0 || slash === value.length - 1) {
    errors.push(fieldError.invalid(field, value, 'must be a domain-prefixed path (such as "acme.io/foo")'))
    return
  }
  const host = value.slice(0, slash)
  const rest = value.slice(slash + 1)
  reject(errors, field, host, checkSubdomain(host))
  if (!path.test(rest)) {
    errors.push(fieldError.invalid(field, rest, patternMessage('Invalid path', pathPattern)))
  }
}

/** Names of webhooks: a domain with at least three labels. */
export function checkQualifiedDomain(errors: FieldError[], field: string, name: string): void {
  if (name === '') {
    errors.push(fieldError.required(field))
    return
  }
  const messages = checkSubdomain(name)
  if (messages.length > 0) {
    errors.push(fieldError.invalid(field, name, messages.join(',')))
  } else if (name.split('.').length < 3) {
    const message = 'should be a domain with at least three segments separated by dots'
    errors.push(fieldError.invalid(field, name, message))
  }
}
