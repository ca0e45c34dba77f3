/**
 * Pod: what differs from other kinds. Validation of the spec is in `shared/pod-spec`, table cells in `cells/pod.ts`.
 */
import type { JsonObject } from '../../../api/json.ts'
import { checkLabel } from '../../../api/names.ts'
import type { KubeObject } from '../../../api/object.ts'
import type { KindStrategy } from '../kind-strategy.ts'
import { podWarnings } from '../shared/pod-warnings.ts'
import { int, items, maybeInt, specOf, struct, structOf, text } from '../shared/values.ts'
import { preparePodForCreate, setPodDefaults } from './create.ts'
import { podSubresources } from './subresources.ts'
import { validatePod, validatePodStatusUpdate, validatePodUpdate } from './validate.ts'

/** Keeps status fields that an older kubelet does not write. */
function prepareForStatusUpdate(object: KubeObject, old: KubeObject): void {
  const status = structOf(object, 'status')
  const before = struct(old.status) ?? {}
  if (text(status.qosClass) === '' && before.qosClass !== undefined) status.qosClass = before.qosClass
  if (int(status.observedGeneration) === 0 && before.observedGeneration !== undefined) {
    status.observedGeneration = before.observedGeneration
  }
}

/** A pod that is not scheduled or has finished is deleted at once; others get their grace period. */
function gracePeriod(object: KubeObject, requested: number | undefined): number {
  const spec = struct(object.spec)
  const phase = struct(object.status)?.phase
  if (text(spec?.nodeName) === '' || phase === 'Succeeded' || phase === 'Failed') return 0
  const period = requested ?? maybeInt(spec?.terminationGracePeriodSeconds) ?? 0
  return period < 0 ? 1 : period
}

function warnings(object: KubeObject, old: KubeObject | undefined): string[] {
  if (old !== undefined) return []
  const messages = checkLabel(object.metadata.name ?? '')
  const name =
    messages.length === 0
      ? []
      : [
          "metadata.name: this is used in the Pod's hostname, which can result in surprising behavior; " +
            `a DNS label is recommended: [${messages.join(' ')}]`,
        ]
  return [...name, ...podWarnings(specOf(object), struct(object.metadata), '')]
}

function selectableField(object: KubeObject, field: string): string {
  const [part, name] = field.split('.') as [string, string]
  const parent = struct(object[part])
  if (field === 'spec.hostNetwork') return String(parent?.hostNetwork === true)
  if (field === 'status.podIP') return text(items(parent?.podIPs)[0]?.ip)
  return text(parent?.[name])
}

/** Tables mark pods that have finished. */
function rowConditions(object: KubeObject): JsonObject[] | undefined {
  const phase = text(struct(object.status)?.phase)
  if (phase !== 'Succeeded' && phase !== 'Failed') return undefined
  const message = phase === 'Succeeded' ? 'The pod has completed successfully.' : 'The pod failed.'
  return [{ type: 'Completed', status: 'True', reason: phase, message }]
}

export const pod: KindStrategy = {
  subresources: podSubresources,
  default: setPodDefaults,
  prepareForCreate: preparePodForCreate,
  prepareForStatusUpdate,
  validate: validatePod,
  validateUpdate: validatePodUpdate,
  validateStatusUpdate: validatePodStatusUpdate,
  warnings,
  gracePeriod,
  selectableField,
  rowConditions,
}
