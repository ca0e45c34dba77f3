/** Which waiting pods are tried again when a claim, a volume or a storage class changes. */
import { keyOf, Pod, type Live, type ObjectKey, type PersistentVolume, type PersistentVolumeClaim } from '../index.ts'
import type { MapReads } from '../controller/index.ts'
import { isPending, unboundPods, unschedulablePods } from './pending.ts'
import { claimsOf, podsByClaim } from './pod-claims.ts'

export function podsForClaim({ metadata }: Live<PersistentVolumeClaim>, reads: MapReads): readonly ObjectKey[] {
  return pendingUsers(metadata.name, metadata.namespace, reads)
}

/** A volume that belongs to a claim matters to the pods of the claim only. */
export function podsForVolume({ spec }: Live<PersistentVolume>, reads: MapReads): readonly ObjectKey[] {
  const { name, namespace } = spec?.claimRef ?? {}
  return name === undefined ? podsForStorageClass(undefined, reads) : pendingUsers(name, namespace, reads)
}

export function podsForStorageClass(_class: unknown, reads: MapReads): readonly ObjectKey[] {
  return unschedulablePods(
    reads
      .lister(Pod)
      .byIndex(unboundPods, '')
      .filter((pod) => claimsOf(pod).length > 0),
  )
}

function pendingUsers(claim: string, namespace: string | undefined, reads: MapReads): readonly ObjectKey[] {
  return reads.lister(Pod).byIndex(podsByClaim, claim, namespace).filter(isPending).map(keyOf)
}
