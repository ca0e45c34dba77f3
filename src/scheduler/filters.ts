/** Why a pod does not fit a node: one reason each, in the words that people know from events. */
import type { Live, Pod } from '../index.ts'
import {
  hasFriends,
  hasSpreadLabels,
  isRefusedByNobody,
  matchesNode,
  refusesNobody,
  spreadsWell,
  toleratesCordon,
  toleratesTaints,
  type Placement,
} from './affinity.ts'
import { allocatableOf, requestsOf, type Amounts } from './resources.ts'

export interface Refusal {
  /** Several only where resources are short. */
  readonly reasons: readonly string[]
  /** It would not help if pods went away. */
  readonly isFinal: boolean
}

/** Undefined when the pod fits. */
export function refusalOf(placement: Placement): Refusal | undefined {
  const { pod, node, podsOn, usedOn } = placement
  if (node.spec?.unschedulable === true && !toleratesCordon(pod)) return final('node(s) were unschedulable')
  if (!toleratesTaints(pod, node)) return final('node(s) had untolerated taint(s)')
  if (!matchesNode(pod, node)) return final("node(s) didn't match Pod's node affinity/selector")
  if (hasPortClash(pod, podsOn(node.metadata.name)))
    return passing("node(s) didn't have free ports for the requested pod ports")
  const allocatable = allocatableOf(node)
  const wanted = requestsOf(pod)
  const short = shortages(allocatable, usedOn(node.metadata.name), wanted)
  if (short.length > 0) return { reasons: short, isFinal: shortages(allocatable, {}, wanted).length > 0 }
  if (!hasSpreadLabels(placement))
    return final("node(s) didn't match pod topology spread constraints (missing required label)")
  if (!spreadsWell(placement)) return passing("node(s) didn't match pod topology spread constraints")
  if (!hasFriends(placement)) return final("node(s) didn't match pod affinity rules")
  if (!refusesNobody(placement)) return passing("node(s) didn't match pod anti-affinity rules")
  if (!isRefusedByNobody(placement)) return passing("node(s) didn't satisfy existing pods anti-affinity rules")
  return undefined
}

function final(reason: string): Refusal {
  return { reasons: [reason], isFinal: true }
}

function passing(reason: string): Refusal {
  return { reasons: [reason], isFinal: false }
}

const none: readonly string[] = []

function shortages(allocatable: Amounts, used: Amounts, wanted: Amounts): readonly string[] {
  let short: string[] | undefined
  for (const name in wanted) {
    const amount = wanted[name] ?? 0
    if (amount > 0 && (used[name] ?? 0) + amount > (allocatable[name] ?? 0))
      (short ??= []).push(name === 'pods' ? 'Too many pods' : `Insufficient ${name}`)
  }
  return short ?? none
}

function hasPortClash(pod: Live<Pod>, present: readonly Live<Pod>[]): boolean {
  const wanted = hostPorts(pod)
  return wanted.length > 0 && present.some((other) => hostPorts(other).some((port) => wanted.includes(port)))
}

/** Objects of the cache are never changed, so what was found once is known. */
const knownPorts = new WeakMap<Live<Pod>, readonly string[]>()

function hostPorts(pod: Live<Pod>): readonly string[] {
  let found = knownPorts.get(pod)
  if (found === undefined) {
    const ports = (pod.spec?.containers ?? [])
      .flatMap((container) => container.ports ?? [])
      .filter(({ hostPort }) => (hostPort ?? 0) > 0)
    knownPorts.set(
      pod,
      (found =
        ports.length === 0
          ? none
          : ports.map(({ hostPort, protocol, hostIP }) => `${protocol ?? 'TCP'}/${hostPort}/${hostIP ?? ''}`)),
    )
  }
  return found
}

/** `0/3 nodes are available: 1 Insufficient cpu, 2 node(s) were unschedulable.` */
export function refusalText(nodes: number, reasons: readonly (readonly string[])[]): string {
  if (nodes === 0) return 'no nodes available to schedule pods'
  const counts = new Map<string, number>()
  for (const reason of reasons.flat()) counts.set(reason, (counts.get(reason) ?? 0) + 1)
  return `0/${nodes} nodes are available: ${[...counts]
    .map(([reason, count]) => `${count} ${reason}`)
    .sort()
    .join(', ')}.`
}
