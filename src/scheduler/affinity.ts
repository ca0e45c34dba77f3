/** Node affinity, taints, pod affinity and anti-affinity, and topology spread constraints. */
import { labelSelectorFrom, type DeepReadonly } from '../api/index.ts'
import type { coreV1, Live, Node, Pod } from '../index.ts'
import type { PodInfo } from './pod-info.ts'
import type { PodVolumes } from './pod-volumes.ts'
import type { ResourceTotals } from './resources.ts'

type Term = DeepReadonly<coreV1.NodeSelectorTerm>
type PodTerm = DeepReadonly<coreV1.PodAffinityTerm>

export function matchesNode({ spec }: Live<Pod>, { metadata }: Live<Node>): boolean {
  const labels = metadata.labels ?? {}
  const { nodeSelector } = spec ?? {}
  for (const name in nodeSelector) if (labels[name] !== nodeSelector[name]) return false
  const terms = spec?.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms
  if (terms === undefined) return true
  for (const term of terms) if (matchesTerm(term, labels, metadata.name)) return true
  return false
}

export function matchesTerm(
  { matchExpressions = [], matchFields = [] }: Term,
  labels: Readonly<Record<string, string>>,
  name: string,
): boolean {
  if (matchExpressions.length + matchFields.length === 0) return false
  return (
    matchExpressions.every((each) => holds(each, labels)) &&
    matchFields.every((each) => holds(each, { 'metadata.name': name }))
  )
}

/** The nodes that required node affinity names, if each of its terms names some. Undefined: any node may match. */
export function namedNodes({ spec }: Live<Pod>): ReadonlySet<string> | undefined {
  const terms = spec?.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms
  if (terms === undefined || terms.length === 0) return undefined
  const names = new Set<string>()
  for (const { matchFields = [] } of terms) {
    const byName = matchFields.filter(({ key, operator }) => key === 'metadata.name' && operator === 'In')
    if (byName.length === 0) return undefined
    const [first, ...others] = byName.map(({ values = [] }) => values)
    for (const name of first ?? []) if (others.every((values) => values.includes(name))) names.add(name)
  }
  return names
}

function holds(
  { key, operator, values = [] }: DeepReadonly<coreV1.NodeSelectorRequirement>,
  labels: Readonly<Record<string, string>>,
): boolean {
  const value = labels[key]
  switch (operator) {
    case 'In':
      return value !== undefined && values.includes(value)
    case 'NotIn':
      return value === undefined || !values.includes(value)
    case 'Exists':
      return value !== undefined
    case 'DoesNotExist':
      return value === undefined
    case 'Gt':
      return value !== undefined && Number(value) > Number(values[0])
    case 'Lt':
      return value !== undefined && Number(value) < Number(values[0])
    default:
      return false
  }
}

export function toleratesTaints(pod: Live<Pod>, { spec }: Live<Node>): boolean {
  if (spec?.taints === undefined) return true
  for (const taint of spec.taints) if (taint.effect !== 'PreferNoSchedule' && !toleratesTaint(pod, taint)) return false
  return true
}

