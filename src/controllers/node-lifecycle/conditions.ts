/** The conditions of a node, and what is written there about one that says nothing any more. */
import { timestamp } from '../../env/index.ts'
import type { coreV1, Live, Node } from '../../index.ts'
import type { DeepReadonly } from '../../api/index.ts'

type Condition = coreV1.NodeCondition

export function findReady({ status }: Live<Node>): DeepReadonly<Condition> | undefined {
  return status?.conditions?.find(({ type }) => type === 'Ready')
}

/** What a kubelet says of itself: unknown when it is silent. Others, as of a network, are told by somebody else. */
const ofKubelet = ['Ready', 'MemoryPressure', 'DiskPressure', 'PIDPressure'] as const

/** All of them Unknown, those that were never told too. Undefined where they are so already. */
export function givenUp(node: Live<Node>, now: number): Condition[] | undefined {
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
