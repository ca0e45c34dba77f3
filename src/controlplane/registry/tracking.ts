/** What field ownership needs to know of a call. */
import { hasEmptied } from '../../api/emptied.ts'
import { isObject, type Json, type JsonObject } from '../../api/json.ts'
import { apiVersionOf, type KubeObject } from '../../api/object.ts'
import { markUnsettled } from '../../api/unsettled.ts'
import type { TrackContext, VersionedObject } from '../fields/context.ts'
import { ConversionError } from '../fields/plan.ts'
import { UnmarshalError } from '../../shape/decode.ts'
import { hasFormats } from '../../shape/shape.ts'
import type { Call } from './call.ts'
import type { Resource } from '../contract/resource.ts'

const noPaths: TrackContext['resetPaths'] = []

/** What an apply has emptied by taking out the last part. */
function hasNulls(metadata: Json | undefined): boolean {
  if (!isObject(metadata)) return false
  for (const name in metadata) if (metadata[name] === null) return true
  return false
}

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
  const { resetFields, parts } = resource.rules
  const part =
    subresource !== '' && parts !== undefined && Object.hasOwn(parts, subresource) ? parts[subresource] : undefined
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

export function trackContext(call: Call): TrackContext {
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
    kept: resource.view?.kept,
    convert: resource.convert && ((object, version) => converted(call, object, version)),
    normalise: (object, live) =>
      normalised(call, object as unknown as JsonObject, live as unknown as JsonObject | undefined),
  }
}

function converted(
  { resource, subresource, askOutside }: Call,
  object: KubeObject,
  apiVersion: string,
): VersionedObject | undefined {
  const result = resource.convert?.(object, apiVersion, subresource, askOutside)
  if (result !== undefined && 'problem' in result) throw new ConversionError(result.problem)
  return result
}

function normalised({ resource, subresource }: Call, value: JsonObject, live: JsonObject | undefined): KubeObject {
  try {
    const applied = resource.decodeApplied?.(value, live) ?? resource.decode(value, true).object
    // Empty parts of metadata, its own or that of an embedded object, are stored so, but not shown.
    // A write to the status stores none of it.
    const isStored = !resource.builtin && subresource !== 'status'
    if (isStored && (hasNulls(value['metadata']) || hasEmptied(applied as unknown as JsonObject)))
      markUnsettled(applied)
    return applied
  } catch (error) {
    if (!resource.builtin || !(error instanceof UnmarshalError)) throw error
    const { group, version, kind } = resource
    throw new UnmarshalError(
      `unable to convert unstructured object to ${group}/${version}, Kind=${kind}: ${error.message}`,
    )
  }
}
