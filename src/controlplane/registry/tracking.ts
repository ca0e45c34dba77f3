/** Makes the context that field ownership needs from a call. */
import type { KubeObject } from '../../api/object.ts'
import type { TrackContext, VersionedObject } from '../fields/context.ts'
import { ConversionError } from '../fields/typed-value-error.ts'
import { hasFormats } from '../../shape/shape.ts'
import type { RegistryCall } from './call.ts'
import type { Decoded, LiveVersion, Resource } from '../contract/resource.ts'

const noPaths: TrackContext['resetPaths'] = []

/** Paths that a write to the resource, or to this subresource, does not store. */
function resetPathsOf({ strategy }: Resource, subresource: string): TrackContext['resetPaths'] {
  if (subresource === '') return strategy.resetFields.main
  const { subresources } = strategy
  if (subresources !== undefined && Object.hasOwn(subresources, subresource))
    return subresources[subresource]?.resetPaths ?? noPaths
  return subresource === 'status' ? strategy.resetFields.status : strategy.resetFields.main
}

/**
 * Whether the object may have values that its shape does not allow. A write to a subresource does not validate the rest
 * of the object.
 */
function mayNotFit(resource: Resource, subresource: string): boolean {
  if (resource.builtin) return false
  return (
    subresource !== '' || resource.view !== undefined || resource.conversion !== undefined || hasFormats(resource.shape)
  )
}

/** `live`: the version to update; `decoded`: the new object. */
export function trackContext(call: RegistryCall, live?: LiveVersion, decoded?: Decoded): TrackContext {
  const { resource, subresource } = call
  return {
    shape: resource.shape,
    group: resource.group,
    version: resource.version,
    kind: resource.kind,
    apiVersion: resource.apiVersion,
    subresource,
    resetPaths: resetPathsOf(resource, subresource),
    now: call.backend.env.now(),
    mayNotFit: mayNotFit(resource, subresource),
    parts: decoded?.parts,
    liveParts: live?.parts,
    convert: resource.convert && ((object, version) => converted(call, object, version)),
  }
}

function converted(
  { resource, subresource, askOutside }: RegistryCall,
  object: KubeObject,
  apiVersion: string,
): VersionedObject | undefined {
  const result = resource.convert?.(object, apiVersion, subresource, askOutside)
  if (result !== undefined && 'problem' in result) throw new ConversionError(result.problem)
  return result
}
