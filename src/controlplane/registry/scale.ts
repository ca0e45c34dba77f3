/** The scale subresource: an autoscaling/v1 Scale read from and written to the object that it scales. */
import { fieldError } from '../../api/field-error.ts'
import { cloneJson, isObject, type Json, type JsonObject } from '../../api/json.ts'
import { apiVersionOf, type KubeObject } from '../../api/object.ts'
import { apiError } from '../../api/status.ts'
import { applyPatch } from '../fields/apply-patch.ts'
import type { TrackContext } from '../fields/context.ts'
import { parentEntries, scaleEntries } from '../fields/scale-fields.ts'
import { trackUpdate } from '../fields/track-update.ts'
import { builtinShape } from '../../shape/builtin-shapes.ts'
import { decodeTyped, unknownFields } from '../../shape/decode.ts'
import type { StructShape } from '../../shape/shape.ts'
import { decodeBody, type BodyType } from './body.ts'
import { managerName, resourceName, type Call } from './call.ts'
import { matchName, matchNamespace } from './metadata.ts'
import { writeOptions, type WriteOptions } from './options.ts'
import { applyYaml, decodePatched, parseApply, parsePatch, patchType } from './patch.ts'
import type { ScaleAccess } from '../contract/resource.ts'
import { trackContext } from './tracking.ts'
import { updateObject, wrongUid } from './update.ts'

function scaleShape(): StructShape {
  return builtinShape('io.k8s.api.autoscaling.v1.Scale') as StructShape
}

const scaleType: BodyType = {
  group: 'autoscaling',
  version: 'v1',
  kind: 'Scale',
  decode(value: JsonObject) {
    const shape = scaleShape()
    const { object, sawUnknown } = decodeTyped(value, shape)
    return { object: object as unknown as KubeObject, unknown: sawUnknown ? unknownFields(value, shape) : [] }
  },
}

const customScaleType: BodyType = {
  ...scaleType,
  wrongKind: 'no kind is registered for the type v1.Scale in scheme "pkg/runtime/scheme.go:111"',
}

export function putScale(call: Call, access: ScaleAccess): KubeObject {
  const options = writeOptions('UpdateOptions', call.request.query)
  const scale = decodeBody(call, call.resource.builtin ? scaleType : customScaleType, options.fieldValidation)
  matchNamespace(scale.metadata, call.resource, call.namespace)
  matchName(scale.metadata, call.name)
  return writeScale(call, access, options, (live, context) => tracked(call, options, live, scale, context))
}

export function patchScale(call: Call, access: ScaleAccess): KubeObject {
  const type = patchType(call)
  const isApply = type === applyYaml
  const options = writeOptions('PatchOptions', call.request.query, isApply)
  if (isApply) {
    const { value } = parseApply(call)
    return writeScale(call, access, options, (live, context) => {
      const isScale = isObject(value) && value['kind'] === 'Scale' && value['apiVersion'] === 'autoscaling/v1'
      if (!call.resource.builtin && isScale && live.metadata.managedFields === undefined) {
        throw apiError.internal(
          `failed to create manager for existing fields: failed to convert live object (/; ${noConversion}`,
        )
      }
      const scale = applyPatch(live, isObject(value) ? value : {}, options.fieldManager, options.force, context)
      if (!call.resource.builtin)
        throw apiError.internal(`failed to convert new object (/${call.name}; ${noConversion}`)
      return scale
    })
  }
  return writeScale(call, access, options, (live, context) => {
    const scale = decodePatched(call, scaleType, type, live as unknown as JsonObject, parsePatch(call, type), options)
    return tracked(call, options, live, scale, context)
  })
}

/** Upstream takes no apply to the scale of a custom resource: its conversions do not know the Scale. */
const noConversion =
  'autoscaling/v1, Kind=Scale) to proper version: request to convert CR to an invalid group/version: autoscaling/v1'

function tracked(
  call: Call,
  options: WriteOptions,
  live: KubeObject,
  scale: KubeObject,
  context: TrackContext,
): KubeObject {
  trackUpdate(live, scale, managerName(options.fieldManager, call.request), context)
  return scale
}

/**
 * Makes the Scale with its own field owners, lets `next` change it, and takes replicas and owners over into the object.
 */
function writeScale(
  call: Call,
  access: ScaleAccess,
  options: WriteOptions,
  next: (live: KubeObject, context: TrackContext) => KubeObject,
): KubeObject {
  const { resource } = call
  const apiVersion = apiVersionOf(resource.group, resource.version)
  const paths = { ...access.otherPaths, [apiVersion]: access.path }
  const context: TrackContext = {
    ...trackContext(call),
    shape: scaleShape(),
    group: 'autoscaling',
    version: 'v1',
    apiVersion: 'autoscaling/v1',
    kind: 'Scale',
    resetPaths: [],
    normalise: (object) => scaleType.decode(object as unknown as JsonObject).object,
  }
  const written = updateObject(call, options, {
    change: (live) => {
      const current = access.read(live, true)
      const entries = scaleEntries(live.metadata.managedFields, paths)
      if (entries !== undefined) current.metadata.managedFields = entries
      const scale = next(current, context)
      matchNamespace(scale.metadata, resource, call.namespace)
      matchName(scale.metadata, call.name)
      checkPreconditions(call, scale, live)
      const replicas = replicasOf(scale)
      if (replicas < 0 && resource.builtin) {
        throw apiError.invalid('autoscaling', 'Scale', call.name, [
          fieldError.invalid('spec.replicas', replicas, 'must be greater than or equal to 0'),
        ])
      }
      const object = cloneJson(live as unknown as Json) as unknown as KubeObject
      access.write(object, replicas)
      const owners = parentEntries(live.metadata.managedFields, scale.metadata.managedFields, apiVersion, paths)
      if (owners === undefined) delete object.metadata.managedFields
      else object.metadata.managedFields = owners
      return object
    },
  })
  return access.read(written.object)
}

function replicasOf(scale: KubeObject): number {
  const replicas = (scale['spec'] as JsonObject | undefined)?.['replicas']
  return typeof replicas === 'number' ? replicas : 0
}

function checkPreconditions(call: Call, scale: KubeObject, live: KubeObject): void {
  const { uid, resourceVersion } = scale.metadata
  if (uid !== undefined && uid !== live.metadata.uid) {
    throw wrongUid(call, uid, live.metadata.uid ?? '')
  }
  if (resourceVersion !== undefined && resourceVersion !== live.metadata.resourceVersion) {
    throw apiError.modified(resourceName(call.resource), call.name)
  }
}
