/** What field ownership needs to know of a call. */
import { hasEmptied } from '../../api/emptied.ts'
import { isObject, type Json, type JsonObject } from '../../api/json.ts'
import { apiVersionOf } from '../../api/object.ts'
import { markUnsettled } from '../../api/unsettled.ts'
import type { TrackContext } from '../fields/context.ts'
import { ConversionError } from '../fields/plan.ts'
import { UnmarshalError } from '../shape/decode.ts'
import type { Shape } from '../shape/shape.ts'
import type { Call } from './call.ts'

const noPaths: TrackContext['resetPaths'] = []

const formats = new WeakMap<Shape, boolean>()

/** A text with a format may be a list as far as validation goes, but not as far as ownership goes. */
function hasFormats(shape: Shape): boolean {
  let found = formats.get(shape)
  if (found === undefined) {
    formats.set(shape, false)
    found = shape.type === 'scalar' ? shape.scalar === 'string' && shape.format !== undefined
      : shape.type === 'list' ? hasFormats(shape.items)
        : shape.type === 'map' ? hasFormats(shape.values)
          : shape.type === 'struct' && [...shape.fields.values()].some((field) => field.name !== 'metadata' && hasFormats(field.shape))
    formats.set(shape, found)
  }
  return found
}

/** What an apply has emptied by taking out the last part. */
function hasNulls(metadata: Json | undefined): boolean {
  return isObject(metadata) && Object.values(metadata).includes(null)
}

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
    // What a write to a subresource leaves alone is not checked.
    mayNotFit: !resource.builtin && (call.subresource !== '' || resource.view !== undefined || hasFormats(resource.shape)),
    ...(resource.view?.kept === undefined ? {} : { kept: resource.view.kept }),
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
        // Empty parts of metadata, its own or that of an embedded object, are stored so, but not shown.
        // A write to the status stores none of it.
        const isStored = !resource.builtin && call.subresource !== 'status'
        if (isStored && (hasNulls(value['metadata']) || hasEmptied(applied as unknown as JsonObject))) markUnsettled(applied)
        return applied
      } catch (error) {
        if (!resource.builtin || !(error instanceof UnmarshalError)) throw error
        const { group, version, kind } = resource
        throw new UnmarshalError(`unable to convert unstructured object to ${group}/${version}, Kind=${kind}: ${error.message}`)
      }
    },
  }
}
