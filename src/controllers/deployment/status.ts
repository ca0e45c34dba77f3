/** Step 7: the status of the Deployment. */
import type { appsV1, Deployment, Live } from '../../index.ts'
import { rolloutBounds, desiredReplicas } from './bounds.ts'
import { withDeploymentCondition, type ConditionText } from './conditions.ts'
import { progressOf } from './progress.ts'
import type { ReplicaSets } from './replica-sets.ts'
import { sizeOf, sumOverSets } from './rollout.ts'

/** `tracked`: report progress. False while the Deployment is paused or scaled. */
export function deploymentStatus(
  deployment: Live<Deployment>,
  { current, old }: ReplicaSets,
  now: number,
  tracked: boolean,
): appsV1.DeploymentStatus {
  const sets = [current, ...old]
  const availableReplicas = sumOverSets(sets, ({ status }) => status?.availableReplicas ?? 0)
  const counts = {
    replicas: sumOverSets(sets, ({ status }) => status?.replicas ?? 0),
    updatedReplicas: sumOverSets([current], ({ status }) => status?.replicas ?? 0),
    readyReplicas: sumOverSets(sets, ({ status }) => status?.readyReplicas ?? 0),
    availableReplicas,
    unavailableReplicas: Math.max(0, sumOverSets(sets, sizeOf) - availableReplicas),
    terminatingReplicas: sumOverSets(sets, ({ status }) => status?.terminatingReplicas ?? 0),
  }
  let conditions = withDeploymentCondition(
    deployment.status?.conditions ?? [],
    availability(deployment, availableReplicas),
    now,
  )
  if (!tracked) return { ...counts, conditions: [...conditions] }
  const progress = progressOf(deployment, counts, current?.metadata.name, now)
  if (progress === 'none') conditions = conditions.filter(({ type }) => type !== 'Progressing')
  else if (progress !== undefined) conditions = withDeploymentCondition(conditions, progress, now)
  const failure = sets.flatMap((set) => set?.status?.conditions ?? []).find(({ type }) => type === 'ReplicaFailure')
  conditions =
    failure === undefined
      ? conditions.filter(({ type }) => type !== 'ReplicaFailure')
      : withDeploymentCondition(
          conditions,
          {
            type: 'ReplicaFailure',
            status: failure.status,
            reason: failure.reason ?? '',
            message: failure.message ?? '',
          },
          now,
        )
  return { ...counts, conditions: [...conditions] }
}

/** The API omits counts of 0, except for terminating pods. */
export function withoutNone({
  replicas,
  updatedReplicas,
  readyReplicas,
  availableReplicas,
  unavailableReplicas,
  ...rest
}: appsV1.DeploymentStatus) {
  return {
    ...rest,
    replicas: replicas || undefined,
    updatedReplicas: updatedReplicas || undefined,
    readyReplicas: readyReplicas || undefined,
    availableReplicas: availableReplicas || undefined,
    unavailableReplicas: unavailableReplicas || undefined,
  }
}

function availability(deployment: Live<Deployment>, available: number): ConditionText {
  const enough = available >= desiredReplicas(deployment) - rolloutBounds(deployment).maxUnavailable
  return enough
    ? {
        type: 'Available',
        status: 'True',
        reason: 'MinimumReplicasAvailable',
        message: 'Deployment has minimum availability.',
      }
    : {
        type: 'Available',
        status: 'False',
        reason: 'MinimumReplicasUnavailable',
        message: 'Deployment does not have minimum availability.',
      }
}
