/** The conditions of a Deployment. */
import { timestamp } from '../../env/index.ts'
import type { appsV1 } from '../../index.ts'

type Condition = appsV1.DeploymentCondition

export interface ConditionText {
  readonly type: string
  readonly status: Condition['status']
  readonly reason: string
  readonly message: string
  /** Set the condition again even if only its time changes: the rollout progressed. */
  readonly renewed?: boolean
}

/**
 * Unchanged if status and reason are. The transition time changes with the status only, the update time with any
 * change.
 */
export function withDeploymentCondition(
  list: readonly Condition[],
  { renewed = false, ...next }: ConditionText,
  now: number,
): readonly Condition[] {
  const before = list.find(({ type }) => type === next.type)
  if (before !== undefined && before.status === next.status && before.reason === next.reason && !renewed) return list
  const time = timestamp(now)
  const lastTransitionTime = before?.status === next.status ? (before.lastTransitionTime ?? time) : time
  return [...list.filter(({ type }) => type !== next.type), { ...next, lastUpdateTime: time, lastTransitionTime }]
}