/** A cordoned node counts as tainted, even if the taint is not set yet. */
export function toleratesCordon(pod: Live<Pod>): boolean {
  return toleratesTaint(pod, { key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule' })
}

function toleratesTaint({ spec }: Live<Pod>, taint: DeepReadonly<coreV1.Taint>): boolean {
  return (spec?.tolerations ?? []).some((toleration) => tolerates(toleration, taint))
}

export function tolerates(
  { key = '', operator = 'Equal', value = '', effect }: DeepReadonly<coreV1.Toleration>,
  taint: DeepReadonly<coreV1.Taint>,
): boolean {
  if (effect !== undefined && effect !== taint.effect) return false
  if (key !== '' && key !== taint.key) return false
  return operator === 'Exists' || (key !== '' && value === (taint.value ?? ''))
}

/** The pods in the same topology domain (a node, a zone) as `node`. */
export function podsInDomain(
  key: string,
  node: Live<Node>,
  nodes: readonly Live<Node>[],
  usageOf: ClusterView['usageOf'],
): readonly PodInfo[] {
  const domain = node.metadata.labels?.[key]
  return domain === undefined
    ? []
    : nodes
        .filter(({ metadata }) => metadata.labels?.[key] === domain)
        .flatMap(({ metadata }) => usageOf(metadata.name).pods)
}

export function termMatches(term: PodTerm, owner: Live<Pod>, other: Live<Pod>): boolean {
  const namespaces = term.namespaces ?? [owner.metadata.namespace]
  return (
    namespaces.includes(other.metadata.namespace ?? '') &&
    labelSelectorFrom(term.labelSelector).matches(other.metadata.labels)
  )
}

/** A pod that may be placed on a node, and the state of the cluster around it. */
export interface Placement extends ClusterView {
  readonly incoming: PodInfo
  readonly node: Live<Node>
  /** Of this node. */
  readonly usage: NodeUsage
  readonly allocatable: ResourceTotals
  readonly nodes: readonly Live<Node>[]
  /** Undefined if the pod uses no claims. */
  readonly volumes?: PodVolumes | undefined
}

/** The cluster as one pod sees it. */
export interface ClusterView {
  readonly usageOf: (node: string) => NodeUsage
  /** Placed pods with required anti-affinity: few, so that not all pods need to be checked. */
  readonly antiAffinityPods: () => readonly PlacedPod[]
}

/** The pods that are on a node and have not finished, and the sum of their requests. */
export interface NodeUsage {
  readonly pods: readonly PodInfo[]
  readonly used: ResourceTotals
}

export interface PlacedPod {
  readonly pod: Live<Pod>
  readonly node: string
}

export function hasRequiredAntiAffinity({ spec }: Live<Pod>): boolean {
  return spec?.affinity?.podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution !== undefined
}

/** The first pod of a group whose affinity matches the group itself may go anywhere. */
export function satisfiesPodAffinity({ incoming: { pod }, node, nodes, usageOf }: Placement): boolean {
  const terms = pod.spec?.affinity?.podAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? []
  return terms.every((term) => {
    if (node.metadata.labels?.[term.topologyKey] === undefined) return false
    if (podsInDomain(term.topologyKey, node, nodes, usageOf).some((other) => termMatches(term, pod, other.pod)))
      return true
    const isAlone = !nodes.some(({ metadata }) =>
      usageOf(metadata.name).pods.some((other) => termMatches(term, pod, other.pod)),
    )
    return isAlone && termMatches(term, pod, pod)
  })
}

const requiredAntiAffinityTerms = (pod: Live<Pod>): readonly PodTerm[] =>
  pod.spec?.affinity?.podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? []

export function satisfiesPodAntiAffinity({ incoming: { pod }, node, nodes, usageOf }: Placement): boolean {
  return requiredAntiAffinityTerms(pod).every(
    (term) => !podsInDomain(term.topologyKey, node, nodes, usageOf).some((other) => termMatches(term, pod, other.pod)),
  )
}

export function satisfiesExistingPodsAntiAffinity({
  incoming: { pod },
  node,
  nodes,
  antiAffinityPods,
}: Placement): boolean {
  return antiAffinityPods().every(({ pod: other, node: place }) =>
    requiredAntiAffinityTerms(other).every((term) => {
      const domain = node.metadata.labels?.[term.topologyKey]
      const same =
        domain !== undefined &&
        nodes.find(({ metadata }) => metadata.name === place)?.metadata.labels?.[term.topologyKey] === domain
      return !same || !termMatches(term, other, pod)
    }),
  )
}

type Spread = DeepReadonly<coreV1.TopologySpreadConstraint>

const noSpreads: readonly Spread[] = []

function spreads({ spec }: Live<Pod>): readonly Spread[] {
  if (spec?.topologySpreadConstraints === undefined) return noSpreads
  return spec.topologySpreadConstraints.filter(({ whenUnsatisfiable }) => whenUnsatisfiable === 'DoNotSchedule')
}

export function hasTopologyKeys({ incoming: { pod }, node }: Placement): boolean {
  return spreads(pod).every(({ topologyKey }) => node.metadata.labels?.[topologyKey] !== undefined)
}

/** With the pod, the numbers of matching pods in any two domains differ by at most the skew. */
export function satisfiesTopologySpread({ incoming: { pod }, node, nodes, usageOf }: Placement): boolean {
  return spreads(pod).every(({ topologyKey, maxSkew, labelSelector }) => {
    const domain = node.metadata.labels?.[topologyKey]
    if (domain === undefined) return false
    const selector = labelSelectorFrom(labelSelector)
    const counts = new Map<string, number>()
    for (const each of nodes) {
      const other = each.metadata.labels?.[topologyKey]
      if (other === undefined) continue
      const found = usageOf(each.metadata.name).pods.filter(
        ({ pod: { metadata } }) =>
          metadata.namespace === pod.metadata.namespace &&
          metadata.deletionTimestamp === undefined &&
          selector.matches(metadata.labels),
      ).length
      counts.set(other, (counts.get(other) ?? 0) + found)
    }
    const self = selector.matches(pod.metadata.labels) ? 1 : 0
    return (counts.get(domain) ?? 0) + self - Math.min(...counts.values()) <= maxSkew
  })
}
