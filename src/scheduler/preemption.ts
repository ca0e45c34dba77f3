/**
 * Preemption: which pods of lower priority must be evicted so that a pod fits, and from which node at the lowest cost.
 * Pure functions.
 */
import { labelSelectorFrom } from '../api/index.ts'
import type { Live, Pod, PodDisruptionBudget } from '../index.ts'
import type { NodeUsage, Placement } from './affinity.ts'
import { sumOf } from './resources.ts'
import { runFilters, unschedulableMessage, type FilterFailure } from './filters.ts'
import { priorityOf } from './pending.ts'

export interface Candidate {
  readonly node: string
  /** The most important first. */
  readonly victims: readonly Live<Pod>[]
  /** How many of them are protected by a disruption budget. */
  readonly violations: number
}

export type Preemption =
  /** Victims are evicted, and the node is nominated for the pod. */
  | { readonly type: 'victims'; readonly candidate: Candidate }
  /** Victims of an earlier preemption are still terminating. */
  | { readonly type: 'waiting' }
  /** `text` is the end of the FailedScheduling message. */
  | { readonly type: 'none'; readonly text: string }

export interface RejectedNode {
  readonly placement: Placement
  readonly rejection: FilterFailure
}

export function preempt(
  pod: Live<Pod>,
  refused: readonly RejectedNode[],
  budgets: readonly Live<PodDisruptionBudget>[],
  now: number,
): Preemption {
  if (pod.spec?.preemptionPolicy === 'Never') return none('not eligible due to preemptionPolicy=Never.')
  if (refused.length === 0) return none('no nodes available')
  if (isWaiting(pod, refused)) return { type: 'waiting' }
  const tried = refused.map(({ placement, rejection }) =>
    rejection.isFinal ? notHelpful : victimsOn(placement, budgets, now),
  )
  const candidates = tried.filter((each): each is Candidate => !Array.isArray(each))
  const [best] = candidates.sort((a, b) => compare(a, b, now))
  return best === undefined
    ? none(unschedulableMessage(refused.length, tried as string[][]))
    : { type: 'victims', candidate: best }
}

const notHelpful: string[] = ['Preemption is not helpful for scheduling']
const noVictims: string[] = ['No preemption victims found for incoming pod']

function none(text: string): Preemption {
  return { type: 'none', text: `no new claims to deallocate, preemption: ${text}` }
}

/** Victims of an earlier preemption still exist. */
function isWaiting({ spec, status }: Live<Pod>, refused: readonly RejectedNode[]): boolean {
  const nominated = refused.find(({ placement }) => placement.node.metadata.name === status?.nominatedNodeName)
  if (nominated === undefined || nominated.rejection.isFinal) return false
  return nominated.placement.usage.pods.some(
    (other) => priorityOf(other.pod) < (spec?.priority ?? 0) && isPreempted(other.pod),
  )
}

function isPreempted({ metadata, status }: Live<Pod>): boolean {
  return (
    metadata.deletionTimestamp !== undefined &&
    status?.conditions?.some(
      ({ type, status: is, reason }) =>
        type === 'DisruptionTarget' && is === 'True' && reason === 'PreemptionByScheduler',
    ) === true
  )
}

/**
 * The smallest set of victims of the lowest importance, or why preemption does not help. All candidates are removed,
 * then added back one by one.
 */
