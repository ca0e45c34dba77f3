/**
 * The attach/detach controller, for nodes that leave attaching to it: 1 find the CSI volumes of the pods on a node,
 * 2 delete the VolumeAttachments that no pod needs, 3 create those that are missing, 4 report what is attached in the
 * status of the node. The attacher of the CSI driver does the work.
 */
import {
  controller,
  CSIDriver,
  isAlreadyExists,
  isNotFound,
  keyOf,
  Node,
  PersistentVolume,
  PersistentVolumeClaim,
  Pod,
  VolumeAttachment,
  type Live,
  type ObjectKey,
  type ReconcileContext,
} from '../../index.ts'
import type { MapReads } from '../../controller/index.ts'
import { claimsOf, isFullyBound, podClaimIndex, podsByClaim } from '../../scheduler/index.ts'
import { attachmentName, isExclusive, volumeName, type CsiVolume } from './csi-volumes.ts'

type Context = ReconcileContext<Node>

/** The kubelet sets it on its node. */
const managedAnnotation = 'volumes.kubernetes.io/controller-managed-attach-detach'
/** The index of pods that use claims, by node. */
const podsByNode = 'coxswain.dev/claiming-pods-by-node'
/** The index of attachments by node. */
const byNode = 'coxswain.dev/attachments-by-node'

export const attachDetach = controller(Node)
  .named('persistentvolume-attach-detach-controller')
  .only(isManaged)
  .when((old, node) => isManaged(old) !== isManaged(node) || old.status?.volumesInUse !== node.status?.volumesInUse)
  .watches(Pod, {
    map: (pod) => (claimsOf(pod).length === 0 ? [] : nodesOf([pod])),
    informer: {
      indexes: {
        ...podClaimIndex.indexes,
        [podsByNode]: (pod) => (claimsOf(pod).length === 0 ? [] : nodesOf([pod]).map(({ name }) => name)),
      },
    },
  })
  .watches(PersistentVolumeClaim, {
    map: ({ metadata: { name, namespace } }, reads) => nodesOf(reads.lister(Pod).byIndex(podsByClaim, name, namespace)),
  })
  .watches(VolumeAttachment, {
    map: attachmentNodes,
    informer: { indexes: { [byNode]: ({ spec }) => [spec.nodeName] } },
  })
  .reads(PersistentVolume)
  .reads(CSIDriver)
  .options({ fieldManager: 'kube-controller-manager', eventSource: 'attachdetach-controller' })
  .reconcile(async (context) => {
    if (!isManaged(context.object)) return
    const needed = await neededVolumes(context)
    const present = await context.list(VolumeAttachment, { index: { index: byNode, value: context.key.name } })
    await detach(context, needed, present)
    await attach(context, needed, present)
    report(context, needed, present)
  })

function isManaged({ metadata }: Live<Node>): boolean {
  return metadata.annotations?.[managedAnnotation] !== undefined
}

function nodesOf(pods: readonly Live<Pod>[]): readonly ObjectKey[] {
  return pods.map(({ spec }) => ({ name: spec?.nodeName ?? '' })).filter(({ name }) => name !== '')
}

/** An exclusive volume can be attached to another node only when it is detached, so all nodes may wait for it. */
function attachmentNodes({ spec, status }: Live<VolumeAttachment>, reads: MapReads): readonly ObjectKey[] {
  return status?.attached === true ? [{ name: spec.nodeName }] : reads.lister(Node).list().filter(isManaged).map(keyOf)
}

/** Step 1: by the name of the attachment. */
async function neededVolumes(context: Context): Promise<ReadonlyMap<string, CsiVolume>> {
  const { name: node } = context.key
  const needed = new Map<string, CsiVolume>()
  const pods = await context.list(Pod, { namespace: '', index: { index: podsByNode, value: node } })
  for (const pod of pods) {
    if (pod.status?.phase === 'Succeeded' || pod.status?.phase === 'Failed') continue
    for (const { name } of claimsOf(pod)) {
      const claim = await context.get(PersistentVolumeClaim, { namespace: pod.metadata.namespace, name })
      if (claim === undefined || !isFullyBound(claim)) continue
      const volume = await context.get(PersistentVolume, { name: claim.spec?.volumeName ?? '' })
      const csi = volume?.spec?.csi
      if (volume === undefined || csi === undefined || !(await mustAttach(context, csi.driver))) continue
      needed.set(attachmentName(csi, node), { volume, csi })
    }
  }
  return needed
}

async function mustAttach({ get }: Context, name: string): Promise<boolean> {
  return (await get(CSIDriver, { name }))?.spec.attachRequired !== false
}

/** Step 2: only attachments that this controller names, and only when the kubelet does not use the volume any more. */
async function detach(
  context: Context,
  needed: ReadonlyMap<string, CsiVolume>,
  present: readonly Live<VolumeAttachment>[],
): Promise<void> {
  const { object: node, client, signal } = context
  for (const { metadata, spec } of present) {
    if (needed.has(metadata.name) || metadata.deletionTimestamp !== undefined) continue
    const volume = await context.get(PersistentVolume, { name: spec.source.persistentVolumeName ?? '' })
    const csi = volume?.spec?.csi
    if (csi === undefined || attachmentName(csi, node.metadata.name) !== metadata.name) continue
    if (node.status?.volumesInUse?.includes(volumeName(csi)) === true) continue
    try {
      await client.delete(VolumeAttachment, { name: metadata.name }, { uid: metadata.uid, signal })
    } catch (error) {
      if (!isNotFound(error)) throw error
    }
  }
}

/** Step 3. */
async function attach(
  context: Context,
  needed: ReadonlyMap<string, CsiVolume>,
  present: readonly Live<VolumeAttachment>[],
): Promise<void> {
  const { key, client, signal } = context
  const names = new Set(present.map(({ metadata }) => metadata.name))
  for (const [name, { volume, csi }] of needed) {
    if (names.has(name)) continue
    const persistentVolumeName = volume.metadata.name
    const others = await context.list(VolumeAttachment)
    if (isExclusive(volume) && others.some(({ spec }) => spec.source.persistentVolumeName === persistentVolumeName))
      continue
    const attachment: VolumeAttachment = {
      metadata: { name },
      spec: { attacher: csi.driver, nodeName: key.name, source: { persistentVolumeName } },
    }
    try {
      await client.create(VolumeAttachment, attachment, { signal })
    } catch (error) {
      if (!isAlreadyExists(error)) throw error
    }
  }
}

/** Step 4. */
function report(
  { status }: Context,
  needed: ReadonlyMap<string, CsiVolume>,
  present: readonly Live<VolumeAttachment>[],
): void {
  const attached = present
    .filter(({ status: is }) => is?.attached === true)
    .flatMap(({ metadata }) => {
      const volume = needed.get(metadata.name)
      return volume === undefined ? [] : [{ name: volumeName(volume.csi), devicePath: '' }]
    })
    .sort((a, b) => (a.name < b.name ? -1 : 1))
  if (attached.length > 0 || status.current.volumesAttached !== undefined)
    status.set({ volumesAttached: attached.length === 0 ? undefined : attached })
}
