/** The conditions of a Deployment, and when they change. */
import { timestamp } from '../../env/index.ts'
import type { appsV1 } from '../../index.ts'

type Condition = appsV1.DeploymentCondition

export interface ConditionText {
  readonly type: string
  readonly status: string
  readonly reason: string
  readonly message: string
  /** Set again though nothing but its time changes: progress was made. */
  readonly renewed?: boolean
}

/**
 * Unchanged when status and reason are; the transition time moves with the status only, the update time with any
 * change.
 */
export function withCondition(
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
