/** Validation of resource requirements and resource claims of containers and pods. */
import { fieldError, type FieldError } from '../../../../api/field-error.ts'
import { getOwn, type Json, type JsonObject } from '../../../../api/json.ts'
import { checkLabel, checkSubdomain } from '../../../../api/names.ts'
import { integerValue, parseQuantity } from '../../../../api/quantity.ts'
import { invalidStruct, reject } from '../errors.ts'
import { internalJson } from '../internal-json.ts'
import {
  checkContainerResourceName,
  checkResourceQuantity,
  compareQuantityTexts,
  isHugePages,
  isOvercommitable,
} from '../quantities.ts'
import { entries, items, struct, text } from '../values.ts'

type NameCheck = (errors: FieldError[], field: string, name: string) => void

/** `claims` are the names of the pod's resource claims. */
export function checkRequirements(
  errors: FieldError[],
  field: string,
  requirements: JsonObject | undefined,
  claims: ReadonlySet<string>,
  checkName: NameCheck = checkContainerResourceName,
): void {
  if (requirements === undefined) return
  const limits = struct(requirements.limits)
  const requests = struct(requirements.requests)
  let computes = false
  let hugePages = false
  const common = (at: string, name: string, quantity: Json) => {
    checkName(errors, at, name)
    checkResourceQuantity(errors, at, name, quantity)
    if (name === 'cpu' || name === 'memory') computes = true
  }
  for (const [name, quantity] of entries(limits)) {
    const at = `${field}.limits[${name}]`
    common(at, name, quantity)
    if (isHugePages(name)) hugePages = checkHugePages(errors, at, name, text(quantity))
  }
  for (const [name, quantity] of entries(requests)) {
    const at = `${field}.requests[${name}]`
    common(at, name, quantity)
    checkAgainstLimit(errors, field, name, text(quantity), limits)
    if (isHugePages(name)) hugePages = checkHugePages(errors, at, name, text(quantity))
  }
  if (hugePages && !computes) errors.push(fieldError.forbidden(field, 'HugePages require cpu or memory'))
  if (requirements.claims !== undefined) checkClaimUses(errors, `${field}.claims`, items(requirements.claims), claims)
}

function checkAgainstLimit(
  errors: FieldError[],
  field: string,
  name: string,
  quantity: string,
  limits: JsonObject | undefined,
): void {
  const limit = limits === undefined ? undefined : getOwn(limits, name)
  if (limit === undefined) {
    if (!isOvercommitable(name)) {
      errors.push(fieldError.required(`${field}.limits`, 'Limit must be set for non overcommitable resources'))
    }
    return
  }
  const order = compareQuantityTexts(quantity, text(limit))
  const relation = isOvercommitable(name) ? (order > 0 ? 'less than or equal to' : '') : order === 0 ? '' : 'equal to'
  if (relation === '') return
  errors.push(fieldError.invalid(`${field}.requests`, quantity, `must be ${relation} ${name} limit of ${text(limit)}`))
}

/** A quantity of huge pages must be a multiple of the page size. Always true: the spec uses huge pages. */
function checkHugePages(errors: FieldError[], field: string, name: string, quantity: string): true {
  const size = name.slice('hugepages-'.length)
  let fits = false
  try {
    const page = integerValue(parseQuantity(size))
    const value = integerValue(parseQuantity(quantity))
    fits = page > 0n && value >= 0n && value % page === 0n
  } catch {
    fits = false
  }
  if (!fits) {
    errors.push(fieldError.invalid(field, quantity, `${quantity} is not positive integer multiple of ${name}`))
  }
  return true
}

function checkClaimUses(
  errors: FieldError[],
  field: string,
  uses: readonly JsonObject[],
  claims: ReadonlySet<string>,
): void {
  const seen = new Set<string>()
  for (const [i, use] of uses.entries()) {
    const at = `${field}[${i}]`
    const name = text(use.name)
    if (name === '') {
      errors.push(fieldError.required(at))
      continue
    }
    const request = text(use.request)
    if (seen.has(name)) {
      errors.push(fieldError.duplicate(at, name))
    } else {
      if (request !== '') reject(errors, `${at}.request`, request, checkLabel(request))
      const key = request === '' ? name : `${name}/${request}`
      if (seen.has(key)) errors.push(fieldError.duplicate(at, key))
      seen.add(key)
    }
    if (claims.has(name)) continue
    const known = claims.size === 0 ? ' which is empty' : `: ${[...claims].sort().join(', ')}`
    const detail = `must be one of the names in pod.spec.resourceClaims${known}`
    errors.push({ ...fieldError.notFound(at, name), detail })
  }
}

/** Validates the resource claims of the pod; returns their names. */
export function checkPodClaims(
  errors: FieldError[],
  field: string,
  claims: readonly JsonObject[],
): ReadonlySet<string> {
  const names = new Set<string>()
  for (const [i, claim] of claims.entries()) {
    const at = `${field}[${i}]`
    const name = text(claim.name)
    if (name === '') errors.push(fieldError.required(`${at}.name`))
    else if (names.has(name)) errors.push(fieldError.duplicate(`${at}.name`, name))
    else reject(errors, `${at}.name`, name, checkLabel(name))
    if (name !== '') names.add(name)
    const direct = claim.resourceClaimName
    const template = claim.resourceClaimTemplateName
    if (direct !== undefined && template !== undefined) {
      const message = 'at most one of `resourceClaimName` or `resourceClaimTemplateName` may be specified'
      errors.push(invalidStruct(at, internalJson('PodResourceClaim', claim), message))
    }
    if (direct === undefined && template === undefined) {
      const message = 'must specify one of: `resourceClaimName`, `resourceClaimTemplateName`'
      errors.push(invalidStruct(at, internalJson('PodResourceClaim', claim), message))
    }
    if (direct !== undefined) reject(errors, `${at}.resourceClaimName`, direct, checkSubdomain(text(direct)))
    if (template !== undefined) {
      reject(errors, `${at}.resourceClaimTemplateName`, template, checkSubdomain(text(template)))
    }
  }
  return names
}
