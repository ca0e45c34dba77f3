/** HorizontalPodAutoscaler, in v1 and v2: v1 has a field for CPU utilization only. */
import { fieldError, type FieldError } from '../../../api/field-error.ts'
import { cloneJson, equalJson, type Json, type JsonObject } from '../../../api/json.ts'
import type { KubeObject } from '../../../api/object.ts'
import type { DecodeNotes, WriteContext } from '../../contract/resource.ts'
import type { KindStrategy } from '../kind-strategy.ts'
import { checkSupported } from '../shared/errors.ts'
import { mustBeNonnegative } from '../shared/formats.ts'
import { checkCounts } from '../shared/replicas.ts'
import { fill, int, items, maybeInt, size, specOf, struct, text } from '../shared/values.ts'
import { checkMetrics } from './metrics.ts'
import { checkTarget } from './target.ts'
import { fillFromAnnotations, restoreAnnotations, storageVersionOf, storedSpec, storedStatus } from './view.ts'

const averageCpu = 80
const scaleUpRules: JsonObject = {
  stabilizationWindowSeconds: 0,
  selectPolicy: 'Max',
  policies: [
    { type: 'Pods', value: 4, periodSeconds: 15 },
    { type: 'Percent', value: 100, periodSeconds: 15 },
  ],
}
const scaleDownRules: JsonObject = {
  selectPolicy: 'Max',
  policies: [{ type: 'Percent', value: 100, periodSeconds: 15 }],
}

function setDefaults(object: KubeObject, notes?: DecodeNotes): void {
  const spec = specOf(object)
  fill(spec, 'minReplicas', 1)
  if (object.apiVersion === 'autoscaling/v1') return fillFromAnnotations(object, notes)
  if (size(spec.metrics) === 0) {
    const target = { type: 'Utilization', averageUtilization: averageCpu }
    spec.metrics = [{ type: 'Resource', resource: { name: 'cpu', target } }]
  }
  const behavior = struct(spec.behavior)
  if (behavior === undefined) return
  for (const [direction, rules] of [
    ['scaleUp', scaleUpRules],
    ['scaleDown', scaleDownRules],
  ] as const) {
    const given = struct(behavior[direction])
    // In the order of the type, as messages quote it.
    const all: { [key: string]: Json } = { ...cloneJson(rules), ...given }
    const { stabilizationWindowSeconds: window, ...others } = all
    const filled: { [key: string]: Json } =
      window === undefined ? others : { stabilizationWindowSeconds: window, ...others }
    // An explicit empty list is not replaced by the default.
    if (notes?.empty?.get(given, 'policies') !== undefined) delete filled.policies
    behavior[direction] = filled
  }
}

function checkSpec(errors: FieldError[], spec: JsonObject, before: JsonObject | undefined): void {
  const minimum = maybeInt(spec.minReplicas)
  const maximum = int(spec.maxReplicas)
  const lowest = before?.minReplicas === 0 ? 0 : 1
  if (minimum !== undefined && minimum < lowest) {
    errors.push(fieldError.invalid('spec.minReplicas', minimum, `must be greater than or equal to ${lowest}`))
  }
  if (maximum < 1) errors.push(fieldError.invalid('spec.maxReplicas', maximum, 'must be greater than 0'))
  if (minimum !== undefined && maximum < minimum) {
    errors.push(fieldError.invalid('spec.maxReplicas', maximum, 'must be greater than or equal to `minReplicas`'))
  }
  const metrics = items(spec.metrics)
  const target = struct(spec.scaleTargetRef) ?? {}
  const old = struct(before?.scaleTargetRef)
  const same = old !== undefined && old.apiVersion === target.apiVersion && old.kind === target.kind
  checkTarget(errors, 'spec.scaleTargetRef', target, target.kind === 'ReplicationController', same)
  checkMetrics(errors, 'spec.metrics', metrics)
  if (minimum === 0 && !metrics.some((metric) => metric.type === 'Object' || metric.type === 'External')) {
    const message = 'must specify at least one Object or External metric to support scaling to zero replicas'
    errors.push(fieldError.forbidden('spec.metrics', message))
  }
  const behavior = struct(spec.behavior)
  for (const direction of ['scaleUp', 'scaleDown'] as const) {
    const rules = struct(behavior?.[direction])
    if (rules !== undefined) checkRules(errors, `spec.behavior.${direction}`, rules)
  }
}

