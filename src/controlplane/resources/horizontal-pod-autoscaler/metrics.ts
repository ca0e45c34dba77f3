/** Validation of the metrics of an autoscaler. */
import { fieldError, type FieldError } from '../../../api/field-error.ts'
import type { JsonObject } from '../../../api/json.ts'
import { checkLabel, checkPathSegment } from '../../../api/names.ts'
import { reject } from '../shared/errors.ts'
import { checkContainerResourceName } from '../shared/quantities.ts'
import { maybeInt, struct, text } from '../shared/values.ts'
import { checkTarget } from './target.ts'

/** In upstream's order: only the first source that is set is validated. */
const sources = ['object', 'external', 'pods', 'resource', 'containerResource'] as const
type Source = (typeof sources)[number]

const types: Readonly<Record<string, Source>> = {
  ContainerResource: 'containerResource',
  External: 'external',
  Object: 'object',
  Pods: 'pods',
  Resource: 'resource',
}
const typeNames = Object.keys(types)

export function checkMetrics(errors: FieldError[], field: string, metrics: readonly JsonObject[]): void {
  for (const [i, metric] of metrics.entries()) checkMetric(errors, `${field}[${i}]`, metric)
}

function checkMetric(errors: FieldError[], field: string, metric: JsonObject): void {
  const type = text(metric.type)
  const expected = Object.hasOwn(types, type) ? types[type] : undefined
  if (type === '') errors.push(fieldError.required(`${field}.type`, 'must specify a metric source type'))
  if (expected === undefined) errors.push(fieldError.notSupported(`${field}.type`, type, typeNames))
  const present = sources.filter((name) => metric[name] !== undefined)
  const first = present[0]
  if (first !== undefined) checkSource(errors, `${field}.${first}`, first, struct(metric[first]) ?? {})
  if (expected === undefined) {
    errors.push(fieldError.notSupported(`${field}.type`, type, typeNames))
  } else if (metric[expected] === undefined) {
    const message = 'must populate information for the given metric source'
    errors.push(fieldError.required(`${field}.${expected}`, message))
  }
  if (present.length === 1) return
  for (const name of present) {
    if (name === expected) continue
    errors.push(fieldError.forbidden(`${field}.${name}`, 'must populate the given metric source only'))
  }
}

function checkSource(errors: FieldError[], field: string, kind: Source, source: JsonObject): void {
  const target = struct(source.target) ?? {}
  const at = `${field}.target`
  if (kind === 'resource' || kind === 'containerResource') {
    if (text(source.name) === '') {
      errors.push(fieldError.required(`${field}.name`, 'must specify a resource name'))
    } else if (kind === 'containerResource') {
      checkContainerResourceName(errors, `${field}.name`, text(source.name))
    }
    if (kind === 'containerResource') checkContainer(errors, `${field}.container`, text(source.container))
    checkMetricTarget(errors, at, target)
    checkEither(errors, at, target)
    return
  }
  if (kind === 'object') {
    checkTarget(errors, `${field}.describedObject`, struct(source.describedObject) ?? {}, false, true)
  }
  const name = text(struct(source.metric)?.name)
  if (name === '') errors.push(fieldError.required(`${field}.metric.name`, 'must specify a metric name'))
  else reject(errors, `${field}.metric.name`, name, checkPathSegment(name))
  checkMetricTarget(errors, at, target)
  if (kind === 'pods') {
    if (target.averageValue !== undefined) return
    errors.push(fieldError.required(`${at}.averageValue`, 'must specify a positive target averageValue'))
  } else if (target.value === undefined && target.averageValue === undefined) {
    const what = kind === 'object' ? 'target value or averageValue' : 'target value for metric or a per-pod target'
    errors.push(fieldError.required(`${at}.averageValue`, `must set either a ${what}`))
  } else if (kind === 'external' && target.value !== undefined && target.averageValue !== undefined) {
    const message = 'may not set both a target value for metric and a per-pod target'
    errors.push(fieldError.forbidden(`${at}.value`, message))
  }
}

function checkContainer(errors: FieldError[], field: string, name: string): void {
  if (name === '') errors.push(fieldError.required(field, 'must specify a container'))
  else reject(errors, field, name, checkLabel(name))
}

function checkEither(errors: FieldError[], field: string, target: JsonObject): void {
  const utilization = target.averageUtilization !== undefined
  const value = target.averageValue !== undefined
  if (!utilization && !value) {
    const message = 'must set either a target raw value or a target utilization'
    errors.push(fieldError.required(`${field}.averageUtilization`, message))
  } else if (utilization && value) {
    const message = 'may not set both a target raw value and a target utilization'
    errors.push(fieldError.forbidden(`${field}.averageValue`, message))
  }
}

function checkMetricTarget(errors: FieldError[], field: string, target: JsonObject): void {
  const type = text(target.type)
  if (type === '') errors.push(fieldError.required(`${field}.type`, 'must specify a metric target type'))
  if (!['Utilization', 'Value', 'AverageValue'].includes(type)) {
    errors.push(fieldError.invalid(`${field}.type`, type, 'must be either Utilization, Value, or AverageValue'))
  }
  for (const part of ['value', 'averageValue'] as const) {
    const quantity = text(target[part])
    if (quantity !== '0' && !quantity.startsWith('-')) continue
    errors.push(fieldError.invalid(`${field}.${part}`, quantity, 'must be positive'))
  }
  const utilization = maybeInt(target.averageUtilization)
  if (utilization !== undefined && utilization < 1) {
    errors.push(fieldError.invalid(`${field}.averageUtilization`, utilization, 'must be greater than 0'))
  }
}
