/** What happens to a volume whose claim is gone, by its reclaim policy. */
import {
  isNotFound,
  mutableCopy,
  PersistentVolume,
  Pod,
  requeueAfter,
  type Live,
  type ReconcileContext,
  type ReconcileResult,
} from '../../index.ts'
import { podsByClaim, volumeAnnotations } from '../../scheduler/index.ts'
import { claimKey, setVolumePhase, unbindVolume, type Volume } from './writes.ts'

type VolumeContext = ReconcileContext<PersistentVolume>

export async function reclaim(context: VolumeContext, volume: Volume): Promise<ReconcileResult> {
  if ((volume.metadata.annotations?.[volumeAnnotations.migratedTo] ?? '') !== '') return undefined
  const policy = volume.spec?.persistentVolumeReclaimPolicy
  if (policy === 'Delete') await removeVolume(context, volume)
  else if (policy === 'Recycle') return recycle(context, volume)
  // Retain: an administrator decides.
  return undefined
}

/** Deletes a volume of an in-tree plugin. Those of CSI drivers are left to their provisioners. */
async function removeVolume(context: VolumeContext, volume: Volume): Promise<void> {
  const { name, uid, annotations, finalizers = [] } = volume.metadata
  const provisioner = annotations?.[volumeAnnotations.provisionedBy] ?? ''
  if (provisioner !== '' && !provisioner.startsWith('kubernetes.io/')) return
  if (provisioner === '' && volume.spec?.csi !== undefined) return
  const problem = deletionProblem(volume, provisioner)
  if (problem !== undefined) {
    await fail(context, volume, 'VolumeFailedDelete', problem)
    return
  }
  const { client, signal } = context
  if (finalizers.includes('kubernetes.io/pv-controller')) {
    const copy = mutableCopy(volume)
    copy.metadata.finalizers = finalizers.filter((finalizer) => finalizer !== 'kubernetes.io/pv-controller')
    await client.update(PersistentVolume, copy, { signal })
  }
  try {
    await client.delete(PersistentVolume, { name }, { uid, signal })
  } catch (error) {
    if (!isNotFound(error)) throw error
  }
}

/** Why there is nothing that can delete the volume. Only directories below /tmp can be deleted. */
function deletionProblem(volume: Volume, provisioner: string): string | undefined {
  const { hostPath } = volume.spec ?? {}
  if (provisioner !== '' && provisioner !== 'kubernetes.io/host-path')
    return `no volume plugin matched name: ${provisioner}`
  if (hostPath === undefined)
    return (
      `error getting deleter volume plugin for volume "${volume.metadata.name}": ` +
      (hasPlugin(volume) ? 'no deletable volume plugin matched' : 'no volume plugin matched')
    )
  return /^\/tmp\/.+/.test(hostPath.path)
    ? undefined
    : `host_path deleter only supports /tmp/.+ but received provided ${hostPath.path}`
}

/** Plugins of kube-controller-manager that can delete or recycle volumes, or belong to those that can. */
function hasPlugin({ spec }: Volume): boolean {
  return spec?.nfs !== undefined
}

/** How often a volume that pods still name is tried again. */
const retryAfterMs = 15_000

/** Makes the volume available again. Its content is not simulated, so no pod clears it. */
async function recycle(context: VolumeContext, volume: Volume): Promise<ReconcileResult> {
  const { namespace, name } = claimKey(volume)
  const users = await context.list(Pod, { namespace, index: { index: podsByClaim, value: name } })
  const names = users.filter(isRunning).map(({ metadata }) => `${metadata.namespace}/${metadata.name}`)
  if (names.length > 0) {
    context.event('Normal', 'VolumeFailedRecycle', `Volume is used by pods: ${names.sort().join(',')}`)
    return requeueAfter(retryAfterMs)
  }
  const { hostPath, nfs } = volume.spec ?? {}
  if (hostPath === undefined && nfs === undefined) {
    await fail(context, volume, 'VolumeFailedRecycle', 'No recycler plugin found for the volume!')
    return undefined
  }
  context.event('Normal', 'VolumeRecycled', 'Volume recycled')
  await unbindVolume(context, volume)
  return undefined
}

function isRunning({ status }: Live<Pod>): boolean {
  return status?.phase !== 'Succeeded' && status?.phase !== 'Failed'
}

async function fail(context: VolumeContext, volume: Volume, reason: string, message: string): Promise<void> {
  if (volume.status?.phase === 'Failed') return
  await setVolumePhase(context, volume, 'Failed', message)
  context.event('Warning', reason, message)
}
