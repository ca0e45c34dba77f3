/** Whether a rollout is complete, progresses, or has exceeded its deadline. */
import type { appsV1, Deployment, Live } from '../../index.ts'
import type { DeepReadonly } from '../../api/index.ts'
import { desiredReplicas } from './bounds.ts'
import { withDeploymentCondition, type ConditionText } from './conditions.ts'
import type { DeploymentContext } from './rollout.ts'

type LiveDeployment = Live<Deployment>
type Counts = Pick<
  Required<appsV1.DeploymentStatus>,
  'replicas' | 'updatedReplicas' | 'readyReplicas' | 'availableReplicas'
>

/** The value of the API for "no deadline". */
const noDeadlineSeconds = 2 ** 31 - 1

export function hasDeadline({ spec }: LiveDeployment): boolean {
  return spec?.progressDeadlineSeconds !== undefined && spec.progressDeadlineSeconds !== noDeadlineSeconds
}

export function isComplete(
  deployment: LiveDeployment,
  { replicas, updatedReplicas, availableReplicas }: Counts,
): boolean {
  const wanted = desiredReplicas(deployment)
  return updatedReplicas === wanted && replicas === wanted && availableReplicas === wanted
}

/** `none`: remove the condition. Undefined: leave it as it is. */
export function progressOf(
  deployment: LiveDeployment,
  counts: Counts,
  set: string | undefined,
  now: number,
): ConditionText | 'none' | undefined {
  if (!hasDeadline(deployment)) return 'none'
  const before = progressCondition(deployment)
  if (before?.reason === 'NewReplicaSetAvailable' && counts.replicas === counts.updatedReplicas) return undefined
  const subject = set === undefined ? `Deployment "${deployment.metadata.name}"` : `ReplicaSet "${set}"`
  if (isComplete(deployment, counts))
    return progressing('True', 'NewReplicaSetAvailable', `${subject} has successfully progressed.`)
  if (hasMoved(deployment, counts))
    return { ...progressing('True', 'ReplicaSetUpdated', `${subject} is progressing.`), renewed: true }
  return deadlineOf(deployment, now) < 0
    ? progressing('False', 'ProgressDeadlineExceeded', `${subject} has timed out progressing.`)
    : undefined
}

/**
 * Milliseconds until the deadline; Infinity without a deadline or if the rollout is complete, negative if the deadline
 * was exceeded.
 */
export function deadlineOf(deployment: LiveDeployment, now: number): number {
  const condition = progressCondition(deployment)
  if (
    !hasDeadline(deployment) ||
    condition === undefined ||
    condition.reason === 'NewReplicaSetAvailable' ||
    condition.reason === 'ProgressDeadlineExceeded'
  ) {
    return condition?.reason === 'ProgressDeadlineExceeded' ? -1 : Infinity
  }
  return Date.parse(condition.lastUpdateTime ?? '') + (deployment.spec?.progressDeadlineSeconds ?? 0) * 1000 - now
}

export function progressCondition({ status }: LiveDeployment): DeepReadonly<appsV1.DeploymentCondition> | undefined {
  return status?.conditions?.find(({ type }) => type === 'Progressing')
}

export function progressing(status: 'True' | 'False' | 'Unknown', reason: string, message: string): ConditionText {
  return { type: 'Progressing', status, reason, message }
}

/** The rollout progressed, so the deadline starts again. Without a deadline no condition is set. */
export function noteProgress({ object: deployment, status, now }: DeploymentContext, text: ConditionText): void {
  if (hasDeadline(deployment))
    status.set({ conditions: [...withDeploymentCondition(status.current.conditions ?? [], text, now())] })
}

function hasMoved(
  { status }: LiveDeployment,
  { replicas, updatedReplicas, readyReplicas, availableReplicas }: Counts,
): boolean {
  const old = {
    replicas: status?.replicas ?? 0,
    updated: status?.updatedReplicas ?? 0,
    ready: status?.readyReplicas ?? 0,
    available: status?.availableReplicas ?? 0,
  }
  return (
    updatedReplicas > old.updated ||
    replicas - updatedReplicas < old.replicas - old.updated ||
    readyReplicas > old.ready ||
    availableReplicas > old.available
  )
}
