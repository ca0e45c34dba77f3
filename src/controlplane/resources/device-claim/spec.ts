/** The spec of a claim: device requests, constraints and configuration. */
import { fieldError, type FieldError } from '../../../api/field-error.ts'
import type { JsonObject } from '../../../api/json.ts'
import { checkLabel, checkLabelValue, checkQualifiedName, checkSubdomain } from '../../../api/names.ts'
import { reject } from '../shared/errors.ts'
import { fill, int, items, strings, struct, text } from '../shared/values.ts'
import {
  checkConfiguration,
  checkFullAttributeName,
  checkList,
  checkRequestNames,
  checkSet,
  maxRequests,
  type RequestNames,
} from './lists.ts'
import { checkSelectors } from './selectors.ts'

const maxAlternatives = 8
const maxConstraints = 32
const maxConfigurations = 32
const effects = ['NoExecute', 'NoSchedule', 'None']

/** Default: exactly one device. */
export function defaultDevices(devices: JsonObject | undefined): void {
  for (const request of items(devices?.requests)) {
    const exactly = struct(request.exactly)
    for (const part of [...(exactly === undefined ? [] : [exactly]), ...items(request.firstAvailable)]) {
      fill(part, 'allocationMode', 'ExactCount')
      if (part.allocationMode === 'ExactCount') fill(part, 'count', 1)
      for (const toleration of items(part.tolerations)) fill(toleration, 'operator', 'Equal')
    }
  }
}

/** Drops fields whose feature gates are off, as upstream does. */
export function dropLaterFields(devices: JsonObject): void {
  for (const request of items(devices.requests)) {
    const exactly = struct(request.exactly)
    for (const part of [...(exactly === undefined ? [] : [exactly]), ...items(request.firstAvailable)]) {
      delete part.tolerations
      delete part.capacity
    }
  }
  for (const constraint of items(devices.constraints)) delete constraint.distinctAttribute
}

/** Admin access to devices in use needs a label on the namespace. */
export function checkAdminAccess(
  errors: FieldError[],
  field: string,
  devices: JsonObject,
  isAllowed: () => boolean,
): void {
  for (const [i, request] of items(devices.requests).entries()) {
    if (struct(request.exactly)?.adminAccess !== true || isAllowed()) continue
    const label = 'resource.kubernetes.io/admin-access: true'
    const message = `admin access to devices requires the \`${label}\` label on the containing namespace`
    errors.push(fieldError.forbidden(`${field}.requests[${i}].adminAccess`, message))
  }
}

export function requestNames(devices: JsonObject | undefined): RequestNames {
  return new Map(
    items(devices?.requests).map((request) => [
      text(request.name),
      new Set(items(request.firstAvailable).map(({ name }) => text(name))),
    ]),
  )
}

export function checkDeviceRequests(errors: FieldError[], field: string, devices: JsonObject): void {
  const names = requestNames(devices)
  const nameOf = ({ name }: JsonObject) => text(name)
  checkSet(
    errors,
    `${field}.requests`,
    items(devices.requests),
    maxRequests,
    (request, at) => checkRequest(errors, at, request),
    nameOf,
  )
  checkList(errors, `${field}.constraints`, items(devices.constraints), maxConstraints, (constraint, at) => {
    checkRequestNames(errors, `${at}.requests`, strings(constraint.requests), names)
    const { matchAttribute } = constraint
    if (matchAttribute === undefined) errors.push(fieldError.required(`${at}.matchAttribute`))
    else checkFullAttributeName(errors, `${at}.matchAttribute`, text(matchAttribute))
  })
  checkList(errors, `${field}.config`, items(devices.config), maxConfigurations, (config, at) => {
    checkRequestNames(errors, `${at}.requests`, strings(config.requests), names)
    checkConfiguration(errors, at, config)
  })
}

function checkRequest(errors: FieldError[], field: string, request: JsonObject): void {
  reject(errors, `${field}.name`, text(request.name), checkLabel(text(request.name)))
  const alternatives = items(request.firstAvailable)
  const exactly = struct(request.exactly)
  const message = 'exactly one of `exactly` or `firstAvailable` is required'
  if (exactly === undefined && alternatives.length === 0) {
    errors.push(fieldError.required(field, message))
  } else if (exactly !== undefined && alternatives.length > 0) {
    errors.push(fieldError.invalid(field, null, `${message}, but multiple fields are set`))
  } else if (exactly !== undefined) {
    checkWanted(errors, `${field}.exactly`, exactly)
  } else {
    checkSet(
      errors,
      `${field}.firstAvailable`,
      alternatives,
      maxAlternatives,
      (alternative, at) => {
        reject(errors, `${at}.name`, text(alternative.name), checkLabel(text(alternative.name)))
        checkWanted(errors, at, alternative)
      },
      ({ name }) => text(name),
    )
  }
}

function checkWanted(errors: FieldError[], field: string, wanted: JsonObject): void {
  const className = text(wanted.deviceClassName)
  if (className === '') errors.push(fieldError.required(`${field}.deviceClassName`))
  else reject(errors, `${field}.deviceClassName`, className, checkSubdomain(className))
  checkSelectors(errors, `${field}.selectors`, items(wanted.selectors))
  const mode = text(wanted.allocationMode)
  const count = int(wanted.count)
  if (mode === 'All') {
    if (count !== 0)
      errors.push(fieldError.invalid(`${field}.count`, count, "must not be specified when allocationMode is 'All'"))
  } else if (mode === 'ExactCount') {
    if (count <= 0) errors.push(fieldError.invalid(`${field}.count`, count, 'must be greater than zero'))
  } else {
    errors.push(fieldError.notSupported(`${field}.allocationMode`, mode, ['All', 'ExactCount']))
  }
  for (const [i, toleration] of items(wanted.tolerations).entries())
    checkToleration(errors, `${field}.tolerations[${i}]`, toleration)
}

function checkToleration(errors: FieldError[], field: string, toleration: JsonObject): void {
  const key = text(toleration.key)
  if (key !== '') reject(errors, `${field}.key`, key, checkQualifiedName(key))
  const operator = text(toleration.operator)
  const value = text(toleration.value)
  if (operator === 'Exists') {
    if (value !== '') errors.push(fieldError.invalid(`${field}.value`, value, 'must be empty for operator `Exists`'))
  } else if (operator === 'Equal') {
    reject(errors, `${field}.value`, value, checkLabelValue(value))
  } else if (operator === '') {
    errors.push(fieldError.required(`${field}.operator`))
  } else {
    errors.push(fieldError.notSupported(`${field}.operator`, operator, ['Equal', 'Exists']))
  }
  checkEffect(errors, `${field}.effect`, text(toleration.effect))
}

function checkEffect(errors: FieldError[], field: string, effect: string): void {
  if (effect !== '' && !effects.includes(effect)) errors.push(fieldError.notSupported(field, effect, effects))
}

export function checkTaint(errors: FieldError[], field: string, taint: JsonObject): void {
  const key = text(taint.key)
  reject(errors, `${field}.key`, key, checkQualifiedName(key))
  const value = text(taint.value)
  if (value !== '') reject(errors, `${field}.value`, value, checkLabelValue(value))
  if (text(taint.effect) === '') errors.push(fieldError.required(`${field}.effect`))
  else checkEffect(errors, `${field}.effect`, text(taint.effect))
}
