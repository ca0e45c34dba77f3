/** The writes of the binder. Each returns the object as the server has it then; nothing is written without a change. */
import {
  mutableCopy,
  PersistentVolume,
  PersistentVolumeClaim,
  type Client,
  type coreV1,
  type Live,
} from '../../index.ts'
import { equalJson, parseQuantity, QuantityError } from '../../api/index.ts'
import { reservation, volumeAnnotations } from '../../scheduler/index.ts'

export type Claim = Live<PersistentVolumeClaim>
export type Volume = Live<PersistentVolume>
export type ClaimPhase = 'Bound' | 'Lost' | 'Pending'
export type VolumePhase = 'Available' | 'Bound' | 'Released' | 'Failed'

/** What a write needs of the context of a reconcile. */
export interface Writer {
  readonly client: Client
  readonly signal: AbortSignal
}

/** Binds both to each other. An interrupted binding is continued by the next run. */
export async function bind(writer: Writer, volume: Volume, claim: Claim): Promise<void> {
  const reserved = await bindVolume(writer, volume, claim)
  const boundVolume = await setVolumePhase(writer, reserved, 'Bound')
  const boundClaim = await bindClaim(writer, claim, boundVolume)
  await setClaimStatus(writer, boundClaim, 'Bound', boundVolume)
}

async function bindVolume(writer: Writer, volume: Volume, claim: Claim): Promise<Volume> {
  const change = reservation(volume, claim)
  if (change === undefined) return volume
  const copy = mutableCopy<PersistentVolume>(volume)
  copy.spec = { ...copy.spec, claimRef: change.claimRef }
  annotate(copy, change.annotations)
  return writer.client.update(PersistentVolume, copy, { signal: writer.signal })
}

async function bindClaim({ client, signal }: Writer, claim: Claim, { metadata: { name } }: Volume): Promise<Claim> {
  const { bindCompleted, boundByController } = volumeAnnotations
  const isNew = claim.spec?.volumeName !== name
  if (!isNew && claim.metadata.annotations?.[bindCompleted] !== undefined) return claim
  const copy = mutableCopy<PersistentVolumeClaim>(claim)
  if (isNew) {
    copy.spec = { ...copy.spec, volumeName: name }
    annotate(copy, { [boundByController]: 'yes' })
  }
  annotate(copy, { [bindCompleted]: 'yes' })
  return client.update(PersistentVolumeClaim, copy, { signal })
}

/** Adds the annotations that are missing. */
export function annotate(
  { metadata }: PersistentVolume | PersistentVolumeClaim,
  annotations: Readonly<Record<string, string>>,
): void {
  if (Object.keys(annotations).length > 0) metadata.annotations = { ...annotations, ...metadata.annotations }
}

/** Makes the volume available again: for anyone, or for the claim that its creator reserved it for. */
export async function unbindVolume(writer: Writer, volume: Volume): Promise<void> {
  const copy = mutableCopy<PersistentVolume>(volume)
  const { annotations = {} } = copy.metadata
  if (annotations[volumeAnnotations.boundByController] !== undefined) {
    delete copy.spec?.claimRef
    delete annotations[volumeAnnotations.boundByController]
    if (Object.keys(annotations).length === 0) delete copy.metadata.annotations
  } else delete copy.spec?.claimRef?.uid
  const unbound = await writer.client.update(PersistentVolume, copy, { signal: writer.signal })
  await setVolumePhase(writer, unbound, 'Available')
}

export async function setVolumePhase(
  { client, signal }: Writer,
  volume: Volume,
  phase: VolumePhase,
  message?: string,
): Promise<Volume> {
  if (volume.status?.phase === phase) return volume
  const copy = mutableCopy<PersistentVolume>(volume)
  copy.status = { ...copy.status, phase }
  if (message === undefined) delete copy.status.message
  else copy.status.message = message
  return client.update(PersistentVolume, copy, { subresource: 'status', signal })
}

/** The status of a claim with this volume, or with none. True if it was written. */
export async function setClaimStatus(
  { client, signal }: Writer,
  claim: Claim,
  phase: ClaimPhase,
  volume?: Volume,
): Promise<boolean> {
  const copy = mutableCopy<PersistentVolumeClaim>(claim)
  copy.status = claimStatus(copy.status ?? {}, phase, volume)
  if (equalJson(copy.status, claim.status)) return false
  await client.update(PersistentVolumeClaim, copy, { subresource: 'status', signal })
  return true
}

function claimStatus(
  before: coreV1.PersistentVolumeClaimStatus,
  phase: ClaimPhase,
  volume: Volume | undefined,
): coreV1.PersistentVolumeClaimStatus {
  const { accessModes: _, capacity, currentVolumeAttributesClassName: attributesClass, ...others } = before
  if (volume === undefined) return { ...others, phase }
  const isNew = before.phase !== phase
  const { accessModes, volumeAttributesClassName } = volume.spec ?? {}
  const nextCapacity = isNew ? capacityOf(volume) : capacity
  const nextClass = before.phase === 'Pending' && phase === 'Bound' ? volumeAttributesClassName : attributesClass
  return {
    ...others,
    phase,
    ...(accessModes === undefined ? {} : { accessModes: [...accessModes] }),
    ...(nextCapacity === undefined ? {} : { capacity: nextCapacity }),
    ...(nextClass === undefined ? {} : { currentVolumeAttributesClassName: nextClass }),
  }
}

type Capacity = NonNullable<coreV1.PersistentVolumeSpec['capacity']>

/** While the file system is being expanded, the capacity before. */
function capacityOf(volume: Volume): Capacity {
  const capacity: Capacity = { ...volume.spec?.capacity }
  const before = volume.metadata.annotations?.[volumeAnnotations.preResizeCapacity]
  return before === undefined || !isQuantity(before) ? capacity : { ...capacity, storage: before }
}

function isQuantity(text: string): boolean {
  try {
    parseQuantity(text)
    return true
  } catch (error) {
    if (error instanceof QuantityError) return false
    throw error
  }
}

/** The key of the claim that a volume is bound to or reserved for. */
export function claimKey({ spec }: Volume): { readonly namespace: string; readonly name: string } {
  const { namespace = '', name = '' } = spec?.claimRef ?? {}
  return { namespace, name }
}
