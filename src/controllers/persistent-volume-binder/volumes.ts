/** The volumes: their phase follows their claim, and they are reclaimed when it is gone. */
import {
  isNotFound,
  mutableCopy,
  PersistentVolume,
  PersistentVolumeClaim,
  type ReconcileContext,
  type ReconcileResult,
} from '../../index.ts'
import { hasSameMode, volumeAnnotations } from '../../scheduler/index.ts'
import { reclaim } from './reclaim.ts'
import { claimKey, setVolumePhase, unbindVolume, type Claim, type Volume } from './writes.ts'

export type VolumeContext = ReconcileContext<PersistentVolume>

export async function syncVolume(context: VolumeContext): Promise<ReconcileResult> {
  const volume = await withDeletionFinalizer(context)
  if ((volume.spec?.claimRef?.uid ?? '') === '') {
    await setVolumePhase(context, volume, 'Available')
    return undefined
  }
  const claim = await claimOf(context, volume)
  if (claim === undefined) return release(context, volume)
  const { volumeName = '' } = claim.spec ?? {}
  if (volumeName === volume.metadata.name) await setVolumePhase(context, volume, 'Bound')
  else if (volumeName === '') reportMismatch(context, claim)
  else if (isProvisioned(volume) && volume.spec?.persistentVolumeReclaimPolicy === 'Delete')
    return release(context, volume)
  else await unbindVolume(context, volume)
  return undefined
}

/** The claim that the volume is bound to. The server is asked before a volume counts as released. */
async function claimOf({ get, client, signal }: VolumeContext, volume: Volume): Promise<Claim | undefined> {
  const { uid } = volume.spec?.claimRef ?? {}
  const key = claimKey(volume)
  if (key.namespace === '') return undefined
  const cached = await get(PersistentVolumeClaim, key)
  if (cached?.metadata.uid === uid) return cached
  if (cached === undefined && isReleased(volume)) return undefined
  try {
    const live = await client.get(PersistentVolumeClaim, key, { signal })
    return live.metadata.uid === uid ? live : undefined
  } catch (error) {
    if (isNotFound(error)) return undefined
    throw error
  }
}

function isReleased({ status }: Volume): boolean {
  return status?.phase === 'Released' || status?.phase === 'Failed'
}

async function release(context: VolumeContext, volume: Volume): Promise<ReconcileResult> {
  return reclaim(context, isReleased(volume) ? volume : await setVolumePhase(context, volume, 'Released'))
}

/** The claim is about to be bound, unless it wants another mode. */
function reportMismatch({ object: volume, event }: VolumeContext, claim: Claim): void {
  if (hasSameMode(claim, volume)) return
  event(
    'Warning',
    'VolumeMismatch',
    `Cannot bind PersistentVolume to requested PersistentVolumeClaim "${claim.metadata.name}" due to incompatible ` +
      'volumeMode.',
  )
}

function isProvisioned({ metadata }: Volume): boolean {
  return metadata.annotations?.[volumeAnnotations.provisionedBy] !== undefined
}

const inTreeFinalizer = 'kubernetes.io/pv-controller'
const externalFinalizer = 'external-provisioner.volume.kubernetes.io/finalizer'

/** A volume of an in-tree provisioner has a finalizer while its policy is Delete. */
async function withDeletionFinalizer({ object: volume, client, signal }: VolumeContext): Promise<Volume> {
  const provisioner = volume.metadata.annotations?.[volumeAnnotations.provisionedBy] ?? ''
  if (!provisioner.startsWith('kubernetes.io/')) return volume
  const before = volume.metadata.finalizers ?? []
  const others = before.filter((name) => name !== inTreeFinalizer && name !== externalFinalizer)
  const isKept = volume.spec?.persistentVolumeReclaimPolicy === 'Delete'
  if (isKept === before.includes(inTreeFinalizer) && !before.includes(externalFinalizer)) return volume
  const copy = mutableCopy(volume)
  copy.metadata.finalizers = isKept ? [...others, inTreeFinalizer] : others
  return client.update(PersistentVolume, copy, { signal })
}
