/** The conditions of a node, and their values for a node without heartbeats. */
import { timestamp } from '../../env/index.ts'
import type { coreV1, Live, Node } from '../../index.ts'
import type { DeepReadonly } from '../../api/index.ts'

type Condition = coreV1.NodeCondition

export function readyCondition({ status }: Live<Node>): DeepReadonly<Condition> | undefined {
  return status?.conditions?.find(({ type }) => type === 'Ready')
}

/**
 * Conditions that a kubelet reports: Unknown without heartbeats. Others, such as those of a network, belong to other
 * writers.
 */
const ofKubelet = ['Ready', 'MemoryPressure', 'DiskPressure', 'PIDPressure'] as const

/** Sets all of them to Unknown, including those that were never reported. Undefined if they already are. */
export function unknownConditions(node: Live<Node>, now: number): Condition[] | undefined {
  const before = (node.status?.conditions ?? []) as readonly Condition[]
  if (ofKubelet.every((type) => before.some((condition) => condition.type === type && condition.status === 'Unknown')))
    return undefined
  const lastTransitionTime = timestamp(now)
  const known = before.map((condition): Condition => {
    const isMeant = ofKubelet.some((type) => type === condition.type) && condition.status !== 'Unknown'
    return isMeant
      ? {
          ...condition,
          status: 'Unknown',
          reason: 'NodeStatusUnknown',
          message: 'Kubelet stopped posting node status.',
          lastTransitionTime,
        }
      : condition
  })
  const missing = ofKubelet.filter((type) => !before.some((condition) => condition.type === type))
  return [
    ...known,
    ...missing.map((type): Condition => ({
      type,
      status: 'Unknown',
      reason: 'NodeStatusNeverUpdated',
      message: 'Kubelet never posted node status.',
      lastHeartbeatTime: node.metadata.creationTimestamp ?? lastTransitionTime,
      lastTransitionTime,
    })),
  ]
}
