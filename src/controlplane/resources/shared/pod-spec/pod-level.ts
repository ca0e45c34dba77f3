/** Pod-level resources: defaulted from those of the containers, and at least as much as they need. */
import { fieldError, type FieldError } from '../../../../api/field-error.ts'
import { setOwn, type JsonObject } from '../../../../api/json.ts'
import { compareQuantities, quantityText, type Quantity } from '../../../../api/quantity.ts'
import { readAmounts, writeAmounts, type ResourceAmounts } from '../amounts.ts'
import { checkPodResourceName, isHugePages, isOvercommitable, isPodResource } from '../quantities.ts'
import { items, size, struct } from '../values.ts'
import { containerAmounts, type Requirement } from './amounts.ts'
import { checkRequirements } from './resources.ts'

function ofContainers(spec: JsonObject, which: Requirement): ResourceAmounts {
  return containerAmounts(spec, (container) => readAmounts(struct(container.resources)?.[which]))
}

/** Pod-level limits for huge pages default to those of the containers; requests default to the limits. */
export function defaultPodLevel(spec: JsonObject): void {
  const whole = struct(spec.resources)
  if (whole === undefined || size(whole.limits) + size(whole.requests) === 0) return
  const limits = readAmounts(whole.limits)
  const requests = readAmounts(whole.requests)
  const limitsGiven = limits.size
  const requestsGiven = requests.size
  for (const [name, amount] of ofContainers(spec, 'limits')) {
    if (isHugePages(name) && !requests.has(name) && !limits.has(name)) limits.set(name, amount)
  }
  if (limits.size > limitsGiven) whole.limits = merged(whole.limits, limits)
  if (limits.size === 0) return
  for (const [name, amount] of ofContainers(spec, 'requests')) {
    if (isPodResource(name) && isOvercommitable(name) && !requests.has(name)) requests.set(name, amount)
  }
  for (const [name, amount] of limits) if (isPodResource(name) && !requests.has(name)) requests.set(name, amount)
  if (requests.size > requestsGiven) whole.requests = merged(whole.requests, requests)
}

/** Quantities that the client sent keep their text. */
function merged(given: unknown, amounts: ResourceAmounts): JsonObject {
  const list = writeAmounts(amounts)
  for (const [name, value] of Object.entries(struct(given) ?? {})) setOwn(list, name, value)
  return list
}

export function checkPodLevel(
  errors: FieldError[],
  field: string,
  spec: JsonObject,
  claims: ReadonlySet<string>,
): void {
  const whole = struct(spec.resources)
  if (whole === undefined) return
  if (struct(spec.os)?.name === 'windows') {
    errors.push(fieldError.forbidden(field, 'may not be set for a windows pod'))
    return
  }
  if (whole.claims !== undefined) {
    errors.push(fieldError.forbidden(`${field}.claims`, 'claims may not be set for Resources at pod-level'))
  }
  checkRequirements(errors, field, whole, claims, checkPodResourceName)
  const requests = readAmounts(whole.requests)
  const limits = readAmounts(whole.limits)
  const atLeast = (which: Requirement, given: ResourceAmounts, isMeant: (name: string) => boolean): void => {
    for (const [name, needed] of sorted(ofContainers(spec, which))) {
      const amount = given.get(name)
      if (amount === undefined || !isMeant(name) || compareQuantities(needed, amount) <= 0) continue
      const message = `must be greater than or equal to aggregate container ${which} of ${quantityText(needed)}`
      errors.push(fieldError.invalid(`${field}.${which}[${name}]`, quantityText(amount), message))
    }
  }
  atLeast('requests', requests, () => true)
  atLeast('limits', limits, isHugePages)
  for (const [i, container] of items(spec.containers).entries()) {
    for (const [name, limit] of readAmounts(struct(container.resources)?.limits)) {
      const most = limits.get(name)
      if (most === undefined || compareQuantities(limit, most) <= 0) continue
      const message = `must be less than or equal to pod limits of ${quantityText(most)}`
      errors.push(fieldError.invalid(`${field}.containers[${i}][${name}].limits`, quantityText(limit), message))
    }
  }
}

function sorted(amounts: ResourceAmounts): [string, Quantity][] {
  return [...amounts].sort(([a], [b]) => (a < b ? -1 : 1))
}
