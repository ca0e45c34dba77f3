/** LimitRange: default, minimum and maximum resources in a namespace. */
import { fieldError, type FieldError } from '../../../api/field-error.ts'
import { getOwn, setOwn, type JsonObject } from '../../../api/json.ts'
import { checkQualifiedName } from '../../../api/names.ts'
import type { KubeObject } from '../../../api/object.ts'
import { integerValue, milliValue, parseQuantity, type Quantity } from '../../../api/quantity.ts'
import type { KindStrategy } from '../kind-strategy.ts'
import { reject } from '../shared/errors.ts'
import { checkContainerResourceName, checkResourceName, compareQuantityTexts } from '../shared/quantities.ts'
import { roundResourceList } from '../shared/resource-list.ts'
import { entries, entry, items, nullWhenEmpty, size, specOf, struct, structOf, text } from '../shared/values.ts'

const lists = ['max', 'min', 'default', 'defaultRequest', 'maxLimitRequestRatio'] as const

function setDefaults(object: KubeObject): void {
  const spec = specOf(object)
  for (const limit of items(spec.limits)) {
    if (limit.type === 'Container') defaultContainerLimits(limit)
    for (const list of lists) roundResourceList(limit[list])
  }
}

/** Missing defaults: limits are taken from the maximum, requests from the limits, then from the minimum. */
function defaultContainerLimits(limit: JsonObject): void {
  copyMissing(limit, 'max', 'default')
  copyMissing(limit, 'default', 'defaultRequest')
  copyMissing(limit, 'min', 'defaultRequest')
}

function copyMissing(limit: JsonObject, from: string, to: string): void {
  for (const [name, quantity] of entries(limit[from])) {
    const target = structOf(limit, to)
    if (getOwn(target, name) === undefined) setOwn(target, name, quantity)
  }
}

const types = new Set(['Container', 'PersistentVolumeClaim', 'Pod'])

function validate(object: KubeObject): FieldError[] {
  const errors: FieldError[] = []
  const seen = new Set<string>()
  for (const [i, limit] of items(specOf(object).limits).entries()) {
    const field = `spec.limits[${i}]`
    const type = text(limit.type)
    const messages = checkQualifiedName(type)
    reject(errors, `${field}.type`, type, messages)
    if (messages.length === 0 && !type.includes('/') && !types.has(type)) {
      errors.push(fieldError.invalid(`${field}.type`, type, 'must be a standard limit type or fully qualified'))
    }
    if (seen.has(type)) errors.push(fieldError.duplicate(`${field}.type`, type))
    seen.add(type)
    checkLimit(errors, field, limit, type)
  }
  return errors
}

function checkLimit(errors: FieldError[], field: string, limit: JsonObject, type: string): void {
  const isPod = type === 'Pod'
  const checkName = isPod || type === 'Container' ? checkContainerResourceName : checkResourceName
  const names = new Set<string>()
  for (const list of lists) {
    if (isPod && (list === 'default' || list === 'defaultRequest')) {
      if (size(limit[list]) === 0) continue
      errors.push(fieldError.forbidden(`${field}.${list}`, "may not be specified when `type` is 'Pod'"))
      continue
    }
    for (const [name] of entries(limit[list])) {
      checkName(errors, `${field}.${list}[${name}]`, name)
      names.add(name)
    }
  }
  const storage = [limit.min, limit.max].some((list) => entry(list, 'storage') !== undefined)
  if (type === 'PersistentVolumeClaim' && !storage) {
    const message = 'either minimum or maximum storage value is required, but neither was provided'
    errors.push(fieldError.required(`${field}.limits`, message))
  }
  for (const name of names) checkOrder(errors, field, limit, name, isPod)
}

/** Pairs of lists of which the first must not exceed the second, with field, value and message of the error. */
function checkOrder(errors: FieldError[], field: string, limit: JsonObject, name: string, isPod: boolean): void {
  const value = (list: string) => (isPod && list.startsWith('default') ? undefined : entry(struct(limit[list]), name))
  const [min, max, standard, request] = [value('min'), value('max'), value('default'), value('defaultRequest')]
  const check = (
    small: string | undefined,
    large: string | undefined,
    at: string,
    shown: string | undefined,
    words: string,
  ) => {
    if (small === undefined || large === undefined || compareQuantityTexts(small, large) <= 0) return
    const [first, second] = words.split('|') as [string, string]
    const message = `${first} value ${small} is greater than ${second} value ${large}`
    errors.push(fieldError.invalid(`${field}.${at}[${name}]`, shown, message))
  }
  check(min, max, 'min', min, 'min|max')
  check(min, request, 'defaultRequest', request, 'min|default request')
  check(request, max, 'defaultRequest', request, 'default request|max')
  check(request, standard, 'defaultRequest', request, 'default request|default limit')
  check(min, standard, 'default', min, 'min|default')
  check(standard, max, 'default', max, 'default|max')
  const ratio = value('maxLimitRequestRatio')
  if (ratio !== undefined && compareQuantityTexts(ratio, '1') < 0) {
    errors.push(fieldError.invalid(`${field}.maxLimitRequestRatio[${name}]`, ratio, `ratio ${ratio} is less than 1`))
  }
  if (ratio === undefined || min === undefined || max === undefined) return
  const [given, largest] = ratios(parseQuantity(ratio), parseQuantity(min), parseQuantity(max))
  if (given <= largest) return
  const message = `ratio ${ratio} is greater than max/min = ${largest.toFixed(6)}`
  errors.push(fieldError.invalid(`${field}.maxLimitRequestRatio[${name}]`, ratio, message))
}

const maxMilliValue = (2n ** 63n - 1n) / 1000n

/** The ratio and its maximum: computed in milli-units, unless the values are too large for that. */
function ratios(ratio: Quantity, min: Quantity, max: Quantity): readonly [number, number] {
  const fits = [ratio, min, max].every((each) => integerValue(each) < maxMilliValue)
  const value = fits ? milliValue : integerValue
  return [Number(value(ratio)) / (fits ? 1000 : 1), Number(value(max)) / Number(value(min))]
}

/**
 * An empty list is stored as null, but its writer owns it. So this is done here, after field tracking, and not when
 * defaulting.
 */
function prepare(object: KubeObject): void {
  nullWhenEmpty(specOf(object), 'limits')
}

export const limitRange: KindStrategy = {
  default: setDefaults,
  prepareForCreate: prepare,
  prepareForUpdate: prepare,
  validate,
  validateUpdate: validate,
}
