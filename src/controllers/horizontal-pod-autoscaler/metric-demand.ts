/** One metric of an autoscaler: its target, its name, and its status. */
import type { DeepReadonly } from '../../api/index.ts'
import type { autoscalingV2, Live, Pod } from '../../index.ts'
import { identifier, milli, quantity, selectorText } from './metric-values.ts'
import type { MetricsQuery, MetricsSource } from './metrics.ts'
import {
  demandByUtilization,
  demandByValue,
  demandInAll,
  demandPerPod,
  type Demand,
  type Tolerances,
} from './replica-count.ts'

type Spec = DeepReadonly<autoscalingV2.MetricSpec>
type Target = DeepReadonly<autoscalingV2.MetricTarget>

export interface MetricDemand {
  readonly replicas: number
  readonly name: string
  readonly status: autoscalingV2.MetricStatus
}

/** The metric is not available. The message is for conditions and events, `outer` for the whole sync. */
export class MetricError extends Error {
  readonly reason: string
  readonly outer: string

  constructor(reason: string, message: string, outer: string) {
    super(message)
    this.name = 'MetricError'
    this.reason = reason
    this.outer = outer
  }
}

export interface DemandQuery extends MetricsQuery {
  readonly source: MetricsSource
  readonly pods: readonly Live<Pod>[]
  readonly selector: string
  readonly specReplicas: number
  readonly statusReplicas: number
  readonly tolerances: Tolerances
}

/** Rejects with a {@link MetricError}. */
export async function metricDemand(query: DemandQuery, spec: Spec): Promise<MetricDemand> {
  const kind = kinds[spec.type]
  if (kind === undefined) {
    const message = `unknown metric source type ${JSON.stringify(spec.type)}`
    throw new MetricError('InvalidMetricSourceType', message, message)
  }
  try {
    return await kind.demand(query, spec)
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    throw new MetricError(kind.reason, message, `failed to get ${kind.called(spec)} value: ${message}`)
  }
}

interface MetricKind {
  readonly reason: string
  called(spec: Spec): string
  demand(query: DemandQuery, spec: Spec): Promise<MetricDemand>
}

const kinds: Readonly<Record<string, MetricKind>> = {
  Resource: {
    reason: 'FailedGetResourceMetric',
    called: ({ resource }) => `${resource?.name ?? ''} resource metric`,
    async demand(query, { resource: { name, target } = none }) {
      const { demand, current, what } = await resourceDemand(query, name, target, undefined)
      return { replicas: demand.replicas, name: what, status: { type: 'Resource', resource: { name, current } } }
    },
  },
  ContainerResource: {
    reason: 'FailedGetContainerResourceMetric',
    called: ({ containerResource }) => `${containerResource?.container ?? ''} container metric`,
    async demand(query, { containerResource: { name, container, target } = { ...none, container: '' } }) {
      const { demand, current, what } = await resourceDemand(query, name, target, container)
      return {
        replicas: demand.replicas,
        name: what,
        status: { type: 'ContainerResource', containerResource: { name, container, current } },
      }
    },
  },
  Pods: {
    reason: 'FailedGetPodsMetric',
    called: () => 'pods metric',
    async demand(query, { pods }) {
      const metric = identifier(pods?.metric)
      const metrics = await named(`unable to get metric ${metric.name}`, query.source.pods(query, metric.name))
      const demand = demandByValue(
        { ...query, metrics, current: query.specReplicas, resource: '' },
        milli(pods?.target.averageValue),
      )
      return {
        replicas: demand.replicas,
        name: `pods metric ${metric.name}`,
        status: { type: 'Pods', pods: { metric, current: { averageValue: quantity(demand.usage) } } },
      }
    },
  },
  Object: {
    reason: 'FailedGetObjectMetric',
    called: () => 'object metric',
    async demand(query, { object }) {
      const metric = identifier(object?.metric)
      const describedObject = { ...(object?.describedObject ?? { kind: '', name: '' }) }
      const { kind, name } = describedObject
      const usage = await query.source.object(query, metric.name, describedObject).catch((error: unknown) => {
        throw new Error(
          `unable to get metric ${metric.name}: ${kind} on ${query.autoscaler.metadata.namespace ?? ''} ` +
            `${name}/${messageOf(error)}`,
          { cause: error },
        )
      })
      const { demand, current } = oneValue(query, usage, object?.target, 'object')
      const what =
        current.value === undefined
          ? `external metric ${metric.name}(${selectorText(metric.selector)})`
          : `${kind} metric ${metric.name}`
      return {
        replicas: demand.replicas,
        name: what,
        status: { type: 'Object', object: { describedObject, metric, current } },
      }
    },
  },
  External: {
    reason: 'FailedGetExternalMetric',
    called: ({ external }) => `${external?.metric.name ?? ''} external metric`,
    async demand(query, { external }) {
      const metric = identifier(external?.metric)
      const values = await named(
        'unable to get external metric ' +
          `${query.autoscaler.metadata.namespace ?? ''}/${metric.name}/${selectorText(metric.selector)}`,
        query.source.external(query, metric.name),
      )
      const { demand, current } = oneValue(
        query,
        values.reduce((sum, value) => sum + value, 0),
        external?.target,
        'external',
      )
      return {
        replicas: demand.replicas,
        name: `external metric ${metric.name}(${selectorText(metric.selector)})`,
        status: { type: 'External', external: { metric, current } },
      }
    },
  },
}

