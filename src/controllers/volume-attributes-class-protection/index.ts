/** The VolumeAttributesClass protection controller: keeps a deleted class while a volume or a claim names it. */
import {
  controller,
  PersistentVolume,
  PersistentVolumeClaim,
  VolumeAttributesClass,
  type Live,
  type ObjectKey,
  type ReconcileContext,
} from '../../index.ts'
import type { MapReads } from '../../controller/index.ts'
import { needsProtectionSync, syncProtection } from '../shared/protection-finalizer.ts'

const finalizer = 'kubernetes.io/vac-protection'
/** The index of volumes and of claims by the classes that they name. */
const byAttributesClass = 'coxswain.dev/by-attributes-class'

export const attributesClassProtection = controller(VolumeAttributesClass)
  .named('volumeattributesclass-protection-controller')
  .only((each) => needsProtectionSync(each, finalizer))
  .watches(PersistentVolumeClaim, {
    map: (claim, reads) => deletedClasses(classesOfClaim(claim), reads),
    informer: { indexes: { [byAttributesClass]: classesOfClaim } },
    ignoreAdds: true,
  })
  .watches(PersistentVolume, {
    map: (volume, reads) => deletedClasses(classesOfVolume(volume), reads),
    informer: { indexes: { [byAttributesClass]: classesOfVolume } },
    ignoreAdds: true,
  })
  .options({ fieldManager: 'kube-controller-manager' })
  .deleting(protect)
  .reconcile(protect)

function protect(context: ReconcileContext<VolumeAttributesClass>): Promise<void> {
  return syncProtection(context, finalizer, () => isUsed(context))
}

async function isUsed({ object: { metadata }, list }: ReconcileContext<VolumeAttributesClass>): Promise<boolean> {
  const index = { index: byAttributesClass, value: metadata.name }
  if ((await list(PersistentVolume, { index })).length > 0) return true
  return (await list(PersistentVolumeClaim, { namespace: '', index })).length > 0
}

function deletedClasses(names: readonly string[], reads: MapReads): readonly ObjectKey[] {
  return names
    .map((name) => ({ name }))
    .filter((key) => reads.lister(VolumeAttributesClass).get(key)?.metadata.deletionTimestamp !== undefined)
}

function classesOfVolume({ spec }: Live<PersistentVolume>): readonly string[] {
  return present([spec?.volumeAttributesClassName])
}

/** The class that a claim asks for, the one it has, and the one it is changed to. */
function classesOfClaim({ spec, status }: Live<PersistentVolumeClaim>): readonly string[] {
  return present([
    spec?.volumeAttributesClassName,
    status?.currentVolumeAttributesClassName,
    status?.modifyVolumeStatus?.targetVolumeAttributesClassName,
  ])
}

const none: readonly string[] = []

function present(names: readonly (string | undefined)[]): readonly string[] {
  const given = names.filter((name) => name !== undefined && name !== '') as string[]
  return given.length === 0 ? none : [...new Set(given)]
}
