/** How many replicas a metric needs: pure functions of pods, usage and target. All values are in thousandths. */
import { milliValue, parseQuantity, type DeepReadonly } from '../../api/index.ts'
import type { Live, Pod, coreV1 } from '../../index.ts'
import type { PodMetric, PodMetrics } from './metrics.ts'

/** Usage within this fraction of the target causes no scaling. */
export interface Tolerances {
  readonly down: number
  readonly up: number
}

/** After its start, the CPU usage of a pod is ignored for this time unless it is ready. */
const cpuInitializationMs = 300_000
/** A pod that is not ready within this time after its start counts as never ready. */
const initialReadinessDelayMs = 30_000

export interface Demand {
  readonly replicas: number
  /** The average per pod. */
  readonly usage: number
  /** In percent of the request, for utilization targets. */
  readonly utilization?: number | undefined
}

export interface PodsDemand {
  readonly pods: readonly Live<Pod>[]
  readonly metrics: PodMetrics
  readonly current: number
  readonly tolerances: Tolerances
  readonly now: number
  /** '' for metrics that are no resource. */
  readonly resource: string
}

function isWithin({ down, up }: Tolerances, ratio: number): boolean {
  return ratio >= 1 - down && ratio <= 1 + up
}

/** For a target of average usage. */
export function demandByValue(of: PodsDemand, target: number): Demand {
  const ratioOf = (values: ReadonlyMap<string, number>): { ratio: number; usage: number } => {
    const usage = Math.trunc(sum(values.values()) / values.size)
    return { ratio: usage / target, usage }
  }
  return demand(of, ratioOf, () => target)
}

/** For a target of utilization, in percent of the requests of the pods or of one container. */
export function demandByUtilization(of: PodsDemand, target: number, container: string | undefined): Demand {
  const requests = new Map(of.pods.map((pod) => [pod.metadata.name, requestOf(pod, of.resource, container)]))
  const ratioOf = (values: ReadonlyMap<string, number>): { ratio: number; usage: number; utilization: number } => {
    const known = [...values].filter(([name]) => requests.has(name))
    const requested = sum(known.map(([name]) => requests.get(name) ?? 0))
    if (requested === 0) throw new Error('no metrics returned matched known pods')
    const used = sum(known.map(([, value]) => value))
    const utilization = Math.trunc((used * 100) / requested)
    return { ratio: utilization / target, usage: Math.trunc(used / known.length), utilization }
  }
  return demand(of, ratioOf, (name) => Math.trunc(((requests.get(name) ?? 0) * Math.max(100, target)) / 100))
}

/**
 * Pods that are not ready or have no metric are ignored at first. If the result is to scale, they are counted against
 * it: with full usage (`full`) when scaling down, with none when scaling up.
 */
function demand(
  of: PodsDemand,
  ratioOf: (values: ReadonlyMap<string, number>) => { ratio: number; usage: number; utilization?: number },
  full: (pod: string) => number,
): Demand {
  const { current, tolerances, pods } = of
  if (pods.length === 0) throw new Error('no pods returned by selector while calculating replica count')
  const { ready, unready, missing, ignored } = groups(of)
  const values = new Map(
    [...of.metrics]
      .filter(([name]) => !ignored.has(name) && !unready.has(name))
      .map(([name, { value }]) => [name, value]),
  )
  if (values.size === 0) throw new Error('did not receive metrics for targeted pods (pods might be unready)')
  const { ratio, ...seen } = ratioOf(values)
  const upWithUnready = unready.size > 0 && ratio > 1
  if (!upWithUnready && missing.size === 0)
    return { ...seen, replicas: isWithin(tolerances, ratio) ? current : Math.ceil(ratio * ready) }
  if (ratio < 1) for (const name of missing) values.set(name, full(name))
  if (ratio > 1) for (const name of missing) values.set(name, 0)
  if (upWithUnready) for (const name of unready) values.set(name, 0)
  const { ratio: careful } = ratioOf(values)
  const turned = (ratio < 1 && careful > 1) || (ratio > 1 && careful < 1)
  const replicas = Math.ceil(careful * values.size)
  const against = (careful < 1 && replicas > current) || (careful > 1 && replicas < current)
  return { ...seen, replicas: isWithin(tolerances, careful) || turned || against ? current : replicas }
}