const none: autoscalingV2.ResourceMetricSource = { name: '', target: { type: 'Value' } }

interface ResourceDemand {
  readonly demand: Demand
  readonly current: autoscalingV2.MetricValueStatus
  readonly what: string
}

async function resourceDemand(
  query: DemandQuery,
  resource: string,
  target: Target,
  container: string | undefined,
): Promise<ResourceDemand> {
  const { averageValue, averageUtilization } = target
  const goal = averageValue === undefined ? 'utilization' : 'usage'
  try {
    const metrics = await named(
      `unable to get metrics for resource ${resource}`,
      query.source.resource(query, resource, container),
    )
    const of = { ...query, metrics, current: query.specReplicas, resource }
    if (averageValue !== undefined) {
      const demand = demandByValue(of, milli(averageValue))
      return { demand, current: { averageValue: quantity(demand.usage, resource) }, what: `${resource} resource` }
    }
    const demand = demandByUtilization(of, averageUtilization ?? 0, container)
    const current = { averageUtilization: demand.utilization ?? 0, averageValue: quantity(demand.usage, resource) }
    return {
      demand,
      current,
      what: `${resource} ${container === undefined ? '' : 'container '}resource utilization (percentage of request)`,
    }
  } catch (error) {
    throw new Error(`failed to get ${resource} ${goal}: ${messageOf(error)}`, { cause: error })
  }
}

function oneValue(
  query: DemandQuery,
  usage: number,
  target: Target | undefined,
  what: string,
): { readonly demand: Demand; readonly current: autoscalingV2.MetricValueStatus } {
  const { specReplicas, statusReplicas, pods, tolerances } = query
  if (target?.averageValue !== undefined) {
    const demand = demandPerPod(usage, milli(target.averageValue), statusReplicas, tolerances)
    return { demand, current: { averageValue: quantity(demand.usage) } }
  }
  if (target?.value === undefined)
    throw new Error(`invalid ${what} metric source: neither a value target nor an average value target was set`)
  return {
    demand: demandInAll(usage, milli(target.value), specReplicas, pods, tolerances),
    current: { value: quantity(usage) },
  }
}

async function named<T>(what: string, asked: Promise<T>): Promise<T> {
  try {
    return await asked
  } catch (error) {
    throw new Error(`${what}: ${messageOf(error)}`, { cause: error })
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
