/**
 * The HorizontalPodAutoscaler controller. Every 15 seconds: 1 read the scale of the target, 2 compute the replicas for
 * each metric, 3 take the maximum within the limits, 4 update the scale, 5 update the status.
 */
import {
  ApiError,
  controller,
  HorizontalPodAutoscaler,
  isConflict,
  keyOf,
  keyText,
  Pod,
  requeueAfter,
  type autoscalingV2,
  type ControllerDefinition,
  type Live,
  type ObjectKey,
  type ReconcileContext,
  type ReconcileResult,
} from '../../index.ts'
import type { RestMapper } from '../../client/index.ts'
import { RestMappers } from '../shared/rest-mappers.ts'
import { readScale, targetKind, type Scale } from './scale.ts'
import { timestamp } from '../../env/index.ts'
import { decide, rememberScale, type ScaleHistory } from './limits.ts'
import { metricDemand, MetricError, type MetricDemand } from './metric-demand.ts'
import { clusterMetrics, type MetricsSource } from './metrics.ts'
import { tolerancesOf } from './tolerances.ts'

/** The sync period. */
const syncPeriodMs = 15_000

export interface AutoscalerOptions {
  /** Default: annotations, and the resource metrics API if it is served. */
  readonly metrics?: MetricsSource | undefined
}

type Context = ReconcileContext<HorizontalPodAutoscaler>

interface AutoscalerMemory extends ScaleHistory {
  readonly autoscaler: ObjectKey
  /** Active warnings that have been reported. */
  reported: ReadonlySet<string>
  /** The time of the next sync. */
  dueAt: number
  /** The selector of the target's pods at the last sync; '' before the first. */
  selector: string
}

export function horizontalPodAutoscalers({
  metrics = clusterMetrics,
}: AutoscalerOptions = {}): ControllerDefinition<HorizontalPodAutoscaler> {
  const memories = new Map<string, AutoscalerMemory>()
  // Kept between runs, so that discovery does not run in every sync period.
  const mappers = new RestMappers()
  return controller(HorizontalPodAutoscaler)
    .named('horizontal-pod-autoscaler-controller')
    .reads(Pod)
    .options({
      concurrency: 5,
      fieldManager: 'kube-controller-manager',
      observedGeneration: false,
      eventSource: 'horizontal-pod-autoscaler',
    })
    .gone((key) => void memories.delete(keyText(key)))
    .reconcile(async (context): Promise<ReconcileResult> => {
      const key = keyText(keyOf(context.object))
      const memory = memories.get(key) ?? {
        recommendations: [],
        ups: [],
        downs: [],
        reported: new Set(),
        autoscaler: keyOf(context.object),
        dueAt: context.now() + syncPeriodMs,
        selector: '',
      }
      memories.set(key, memory)
      // However often an autoscaler changes, it syncs once per period.
      if (context.now() < memory.dueAt) return requeueAfter(memory.dueAt - context.now())
      memory.dueAt = context.now() + syncPeriodMs
      const warnings = new Warnings(context, memory.reported)
      await sync(context, memory, {
        metrics,
        warnings,
        mapper: mappers.of(context.client),
        others: () => [...memories.values()],
      })
      memory.reported = warnings.held
      return requeueAfter(syncPeriodMs)
    })
}

interface Surroundings {
  readonly metrics: MetricsSource
  readonly warnings: Warnings
  readonly mapper: RestMapper
  /** The state of all autoscalers. */
  readonly others: () => readonly AutoscalerMemory[]
}

