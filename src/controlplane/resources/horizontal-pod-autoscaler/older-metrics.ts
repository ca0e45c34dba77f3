/** Metrics in the annotations of autoscaling/v1: flat, with their own field names. */
import type { Json, JsonObject } from '../../../api/json.ts'
import { struct } from '../shared/values.ts'

type Source = 'object' | 'pods' | 'resource' | 'containerResource' | 'external'

const sources: readonly Source[] = ['object', 'pods', 'resource', 'containerResource', 'external']

/** Drops undefined fields. Fields that the older type always has get their zero value from the caller. */
function compact(fields: Readonly<Record<string, Json | undefined>>): JsonObject {
  const result: JsonObject = {}
  for (const [name, value] of Object.entries(fields)) if (value !== undefined) result[name] = value
  return result
}

function described(value: Json | undefined): JsonObject {
  const { kind = '', name = '', apiVersion } = struct(value) ?? {}
  return compact({ kind, name, apiVersion: apiVersion === '' ? undefined : apiVersion })
}

const older: Readonly<Record<Source, (source: JsonObject, of: JsonObject, target: JsonObject) => JsonObject>> = {
  object: (source, metric, target) =>
    compact({
      target: described(source.describedObject),
      metricName: metric.name ?? '',
      targetValue: target.value ?? '0',
      selector: metric.selector,
      averageValue: target.averageValue,
    }),
  pods: (_, metric, target) =>
    compact({
      metricName: metric.name ?? '',
      targetAverageValue: target.averageValue ?? '0',
      selector: metric.selector,
    }),
  resource: ({ name }, _, target) =>
    compact({
      name: name ?? '',
      targetAverageUtilization: target.averageUtilization,
      targetAverageValue: target.averageValue,
    }),
  containerResource: ({ name, container }, _, target) =>
    compact({
      name: name ?? '',
      targetAverageUtilization: target.averageUtilization,
      targetAverageValue: target.averageValue,
      container: container ?? '',
    }),
  external: (_, metric, target) =>
    compact({
      metricName: metric.name ?? '',
      metricSelector: metric.selector,
      targetValue: target.value,
      targetAverageValue: target.averageValue,
    }),
}

/** Converts a v2 metric to the form of the annotation. */
export function toAnnotationMetric(metric: JsonObject): JsonObject {
  return convert(metric, (source, name) =>
    older[name](source, struct(source.metric) ?? {}, struct(source.target) ?? {}),
  )
}

const target = (type: string, values: Readonly<Record<string, Json | undefined>>): JsonObject => ({
  type,
  ...compact(values),
})
const identifier = (name: Json | undefined, selector: Json | undefined): JsonObject =>
  compact({ name: name ?? '', selector })

/** Converts a metric of the annotation to v2. */
export function fromAnnotationMetric(metric: JsonObject): JsonObject {
  return convert(metric, (source, name) => {
    switch (name) {
      case 'object':
        return {
          describedObject: described(source.target),
          target: target(source.averageValue === undefined ? 'Value' : 'AverageValue', {
            value: source.targetValue,
            averageValue: source.averageValue,
          }),
          metric: identifier(source.metricName, source.selector),
        }
      case 'pods':
        return {
          metric: identifier(source.metricName, source.selector),
          target: target('AverageValue', { averageValue: source.targetAverageValue }),
        }
      case 'external':
        return {
          metric: identifier(source.metricName, source.metricSelector),
          target: target(source.targetValue === undefined ? 'AverageValue' : 'Value', {
            value: source.targetValue,
            averageValue: source.targetAverageValue,
          }),
        }
      default: {
        const type = source.targetAverageUtilization === undefined ? 'AverageValue' : 'Utilization'
        const values = { averageValue: source.targetAverageValue, averageUtilization: source.targetAverageUtilization }
        const result: JsonObject = { name: source.name ?? '', target: target(type, values) }
        return name === 'resource' ? result : { ...result, container: source.container ?? '' }
      }
    }
  })
}

/** Converts a v2 metric status to the form of the annotation. */
export function toAnnotationStatus(metric: JsonObject): JsonObject {
  return convert(metric, (source, name) => {
    const of = struct(source.metric) ?? {}
    const current = struct(source.current) ?? {}
    switch (name) {
      case 'object':
        return compact({
          target: described(source.describedObject),
          metricName: of.name ?? '',
          currentValue: current.value ?? '0',
          selector: of.selector,
          averageValue: current.averageValue,
        })
      case 'pods':
        return compact({
          metricName: of.name ?? '',
          currentAverageValue: current.averageValue ?? '0',
          selector: of.selector,
        })
      case 'external':
        return compact({
          metricName: of.name ?? '',
          metricSelector: of.selector,
          currentValue: current.value ?? '0',
          currentAverageValue: current.averageValue,
        })
      default: {
        const values = {
          currentAverageUtilization: current.averageUtilization,
          currentAverageValue: current.averageValue ?? '0',
        }
        return compact({
          name: source.name ?? '',
          ...values,
          container: name === 'containerResource' ? (source.container ?? '') : undefined,
        })
      }
    }
  })
}

/** Converts a metric status of the annotation to v2. */
export function fromAnnotationStatus(metric: JsonObject): JsonObject {
  return convert(metric, (source, name) => {
    switch (name) {
      case 'object':
        return {
          metric: identifier(source.metricName, source.selector),
          current: compact({ value: source.currentValue, averageValue: source.averageValue }),
          describedObject: described(source.target),
        }
      case 'pods':
        return {
          metric: identifier(source.metricName, source.selector),
          current: compact({ averageValue: source.currentAverageValue }),
        }
      case 'external':
        return {
          metric: identifier(source.metricName, source.metricSelector),
          current: compact({ value: source.currentValue, averageValue: source.currentAverageValue }),
        }
      default: {
        const current = compact({
          averageValue: source.currentAverageValue,
          averageUtilization: source.currentAverageUtilization,
        })
        const result: JsonObject = { name: source.name ?? '', current }
        return name === 'resource' ? result : { ...result, container: source.container ?? '' }
      }
    }
  })
}

function convert(metric: JsonObject, make: (source: JsonObject, name: Source) => JsonObject): JsonObject {
  const result: JsonObject = { type: metric.type ?? '' }
  for (const name of sources) {
    const source = struct(metric[name])
    if (source !== undefined) result[name] = make(source, name)
  }
  return result
}
