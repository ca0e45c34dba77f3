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
  type NodeUsage,
  type Placement,
} from './affinity.ts'
import { portsClash } from './host-ports.ts'
import type { PodInfo } from './pod-info.ts'
import { volumesOnNode, type PodVolumes } from './pod-volumes.ts'
import type { ResourceTotals } from './resources.ts'
import { isClaimTaken, isInZones } from './volume-filters.ts'

export interface FilterFailure {
  /** Several only if several resources are insufficient. */
  readonly reasons: readonly string[]
  /** Preemption would not help. */
  readonly isFinal: boolean
}

/** Undefined if the pod fits. */
export function runFilters(placement: Placement): FilterFailure | undefined {
  const { incoming, node, usage, allocatable } = placement
  const { pod, requests } = incoming
  const problem = placement.volumes?.problem
  if (problem !== undefined) return unresolvable(problem)
  if (node.spec?.unschedulable === true && !toleratesCordon(pod)) return unresolvable('node(s) were unschedulable')
  if (!toleratesTaints(pod, node)) return unresolvable('node(s) had untolerated taint(s)')
  if (!matchesNode(pod, node)) return unresolvable("node(s) didn't match Pod's node affinity/selector")
  if (hasPortClash(incoming, usage)) return passing("node(s) didn't have free ports for the requested pod ports")
  const short = shortages(allocatable, usage.used, requests)
  if (short.length > 0) return { reasons: short, isFinal: shortages(allocatable, {}, requests).length > 0 }
  const volumeFailure = placement.volumes === undefined ? undefined : runVolumeFilters(placement, placement.volumes)
  if (volumeFailure !== undefined) return volumeFailure
  const ruleFailure = incoming.hasRules ? runRules(placement) : undefined
  if (ruleFailure !== undefined) return ruleFailure
  if (placement.antiAffinityPods().length > 0 && !satisfiesExistingPodsAntiAffinity(placement))
    return passing("node(s) didn't satisfy existing pods anti-affinity rules")
  return undefined
}

/** The pod's own rules about other pods. */
function runRules(placement: Placement): FilterFailure | undefined {
  if (!hasTopologyKeys(placement))
    return unresolvable("node(s) didn't match pod topology spread constraints (missing required label)")
  if (!satisfiesTopologySpread(placement)) return passing("node(s) didn't match pod topology spread constraints")
  if (!satisfiesPodAffinity(placement)) return unresolvable("node(s) didn't match pod affinity rules")
  if (!satisfiesPodAntiAffinity(placement)) return passing("node(s) didn't match pod anti-affinity rules")
  return undefined
}

function runVolumeFilters(placement: Placement, volumes: PodVolumes): FilterFailure | undefined {
  if (isClaimTaken(placement))
    return passing(
      'node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode already in-use by ' +
        'another pod',
    )
  const { conflicts } = volumesOnNode(volumes, placement.node)
  if (conflicts.length > 0) return { reasons: conflicts, isFinal: true }
  return isInZones(volumes, placement.node) ? undefined : unresolvable('node(s) had no available volume zone')
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

function hasPortClash({ hostPorts }: PodInfo, { pods }: NodeUsage): boolean {
  return hostPorts.length > 0 && pods.some((other) => portsClash(hostPorts, other.hostPorts))
}

/**
 * Why the pod can be placed on no node, whichever: `0/3 nodes are available: pod has …`. Upstream adds `not found`,
 * since a plugin that looks for room after a failure misses what it has stored before.
 */
export function unplaceableMessage(nodes: number, problem: string): string {
  return nodes === 0 ? noNodes : `0/${nodes} nodes are available: ${problem}. not found`
}

const noNodes = 'no nodes available to schedule pods'

/** `0/3 nodes are available: 1 Insufficient cpu, 2 node(s) were unschedulable.` */
export function unschedulableMessage(nodes: number, reasons: readonly (readonly string[])[]): string {
  if (nodes === 0) return noNodes
  const counts = new Map<string, number>()
  for (const reason of reasons.flat()) counts.set(reason, (counts.get(reason) ?? 0) + 1)
  return `0/${nodes} nodes are available: ${[...counts]
    .map(([reason, count]) => `${count} ${reason}`)
    .sort()
    .join(', ')}.`
}