async function sync(context: Context, memory: AutoscalerMemory, around: Surroundings): Promise<void> {
  const { object: autoscaler, status, event, now } = context
  const { minReplicas: least = 1, maxReplicas: most = 0, behavior } = autoscaler.spec ?? {}
  const scale = await scaleOf(context, around)
  if (scale === undefined) return
  const { replicas: current } = scale
  memory.selector = scale.selector
  status.condition({
    type: 'AbleToScale',
    status: true,
    reason: 'SucceededGetScale',
    message: "the HPA controller was able to get the target's current scale",
  })
  if (memory.recommendations.length === 0) memory.recommendations.push({ replicas: current, at: now() })
  if (current === 0 && least !== 0) {
    status.condition({
      type: 'ScalingActive',
      status: false,
      reason: 'ScalingDisabled',
      message: 'scaling is disabled since the replica count of the target is zero',
    })
    status.set({ currentReplicas: current, desiredReplicas: current, currentMetrics: undefined })
    return
  }
  const bound =
    current > most
      ? { replicas: most, reason: 'Current number of replicas above Spec.MaxReplicas' }
      : current < least
        ? { replicas: least, reason: 'Current number of replicas below Spec.MinReplicas' }
        : undefined
  const asked = bound === undefined ? await demandOf(context, scale, around) : undefined
  if (bound === undefined && asked?.replicas === undefined) {
    status.set({
      currentReplicas: current,
      desiredReplicas: autoscaler.status?.desiredReplicas ?? 0,
      currentMetrics: asked?.statuses,
    })
    return
  }
  let { replicas: desired, reason } = bound ?? { replicas: asked?.replicas ?? 0, reason: '' }
  if (bound === undefined) {
    reason = desired > current ? `${asked?.name ?? ''} above target` : 'All metrics below target'
    const decision = decide({ current, desired, least, most, behavior, now: now() }, memory)
    desired = decision.replicas
    status.condition({ type: 'AbleToScale', status: true, ...decision.ableToScale })
    status.condition({
      type: 'ScalingLimited',
      status: decision.scalingLimited.isLimited,
      reason: decision.scalingLimited.reason,
      message: decision.scalingLimited.message,
    })
  }
  if (desired !== current) {
    if (!(await rescale(context, scale, desired, reason, around.warnings))) {
      status.set({ currentReplicas: current, currentMetrics: asked?.statuses })
      return
    }
    event('Normal', 'SuccessfulRescale', `New size: ${desired}; reason: ${reason}`)
    rememberScale(memory, behavior, current, desired, now())
    status.set({ lastScaleTime: timestamp(now()) })
  }
  status.set({ currentReplicas: current, desiredReplicas: desired, currentMetrics: asked?.statuses })
}

/** Undefined if the scale cannot be read; this has been reported. */
async function scaleOf(context: Context, { warnings, mapper }: Surroundings): Promise<Scale | undefined> {
  const {
    object: {
      spec,
      metadata: { namespace },
    },
    client,
  } = context
  const { apiVersion = '', kind = '', name = '' } = spec?.scaleTargetRef ?? {}
  try {
    return await readScale(client, await targetKind(mapper, apiVersion, kind), { namespace, name }, context.signal)
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error)
    if (!(error instanceof ApiError || error instanceof TypeError)) throw error
    warnings.event('FailedGetScale', text)
    context.status.condition({
      type: 'AbleToScale',
      status: false,
      reason: 'FailedGetScale',
      message: `the HPA controller was unable to get the target's current scale: ${text}`,
    })
    return undefined
  }
}

interface Asked {
  /** Undefined: no metric is available; this has been reported. */
  readonly replicas?: number | undefined
  readonly name: string
  readonly statuses: autoscalingV2.MetricStatus[] | undefined
}

async function demandOf(
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

/** Warning events. A problem that persists is reported once, not every 15 seconds. */
class Warnings {
  readonly held = new Set<string>()
  readonly #context: Context
  readonly #reported: ReadonlySet<string>

  constructor(context: Context, reported: ReadonlySet<string>) {
    this.#context = context
    this.#reported = reported
  }

  event(reason: string, message: string): void {
    const key = `${reason} ${message}`
    if (!this.#reported.has(key) && !this.held.has(key)) this.#context.event('Warning', reason, message)
    this.held.add(key)
  }
}

async function rescale(
  context: Context,
  { kind, version }: Scale,
  replicas: number,
  reason: string,
  warnings: Warnings,
): Promise<boolean> {
  const {
    object: {
      spec,
      metadata: { namespace },
    },
    client,
    signal,
    status,
  } = context
  const key = { namespace, name: spec?.scaleTargetRef.name ?? '' }
  try {
    let resourceVersion = version
    for (let tries = 1; ; tries++) {
      try {
        await client.patch(
          kind,
          key,
          { type: 'merge', patch: { metadata: { resourceVersion }, spec: { replicas } } },
          { subresource: 'scale', signal },
        )
        break
      } catch (error) {
        if (!isConflict(error) || tries === 5) throw error
        resourceVersion = (await readScale(client, kind, key, signal)).version
      }
    }
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    warnings.event('FailedRescale', `New size: ${replicas}; reason: ${reason}; error: ${error.message}`)
    status.condition({
      type: 'AbleToScale',
      status: false,
      reason: 'FailedUpdateScale',
      message: `the HPA controller was unable to update the target scale: ${error.message}`,
    })
    return false
  }
  status.condition({
    type: 'AbleToScale',
    status: true,
    reason: 'SucceededRescale',
    message: `the HPA controller was able to update the target scale to ${replicas}`,
  })
  return true
}
