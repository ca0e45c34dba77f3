/** The ephemeral volume controller: creates the claim of each ephemeral volume of a pod. The pod owns it. */
import {
  controller,
  keyOf,
  mutableCopy,
  PersistentVolumeClaim,
  Pod,
  type coreV1,
  type Live,
  type ReconcileContext,
} from '../../index.ts'
import { controllerReference } from '../../controller/index.ts'
import { claimOwnerProblem, ephemeralClaimName, podClaimIndex, podsByClaim } from '../../scheduler/index.ts'

export const ephemeralVolumes = controller(Pod)
  .named('ephemeral-volume-controller')
  .cached(podClaimIndex)
  .only(hasEphemeralVolume)
  // The volumes of a pod never change.
  .when(() => false)
  .watches(PersistentVolumeClaim, {
    map: ({ metadata: { name, namespace } }, reads) =>
      reads.lister(Pod).byIndex(podsByClaim, name, namespace).map(keyOf),
    when: () => false,
    ignoreAdds: true,
  })
  .options({ fieldManager: 'kube-controller-manager', eventSource: 'ephemeral_volume' })
  .reconcile(async (context) => {
    if (!hasEphemeralVolume(context.object)) return
    for (const [index, { name, ephemeral }] of (context.object.spec?.volumes ?? []).entries()) {
      if (ephemeral === undefined) continue
      const problem = await claimProblem(context, index)
      if (problem === undefined) continue
      context.event('Warning', 'FailedBinding', `ephemeral volume ${name}: ${problem}`)
      throw new Error(`pod ${context.object.metadata.name}, ephemeral volume ${name}: ${problem}`)
    }
  })

function hasEphemeralVolume({ spec }: Live<Pod>): boolean {
  return spec?.volumes?.some(({ ephemeral }) => ephemeral !== undefined) === true
}

/** Creates the claim of a volume if it is missing; returns why the volume has no claim of its own. */
async function claimProblem(
  { object: pod, get, client, signal }: ReconcileContext<Pod>,
  index: number,
): Promise<string | undefined> {
  const volume = mutableCopy(pod).spec?.volumes?.[index] as coreV1.Volume
  const name = ephemeralClaimName(pod, volume)
  const existing = await get(PersistentVolumeClaim, name)
  if (existing !== undefined) return claimOwnerProblem(pod, existing)
  const { metadata: { labels, annotations } = {}, spec } = volume.ephemeral?.volumeClaimTemplate ?? {}
  const claim: PersistentVolumeClaim = {
    metadata: {
      name,
      namespace: pod.metadata.namespace ?? '',
      ownerReferences: [controllerReference(Pod, pod)],
      ...(labels === undefined ? {} : { labels }),
      ...(annotations === undefined ? {} : { annotations }),
    },
    ...(spec === undefined ? {} : { spec }),
  }
  try {
    await client.create(PersistentVolumeClaim, claim, { signal })
    return undefined
  } catch (error) {
    return `create PVC ${name}: ${error instanceof Error ? error.message : String(error)}`
  }
}