function victimsOn(
  placement: Placement,
  budgets: readonly Live<PodDisruptionBudget>[],
  now: number,
): Candidate | string[] {
  const {
    incoming: { pod },
    node,
    usage,
    usageOf,
    antiAffinityPods,
  } = placement
  const name = node.metadata.name
  const potential = usage.pods
    .map((info) => info.pod)
    .filter((other) => priorityOf(other) < priorityOf(pod))
    .sort((a, b) => byImportance(a, b, now))
  if (potential.length === 0) return noVictims
  const gone = new Set(potential.map(({ metadata }) => metadata.uid))
  const remaining: NodeUsage = {
    get pods() {
      return usage.pods.filter((info) => !gone.has(info.pod.metadata.uid))
    },
    get used() {
      return sumOf(this.pods.map(({ requests }) => requests))
    },
  }
  const left: Placement = {
    ...placement,
    usage: remaining,
    usageOf: (other) => (other === name ? remaining : usageOf(other)),
    antiAffinityPods: () => antiAffinityPods().filter((other) => !gone.has(other.pod.metadata.uid)),
  }
  const rejection = runFilters(left)
  if (rejection !== undefined) return [...rejection.reasons]
  const { violating, others } = byBudget(potential, budgets)
  const stays = (victim: Live<Pod>): boolean => {
    gone.delete(victim.metadata.uid)
    if (runFilters(left) === undefined) return true
    gone.add(victim.metadata.uid)
    return false
  }
  const violations = violating.filter((victim) => !stays(victim)).length
  for (const victim of others) stays(victim)
  const victims = potential.filter(({ metadata }) => gone.has(metadata.uid))
  return victims.length === 0 ? noVictims : { node: name, victims, violations }
}

/** Higher priority first, then those that have run for longer. */
function byImportance(a: Live<Pod>, b: Live<Pod>, now: number): number {
  return priorityOf(b) - priorityOf(a) || startOf(a, now) - startOf(b, now)
}

function startOf({ status }: Live<Pod>, now: number): number {
  return status?.startTime === undefined ? now : Date.parse(status.startTime)
}

/** Each victim uses up the allowed disruptions of its budgets. */
function byBudget(
  pods: readonly Live<Pod>[],
  budgets: readonly Live<PodDisruptionBudget>[],
): { readonly violating: readonly Live<Pod>[]; readonly others: readonly Live<Pod>[] } {
  const allowed = new Map(budgets.map(({ metadata, status }) => [metadata.uid, status?.disruptionsAllowed ?? 0]))
  const violating = pods.filter((pod) => {
    let isViolated = false
    for (const budget of budgets) {
      if (!guards(budget, pod)) continue
      const left = (allowed.get(budget.metadata.uid) ?? 0) - 1
      allowed.set(budget.metadata.uid, left)
      if (left < 0) isViolated = true
    }
    return isViolated
  })
  return { violating, others: pods.filter((pod) => !violating.includes(pod)) }
}

/** An empty selector matches no pods here. */
function guards({ metadata, spec, status }: Live<PodDisruptionBudget>, pod: Live<Pod>): boolean {
  const { matchLabels = {}, matchExpressions = [] } = spec?.selector ?? {}
  if (metadata.namespace !== pod.metadata.namespace || Object.keys(matchLabels).length + matchExpressions.length === 0)
    return false
  return (
    labelSelectorFrom(spec?.selector).matches(pod.metadata.labels) &&
    status?.disruptedPods?.[pod.metadata.name] === undefined
  )
}

/**
 * Prefers: fewest budget violations; lowest priority of the most important victim; lowest sum of priorities; fewest
 * victims; latest start.
 */
function compare(a: Candidate, b: Candidate, now: number): number {
  const highest = ({ victims: [first] }: Candidate): number => (first === undefined ? 0 : priorityOf(first))
  // Shifted above zero, so that few pods with negative priorities cost less than many.
  const sum = ({ victims }: Candidate): number =>
    victims.reduce((total, victim) => total + priorityOf(victim) + 2 ** 31, 0)
  const earliest = (of: Candidate): number =>
    Math.min(...of.victims.filter((victim) => priorityOf(victim) === highest(of)).map((victim) => startOf(victim, now)))
  return (
    a.violations - b.violations ||
    highest(a) - highest(b) ||
    sum(a) - sum(b) ||
    a.victims.length - b.victims.length ||
    earliest(b) - earliest(a) ||
    (a.node < b.node ? -1 : 1)
  )
}
