/** What field ownership needs to know of a call. */
import { equalJson, type JsonObject } from '../../api/json.ts'
import { apiVersionOf, type KubeObject } from '../../api/object.ts'
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

/** When a write changes nothing but the times of managedFields, the old entries stay: it was no change. */
export function settleTracking(object: KubeObject, live: KubeObject): void {
  const next = object.metadata.managedFields
  const old = live.metadata.managedFields
  if (next === undefined || old === undefined || next === old) return
  if (next.length !== old.length) return
  for (let i = 0; i < next.length; i++) {
    const { time: _next, ...rest } = next[i] as object & { time?: string }
    const { time: _old, ...was } = old[i] as object & { time?: string }
    if (!equalJson(rest, was)) return
  }
  const meta = { ...object.metadata, managedFields: old, resourceVersion: live.metadata.resourceVersion }
  if (equalJson({ ...object, metadata: meta }, live)) object.metadata.managedFields = old
}
