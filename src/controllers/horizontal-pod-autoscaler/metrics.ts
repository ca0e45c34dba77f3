/**
 * The sources of an autoscaler's metrics. Annotations come first, since the pods of simulated nodes use no resources:
 * - `coxswain.dev/cpu: 250m` and `coxswain.dev/memory: 64Mi` on a pod; `coxswain.dev/cpu.CONTAINER` for one container;
 * - `coxswain.dev/metric.NAME: "12"` on pods (Pods metrics), on any object (Object) or on the autoscaler (External).
 *
 * If no pod has an annotation for a resource, the resource metrics API is read.
 */
import { ApiError, type Client, type HorizontalPodAutoscaler, type Live, type Pod } from '../../index.ts'
import { milliValue, parseQuantity } from '../../api/index.ts'
import { RestMapper } from '../../client/index.ts'

/** The usage of a pod, in thousandths. */
export interface PodMetric {
  readonly value: number
  /** When it was measured, and the window in milliseconds. */
  readonly time: number
  readonly window: number
}

/** By name of the pod; pods that are left out have no metric. */
export type PodMetrics = ReadonlyMap<string, PodMetric>

export interface MetricsQuery {
  readonly client: Client
  readonly signal: AbortSignal
  readonly now: number
  readonly autoscaler: Live<HorizontalPodAutoscaler>
}

export interface PodsQuery extends MetricsQuery {
  readonly pods: readonly Live<Pod>[]
  /** A label selector as text. */
  readonly selector: string
}

/** Every method rejects if there is no metric; users see the message. */
export interface MetricsSource {
  /** The usage of a resource by one container, or by the whole pod if none is given. */
  resource(query: PodsQuery, resource: string, container?: string): Promise<PodMetrics>
  /** Pods that have the metric. */
  pods(query: PodsQuery, metric: string): Promise<PodMetrics>
  /** In thousandths. */
  object(
    query: MetricsQuery,
    metric: string,
    of: { readonly apiVersion?: string | undefined; readonly kind: string; readonly name: string },
  ): Promise<number>
  /** In thousandths, for everything that the selector matches. */
  external(query: MetricsQuery, metric: string): Promise<readonly number[]>
}

const prefix = 'coxswain.dev/'

/** The default source. */
export const clusterMetrics: MetricsSource = {
  async resource(query, resource, container) {
    const annotated = new Map(
      query.pods.flatMap((pod): [string, PodMetric][] => {
        const value = usage(pod, resource, container)
        return value === undefined ? [] : [[pod.metadata.name, { value, time: query.now, window: 0 }]]
      }),
    )
    return annotated.size > 0 ? annotated : served(query, resource, container)
  },
  async pods({ pods, now }, metric) {
    const found = pods.flatMap((pod): [string, PodMetric][] => {
      const value = metricValue(pod, `metric.${metric}`)
      return value === undefined ? [] : [[pod.metadata.name, { value, time: now, window: 60_000 }]]
    })
    if (found.length === 0)
      throw new Error(
        'unable to fetch metrics from custom metrics API: no custom metrics API (custom.metrics.k8s.io) registered',
      )
    return new Map(found)
  },
  async object({ client, signal, autoscaler }, metric, { apiVersion = 'v1', kind, name }) {
    const found = await new RestMapper(client).kindOfObject({ apiVersion, kind })
    const object = await client.get(
      found,
      { name, ...(found.namespaced ? { namespace: autoscaler.metadata.namespace } : {}) },
      { signal },
    )
    const value = metricValue(object, `metric.${metric}`)
    if (value === undefined)
      throw new Error(
        'unable to fetch metrics from custom metrics API: no custom metrics API (custom.metrics.k8s.io) registered',
      )
    return value
  },
  async external({ autoscaler }, metric) {
    const value = metricValue(autoscaler, `metric.${metric}`)
    if (value === undefined)
      throw new Error(
        'unable to fetch metrics from external metrics API: the server could not find the requested resource ' +
          `(get ${metric}.external.metrics.k8s.io)`,
      )
    return [value]
  },
}

/** Of one container, of the whole pod, or the sum of all containers. */
function usage(pod: Live<Pod>, resource: string, container: string | undefined): number | undefined {
  if (container !== undefined) return metricValue(pod, `${resource}.${container}`)
  const whole = metricValue(pod, resource)
  if (whole !== undefined) return whole
  const each = (pod.spec?.containers ?? []).map(({ name }) => metricValue(pod, `${resource}.${name}`))
  return each.reduce((sum, value) => (sum === undefined || value === undefined ? undefined : sum + value), 0)
}

function metricValue(
  { metadata }: { readonly metadata: { readonly annotations?: Readonly<Record<string, string>> | undefined } },
  name: string,
): number | undefined {
  const text = metadata.annotations?.[`${prefix}${name}`]
  if (text === undefined) return undefined
  try {
    return Number(milliValue(parseQuantity(text)))
  } catch {
    // An invalid value counts as missing: the autoscaler reports that the metric is missing.
    return undefined
  }
}

interface ServedMetrics {
  readonly items?: readonly {
    readonly metadata: { readonly name: string }
    readonly timestamp: string
    readonly window: string
    readonly containers?: readonly { readonly name: string; readonly usage: Readonly<Record<string, string>> }[]
  }[]
}

async function served(
  { client, signal, autoscaler, selector }: PodsQuery,
  resource: string,
  container: string | undefined,
): Promise<PodMetrics> {
  const path =
    `/apis/metrics.k8s.io/v1beta1/namespaces/${autoscaler.metadata.namespace ?? ''}/pods?` +
    `labelSelector=${encodeURIComponent(selector)}`
  const { items = [] } = await (client.raw('GET', path, { signal }) as Promise<ServedMetrics>).catch(
    (error: unknown) => {
      const why =
        error instanceof ApiError && error.code === 404
          ? 'the server could not find the requested resource (get pods.metrics.k8s.io)'
          : String(error)
      throw new Error(`unable to fetch metrics from resource metrics API: ${why}`)
    },
  )
  if (items.length === 0) throw new Error('no metrics returned from resource metrics API')
  return new Map(
    items.flatMap(({ metadata, timestamp, window, containers = [] }): [string, PodMetric][] => {
      const meant = containers
        .filter(({ name }) => container === undefined || name === container)
        .map(({ usage: used }) => used[resource])
      if (meant.length === 0 || meant.includes(undefined)) return []
      const value = meant.reduce((sum, text) => sum + Number(milliValue(parseQuantity(text ?? '0'))), 0)
      return [[metadata.name, { value, time: Date.parse(timestamp), window: Number.parseFloat(window) * 1000 }]]
    }),
  )
}
