/** The selectors of a webhook or policy: by the labels of the object and of its namespace. */
import type { KubeObject } from '../../../api/object.ts'
import type { AdmissionRequest } from '../../registry/admission.ts'
import { namespaceOf } from './review.ts'
import type { ConfiguredWebhook } from './webhook.ts'

export function isSelected(
  { namespaces, objects }: Pick<ConfiguredWebhook, 'namespaces' | 'objects'>,
  request: AdmissionRequest,
): boolean {
  const { object, old, context } = request
  const labelsOf = (of: KubeObject | undefined): Readonly<Record<string, string>> => of?.metadata.labels ?? {}
  // The options of a connection have no labels, not even none.
  const labelled = request.operation === 'CONNECT' ? [] : [object, old]
  const isOne = objects.isEmpty || labelled.some((each) => each !== undefined && objects.matches(labelsOf(each)))
  const namespace = namespaceOf(request)
  if (!isOne || namespace === '' || namespaces.isEmpty) return isOne
  const isNamespace = request.resource.group === '' && request.resource.plural === 'namespaces'
  return namespaces.matches(
    labelsOf(isNamespace && object !== undefined ? object : context.lookup('', 'namespaces', '', namespace)),
  )
}
