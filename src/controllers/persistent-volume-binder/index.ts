/**
 * The PersistentVolume binder: 1 find a volume for each claim, or ask a provisioner for one, and bind both to each
 * other, 2 report bound claims that have lost their volume, 3 set the phase of volumes, 4 reclaim volumes whose claim
 * is gone. Steps 1 and 2 run for claims, 3 and 4 for volumes.
 */
import {
  controller,
  keyOf,
  keyText,
  PersistentVolume,
  PersistentVolumeClaim,
  Pod,
  StorageClass,
  type Live,
  type ObjectKey,
} from '../../index.ts'
import type { MapReads } from '../../controller/index.ts'
import { classOfClaim, classOfVolume, namesClass, podClaimIndex, volumeAnnotations } from '../../scheduler/index.ts'
import { syncClaim } from './claims.ts'
import { isDefaultClass } from './provisioning.ts'
import { syncVolume } from './volumes.ts'
import { claimKey } from './writes.ts'

const options = { fieldManager: 'kube-controller-manager', eventSource: 'persistentvolume-controller' }

/** The index of claims that are not bound, by class. */
const unboundByClass = 'coxswain.dev/unbound-by-class'
/** The index of claims by the volume that they name. */
const byVolume = 'coxswain.dev/claims-by-volume'
/** The index of volumes by the claim that they are bound to or reserved for, as namespace/name. */
const byClaim = 'coxswain.dev/volumes-by-claim'

/** One at a time, so that two claims never choose the same volume. */
export const claimBinder = controller(PersistentVolumeClaim)
  .named('persistentvolume-binder-controller')
  .cached({
    indexes: {
      [unboundByClass]: (claim) => (isUnbound(claim) ? [classOfClaim(claim)] : []),
      [byVolume]: ({ spec }) => (spec?.volumeName === undefined ? [] : [spec.volumeName]),
    },
  })
  .watches(PersistentVolume, { map: claimsForVolume })
  .watches(StorageClass, { map: claimsForClass })
  .reads(Pod, podClaimIndex)
  .options(options)
  .deleting(syncClaim)
  .reconcile(syncClaim)

export const volumeBinder = controller(PersistentVolume)
  .named('persistentvolume-binder-controller-volumes')
  .cached({
    indexes: {
      [byClaim]: (volume) => (volume.spec?.claimRef === undefined ? [] : [keyText(claimKey(volume))]),
    },
  })
  .watches(PersistentVolumeClaim, { map: volumesForClaim })
  .reads(Pod, podClaimIndex)
  .options(options)
  .deleting(syncVolume)
  .reconcile(syncVolume)

function isUnbound({ metadata }: Live<PersistentVolumeClaim>): boolean {
  return metadata.annotations?.[volumeAnnotations.bindCompleted] === undefined
}

/** The claims that name the volume or that it belongs to; and if it is available, all that may use it. */
function claimsForVolume(volume: Live<PersistentVolume>, reads: MapReads): readonly ObjectKey[] {
  const claims = reads.lister(PersistentVolumeClaim)
  const naming = claims.byIndex(byVolume, volume.metadata.name).map(keyOf)
  if (volume.spec?.claimRef?.namespace !== undefined) return [claimKey(volume), ...naming]
  // An update is mapped twice: as it was, and as it is.
  const isCurrent = reads.lister(PersistentVolume).get(volume.metadata) === volume
  if (volume.status?.phase !== 'Available' || !isCurrent) return naming
  return [...claims.byIndex(unboundByClass, classOfVolume(volume)).map(keyOf), ...naming]
}

function claimsForClass(found: Live<StorageClass>, reads: MapReads): readonly ObjectKey[] {
  const claims = reads.lister(PersistentVolumeClaim)
  const waiting = claims.byIndex(unboundByClass, found.metadata.name)
  const classless = isDefaultClass(found) ? claims.byIndex(unboundByClass, '').filter((each) => !namesClass(each)) : []
  return [...waiting, ...classless].map(keyOf)
}

/** Those that are bound to the claim or reserved for it, and the one that it names. */
function volumesForClaim(claim: Live<PersistentVolumeClaim>, reads: MapReads): readonly ObjectKey[] {
  const { volumeName = '' } = claim.spec ?? {}
  const keys = reads
    .lister(PersistentVolume)
    .byIndex(byClaim, keyText(keyOf(claim)))
    .map(keyOf)
  return volumeName === '' ? keys : [...keys, { name: volumeName }]
}
