/** The volume claims that a pod uses, by name or as ephemeral volumes. */
import { isControlledBy, type coreV1, type Live, type PersistentVolumeClaim, type Pod } from '../index.ts'
import type { InformerOptions } from '../cache/index.ts'
import type { DeepReadonly } from '../api/index.ts'

export interface PodClaim {
  readonly name: string
  /** The ephemeral volume controller creates it for the pod. */
  readonly isEphemeral: boolean
}

const noClaims: readonly PodClaim[] = []

export function claimsOf(pod: Live<Pod>): readonly PodClaim[] {
  let claims: PodClaim[] | undefined
  for (const volume of pod.spec?.volumes ?? []) {
    if (volume.persistentVolumeClaim !== undefined)
      (claims ??= []).push({ name: volume.persistentVolumeClaim.claimName, isEphemeral: false })
    else if (volume.ephemeral !== undefined)
      (claims ??= []).push({ name: ephemeralClaimName(pod, volume), isEphemeral: true })
  }
  return claims ?? noClaims
}

export function ephemeralClaimName({ metadata }: Live<Pod>, { name }: DeepReadonly<coreV1.Volume>): string {
  return `${metadata.name}-${name}`
}

/** Why the claim is not that of the pod's ephemeral volume; undefined if it is. */
export function claimOwnerProblem(pod: Live<Pod>, claim: Live<PersistentVolumeClaim>): string | undefined {
  if (isControlledBy(claim, pod)) return undefined
  const { namespace = '', name } = claim.metadata
  return (
    `PVC ${namespace}/${name} was not created for pod ${pod.metadata.namespace}/${pod.metadata.name} ` +
    '(pod is not owner)'
  )
}

/** The index of pods by the names of their claims. */
export const podsByClaim = 'coxswain.dev/pods-by-claim'

const noNames: readonly string[] = []

export const podClaimIndex: InformerOptions<Pod> = {
  indexes: {
    [podsByClaim]: (pod) => {
      const claims = claimsOf(pod)
      return claims.length === 0 ? noNames : claims.map(({ name }) => name)
    },
  },
}
