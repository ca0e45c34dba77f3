/**
 * The PersistentVolumeClaim protection controller: keeps a deleted claim while a pod on a node uses it. A pod that is
 * not scheduled does not count: the scheduler does not place pods with a claim that is being deleted.
 */
import {
  controller,
  PersistentVolumeClaim,
  Pod,
  type Live,
  type ObjectKey,
  type ReconcileContext,
} from '../../index.ts'
import type { MapReads } from '../../controller/index.ts'
import { claimOwnerProblem, claimsOf, podClaimIndex, podsByClaim } from '../../scheduler/index.ts'
import { needsProtectionSync, syncProtection } from '../shared/protection-finalizer.ts'

const finalizer = 'kubernetes.io/pvc-protection'

type Claim = Live<PersistentVolumeClaim>

export const claimProtection = controller(PersistentVolumeClaim)
  .named('persistentvolumeclaim-protection-controller')
  .only((claim) => needsProtectionSync(claim, finalizer))
  .watches(Pod, { map: deletedClaimsOf, informer: podClaimIndex })
  .options({ fieldManager: 'kube-controller-manager' })
  .deleting(protect)
  .reconcile(protect)

const noClaims: readonly ObjectKey[] = []

function deletedClaimsOf(pod: Live<Pod>, reads: MapReads): readonly ObjectKey[] {
  const { namespace = '' } = pod.metadata
  const claims = claimsOf(pod)
  if (claims.length === 0) return noClaims
  return claims
    .map(({ name }) => ({ namespace, name }))
    .filter((key) => reads.lister(PersistentVolumeClaim).get(key)?.metadata.deletionTimestamp !== undefined)
}

function protect(context: ReconcileContext<PersistentVolumeClaim>): Promise<void> {
  return syncProtection(context, finalizer, () => isUsed(context))
}

/** Asks the server if the cache shows no user: the cache may not have a pod yet that was scheduled a moment ago. */
async function isUsed(context: ReconcileContext<PersistentVolumeClaim>): Promise<boolean> {
  const { object: claim, list, client, signal } = context
  const { name, namespace } = claim.metadata
  const cached = await list(Pod, { index: { index: podsByClaim, value: name } })
  if (cached.some((pod) => usesClaim(pod, claim))) return true
  const { items } = await client.list(Pod, { namespace, signal })
  return items.some((pod) => usesClaim(pod, claim))
}

function usesClaim(pod: Live<Pod>, claim: Claim): boolean {
  if ((pod.spec?.nodeName ?? '') === '') return false
  return claimsOf(pod).some(({ name, isEphemeral }) => {
    if (name !== claim.metadata.name) return false
    return !isEphemeral || (!isShutDown(pod) && claimOwnerProblem(pod, claim) === undefined)
  })
}

/** Its containers have ended, and only its object remains. */
function isShutDown({ metadata }: Live<Pod>): boolean {
  return metadata.deletionTimestamp !== undefined && metadata.deletionGracePeriodSeconds === 0
}
