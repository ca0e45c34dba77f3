/**
 * Converts autoscaling/v1 autoscalers from and to v2, in which form they are stored. What v1 has no fields for (all
 * metrics but CPU, behavior, current metrics, conditions) is in annotations, in a format of their own.
 */
import { setOwn, type Json, type JsonObject } from '../../../api/json.ts'
import type { KubeObject } from '../../../api/object.ts'
import type { DecodeNotes, VersionView } from '../../contract/resource.ts'
import { items, maybeInt, struct, text } from '../shared/values.ts'
import { behaviorFrom, behaviorText } from './behavior-text.ts'
import { fromAnnotationMetric, toAnnotationMetric, fromAnnotationStatus, toAnnotationStatus } from './older-metrics.ts'

const annotation = (name: string): string => `autoscaling.alpha.kubernetes.io/${name}`
const metricsKey = annotation('metrics')
const currentKey = annotation('current-metrics')
const behaviorKey = annotation('behavior')
const conditionsKey = annotation('conditions')
const ownKeys = new Set([metricsKey, currentKey, behaviorKey, conditionsKey])

const defaultCpu = 80

function cpuTarget(metric: JsonObject): number | undefined {
  const resource = metric.type === 'Resource' ? struct(metric.resource) : undefined
  return resource?.name === 'cpu' ? maybeInt(struct(resource.target)?.averageUtilization) : undefined
}

function fromStored(object: KubeObject): KubeObject {
  const { spec: _, status: __, metadata, ...rest } = object
  const before = struct(object.spec) ?? {}
  const old = struct(object.status) ?? {}
  const metrics = items(before.metrics)
  const kept = withoutOwn(metadata.annotations)
  const others = metrics.filter((metric) => cpuTarget(metric) === undefined).map(toAnnotationMetric)
  if (others.length > 0) setOwn(kept, metricsKey, JSON.stringify(others))
  const current = items(old.currentMetrics)
  if (current.length > 0) setOwn(kept, currentKey, JSON.stringify(current.map(toAnnotationStatus)))
  const behavior = struct(before.behavior)
  if (behavior !== undefined) setOwn(kept, behaviorKey, behaviorText(behavior))
  if (items(old.conditions).length > 0)
    setOwn(kept, conditionsKey, JSON.stringify(items(old.conditions).map(conditionOf)))
  const spec: JsonObject = pick(before, ['scaleTargetRef', 'minReplicas', 'maxReplicas'])
  const cpu = metrics.map(cpuTarget).find((target) => target !== undefined)
  if (cpu !== undefined) spec.targetCPUUtilizationPercentage = cpu
  const status: JsonObject = {
    ...pick(old, ['observedGeneration', 'lastScaleTime']),
    currentReplicas: old.currentReplicas ?? 0,
    desiredReplicas: old.desiredReplicas ?? 0,
  }
  const currentCpu = current
    .filter((metric) => metric.type === 'Resource' && struct(metric.resource)?.name === 'cpu')
    .map((metric) => maybeInt(struct(struct(metric.resource)?.current)?.averageUtilization))
    .findLast((value) => value !== undefined)
  if (currentCpu !== undefined) status.currentCPUUtilizationPercentage = currentCpu
  return { ...rest, apiVersion: 'autoscaling/v1', metadata: withAnnotations(metadata, kept), spec, status }
}

/**
 * The v2 form of a v1 object: `raw`, if it is known. Without it, metrics that v1 has no field for come first, whatever
 * their stored order.
 */
export function storageVersionOf(object: KubeObject, raw?: KubeObject): KubeObject {
  return raw ?? (object.apiVersion === 'autoscaling/v1' ? toStored(object) : object)
}

/** Recorded if the client did not send current metrics: they are derived from the percentage. */
const impliedMetrics = 'status.currentMetrics'

/**
 * Normalises the annotations of a v1 object as a round trip through storage does: invalid ones are dropped, implied
 * ones are added. A metric implied by its percentage has no value at first; after a read it has the value zero, and the
 * next write stores that.
 */
export function fillFromAnnotations(object: KubeObject, notes: DecodeNotes | undefined): void {
  const isImplied = !Array.isArray(parsed(object.metadata.annotations, currentKey))
  const { metadata, spec, status } = fromStored(toStored(object))
  Object.assign(object, { spec, status })
  if (isImplied && notes !== undefined) (notes.filled ??= new Set()).add(impliedMetrics)
  if (metadata.annotations === undefined) delete object.metadata.annotations
  else object.metadata.annotations = metadata.annotations
}

