/** RuntimeClass admission: the class must be there, and says what running a pod of it costs. */
import { goQuote } from '../../../api/go-format.ts'
import { equalJson, type JsonObject } from '../../../api/json.ts'
import type { KubeObject } from '../../../api/object.ts'
import { apiError } from '../../../api/status.ts'
import type { WriteContext } from '../../registry/resource.ts'
import { items, struct, text } from '../shared/values.ts'

export function admitRuntimeClass(object: KubeObject, spec: JsonObject, context: WriteContext): void {
  if (spec.runtimeClassName === undefined) return
  const name = text(spec.runtimeClassName)
  const pods = { group: '', resource: 'pods' }
  const found = context.lookup('node.k8s.io', 'runtimeclasses', '', name)
  if (found === undefined) {
    const why = `pod rejected: RuntimeClass ${goQuote(name)} not found`
    throw apiError.forbidden(pods, object.metadata.name ?? '', why)
  }
  const overhead = struct(struct(found.overhead)?.podFixed)
  if (overhead !== undefined) {
    if (spec.overhead !== undefined && !equalJson(spec.overhead, overhead)) {
      const why = "pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead"
      throw apiError.forbidden(pods, object.metadata.name ?? '', why)
    }
    spec.overhead = { ...overhead }
  }
  const scheduling = struct(found.scheduling)
  const selector = struct(scheduling?.nodeSelector)
  if (selector !== undefined) spec.nodeSelector = { ...struct(spec.nodeSelector), ...selector }
  const tolerations = items(scheduling?.tolerations)
  if (tolerations.length > 0) spec.tolerations = [...items(spec.tolerations), ...tolerations]
}
