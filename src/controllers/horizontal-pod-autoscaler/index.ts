/**
 * The HorizontalPodAutoscaler controller. Every 15 seconds: 1 read the scale of the target, 2 compute the replicas for
 * each metric, 3 take the maximum within the limits, 4 update the scale, 5 update the status.
 */
import {
  controller,
  HorizontalPodAutoscaler,
  keyOf,
  keyText,
  Pod,
  requeueAfter,
  type ControllerDefinition,
  type ReconcileResult,
} from '../../index.ts'
import { timestamp } from '../../env/index.ts'
import { RestMappers } from '../shared/rest-mappers.ts'
import { demandOf, type Asked } from './demand.ts'
import { decide, rememberScale } from './limits.ts'
import { clusterMetrics, type MetricsSource } from './metrics.ts'
import { Warnings, type AutoscalerMemory, type Context, type Surroundings } from './sync-context.ts'
import { rescale, scaleOf } from './target-scale.ts'

/** The sync period. */
const syncPeriodMs = 15_000

export interface AutoscalerOptions {
  /** Default: annotations, and the resource metrics API if it is served. */
  readonly metrics?: MetricsSource | undefined
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

async function sync(context: Context, memory: AutoscalerMemory, around: Surroundings): Promise<void> {
  const { object: autoscaler, status, event, now } = context
  const scale = await scaleOf(context, around)
  if (scale === undefined) return
  const { replicas: current } = scale
  memory.selector = scale.selector
  if (memory.recommendations.length === 0) memory.recommendations.push({ replicas: current, at: now() })
  if (current === 0 && autoscaler.spec?.minReplicas !== 0) {
    reportDisabled(context)
    return
  }
  const bound = boundOf(context, current)
  const asked = bound === undefined ? await demandOf(context, scale, around) : undefined
  const wanted = bound ?? withinLimits(context, memory, current, asked)
  if (wanted === undefined) {
    const desiredReplicas = autoscaler.status?.desiredReplicas ?? 0
    status.set({ currentReplicas: current, desiredReplicas, currentMetrics: asked?.statuses })
    return
  }
  const { replicas: desired, reason } = wanted
  if (desired !== current) {
    if (!(await rescale(context, scale, desired, reason, around.warnings))) {
      status.set({ currentReplicas: current, currentMetrics: asked?.statuses })
      return
    }
    event('Normal', 'SuccessfulRescale', `New size: ${desired}; reason: ${reason}`)
    rememberScale(memory, autoscaler.spec?.behavior, current, desired, now())
    status.set({ lastScaleTime: timestamp(now()) })
  }
  status.set({ currentReplicas: current, desiredReplicas: desired, currentMetrics: asked?.statuses })
}

/** Whoever scales the target to zero turns the autoscaler off. */
function reportDisabled({ status }: Context): void {
  status.condition({
    type: 'ScalingActive',
    status: false,
    reason: 'ScalingDisabled',
    message: 'scaling is disabled since the replica count of the target is zero',
  })
  status.set({ currentReplicas: 0, desiredReplicas: 0, currentMetrics: undefined })
}

interface Wanted {
  readonly replicas: number
  readonly reason: string
}

/** Replicas outside of the limits are corrected without metrics. */
function boundOf({ object: { spec } }: Context, current: number): Wanted | undefined {
  const { minReplicas: least = 1, maxReplicas: most = 0 } = spec ?? {}
  if (current > most) return { replicas: most, reason: 'Current number of replicas above Spec.MaxReplicas' }
  if (current < least) return { replicas: least, reason: 'Current number of replicas below Spec.MinReplicas' }
  return undefined
}

/** What the metrics demand, within the limits and the scaling behaviour. Undefined: no metric is available. */
function withinLimits(
  { object: { spec }, status, now }: Context,
  memory: AutoscalerMemory,
  current: number,
  asked: Asked | undefined,
): Wanted | undefined {
  if (asked?.replicas === undefined) return undefined
  const { minReplicas: least = 1, maxReplicas: most = 0, behavior } = spec ?? {}
  const { replicas: desired, name } = asked
  const decision = decide({ current, desired, least, most, behavior, now: now() }, memory)
  const { isLimited, reason, message } = decision.scalingLimited
  status.condition({ type: 'AbleToScale', status: true, ...decision.ableToScale })
  status.condition({ type: 'ScalingLimited', status: isLimited, reason, message })
  return {
    replicas: decision.replicas,
    reason: desired > current ? `${name} above target` : 'All metrics below target',
  }
}
