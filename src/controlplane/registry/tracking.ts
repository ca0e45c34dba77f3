/** What field ownership needs to know of a call. */
import type { JsonObject } from '../../api/json.ts'
import { apiVersionOf } from '../../api/object.ts'
import type { TrackContext } from '../fields/context.ts'
import type { Call } from './call.ts'

export function trackContext(call: Call): TrackContext {
  const { resource } = call
  const { resetFields } = resource.rules
  return {
    shape: resource.shape,
    group: resource.group,
    version: resource.version,
    kind: resource.kind,
    apiVersion: apiVersionOf(resource.group, resource.version),
    subresource: call.subresource,
    resetPaths: call.subresource === 'status' ? resetFields.status : resetFields.main,
    now: call.backend.env.now(),
    normalise: (object) => resource.decode(object as unknown as JsonObject).object,
  }
}
