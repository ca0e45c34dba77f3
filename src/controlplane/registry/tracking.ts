/** What field ownership needs to know of a call. */
import { emptied } from '../../api/emptied.ts'
import type { JsonObject } from '../../api/json.ts'
import { apiVersionOf } from '../../api/object.ts'
import { markUnsettled } from '../../api/unsettled.ts'
import type { TrackContext } from '../fields/context.ts'
import { ConversionError } from '../fields/plan.ts'
import { UnmarshalError } from '../shape/decode.ts'
import type { Call } from './call.ts'

const noPaths: TrackContext['resetPaths'] = []
/** Of metadata, what upstream stores empty when an apply to a custom resource says so. */
const emptyParts = ['labels', 'annotations', 'finalizers', 'ownerReferences']

export function trackContext(call: Call): TrackContext {
  const { resource } = call
  const { resetFields, parts } = resource.rules
  const part = call.subresource !== '' && parts !== undefined && Object.hasOwn(parts, call.subresource) ? parts[call.subresource] : undefined
  return {
    shape: resource.shape,
    group: resource.group,
    version: resource.version,
    kind: resource.kind,
    apiVersion: apiVersionOf(resource.group, resource.version),
    subresource: call.subresource,
    resetPaths: part !== undefined ? (part.resetPaths ?? noPaths) : call.subresource === 'status' ? resetFields.status : resetFields.main,
    now: call.backend.env.now(),
    mayNotFit: resource.view !== undefined && !resource.builtin,
    ...(resource.convert === undefined ? {} : {
      convert: (object, apiVersion) => {
        const converted = resource.convert?.(object, apiVersion, call.subresource)
        if (converted !== undefined && 'problem' in converted) throw new ConversionError(converted.problem)
        return converted
      },
    }),
    normalise: (object) => {
      const value = object as unknown as JsonObject
      try {
        const applied = resource.decodeApplied?.(value) ?? resource.decode(value, true).object
        if (!resource.builtin && emptyParts.some((name) => emptied(applied.metadata, name) !== undefined)) markUnsettled(applied)
        return applied
      } catch (error) {
        if (!resource.builtin || !(error instanceof UnmarshalError)) throw error
        const { group, version, kind } = resource
        throw new UnmarshalError(`unable to convert unstructured object to ${group}/${version}, Kind=${kind}: ${error.message}`)
      }
    },
  }
}
