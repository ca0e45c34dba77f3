/** Why a pod does not fit a node: one reason each, in the words that people know from events. */
import type { Live, Pod } from '../index.ts'
import { hasFriends, hasNoFoes, matchesNode, spreadsWell, toleratesCordon, toleratesTaints, type Placement } from './affinity.ts'
import { allocatableOf, plus, requestsOf, type Amounts } from './resources.ts'

/** Empty when the pod fits. Several only where resources are short. */
export function reasonsAgainst(placement: Placement): readonly string[] {
  const { pod, node, podsOn } = placement
  if (node.spec?.unschedulable === true && !toleratesCordon(pod)) return ['node(s) were unschedulable']
  if (!matchesNode(pod, node)) return ["node(s) didn't match Pod's node affinity/selector"]
  if (!toleratesTaints(pod, node)) return ['node(s) had untolerated taint(s)']
  const present = podsOn(node.metadata.name)
  if (hasPortClash(pod, present)) return ["node(s) didn't have free ports for the requested pod ports"]
  const short = shortages(allocatableOf(node), present.map(requestsOf).reduce(plus, {}), requestsOf(pod))
  if (short.length > 0) return short
  if (!spreadsWell(placement)) return ["node(s) didn't match pod topology spread constraints"]
  if (!hasFriends(placement)) return ["node(s) didn't match pod affinity rules"]
  if (!hasNoFoes(placement)) return ["node(s) didn't match pod anti-affinity rules"]
  return []
}

function shortages(allocatable: Amounts, used: Amounts, wanted: Amounts): string[] {
  return Object.entries(wanted)
    .filter(([name, amount]) => amount > 0 && (used[name] ?? 0) + amount > (allocatable[name] ?? 0))
    .map(([name]) => (name === 'pods' ? 'Too many pods' : `Insufficient ${name}`))
}

function hasPortClash(pod: Live<Pod>, present: readonly Live<Pod>[]): boolean {
  const ports = ({ spec }: Live<Pod>): string[] => (spec?.containers ?? []).flatMap(({ ports: list }) => (list ?? []).filter(({ hostPort }) => (hostPort ?? 0) > 0).map(({ hostPort, protocol, hostIP }) => `${protocol ?? 'TCP'}/${hostPort}/${hostIP ?? ''}`))
  const wanted = ports(pod)
  return wanted.length > 0 && present.some((other) => ports(other).some((port) => wanted.includes(port)))
}

/** `0/3 nodes are available: 1 Insufficient cpu, 2 node(s) were unschedulable.` */
export function refusalText(nodes: number, reasons: readonly (readonly string[])[]): string {
  if (nodes === 0) return 'no nodes available to schedule pods'
  const counts = new Map<string, number>()
  for (const reason of reasons.flat()) counts.set(reason, (counts.get(reason) ?? 0) + 1)
  const texts = [...counts].map(([reason, count]) => `${count} ${reason}`).sort()
  return `0/${nodes} nodes are available: ${texts.join(', ')}. no new claims to deallocate, preemption: 0/${nodes} nodes are available: ${nodes} Preemption is not helpful for scheduling.`
}
