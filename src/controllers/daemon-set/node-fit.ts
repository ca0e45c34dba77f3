/** On which nodes a DaemonSet runs, and the pod that it runs there. */
import type { DeepReadonly } from '../../api/index.ts'
import type { coreV1, DaemonSet, Live, Node, Pod } from '../../index.ts'
import { matchesNode, tolerates, toleratesTaints } from '../../scheduler/index.ts'

type Template = DeepReadonly<coreV1.PodTemplateSpec>
type Toleration = DeepReadonly<coreV1.Toleration>

export interface NodeFit {
  /** A pod is created if there is none. */
  readonly shouldRun: boolean
  /** A pod that is there stays. */
  readonly shouldContinue: boolean
}

const runs: NodeFit = { shouldRun: true, shouldContinue: true }
const staysOnly: NodeFit = { shouldRun: false, shouldContinue: true }
const never: NodeFit = { shouldRun: false, shouldContinue: false }

export function nodeFit({ spec }: Live<DaemonSet>, node: Live<Node>): NodeFit {
  if (spec === undefined) return never
  const pod = daemonPod(spec.template)
  const { nodeName = '' } = pod.spec ?? {}
  if (nodeName !== '' && nodeName !== node.metadata.name) return never
  if (!matchesNode(pod, node)) return never
  if (toleratesTaints(pod, node)) return runs
  const { tolerations = [] } = pod.spec ?? {}
  const isEvicted = (node.spec?.taints ?? []).some(
    (taint) => taint.effect === 'NoExecute' && !tolerations.some((each) => tolerates(each, taint)),
  )
  return isEvicted ? never : staysOnly
}

const podByTemplate = new WeakMap<Template, Live<Pod>>()

/** The pod of a template, with the tolerations that every pod of a DaemonSet has. */
export function daemonPod(template: Template): Live<Pod> {
  let pod = podByTemplate.get(template)
  if (pod === undefined) {
    const { spec } = template
    pod = { ...template, spec: { ...spec, tolerations: daemonTolerations(spec) } } as unknown as Live<Pod>
    podByTemplate.set(template, pod)
  }
  return pod
}

const exists = (key: string, effect: 'NoExecute' | 'NoSchedule'): Toleration => ({
  key: `node.kubernetes.io/${key}`,
  operator: 'Exists',
  effect,
})

/** Pods of a DaemonSet are not evicted from failing nodes, and run on cordoned ones and under pressure. */
const tolerated: readonly Toleration[] = [
  exists('not-ready', 'NoExecute'),
  exists('unreachable', 'NoExecute'),
  exists('disk-pressure', 'NoSchedule'),
  exists('memory-pressure', 'NoSchedule'),
  exists('pid-pressure', 'NoSchedule'),
  exists('unschedulable', 'NoSchedule'),
]
const toleratedOnHostNetwork: readonly Toleration[] = [...tolerated, exists('network-unavailable', 'NoSchedule')]

/** A toleration of the template for the same taint is replaced, in its place. */
function daemonTolerations(spec: Template['spec']): Toleration[] {
  const all = [...(spec?.tolerations ?? [])]
  for (const added of spec?.hostNetwork === true ? toleratedOnHostNetwork : tolerated) {
    const isSame = ({ key, effect, operator = 'Equal', value = '' }: Toleration): boolean =>
      key === added.key && effect === added.effect && operator === added.operator && value === ''
    const at = all.findIndex(isSame)
    if (at < 0) all.push(added)
    else all[at] = added
  }
  return all
}

/** The affinity of the template, but only for this node. */
export function affinityFor(
  affinity: DeepReadonly<coreV1.Affinity> | undefined,
  node: string,
): DeepReadonly<coreV1.Affinity> {
  const term = { matchFields: [{ key: 'metadata.name', operator: 'In' as const, values: [node] }] }
  return {
    ...affinity,
    nodeAffinity: {
      ...affinity?.nodeAffinity,
      requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [term] },
    },
  }
}

/** The node of a pod, also before it is bound. Undefined: it is for no particular node. */
export function targetNode({ spec }: Live<Pod>): string | undefined {
  const { nodeName = '' } = spec ?? {}
  if (nodeName !== '') return nodeName
  const terms = spec?.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? []
  for (const { matchFields = [] } of terms)
    for (const { key, operator, values = [] } of matchFields)
      if (key === 'metadata.name' && operator === 'In') return values.length === 1 ? values[0] : undefined
  return undefined
}
