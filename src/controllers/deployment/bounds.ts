/** How many pods above (surge) and below (unavailable) the desired number a rollout may have. */
import type { Deployment, Live } from '../../index.ts'

type LiveDeployment = Live<Deployment>

export function desiredReplicas({ spec }: LiveDeployment): number {
  return spec?.replicas ?? 1
}

export function isRolling({ spec }: LiveDeployment): boolean {
  return (spec?.strategy?.type ?? 'RollingUpdate') === 'RollingUpdate'
}

/**
 * Surge is rounded up, unavailability down; at least one of them must be above 0, or the rollout could not progress.
 */
export function rolloutBounds(deployment: LiveDeployment): {
  readonly maxSurge: number
  readonly maxUnavailable: number
} {
  const replicas = desiredReplicas(deployment)
  if (!isRolling(deployment) || replicas === 0)
    return { maxSurge: isRolling(deployment) ? resolve(deployment, 'maxSurge') : 0, maxUnavailable: 0 }
  const maxSurge = resolve(deployment, 'maxSurge')
  const maxUnavailable = resolve(deployment, 'maxUnavailable')
  const allowed = maxSurge === 0 && maxUnavailable === 0 ? 1 : maxUnavailable
  return { maxSurge, maxUnavailable: Math.min(allowed, replicas) }
}

function resolve(deployment: LiveDeployment, name: 'maxSurge' | 'maxUnavailable'): number {
  const value = deployment.spec?.strategy?.rollingUpdate?.[name] ?? '25%'
  if (typeof value === 'number') return value
  const share = (Number.parseInt(value, 10) / 100) * desiredReplicas(deployment)
  return name === 'maxSurge' ? Math.ceil(share) : Math.floor(share)
}
