/**
 * Simulated storage: a storage class that is the default one, and the provisioner behind it, which creates, expands and
 * deletes volumes as the controllers of a CSI driver do. No data are stored.
 */
import {
  controller,
  CSIDriver,
  isAlreadyExists,
  isNotFound,
  mutableCopy,
  PersistentVolume,
  PersistentVolumeClaim,
  StorageClass,
  type Client,
  type ControllerDefinition,
  type Live,
  type ReconcileContext,
} from '../index.ts'
import { pause } from '../env/index.ts'
import type { Task } from '../manager/index.ts'
import { capacityOfClaim, classOfClaim, requestedMilli, volumeAnnotations } from '../scheduler/index.ts'

/** The CSI driver: the provisioner of the class, and the source of its events. */
export const simulatedDriver = 'simulated.coxswain.dev'
const finalizer = 'external-provisioner.volume.kubernetes.io/finalizer'

type ClaimContext = ReconcileContext<PersistentVolumeClaim>

/** Creates the storage class, unless the cluster has one already. Failures are retried. */
export function storageTask(): Task {
  return {
    name: 'simulated-storage',
    when: 'always',
    fieldManager: simulatedDriver,
    start: async (signal, { client, env }) => {
      while (!signal.aborted) {
        try {
          await createClass(client, signal)
          return
        } catch (error) {
          if (!(error instanceof Error)) throw error
          await pause(env, retryAfterMs, signal)
        }
      }
    },
  }
}

const retryAfterMs = 1000

async function createClass(client: Client, signal: AbortSignal): Promise<void> {
  if ((await client.list(StorageClass, { signal })).items.length > 0) return
  const driver: CSIDriver = { metadata: { name: simulatedDriver }, spec: { attachRequired: false } }
  await unlessThere(client.create(CSIDriver, driver, { signal }))
  const storageClass: StorageClass = {
    metadata: { name: 'standard', annotations: { 'storageclass.kubernetes.io/is-default-class': 'true' } },
    provisioner: simulatedDriver,
    reclaimPolicy: 'Delete',
    volumeBindingMode: 'WaitForFirstConsumer',
    allowVolumeExpansion: true,
  }
  await unlessThere(client.create(StorageClass, storageClass, { signal }))
}

async function unlessThere(call: Promise<unknown>): Promise<void> {
  try {
    await call
  } catch (error) {
    if (!isAlreadyExists(error)) throw error
  }
}

export interface StorageOptions {
  /**
   * Claims of every storage class get simulated volumes: a class that a claim names and that does not exist is created.
   * Default false: such claims wait, as on a real cluster.
   */
  readonly anyStorageClass?: boolean | undefined
}

export function provisioners({ anyStorageClass = false }: StorageOptions = {}): readonly ControllerDefinition[] {
  const options = { fieldManager: simulatedDriver, eventSource: simulatedDriver, failureEvents: false }
  return [
    controller(PersistentVolumeClaim)
      .named('simulated-provisioner')
      .only(isOurs)
      .reads(StorageClass)
      .reads(PersistentVolume)
      .options(options)
      .reconcile(async (context) => {
        const { object: claim } = context
        if (!isOurs(claim)) return
        if ((claim.spec?.volumeName ?? '') === '') await provision(context)
        else if (claim.status?.phase === 'Bound' && requestedMilli(claim) > capacityOfClaim(claim))
          await expand(context)
      }),
    controller(PersistentVolume)
      .named('simulated-provisioner-volumes')
      .only(isOurVolume)
      .options(options)
      .deleting(reclaim)
      .reconcile(reclaim),
    ...(anyStorageClass ? [missingClasses] : []),
  ]
}

/** Creates the classes that claims name and that do not exist. */
const missingClasses = controller(PersistentVolumeClaim)
  .named('simulated-storage-classes')
  .only((claim) => classOfClaim(claim) !== '')
  .reads(StorageClass)
  .options({ fieldManager: simulatedDriver, failureEvents: false })
  .reconcile(async ({ object: claim, get, client, signal }) => {
    const name = classOfClaim(claim)
    if (name === '' || (await get(StorageClass, { name })) !== undefined) return
    const storageClass: StorageClass = { metadata: { name }, provisioner: simulatedDriver, allowVolumeExpansion: true }
    await unlessThere(client.create(StorageClass, storageClass, { signal }))
  })

