/**
 * StorageObjectInUseProtection: adds the finalizer that keeps volumes, claims and volume attributes classes while they
 * are in use. PersistentVolumeClaimResize: a claim can grow only if its storage class allows expansion.
 */
import type { KubeObject } from '../../api/object.ts'
import { compareQuantities } from '../../api/quantity.ts'
import type { AdmissionRequest, AdmissionTarget } from '../registry/admission.ts'
import { entry, struct, text } from '../resources/shared/values.ts'
import { readAmounts, zero } from '../resources/shared/amounts.ts'
import { storageClassAnnotation } from './default-classes.ts'
import { on, rejected, type AdmissionPlugin } from './plugin.ts'

const protection: ReadonlyMap<string, string> = new Map([
  ['persistentvolumes', 'kubernetes.io/pv-protection'],
  ['persistentvolumeclaims', 'kubernetes.io/pvc-protection'],
  ['volumeattributesclasses.storage.k8s.io', 'kubernetes.io/vac-protection'],
])

function finalizerOf({ resource }: AdmissionTarget): string | undefined {
  return protection.get(resource.group === '' ? resource.plural : `${resource.plural}.${resource.group}`)
}

function protect(request: AdmissionRequest): void {
  const { metadata } = request.object as KubeObject
  const finalizer = finalizerOf(request) as string
  const present = metadata.finalizers ?? []
  if (!present.includes(finalizer)) metadata.finalizers = [...present, finalizer]
}

export const storageObjectInUseProtection: AdmissionPlugin = {
  name: 'StorageObjectInUseProtection',
  mutate: {
    concerns: (target) =>
      target.operation === 'CREATE' && target.subresource === '' && finalizerOf(target) !== undefined,
    run: protect,
  },
}

function checkResize(request: AdmissionRequest): void {
  const claim = request.object as KubeObject
  const old = request.old as KubeObject
  if (compareQuantities(sizeOf(claim), sizeOf(old)) <= 0) return
  if (struct(old.status)?.phase !== 'Bound') {
    throw rejected(request, 'Only bound persistent volume claims can be expanded')
  }
  const name = classOf(claim)
  const found =
    name === '' || classOf(old) !== name
      ? undefined
      : request.context.lookup('storage.k8s.io', 'storageclasses', '', name)
  if (found?.allowVolumeExpansion === true) return
  throw rejected(
    request,
    'only dynamically provisioned pvc can be resized and the storageclass that provisions the pvc must support resize',
  )
}

function sizeOf(claim: KubeObject) {
  return readAmounts(struct(struct(claim.spec)?.resources)?.requests).get('storage') ?? zero
}

/** '' if it has none. The old annotation takes precedence. */
export function classOf(claim: KubeObject): string {
  return entry(claim.metadata.annotations, storageClassAnnotation) ?? text(struct(claim.spec)?.storageClassName)
}

export const persistentVolumeClaimResize: AdmissionPlugin = {
  name: 'PersistentVolumeClaimResize',
  validate: { concerns: on('', 'persistentvolumeclaims', ['UPDATE']), run: checkResize },
}
