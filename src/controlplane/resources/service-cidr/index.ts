/** ServiceCIDR: the ranges of cluster IPs. A range of the second family may be added; they are immutable otherwise. */
import { appendAll } from '../../../api/append.ts'
import { fieldError, type FieldError } from '../../../api/field-error.ts'
import type { KubeObject } from '../../../api/object.ts'
import type { KindStrategy } from '../kind-strategy.ts'
import { invalidStruct, reject } from '../shared/errors.ts'
import { parseCidr } from '../shared/cidr.ts'
import { strictCidrMessages } from '../shared/ip-name.ts'
import { specOf, strings, struct } from '../shared/values.ts'

const field = 'spec.cidrs'

function checkCidrs(errors: FieldError[], cidrs: readonly string[]): void {
  for (const [i, cidr] of cidrs.entries()) reject(errors, `${field}[${i}]`, cidr, strictCidrMessages(cidr))
}

function checkFamilies(errors: FieldError[], cidrs: readonly string[]): void {
  if (cidrs.length !== 2) return
  const [first, second] = cidrs.map((cidr) => parseCidr(cidr)?.address.family)
  if (first === undefined || first !== second) return
  const message = 'may specify no more than one IP for each IP family, i.e 192.168.0.0/24 and 2001:db8::/64'
  errors.push(fieldError.invalid(field, [...cidrs], message))
}

function validate(object: KubeObject): FieldError[] {
  const cidrs = strings(specOf(object).cidrs)
  if (cidrs.length === 0) return [fieldError.required(field, 'at least one CIDR required')]
  if (cidrs.length > 2) return [invalidStruct(field, { CIDRs: [...cidrs] }, 'may only hold up to 2 values')]
  const errors: FieldError[] = []
  checkCidrs(errors, cidrs)
  checkFamilies(errors, cidrs)
  return errors
}

function validateUpdate(object: KubeObject, old: KubeObject): FieldError[] {
  const errors: FieldError[] = []
  const now = strings(specOf(object).cidrs)
  const before = strings(struct(old.spec)?.cidrs)
  const changed = (i: number) => errors.push(fieldError.invalid(`${field}[${i}]`, now[i] ?? '', 'field is immutable'))
  if (before.length === now.length) {
    for (const [i, cidr] of before.entries()) if (cidr !== now[i]) changed(i)
  } else if (before.length === 1 && now.length === 2) {
    if (now[0] !== before[0]) changed(0)
    appendAll(errors, validate(object))
  } else {
    errors.push(fieldError.invalid(field, specOf(object).cidrs === undefined ? null : [...now], 'field is immutable'))
  }
  return errors
}

export const serviceCidr: KindStrategy = { validate, validateUpdate }
