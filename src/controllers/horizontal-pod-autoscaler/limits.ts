/**
 * The limits of an autoscaler: stabilization, the scaling policies of `spec.behavior`, minimum and maximum. Pure except
 * for its history.
 */
import type { autoscalingV2 } from '../../index.ts'
import type { DeepReadonly } from '../../api/index.ts'

type Behavior = DeepReadonly<autoscalingV2.HorizontalPodAutoscalerBehavior>
type Rules = DeepReadonly<autoscalingV2.HPAScalingRules>

interface ScaleEvent {
  readonly replicas: number
  readonly at: number
}

/** Recent recommendations and scalings of an autoscaler. */
export interface ScaleHistory {
  recommendations: ScaleEvent[]
  /** Pods added and removed by scaling. */
  ups: ScaleEvent[]
  downs: ScaleEvent[]
}

export interface ScaleRequest {
  readonly current: number
  readonly desired: number
  readonly least: number
  readonly most: number
  readonly behavior: Behavior | undefined
  readonly now: number
}

interface ConditionText {
  readonly reason: string
  readonly message: string
}

export interface ScaleDecision {
  readonly replicas: number
  readonly ableToScale: ConditionText
  readonly scalingLimited: ConditionText & { readonly isLimited: boolean }
}

/** The default stabilization window, in which the highest recommendation counts. */
export const downscaleWindowMs = 300_000

const matches: ConditionText = { reason: 'ReadyForNewScale', message: 'recommended size matches current size' }
const higher: ConditionText = {
  reason: 'ScaleDownStabilized',
  message: 'recent recommendations were higher than current one, applying the highest recent recommendation',
}
const lower: ConditionText = {
  reason: 'ScaleUpStabilized',
  message: 'recent recommendations were lower than current one, applying the lowest recent recommendation',
}
const within: ConditionText = {
  reason: 'DesiredWithinRange',
  message: 'the desired count is within the acceptable range',
}
const tooFast: ConditionText = {
  reason: 'ScaleUpLimit',
  message: 'the desired replica count is increasing faster than the maximum scale rate',
}
const tooFastDown: ConditionText = {
  reason: 'ScaleDownLimit',
  message: 'the desired replica count is decreasing faster than the maximum scale rate',
}
const tooMany: ConditionText = {
  reason: 'TooManyReplicas',
  message: 'the desired replica count is more than the maximum replica count',
}
const tooFew: ConditionText = {
  reason: 'TooFewReplicas',
  message: 'the desired replica count is less than the minimum replica count',
}

/** Records the recommendation. */
export function decide(request: ScaleRequest, memory: ScaleHistory): ScaleDecision {
  const { desired, current, behavior } = request
  const stable =
    behavior === undefined
      ? stabilized(request, memory, 0, downscaleWindowMs)
      : stabilized(request, memory, windowOf(behavior.scaleUp, 0), windowOf(behavior.scaleDown, downscaleWindowMs))
  const ableToScale = stable === desired ? matches : behavior === undefined || desired < current ? higher : lower
  const { replicas, why } = behavior === undefined ? bounded(stable, request) : rated(stable, request, behavior, memory)
  return { replicas, ableToScale, scalingLimited: { ...why, isLimited: replicas !== stable } }
}

export function rememberScale(
  memory: ScaleHistory,
  behavior: Behavior | undefined,
  from: number,
  to: number,
  now: number,
): void {
  if (behavior === undefined) return
  const { events, rules } =
    to > from ? { events: memory.ups, rules: behavior.scaleUp } : { events: memory.downs, rules: behavior.scaleDown }
  const longest = Math.max(0, ...(rules?.policies ?? []).map(({ periodSeconds }) => periodSeconds * 1000))
  const kept = events.filter(({ at }) => at >= now - longest)
  events.splice(0, events.length, ...kept, { replicas: Math.abs(to - from), at: now })
}

function windowOf(rules: Rules | undefined, otherwise: number): number {
  return rules?.stabilizationWindowSeconds === undefined ? otherwise : rules.stabilizationWindowSeconds * 1000
}

/**
 * Scales up at most to the lowest recommendation of the scale-up window, and down at most to the highest of the
 * scale-down window.
 */
function stabilized(
  { desired, current, now, behavior }: ScaleRequest,
  memory: ScaleHistory,
  upWindow: number,
  downWindow: number,
): number {
  const inWindow = (window: number): number[] =>
    memory.recommendations
      .filter(({ at }) => (behavior === undefined ? at >= now - window : at > now - window))
      .map(({ replicas }) => replicas)
  const up = Math.min(desired, ...(behavior === undefined ? [] : inWindow(upWindow)))
  const down = Math.max(desired, ...inWindow(downWindow))
  const longest = Math.max(upWindow, downWindow)
  memory.recommendations = [
    ...memory.recommendations.filter(({ at }) => at >= now - longest),
    { replicas: desired, at: now },
  ]
  return behavior === undefined ? down : Math.min(Math.max(current, up), down)
}

/** Without a behavior: at most double the replicas, but always up to four. */
function bounded(
  desired: number,
  { current, least, most }: ScaleRequest,
): { readonly replicas: number; readonly why: ConditionText } {
  const fastest = Math.max(2 * current, 4)
  if (desired < least) return { replicas: least, why: tooFew }
  if (desired > Math.min(fastest, most))
    return { replicas: Math.min(fastest, most), why: most > fastest ? tooFast : tooMany }
  return { replicas: desired, why: within }
}

function rated(
  desired: number,
  request: ScaleRequest,
  behavior: Behavior,
  memory: ScaleHistory,
): { readonly replicas: number; readonly why: ConditionText } {
  const { current, least, most } = request
  if (desired > current) {
    const fastest = Math.max(current, limitOf(behavior.scaleUp, request, memory, 1))
    const top = Math.min(fastest, most)
    if (desired > top) return { replicas: top, why: most > fastest ? tooFast : tooMany }
  }
  if (desired < current) {
    const fastest = Math.min(current, limitOf(behavior.scaleDown, request, memory, -1))
    const bottom = Math.max(fastest, least)
    if (desired < bottom) return { replicas: bottom, why: least < fastest ? tooFastDown : tooFew }
  }
  return { replicas: desired, why: within }
}

/** The limit that the policies allow, from the replicas at the start of each policy's period. */
function limitOf(
  rules: Rules | undefined,
  { current, now }: ScaleRequest,
  { ups, downs }: ScaleHistory,
  sign: 1 | -1,
): number {
  if (rules?.selectPolicy === 'Disabled') return current
  const limits = (rules?.policies ?? []).map(({ type, value, periodSeconds }) => {
    const inPeriod = (events: readonly ScaleEvent[]): number =>
      events.filter(({ at }) => at > now - periodSeconds * 1000).reduce((sum, { replicas }) => sum + replicas, 0)
    const start = current - inPeriod(ups) + inPeriod(downs)
    if (type === 'Pods') return start + sign * value
    return sign > 0 ? Math.ceil(start * (1 + value / 100)) : Math.trunc(start * (1 - value / 100))
  })
  const isFurthest = rules?.selectPolicy !== 'Min'
  return sign > 0 === isFurthest ? Math.max(...limits) : Math.min(...limits)
}
