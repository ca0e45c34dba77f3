/** The claims: an unbound one gets a volume, of a bound one the volume must still be there. */
import {
  isNotFound,
  PersistentVolume,
  Pod,
  StorageClass,
  type Live,
  type PersistentVolumeClaim,
  type ReconcileContext,
} from '../../index.ts'
import {
  capacityMilli,
  classOfClaim,
  classOfVolume,
  findVolume,
  hasAccessModes,
  hasSameAttributesClass,
  hasSameMode,
  isVolumeOf,
  podsByClaim,
  requestedMilli,
  volumeAnnotations,
  waitsForConsumer,
} from '../../scheduler/index.ts'
import { assignDefaultClass, provision } from './provisioning.ts'
import { bind, setClaimStatus, type Claim, type Volume } from './writes.ts'

export type ClaimContext = ReconcileContext<PersistentVolumeClaim>

export async function syncClaim(context: ClaimContext): Promise<void> {
  const { annotations } = context.object.metadata
  if (annotations?.[volumeAnnotations.bindCompleted] !== undefined) return syncBoundClaim(context)
  return (context.object.spec?.volumeName ?? '') === '' ? findVolumeForClaim(context) : syncRequestedVolume(context)
}

/** Step 1: an existing volume, otherwise a class, otherwise a new volume of the class. */
async function findVolumeForClaim(context: ClaimContext): Promise<void> {
  const { object: claim, event } = context
  const name = classOfClaim(claim)
  const found = name === '' ? undefined : await context.get(StorageClass, { name })
  const isDelayed = waitsForConsumer(found)
  const volumes = await context.list(PersistentVolume)
  reportOtherMode(context, volumes)
  const volume = bestVolume(claim, volumes, isDelayed)
  if (volume !== undefined) {
    await bind(context, volume, claim)
    return
  }
  if (await assignDefaultClass(context)) return
  const isSelected = claim.metadata.annotations?.[volumeAnnotations.selectedNode] !== undefined
  if (name !== '' && (!isDelayed || isSelected)) {
    await provision(context, name, found)
    return
  }
  if (isDelayed) await reportDelay(context)
  else event('Normal', 'FailedBinding', 'no persistent volumes available for this claim and no storage class is set')
  await setClaimStatus(context, claim, 'Pending')
}

/** A volume that is bound to the claim, which wants another mode. `volumes.ts` has the event of the volume. */
function reportOtherMode({ object: claim, event }: ClaimContext, volumes: readonly Volume[]): void {
  const other = volumes.find(({ spec }) => spec?.claimRef?.uid === claim.metadata.uid)
  if (other === undefined || hasSameMode(claim, other)) return
  event(
    'Warning',
    'VolumeMismatch',
    `Cannot bind PersistentVolume "${other.metadata.name}" to requested PersistentVolumeClaim due to incompatible ` +
      'volumeMode.',
  )
}

/** Among the volumes with the fewest access modes first. */
function bestVolume(claim: Claim, volumes: readonly Volume[], isDelayed: boolean): Volume | undefined {
  const groups = new Map<string, Volume[]>()
  for (const volume of volumes) {
    if (!hasAccessModes(claim, volume)) continue
    const modes = [...new Set(volume.spec?.accessModes)].sort().join(',')
    const group = groups.get(modes)
    if (group === undefined) groups.set(modes, [volume])
    else group.push(volume)
  }
  const ordered = [...groups].sort(([a], [b]) => a.split(',').length - b.split(',').length)
  for (const [, group] of ordered) {
    const found = findVolume({ claim, volumes: group, isDelayed })
    if (found !== undefined) return found
  }
  return undefined
}

async function reportDelay({ object: claim, list, event }: ClaimContext): Promise<void> {
  const users = await list(Pod, { index: { index: podsByClaim, value: claim.metadata.name } })
  const names = users.filter(isUnscheduled).map(({ metadata }) => metadata.name)
  if (names.length === 0)
    event('Normal', 'WaitForFirstConsumer', 'waiting for first consumer to be created before binding')
  else
    event(
      'Normal',
      'WaitForPodScheduled',
      `waiting for ${names.length === 1 ? 'pod' : 'pods'} ${names.join(',')} to be scheduled`,
    )
}

function isUnscheduled({ spec, status }: Live<Pod>): boolean {
  return (spec?.nodeName ?? '') === '' && status?.phase !== 'Succeeded' && status?.phase !== 'Failed'
}

/** Step 1, for a claim that names its volume. */
async function syncRequestedVolume(context: ClaimContext): Promise<void> {
  const { object: claim, event } = context
  const { volumeName = '' } = claim.spec ?? {}
  const volume = await context.get(PersistentVolume, { name: volumeName })
  if (volume !== undefined && isVolumeOf(volume, claim)) return bind(context, volume, claim)
  if (volume !== undefined && volume.spec?.claimRef === undefined) {
    const problem = mismatch(volume, claim)
    if (problem === undefined) return bind(context, volume, claim)
    event('Warning', 'VolumeMismatch', `Cannot bind to requested volume "${volumeName}": ${problem}`)
  } else if (volume !== undefined) {
    event('Warning', 'FailedBinding', `volume "${volumeName}" already bound to a different claim.`)
    // The binder itself chose the volume: another claim was faster.
    if (claim.metadata.annotations?.[volumeAnnotations.boundByController] !== undefined) return
  }
  await setClaimStatus(context, claim, 'Pending')
}

function mismatch(volume: Volume, claim: Claim): string | undefined {
  if (volume.metadata.deletionTimestamp !== undefined)
    return `the volume is marked for deletion "${volume.metadata.name}"`
  if (capacityMilli(volume) < requestedMilli(claim)) return 'requested PV is too small'
  if (classOfVolume(volume) !== classOfClaim(claim)) return 'storageClassName does not match'
  if (!hasSameAttributesClass(claim, volume)) return 'volumeAttributesClassName does not match'
  if (!hasSameMode(claim, volume)) return 'incompatible volumeMode'
  return hasAccessModes(claim, volume) ? undefined : 'incompatible accessMode'
}

/** Step 2: a bound claim is lost when its volume is gone or belongs to another claim. */
async function syncBoundClaim(context: ClaimContext): Promise<void> {
  const { object: claim } = context
  const { volumeName = '' } = claim.spec ?? {}
  if (volumeName === '')
    return lose(context, 'ClaimLost', 'Bound claim has lost reference to PersistentVolume. Data on the volume is lost!')
  const volume = (await context.get(PersistentVolume, { name: volumeName })) ?? (await liveVolume(context, volumeName))
  if (volume === undefined)
    return lose(context, 'ClaimLost', 'Bound claim has lost its PersistentVolume. Data on the volume is lost!')
  const owner = volume.spec?.claimRef?.uid
  if (volume.spec?.claimRef === undefined || owner === claim.metadata.uid) return bind(context, volume, claim)
  return lose(context, 'ClaimMisbound', 'Two claims are bound to the same volume, this one is bound incorrectly')
}

/** The caches of claims and volumes are not equally fresh: the server decides whether data are lost. */
async function liveVolume({ client, signal }: ClaimContext, name: string): Promise<Volume | undefined> {
  try {
    return await client.get(PersistentVolume, { name }, { signal })
  } catch (error) {
    if (isNotFound(error)) return undefined
    throw error
  }
}

async function lose(context: ClaimContext, reason: string, message: string): Promise<void> {
  if (context.object.status?.phase === 'Lost') return
  await setClaimStatus(context, context.object, 'Lost')
  context.event('Warning', reason, message)
}
