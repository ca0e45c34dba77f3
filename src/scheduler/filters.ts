/** The filters of the scheduler: why a pod does not fit a node, in kube-scheduler's words. */
import {
  satisfiesPodAffinity,
  hasTopologyKeys,
  satisfiesExistingPodsAntiAffinity,
  matchesNode,
  satisfiesPodAntiAffinity,
  satisfiesTopologySpread,
  toleratesCordon,
  toleratesTaints,
  type Placement,
} from './affinity.ts'
import type { PodInfo } from './pod-info.ts'
import type { ResourceTotals } from './resources.ts'

export interface FilterFailure {
  /** Several only if several resources are insufficient. */
  readonly reasons: readonly string[]
  /** Preemption would not help. */
  readonly isFinal: boolean
}

/** Undefined if the pod fits. */
export function runFilters(placement: Placement): FilterFailure | undefined {
  const { incoming, node, allocatableOf, podsOn, usedOn } = placement
  const { pod, requests } = incoming
  if (node.spec?.unschedulable === true && !toleratesCordon(pod)) return unresolvable('node(s) were unschedulable')
  if (!toleratesTaints(pod, node)) return unresolvable('node(s) had untolerated taint(s)')
  if (!matchesNode(pod, node)) return unresolvable("node(s) didn't match Pod's node affinity/selector")
  if (hasPortClash(incoming, podsOn(node.metadata.name)))
    return passing("node(s) didn't have free ports for the requested pod ports")
  const allocatable = allocatableOf(node)
  const short = shortages(allocatable, usedOn(node.metadata.name), requests)
  if (short.length > 0) return { reasons: short, isFinal: shortages(allocatable, {}, requests).length > 0 }
  if (!hasTopologyKeys(placement))
    return unresolvable("node(s) didn't match pod topology spread constraints (missing required label)")
  if (!satisfiesTopologySpread(placement)) return passing("node(s) didn't match pod topology spread constraints")
  if (!satisfiesPodAffinity(placement)) return unresolvable("node(s) didn't match pod affinity rules")
  if (!satisfiesPodAntiAffinity(placement)) return passing("node(s) didn't match pod anti-affinity rules")
  if (!satisfiesExistingPodsAntiAffinity(placement))
    return passing("node(s) didn't satisfy existing pods anti-affinity rules")
  return undefined
}

/** A node that is not among those that the pod names: it is rejected before the filters. */
export const notNamed: FilterFailure = unresolvable("node(s) didn't satisfy plugin(s) [NodeAffinity]")

function unresolvable(reason: string): FilterFailure {
  return { reasons: [reason], isFinal: true }
}

function passing(reason: string): FilterFailure {
  return { reasons: [reason], isFinal: false }
}

const none: readonly string[] = []

function shortages(allocatable: ResourceTotals, used: ResourceTotals, wanted: ResourceTotals): readonly string[] {
  let short: string[] | undefined
  for (const name in wanted) {
    const amount = wanted[name] ?? 0
    if (amount > 0 && (used[name] ?? 0) + amount > (allocatable[name] ?? 0))
      (short ??= []).push(name === 'pods' ? 'Too many pods' : `Insufficient ${name}`)
  }
  return short ?? none
}

function hasPortClash({ hostPorts }: PodInfo, present: readonly PodInfo[]): boolean {
  return hostPorts.length > 0 && present.some((other) => other.hostPorts.some((port) => hostPorts.includes(port)))
}

/** `0/3 nodes are available: 1 Insufficient cpu, 2 node(s) were unschedulable.` */
export function unschedulableMessage(nodes: number, reasons: readonly (readonly string[])[]): string {
  if (nodes === 0) return 'no nodes available to schedule pods'
  const counts = new Map<string, number>()
  for (const reason of reasons.flat()) counts.set(reason, (counts.get(reason) ?? 0) + 1)
  return `0/${nodes} nodes are available: ${[...counts]
    .map(([reason, count]) => `${count} ${reason}`)
    .sort()
    .join(', ')}.`
}