/** Restores annotations that represent parts of the status, or of the spec, from `old`, as those parts are restored. */
export function restoreAnnotations(object: KubeObject, old: KubeObject | undefined, part: 'spec' | 'status'): void {
  if (object.apiVersion !== 'autoscaling/v1') return
  const annotations = withoutOwn(object.metadata.annotations)
  const restored = new Set(part === 'spec' ? [metricsKey, behaviorKey] : [currentKey, conditionsKey])
  for (const key of ownKeys) {
    const from = restored.has(key) ? old?.metadata.annotations : object.metadata.annotations
    if (from !== undefined && Object.hasOwn(from, key)) setOwn(annotations, key, from[key] as string)
  }
  const { annotations: normalised } = withAnnotations(object.metadata, annotations)
  if (normalised === undefined) delete object.metadata.annotations
  else object.metadata.annotations = normalised
}

/** `fields`: spec and status in their stored form, if they are not to be converted from v1. */
function toStored(object: KubeObject, fields?: JsonObject): KubeObject {
  const { spec: _, status: __, metadata, ...rest } = object
  return {
    ...rest,
    apiVersion: 'autoscaling/v2',
    metadata: withAnnotations(metadata, withoutOwn(metadata.annotations)),
    spec: fields?.spec ?? storedSpec(object),
    status: fields?.status ?? storedStatus(object),
  }
}

/** The v2 spec of a v1 object. */
export function storedSpec(object: KubeObject): JsonObject {
  const before = struct(object.spec) ?? {}
  const given = (key: string) => parsed(object.metadata.annotations, key)
  const spec: JsonObject = pick(before, ['scaleTargetRef', 'minReplicas', 'maxReplicas'])
  const cpu = maybeInt(before.targetCPUUtilizationPercentage)
  const others = given(metricsKey)
  const metrics = Array.isArray(others) ? items(others).map(fromAnnotationMetric) : []
  if (cpu !== undefined) metrics.push(cpuMetric(cpu))
  if (metrics.length === 0) metrics.push(cpuMetric(defaultCpu))
  spec.metrics = metrics
  const behavior = struct(given(behaviorKey))
  if (behavior !== undefined && Object.keys(behavior).length > 0) spec.behavior = behaviorFrom(behavior)
  return spec
}

/** The v2 status of a v1 object. `filled`: the fields that decoding filled in. */
export function storedStatus(object: KubeObject, filled?: ReadonlySet<string>): JsonObject {
  const old = struct(object.status) ?? {}
  const given = (key: string) => parsed(object.metadata.annotations, key)
  const status: JsonObject = pick(old, ['observedGeneration', 'lastScaleTime', 'currentReplicas', 'desiredReplicas'])
  if (status.currentReplicas === 0) delete status.currentReplicas
  const current = given(currentKey)
  const currentCpu = maybeInt(old.currentCPUUtilizationPercentage)
  if (Array.isArray(current) && filled?.has(impliedMetrics) !== true)
    status.currentMetrics = items(current).map(fromAnnotationStatus)
  else if (currentCpu !== undefined) {
    status.currentMetrics = [
      { type: 'Resource', resource: { name: 'cpu', current: { averageUtilization: currentCpu } } },
    ]
  } else status.currentMetrics = null
  const conditions = given(conditionsKey)
  if (Array.isArray(conditions)) status.conditions = items(conditions).map(conditionOf)
  return status
}

function cpuMetric(averageUtilization: number): JsonObject {
  return { type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization } } }
}

function conditionOf(condition: JsonObject): JsonObject {
  const result: JsonObject = { type: text(condition.type), status: text(condition.status) }
  if (text(condition.lastTransitionTime) !== '') result.lastTransitionTime = text(condition.lastTransitionTime)
  else result.lastTransitionTime = null
  for (const field of ['reason', 'message'] as const)
    if (text(condition[field]) !== '') result[field] = text(condition[field])
  return result
}

function pick(from: JsonObject, names: readonly string[]): JsonObject {
  const result: JsonObject = {}
  for (const name of names) if (from[name] !== undefined) result[name] = from[name]
  return result
}

function withoutOwn(annotations: Readonly<Record<string, string>> | undefined): JsonObject {
  const kept: JsonObject = {}
  for (const [key, value] of Object.entries(annotations ?? {})) if (!ownKeys.has(key)) setOwn(kept, key, value)
  return kept
}

/** Sorted by key; the field is dropped if there are none left. */
function withAnnotations(metadata: KubeObject['metadata'], annotations: JsonObject): KubeObject['metadata'] {
  const { annotations: _, ...rest } = metadata
  const result: JsonObject = {}
  const keys = Object.keys(annotations).toSorted()
  for (const key of keys) setOwn(result, key, annotations[key] as Json)
  if (keys.length === 0) return rest
  // At its position: the fields of metadata have an order.
  const placed: JsonObject = {}
  for (const [name, value] of Object.entries(metadata)) placed[name] = name === 'annotations' ? result : (value as Json)
  placed.annotations ??= result
  return placed
}

function parsed(annotations: Readonly<Record<string, string>> | undefined, key: string): Json | undefined {
  if (annotations === undefined || !Object.hasOwn(annotations, key)) return undefined
  try {
    return JSON.parse(annotations[key] as string) as Json
  } catch {
    return undefined
  }
}

export const autoscalerView: VersionView = { fromStored, toStored }
