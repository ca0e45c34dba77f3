/** Validation of quantities in resource lists: names, signs and comparisons. */
import { fieldError, type FieldError } from '../../../api/field-error.ts'
import type { Json } from '../../../api/json.ts'
import { checkQualifiedName } from '../../../api/names.ts'
import { compareQuantities, milliValue, parseQuantity } from '../../../api/quantity.ts'
import { reject } from './errors.ts'
import { mustBeNonnegative } from './formats.ts'
import { text } from './values.ts'

/** Compares two canonical quantities: negative, zero or positive. */
export function compareQuantityTexts(a: string, b: string): number {
  return a === b ? 0 : compareQuantities(parseQuantity(a), parseQuantity(b))
}

/** A quantity of storage or of pod overhead. Upstream shows a negative one as a number. */
export function checkBasicQuantity(errors: FieldError[], field: string, quantity: string): void {
  if (!quantity.startsWith('-')) return
  const value = milliValue(parseQuantity(quantity)) / 1000n
  errors.push(fieldError.invalid(field, Number(value), 'must be a valid resource quantity'))
}

const requestable = ['cpu', 'memory', 'ephemeral-storage']
const countable = [
  'pods',
  'resourcequotas',
  'services',
  'replicationcontrollers',
  'secrets',
  'configmaps',
  'persistentvolumeclaims',
  'services.nodeports',
  'services.loadbalancers',
]
const containerResources = new Set(requestable)
const integerResources = new Set(countable)
const quotaResources = new Set([
  ...requestable,
  ...requestable.map((name) => `requests.${name}`),
  ...requestable.map((name) => `limits.${name}`),
  'requests.storage',
  ...countable,
])
const standardResources = new Set([...quotaResources, 'storage'])

export function isHugePages(name: string): boolean {
  return name.startsWith('hugepages-')
}

function isStandard(names: ReadonlySet<string>, name: string): boolean {
  return names.has(name) || isHugePages(name) || name.startsWith('requests.hugepages-')
}

function isNative(name: string): boolean {
  return !name.includes('/') || name.includes('kubernetes.io/')
}

function isExtended(name: string): boolean {
  return !isNative(name) && !name.startsWith('requests.') && checkQualifiedName(`requests.${name}`).length === 0
}

/** Whether limits may exceed requests. */
export function isOvercommitable(name: string): boolean {
  return isNative(name) && !isHugePages(name)
}

export function checkResourceName(errors: FieldError[], field: string, name: string): boolean {
  const messages = checkQualifiedName(name)
  reject(errors, field, name, messages)
  if (messages.length > 0) return false
  if (name.includes('/') || isStandard(standardResources, name)) return true
  errors.push(fieldError.invalid(field, name, 'must be a standard resource type or fully qualified'))
  return false
}

export function checkContainerResourceName(errors: FieldError[], field: string, name: string): void {
  checkResourceName(errors, field, name)
  if (!name.includes('/')) {
    if (!containerResources.has(name) && !isHugePages(name)) {
      errors.push(fieldError.invalid(field, name, 'must be a standard resource for containers'))
    }
  } else if (!isNative(name) && !isExtended(name)) {
    errors.push(fieldError.invalid(field, name, "doesn't follow extended resource name standard"))
  }
}

const podResources = ['cpu', 'hugepages-', 'memory']

/** Whether a resource may be requested at the pod level. */
export function isPodResource(name: string): boolean {
  return name === 'cpu' || name === 'memory' || isHugePages(name)
}

export function checkPodResourceName(errors: FieldError[], field: string, name: string): void {
  if (!checkResourceName(errors, field, name)) return
  if (!isPodResource(name)) errors.push(fieldError.notSupported(field, name, podResources))
}

export function isQuotaResource(name: string): boolean {
  return isStandard(quotaResources, name)
}

export function checkQuotaResourceName(errors: FieldError[], field: string, name: string): void {
  checkResourceName(errors, field, name)
  if (!name.includes('/') && !isQuotaResource(name)) {
    errors.push(fieldError.invalid(field, name, 'must be a standard resource for quota'))
  }
}

/** The quantity must not be negative, and must be an integer for countable resources. */
export function checkResourceQuantity(errors: FieldError[], field: string, name: string, quantity: Json): void {
  const given = text(quantity)
  if (given.startsWith('-')) errors.push(fieldError.invalid(field, given, mustBeNonnegative))
  if ((integerResources.has(name) || isExtended(name)) && milliValue(parseQuantity(given)) % 1000n !== 0n) {
    errors.push(fieldError.invalid(field, given, 'must be an integer'))
  }
}
