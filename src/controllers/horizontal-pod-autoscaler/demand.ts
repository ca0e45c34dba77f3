/** The replicas that the metrics of an autoscaler demand: the maximum of all metrics. */
import { Pod, type autoscalingV2, type Live } from '../../index.ts'
import { metricDemand, MetricError, type MetricDemand } from './metric-demand.ts'
import type { Scale } from './scale.ts'
import type { AutoscalerMemory, Context, Surroundings } from './sync-context.ts'
import { tolerancesOf } from './tolerances.ts'

export interface Asked {
  /** Undefined: no metric is available; this has been reported. */
  readonly replicas?: number | undefined
  readonly name: string
  readonly statuses: autoscalingV2.MetricStatus[] | undefined
}

export async function demandOf(
  context: Context,
  scale: Scale,
  { metrics: source, warnings, others }: Surroundings,
): Promise<Asked> {
  const { object: autoscaler, client, signal, status } = context
  if (scale.selector === '') {
    warnings.event('SelectorRequired', 'selector is required')
    status.condition({
      type: 'ScalingActive',
      status: false,
      reason: 'InvalidSelector',
      message: "the HPA target's scale is missing a selector",
    })
    return { name: '', statuses: undefined }
  }
  const pods: readonly Live<Pod>[] = await context.list(Pod, { labelSelector: scale.selector })
  const rivals = await selecting(context, pods, others())
  if (rivals.length > 1) {
    const text = `pods by selector ${scale.selector} are controlled by multiple HPAs: [${rivals.join(' ')}]`
    warnings.event('AmbiguousSelector', text)
    status.condition({ type: 'ScalingActive', status: false, reason: 'AmbiguousSelector', message: text })
    return { name: '', statuses: undefined }
  }
  const query = {
    source,
    client,
    signal,
    autoscaler,
    pods,
    now: context.now(),
    selector: scale.selector,
    specReplicas: scale.replicas,
    statusReplicas: scale.present,
    tolerances: tolerancesOf(autoscaler),
  }
  const specs = autoscaler.spec?.metrics ?? []
  const demands: (MetricDemand | MetricError)[] = []
  for (const spec of specs) demands.push(await metricDemand(query, spec).catch(asMetricError))
  const failures = demands.filter((each) => each instanceof MetricError)
  const found = demands.filter((each): each is MetricDemand => !(each instanceof MetricError))
  const best = found.reduce<MetricDemand | undefined>(
    (most, each) => (most === undefined || each.replicas > most.replicas ? each : most),
    undefined,
  )
  const statuses = demands.map((each) => (each instanceof MetricError ? { type: '' } : each.status))
  for (const { reason, message } of failures) warnings.event(reason, message)
  const [first] = failures
  if (first !== undefined && (best === undefined || best.replicas < scale.replicas)) {
    warnings.event(
      'FailedComputeMetricsReplicas',
      `invalid metrics (${failures.length} invalid out of ${specs.length}), first error is: ${first.outer}`,
    )
    status.condition({
      type: 'ScalingActive',
      status: false,
      reason: first.reason,
      message: `the HPA was unable to compute the replica count: ${first.message}`,
    })
    return { name: '', statuses }
  }
  status.condition({
    type: 'ScalingActive',
    status: true,
    reason: 'ValidMetricFound',
    message: `the HPA was able to successfully calculate a replica count from ${best?.name ?? ''}`,
  })
  return { replicas: best?.replicas ?? 0, name: best?.name ?? '', statuses }
}

/** The autoscalers of the namespace whose selectors match some of these pods, as Go prints them. */
async function selecting(
  context: Context,
  pods: readonly Live<Pod>[],
  all: readonly AutoscalerMemory[],
): Promise<string[]> {
  const names = new Set(pods.map(({ metadata }) => metadata.name))
  const found: string[] = []
  for (const {
    autoscaler: { namespace = '', name },
    selector,
  } of all) {
    if (selector === '' || namespace !== context.object.metadata.namespace) continue
    if ((await context.list(Pod, { labelSelector: selector })).some(({ metadata }) => names.has(metadata.name)))
      found.push(`{${name} ${namespace}}`)
  }
  return found.sort()
}

function asMetricError(error: unknown): MetricError {
  if (error instanceof MetricError) return error
  throw error
}