interface Groups {
  readonly ready: number
  readonly unready: ReadonlySet<string>
  readonly missing: ReadonlySet<string>
  readonly ignored: ReadonlySet<string>
}

function groups({ pods, metrics, resource, now }: PodsDemand): Groups {
  const unready = new Set<string>()
  const missing = new Set<string>()
  const ignored = new Set<string>()
  let ready = 0
  for (const pod of pods) {
    const { name, deletionTimestamp } = pod.metadata
    const metric = metrics.get(name)
    if (deletionTimestamp !== undefined || pod.status?.phase === 'Failed') ignored.add(name)
    else if (pod.status?.phase === 'Pending') unready.add(name)
    else if (metric === undefined) missing.add(name)
    else if (resource === 'cpu' && isWarmingUp(pod, metric, now)) unready.add(name)
    else ready++
  }
  return { ready, unready, missing, ignored }
}

/** The CPU usage of a starting pod is not representative. */
function isWarmingUp({ status }: Live<Pod>, { time, window }: PodMetric, now: number): boolean {
  const condition = status?.conditions?.find(({ type }) => type === 'Ready')
  if (condition === undefined || status?.startTime === undefined) return true
  const startedAt = Date.parse(status.startTime)
  const since = Date.parse(condition.lastTransitionTime ?? '')
  const isUnready = condition.status === 'False'
  if (startedAt + cpuInitializationMs > now) return isUnready || time < since + window
  return isUnready && startedAt + initialReadinessDelayMs > since
}

function requestOf({ metadata, spec }: Live<Pod>, resource: string, container: string | undefined): number {
  const sidecars = (spec?.initContainers ?? []).filter(({ restartPolicy }) => restartPolicy === 'Always')
  const all: readonly DeepReadonly<coreV1.Container>[] = [...(spec?.containers ?? []), ...sidecars]
  const meant = container === undefined ? all : all.filter(({ name }) => name === container)
  if (container !== undefined && meant.length === 0)
    throw new Error(`container ${container} not found in Pod ${metadata.name}`)
  return sum(
    meant.map(({ name, resources }) => {
      const request = resources?.requests?.[resource]
      if (request === undefined)
        throw new Error(`missing request for ${resource} in container ${name} of Pod ${metadata.name}`)
      return Number(milliValue(parseQuantity(String(request))))
    }),
  )
}

/** For a value that does not come from the pods, with a total target. */
export function demandInAll(
  usage: number,
  target: number,
  current: number,
  pods: readonly Live<Pod>[],
  tolerances: Tolerances,
): Demand {
  const ratio = usage / target
  if (current === 0) return { replicas: Math.ceil(ratio), usage }
  if (isWithin(tolerances, ratio)) return { replicas: current, usage }
  if (pods.length === 0)
    throw new Error('unable to calculate ready pods: no pods returned by selector while calculating replica count')
  const ready = pods.filter(
    ({ status }) =>
      status?.phase === 'Running' &&
      status.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True') === true,
  )
  return { replicas: Math.min(Math.ceil(ratio * ready.length), maxReplicas), usage }
}

/** The same, with a target per pod. */
export function demandPerPod(usage: number, target: number, present: number, tolerances: Tolerances): Demand {
  const isNear = isWithin(tolerances, usage / (target * present))
  return {
    replicas: isNear ? present : Math.min(Math.ceil(usage / target), maxReplicas),
    usage: Math.ceil(usage / present),
  }
}

const maxReplicas = 2 ** 31 - 1

function sum(values: Iterable<number>): number {
  let total = 0
  for (const value of values) total += value
  return total
}
