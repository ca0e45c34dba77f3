/**
 * Who owns the volume claims of a pod, by the retention policy of its StatefulSet. The garbage collector deletes a
 * claim with its owner: with the StatefulSet for `whenDeleted: Delete`, with the pod for `whenScaled: Delete` once the
 * pod is beyond the desired ordinals.
 */
import {
  Pod,
  StatefulSet,
  type Kind,
  type Live,
  type LiveObject,
  type OwnerReference,
  type PersistentVolumeClaim,
} from '../../index.ts'
import { controllerReference } from '../../controller/index.ts'
import { isDesiredOrdinal, type LiveSet } from './identity.ts'

/** A pod of the StatefulSet; without a uid if it is not created yet. */
export interface ClaimingPod {
  readonly name: string
  readonly uid: string | undefined
  readonly ordinal: number
}

type Claim = Pick<Live<PersistentVolumeClaim>, 'metadata'>
type Reference = Readonly<OwnerReference>

/** The owner references of a new claim: those of its template, and the StatefulSet if it owns its claims. */
export function ownersOfNewClaim(set: LiveSet, others: readonly Reference[]): readonly Reference[] {
  return policyOf(set).whenDeleted === 'Delete' ? [...others, controllerReference(StatefulSet, set)] : others
}

/** The owner references that the claim should have; undefined if it has them, or must not be changed. */
export function changedOwners(claim: Claim, set: LiveSet, pod: ClaimingPod): readonly Reference[] | undefined {
  const references = claim.metadata.ownerReferences ?? []
  const bySet = references.find((reference) => names(reference, StatefulSet, set.metadata.name))
  const byPod = references.find((reference) => names(reference, Pod, pod.name))
  // A claim of an earlier StatefulSet or pod of this name is left to the garbage collector.
  if (isStale(bySet, set.metadata.uid) || isStale(byPod, pod.uid)) return undefined
  const others = references.filter((reference) => reference !== bySet && reference !== byPod)
  if (hasConflictingController(claim, set, pod)) return bySet === undefined && byPod === undefined ? undefined : others
  const { whenDeleted, whenScaled } = policyOf(set)
  const isScaledDown = whenScaled === 'Delete' && !isDesiredOrdinal(set, pod.ordinal)
  const isOwnedBySet = whenDeleted === 'Delete' && !isScaledDown
  const isRight =
    isControlling(bySet) === (isOwnedBySet ? true : undefined) && isControlling(byPod) === (isScaledDown || undefined)
  if (isRight) return undefined
  return [
    ...others,
    ...(isScaledDown && pod.uid !== undefined ? [podReference(pod.name, pod.uid)] : []),
    ...(isOwnedBySet ? [controllerReference(StatefulSet, set)] : []),
  ]
}

/** Another controller owns the claim, although the retention policy wants to. */
export function hasConflictingController({ metadata }: Claim, set: LiveSet, pod: ClaimingPod): boolean {
  const { whenDeleted, whenScaled } = policyOf(set)
  if (whenDeleted === 'Retain' && whenScaled === 'Retain') return false
  return (metadata.ownerReferences ?? []).some((reference) => {
    if (names(reference, StatefulSet, set.metadata.name)) return reference.uid !== set.metadata.uid
    if (names(reference, Pod, pod.name)) return reference.uid !== pod.uid
    return reference.controller === true
  })
}

/** The claim waits to be deleted with an earlier pod of this name. A new pod must not use it. */
export function belongsToEarlierPod({ metadata }: LiveObject, set: LiveSet, pod: ClaimingPod): boolean {
  if (policyOf(set).whenScaled === 'Retain') return false
  return isStale(
    metadata.ownerReferences?.find((reference) => names(reference, Pod, pod.name)),
    pod.uid,
  )
}

function policyOf({ spec }: LiveSet): { readonly whenDeleted: string; readonly whenScaled: string } {
  const { whenDeleted = 'Retain', whenScaled = 'Retain' } = spec?.persistentVolumeClaimRetentionPolicy ?? {}
  return { whenDeleted, whenScaled }
}

function names(reference: Reference, { apiVersion, kind }: Kind, name: string): boolean {
  return reference.apiVersion === apiVersion && reference.kind === kind && reference.name === name
}

function isStale(reference: Reference | undefined, uid: string | undefined): boolean {
  return reference !== undefined && reference.uid !== uid
}

/** Undefined if there is no reference. */
function isControlling(reference: Reference | undefined): boolean | undefined {
  return reference === undefined ? undefined : reference.controller === true
}

function podReference(name: string, uid: string): OwnerReference {
  return { apiVersion: Pod.apiVersion, kind: Pod.kind, name, uid, controller: true, blockOwnerDeletion: true }
}
