/** Which volume a claim can be bound to: size, class, modes, labels and nodes. For the binder and the scheduler. */
import { labelSelectorFrom, milliValue, parseQuantity } from '../api/index.ts'
import type { coreV1, Live, Node, PersistentVolume, PersistentVolumeClaim, StorageClass } from '../index.ts'
import { matchesTerm } from './affinity.ts'

type Claim = Live<PersistentVolumeClaim>
type Volume = Live<PersistentVolume>

/** The annotations by which binder, scheduler and provisioners work together. */
export const volumeAnnotations = {
  bindCompleted: 'pv.kubernetes.io/bind-completed',
  boundByController: 'pv.kubernetes.io/bound-by-controller',
  provisionedBy: 'pv.kubernetes.io/provisioned-by',
  migratedTo: 'pv.kubernetes.io/migrated-to',
  provisioner: 'volume.kubernetes.io/storage-provisioner',
  betaProvisioner: 'volume.beta.kubernetes.io/storage-provisioner',
  selectedNode: 'volume.kubernetes.io/selected-node',
  betaClass: 'volume.beta.kubernetes.io/storage-class',
  preResizeCapacity: 'volume.alpha.kubernetes.io/pre-resize-capacity',
} as const

/** '' if it has none. The old annotation takes precedence. */
export function classOfClaim({ metadata, spec }: Claim): string {
  return metadata.annotations?.[volumeAnnotations.betaClass] ?? spec?.storageClassName ?? ''
}

export function namesClass({ metadata, spec }: Claim): boolean {
  return metadata.annotations?.[volumeAnnotations.betaClass] !== undefined || spec?.storageClassName !== undefined
}

export function classOfVolume({ metadata, spec }: Volume): string {
  return metadata.annotations?.[volumeAnnotations.betaClass] ?? spec?.storageClassName ?? ''
}

/** The scheduler decides when the claim is bound. */
export function waitsForConsumer(found: Live<StorageClass> | undefined): boolean {
  return found?.volumeBindingMode === 'WaitForFirstConsumer'
}

export function isFullyBound({ metadata, spec }: Claim): boolean {
  return (spec?.volumeName ?? '') !== '' && metadata.annotations?.[volumeAnnotations.bindCompleted] !== undefined
}

/** Bound to the claim, or reserved for it by name. */
export function isVolumeOf({ spec }: Volume, { metadata }: Claim): boolean {
  const reference = spec?.claimRef
  if (reference === undefined) return false
  if (reference.name !== metadata.name || reference.namespace !== metadata.namespace) return false
  return (reference.uid ?? '') === '' || reference.uid === metadata.uid
}

export function hasSameMode(claim: Claim, volume: Volume): boolean {
  return (claim.spec?.volumeMode ?? 'Filesystem') === (volume.spec?.volumeMode ?? 'Filesystem')
}

export function hasSameAttributesClass(claim: Claim, volume: Volume): boolean {
  return (claim.spec?.volumeAttributesClassName ?? '') === (volume.spec?.volumeAttributesClassName ?? '')
}

export function hasAccessModes(claim: Claim, volume: Volume): boolean {
  const offered = volume.spec?.accessModes ?? []
  return (claim.spec?.accessModes ?? []).every((mode) => offered.includes(mode))
}

/** In thousandths of a byte. */
export function requestedMilli({ spec }: Claim): bigint {
  return milliOf(spec?.resources?.requests?.storage)
}

export function capacityMilli({ spec }: Volume): bigint {
  return milliOf(spec?.capacity?.storage)
}

export function capacityOfClaim({ status }: Claim): bigint {
  return milliOf(status?.capacity?.storage)
}

function milliOf(text: string | number | undefined): bigint {
  return text === undefined ? 0n : milliValue(parseQuantity(String(text)))
}

export function isReachableFrom({ spec }: Volume, { metadata }: Live<Node>): boolean {
  const terms = spec?.nodeAffinity?.required?.nodeSelectorTerms
  // The name of the node is not compared: only its labels count.
  return terms === undefined || terms.some((term) => matchesTerm(term, metadata.labels ?? {}, ''))
}

export interface VolumeSearch {
  readonly claim: Claim
  readonly volumes: Iterable<Volume>
  /** In the scheduler: the node on which the volume must be reachable. */
  readonly node?: Live<Node> | undefined
  /** Volumes for other claims of the pod. */
  readonly chosen?: ReadonlySet<string> | undefined
  /** In the binder: only a volume that is reserved for the claim counts. */
  readonly isDelayed?: boolean | undefined
}

/** The volume that is reserved for the claim, otherwise the smallest that satisfies it. */
export function findVolume({ claim, volumes, node, chosen, isDelayed = false }: VolumeSearch): Volume | undefined {
  const requested = requestedMilli(claim)
  const requestedClass = classOfClaim(claim)
  const selector = claim.spec?.selector === undefined ? undefined : labelSelectorFrom(claim.spec.selector)
  let smallest: { readonly volume: Volume; readonly size: bigint } | undefined
  for (const volume of volumes) {
    const isReserved = isVolumeOf(volume, claim)
    if (chosen?.has(volume.metadata.name) === true || (volume.spec?.claimRef !== undefined && !isReserved)) continue
    const size = capacityMilli(volume)
    if (size < requested || !hasSameMode(claim, volume) || !hasSameAttributesClass(claim, volume)) continue
    if (volume.metadata.deletionTimestamp !== undefined) continue
    const isReachable = node === undefined || isReachableFrom(volume, node)
    if (isReserved) return isReachable ? volume : undefined
    if (node === undefined && isDelayed) continue
    if (volume.status?.phase !== 'Available' || selector?.matches(volume.metadata.labels) === false) continue
    if (classOfVolume(volume) !== requestedClass || !isReachable || !hasAccessModes(claim, volume)) continue
    if (smallest === undefined || size < smallest.size) smallest = { volume, size }
  }
  return smallest?.volume
}

/** The volume with a reference to the claim; undefined if it has it already. */
export function reservation(volume: Volume, claim: Claim): PersistentVolumeReservation | undefined {
  const { claimRef } = volume.spec ?? {}
  const { name, namespace = '', uid, resourceVersion } = claim.metadata
  const isBound = claimRef?.name === name && claimRef.namespace === namespace && claimRef.uid === uid
  const isMarked = volume.metadata.annotations?.[volumeAnnotations.boundByController] !== undefined
  const mustMark = !isVolumeOf(volume, claim) && !isMarked
  if (isBound && !mustMark) return undefined
  return {
    claimRef: { apiVersion: 'v1', kind: 'PersistentVolumeClaim', name, namespace, uid, resourceVersion },
    annotations: mustMark ? { [volumeAnnotations.boundByController]: 'yes' } : {},
  }
}

export interface PersistentVolumeReservation {
  readonly claimRef: coreV1.ObjectReference
  /** To be added. */
  readonly annotations: Readonly<Record<string, string>>
}