const maxWindowSeconds = 3600
const maxPeriodSeconds = 1800

function checkRules(errors: FieldError[], field: string, rules: JsonObject): void {
  const window = maybeInt(rules.stabilizationWindowSeconds)
  const windowField = `${field}.stabilizationWindowSeconds`
  if (window !== undefined && window < 0) {
    errors.push(fieldError.invalid(windowField, window, 'must be greater than or equal to zero'))
  }
  if (window !== undefined && window > maxWindowSeconds) {
    errors.push(fieldError.invalid(windowField, window, `must be less than or equal to ${maxWindowSeconds}`))
  }
  if (rules.selectPolicy !== undefined) {
    checkSupported(errors, `${field}.selectPolicy`, text(rules.selectPolicy), ['Disabled', 'Max', 'Min'])
  }
  if (size(rules.policies) === 0) {
    errors.push(fieldError.required(`${field}.policies`, 'must specify at least one Policy'))
  }
  for (const [i, policy] of items(rules.policies).entries()) {
    const at = `${field}.policies[${i}]`
    checkSupported(errors, `${at}.type`, text(policy.type), ['Percent', 'Pods'])
    for (const part of ['value', 'periodSeconds'] as const) {
      if (int(policy[part]) > 0) continue
      errors.push(fieldError.invalid(`${at}.${part}`, int(policy[part]), 'must be greater than zero'))
    }
    if (int(policy.periodSeconds) > maxPeriodSeconds) {
      const message = `must be less than or equal to ${maxPeriodSeconds}`
      errors.push(fieldError.invalid(`${at}.periodSeconds`, int(policy.periodSeconds), message))
    }
  }
  const tolerance = text(rules.tolerance)
  if (tolerance.startsWith('-')) {
    errors.push(fieldError.invalid(`${field}.tolerance`, tolerance, mustBeNonnegative))
  }
}

/**
 * Sets the form in which a v1 object is stored: the `restored` part as the live object has it, the other part converted
 * from v1. Equal v1 forms may have different stored forms: a write of the spec moves the CPU metric to the end.
 */
function setStoredFields(object: KubeObject, restored: 'spec' | 'status', context: WriteContext): void {
  const { storedLive: live, decoded } = context
  if (object.apiVersion !== 'autoscaling/v1' || live === undefined) return
  const fields = { spec: struct(live.spec) ?? {}, status: struct(live.status) ?? {} }
  if (decoded?.sameContent !== true) {
    if (restored === 'status') fields.spec = storedSpec(object)
    else fields.status = storedStatus(object, decoded?.filled)
  }
  context.storedFields = fields
  const written = restored === 'status' ? 'spec' : 'status'
  if (!equalJson(fields[written], live[written])) context.needsRewrite = true
}

/** The spec to be written, as v2. */
function specToCheck(object: KubeObject, { storedFields }: WriteContext): JsonObject {
  return struct(storedFields?.spec) ?? specOf(storageVersionOf(object))
}

export const horizontalPodAutoscaler: KindStrategy = {
  default: setDefaults,
  prepareForCreate: (object) => restoreAnnotations(object, undefined, 'status'),
  prepareForUpdate: (object, old, context) => {
    restoreAnnotations(object, old, 'status')
    setStoredFields(object, 'status', context)
  },
  prepareForStatusUpdate: (object, old, context) => {
    restoreAnnotations(object, old, 'spec')
    setStoredFields(object, 'spec', context)
  },
  tableForm: storageVersionOf,
  validate: (object, context) => {
    const errors: FieldError[] = []
    checkSpec(errors, specToCheck(object, context), undefined)
    return errors
  },
  validateUpdate: (object, old, context) => {
    const errors: FieldError[] = []
    checkSpec(errors, specToCheck(object, context), struct((context.storedLive ?? storageVersionOf(old)).spec))
    return errors
  },
  validateStatusUpdate: (object) => {
    const errors: FieldError[] = []
    checkCounts(errors, struct(object.status) ?? {}, ['currentReplicas', 'desiredReplicas'], [])
    return errors
  },
}
