/** What field ownership needs to know of a call. */
import { apiVersionOf, type KubeObject } from '../../api/object.ts'
import type { TrackContext, VersionedObject } from '../fields/context.ts'
import { ConversionError } from '../fields/typed-value-error.ts'
import { hasFormats } from '../../shape/shape.ts'
import type { RegistryCall } from './call.ts'
import type { Decoded, LiveVersion, Resource } from '../contract/resource.ts'

const noPaths: TrackContext['resetPaths'] = []

/** What is the same for all writes to a resource, or to a subresource of it. */
interface Endpoint {
  readonly subresource: string
  readonly apiVersion: string
  readonly resetPaths: TrackContext['resetPaths']
  readonly mayNotFit: boolean
}

const endpoints = new WeakMap<Resource, Endpoint[]>()

function endpointOf(resource: Resource, subresource: string): Endpoint {
  let known = endpoints.get(resource)
  if (known === undefined) endpoints.set(resource, (known = []))
  for (const each of known) if (each.subresource === subresource) return each
  const { resetFields, subresources } = resource.strategy
  const part =
    subresource !== '' && subresources !== undefined && Object.hasOwn(subresources, subresource)
      ? subresources[subresource]
      : undefined
  const endpoint: Endpoint = {
    subresource,
    apiVersion: apiVersionOf(resource.group, resource.version),
    resetPaths:
      part !== undefined
        ? (part.resetPaths ?? noPaths)
        : subresource === 'status'
          ? resetFields.status
          : resetFields.main,
    // What a write to a subresource leaves alone is not checked.
    mayNotFit:
      !resource.builtin &&
      (subresource !== '' ||
        resource.view !== undefined ||
        resource.conversion !== undefined ||
        hasFormats(resource.shape)),
  }
  known.push(endpoint)
  return endpoint
}

/** `live`: the version that the write changes; `decoded`: what it becomes. */
export function trackContext(call: RegistryCall, live?: LiveVersion, decoded?: Decoded): TrackContext {
  const { resource, subresource } = call
  const { apiVersion, resetPaths, mayNotFit } = endpointOf(resource, subresource)
  return {
    shape: resource.shape,
    group: resource.group,
    version: resource.version,
    kind: resource.kind,
    apiVersion,
    subresource,
    resetPaths,
    now: call.backend.env.now(),
    mayNotFit,
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
