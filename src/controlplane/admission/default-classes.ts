/** DefaultStorageClass and DefaultIngressClass: set the default class on objects that name none. */
import type { KubeObject } from '../../api/object.ts'
import type { AdmissionRequest } from '../registry/admission.ts'
import type { WriteContext } from '../contract/resource.ts'
import { entry, specOf } from '../resources/shared/values.ts'
import { on, type AdmissionPlugin } from './plugin.ts'

export const storageClassAnnotation = 'volume.beta.kubernetes.io/storage-class'
const defaultStorageClassMarks = [
  'storageclass.kubernetes.io/is-default-class',
  'storageclass.beta.kubernetes.io/is-default-class',
]
const ingressClassAnnotation = 'kubernetes.io/ingress.class'
const defaultIngressClassMarks = ['ingressclass.kubernetes.io/is-default-class']

/** Of several default classes the newest, then the first by name. */
function defaultClass(
  context: WriteContext,
  group: string,
  plural: string,
  marks: readonly string[],
): string | undefined {
  let found: KubeObject | undefined
  for (const candidate of context.lookupAll(group, plural, '')) {
    const { annotations, creationTimestamp = '', name = '' } = candidate.metadata
    if (!marks.some((mark) => entry(annotations, mark) === 'true')) continue
    const newest = found?.metadata.creationTimestamp ?? ''
    const wins = creationTimestamp > newest || (creationTimestamp === newest && name < (found?.metadata.name ?? ''))
    if (found === undefined || wins) found = candidate
  }
  return found?.metadata.name
}

function setStorageClass({ object, context }: AdmissionRequest): void {
  const spec = specOf(object as KubeObject)
  if (spec.storageClassName !== undefined) return
  if (entry(object?.metadata.annotations, storageClassAnnotation) !== undefined) return
  const name = defaultClass(context, 'storage.k8s.io', 'storageclasses', defaultStorageClassMarks)
  if (name !== undefined) spec.storageClassName = name
}

function setIngressClass({ object, context }: AdmissionRequest): void {
  const spec = specOf(object as KubeObject)
  if (spec.ingressClassName !== undefined) return
  if (entry(object?.metadata.annotations, ingressClassAnnotation) !== undefined) return
  const name = defaultClass(context, 'networking.k8s.io', 'ingressclasses', defaultIngressClassMarks)
  if (name !== undefined) spec.ingressClassName = name
}

export const defaultStorageClass: AdmissionPlugin = {
  name: 'DefaultStorageClass',
  mutate: { concerns: on('', 'persistentvolumeclaims', ['CREATE']), run: setStorageClass },
}

export const defaultIngressClass: AdmissionPlugin = {
  name: 'DefaultIngressClass',
  mutate: { concerns: on('networking.k8s.io', 'ingresses', ['CREATE']), run: setIngressClass },
}