function isOurs({ metadata }: Live<PersistentVolumeClaim>): boolean {
  return metadata.annotations?.[volumeAnnotations.provisioner] === simulatedDriver
}

function isOurVolume({ metadata }: Live<PersistentVolume>): boolean {
  return metadata.annotations?.[volumeAnnotations.provisionedBy] === simulatedDriver
}

/** The binder has asked for a volume; with WaitForFirstConsumer only after the scheduler has chosen a node. */
async function provision({ object: claim, get, client, signal, event }: ClaimContext): Promise<void> {
  const storageClass = await get(StorageClass, { name: claim.spec?.storageClassName ?? '' })
  const { namespace = '', name: claimName, uid, annotations } = claim.metadata
  if (storageClass === undefined || storageClass.provisioner !== simulatedDriver) return
  const isDelayed = storageClass.volumeBindingMode === 'WaitForFirstConsumer'
  if (isDelayed && annotations?.[volumeAnnotations.selectedNode] === undefined) return
  const name = `pvc-${uid}`
  if ((await get(PersistentVolume, { name })) !== undefined) return
  event('Normal', 'Provisioning', `External provisioner is provisioning volume for claim "${namespace}/${claimName}"`)
  await unlessThere(client.create(PersistentVolume, newVolume(claim, storageClass, name), { signal }))
  event('Normal', 'ProvisioningSucceeded', `Successfully provisioned volume ${name}`)
}

function newVolume(
  claim: Live<PersistentVolumeClaim>,
  { metadata, reclaimPolicy = 'Delete', mountOptions }: Live<StorageClass>,
  name: string,
): PersistentVolume {
  const { namespace = '', name: claimName, uid, resourceVersion } = claim.metadata
  const { accessModes = [], resources, volumeMode = 'Filesystem', volumeAttributesClassName } = claim.spec ?? {}
  return {
    metadata: {
      name,
      annotations: { [volumeAnnotations.provisionedBy]: simulatedDriver },
      ...(reclaimPolicy === 'Delete' ? { finalizers: [finalizer] } : {}),
    },
    spec: {
      accessModes: [...accessModes],
      capacity: { storage: resources?.requests?.storage ?? '0' },
      claimRef: { apiVersion: 'v1', kind: 'PersistentVolumeClaim', namespace, name: claimName, uid, resourceVersion },
      csi: { driver: simulatedDriver, volumeHandle: name },
      persistentVolumeReclaimPolicy: reclaimPolicy,
      storageClassName: metadata.name,
      volumeMode,
      ...(mountOptions === undefined ? {} : { mountOptions: [...mountOptions] }),
      ...(volumeAttributesClassName === undefined ? {} : { volumeAttributesClassName }),
    },
  }
}

/** Admission has checked that the class allows it. */
async function expand({ object: claim, get, client, signal, status, event }: ClaimContext): Promise<void> {
  const volume = await get(PersistentVolume, { name: claim.spec?.volumeName ?? '' })
  const storage = claim.spec?.resources?.requests?.storage
  if (volume === undefined || !isOurVolume(volume) || storage === undefined) return
  event('Normal', 'Resizing', `External resizer is resizing volume ${volume.metadata.name}`)
  const copy = mutableCopy(volume)
  copy.spec = { ...copy.spec, capacity: { ...copy.spec?.capacity, storage } }
  await client.update(PersistentVolume, copy, { signal })
  const { capacity, allocatedResources } = status.current
  status.set({
    capacity: { ...capacity, storage },
    allocatedResources: { ...allocatedResources, storage },
    allocatedResourceStatuses: undefined,
  })
  event('Normal', 'VolumeResizeSuccessful', 'Resize volume succeeded')
}

/** Deletes a released volume whose policy is Delete. With another policy the volume may go without its provisioner. */
async function reclaim({ object: volume, client, signal, patch }: ReconcileContext<PersistentVolume>): Promise<void> {
  if (!isOurVolume(volume)) return
  const { name, uid, finalizers = [] } = volume.metadata
  const isDeleted = volume.spec?.persistentVolumeReclaimPolicy === 'Delete'
  if (isDeleted && volume.status?.phase !== 'Released') return
  if (finalizers.includes(finalizer))
    await patch({ metadata: { finalizers: finalizers.filter((other) => other !== finalizer) } })
  if (!isDeleted) return
  try {
    await client.delete(PersistentVolume, { name }, { uid, signal })
  } catch (error) {
    if (!isNotFound(error)) throw error
  }
}
