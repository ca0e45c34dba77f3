/** The scale subresource: reads an autoscaling/v1 Scale from the scaled object, and writes it back. */
import { fieldError } from '../../api/field-error.ts'
import { cloneJson, isObject, type JsonObject } from '../../api/json.ts'
import type { KubeObject } from '../../api/object.ts'
import { apiError } from '../../api/status.ts'
import { decodeFailure, finishApply, mergeApply, type MergedApply } from '../fields/apply-patch.ts'
import type { TrackContext } from '../fields/context.ts'
import { parentEntries, scaleEntries } from '../fields/scale-fields.ts'
import { trackUpdate } from '../fields/track-update.ts'
import { builtinShape } from '../../shape/builtin-shapes.ts'
import { decodeTyped, unknownFields } from '../../shape/decode.ts'
import type { StructShape } from '../../shape/shape.ts'
import type { Stored } from '../storage/store.ts'
import { decodeBody, type BodyType } from './body.ts'
import { liveVersion, managerName, notFound, resourceName, type RegistryCall } from './call.ts'
import { matchName, matchNamespace } from './metadata.ts'
import { writeOptions, type WriteOptions } from './options.ts'
import { applyYaml, decodePatched, parseApply, parsePatch, patchType } from './patch.ts'
import type { Decoded, ScaleAccess } from '../contract/resource.ts'
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
    return { object: object as KubeObject, unknown: sawUnknown ? unknownFields(value, shape) : [] }
  },
}

const customScaleType: BodyType = {
  ...scaleType,
  wrongKind: 'no kind is registered for the type v1.Scale in scheme "pkg/runtime/scheme.go:111"',
}

export function putScale(call: RegistryCall, access: ScaleAccess): KubeObject {
  const options = writeOptions('UpdateOptions', call.request.query)
  const type = call.resource.builtin ? scaleType : customScaleType
  const { object: scale } = decodeBody(call, type, options.fieldValidation)
  matchNamespace(scale.metadata, call.resource, call.namespace)
  matchName(scale.metadata, call.name)
  const live = liveScale(call, access)
  trackUpdate(live.scale, scale, managerName(options.fieldManager, call.request), live.context)
  return storeScale(call, access, options, live, scale)
}

export function patchScale(call: RegistryCall, access: ScaleAccess): KubeObject {
  const type = patchType(call)
  const isApply = type === applyYaml
  const options = writeOptions('PatchOptions', call.request.query, isApply)
  call.request.audit?.patch()
  if (isApply) return applyScale(call, access, options)
  const live = liveScale(call, access)
  const { object: scale } = decodePatched(
    call,
    scaleType,
    type,
    { object: live.scale },
    parsePatch(call, type),
    options,
  )
  trackUpdate(live.scale, scale, managerName(options.fieldManager, call.request), live.context)
  return storeScale(call, access, options, live, scale)
}

function applyScale(call: RegistryCall, access: ScaleAccess, options: WriteOptions): KubeObject {
  const { value } = parseApply(call)
  const live = liveScale(call, access)
  const isScale = isObject(value) && value['kind'] === 'Scale' && value['apiVersion'] === 'autoscaling/v1'
  if (!call.resource.builtin && isScale && live.scale.metadata.managedFields === undefined) {
    throw apiError.internal(
      `failed to create manager for existing fields: failed to convert live object (/; ${noConversion}`,
    )
  }
  const configuration = isObject(value) ? value : {}
  const merge = mergeApply(live.scale, configuration, options.fieldManager, options.force, live.context)
  const scale = finishApply(merge, decodeScale(merge))
  if (!call.resource.builtin) throw apiError.internal(`failed to convert new object (/${call.name}; ${noConversion}`)
  return storeScale(call, access, options, live, scale)
}

function decodeScale(merge: MergedApply): KubeObject | undefined {
  try {
    return merge.merged && scaleType.decode(merge.merged).object
  } catch (error) {
    throw decodeFailure(merge, error)
  }
}

/** Upstream fails at an apply to the scale of a custom resource, because its converter does not know Scale. */
const noConversion =
  'autoscaling/v1, Kind=Scale) to proper version: request to convert CR to an invalid group/version: autoscaling/v1'

/** Stands for missing replicas of a custom resource while its Scale is written: a patch must set them. */
const missingReplicaCount = -2_147_483_648

/** The Scale of a live object, with its own managedFields. */
interface LiveScale {
  readonly version: Stored
  readonly scale: KubeObject
  readonly context: TrackContext
  /** The path of the replicas in each version of the resource, by apiVersion. */
  readonly paths: Readonly<Record<string, readonly string[]>>
}

function liveScale(call: RegistryCall, access: ScaleAccess): LiveScale {
  const { resource } = call
  const version = liveVersion(call)
  if (version === undefined) throw notFound(call)
  const paths = { ...access.otherPaths, [resource.apiVersion]: access.path }
  const context: TrackContext = {
    ...trackContext(call),
    shape: scaleShape(),
    group: 'autoscaling',
    version: 'v1',
    apiVersion: 'autoscaling/v1',
    kind: 'Scale',
    resetPaths: [],
  }
  const scale = access.read(version.object, missingReplicaCount)
  const entries = scaleEntries(version.object.metadata.managedFields, paths)
  if (entries !== undefined) scale.metadata.managedFields = entries
  return { version, scale, context, paths }
}

/** Copies replicas and field owners of the new Scale into the object, and stores it. */
function storeScale(
  call: RegistryCall,
  access: ScaleAccess,
  options: WriteOptions,
  { version, paths }: LiveScale,
  scale: KubeObject,
): KubeObject {
  const { resource } = call
  const live = version.object
  matchNamespace(scale.metadata, resource, call.namespace)
  matchName(scale.metadata, call.name)
  checkPreconditions(call, scale, live)
  const replicas = replicasOf(scale)
  if (replicas === missingReplicaCount && !resource.builtin) {
    const path = access.path.map((name) => `.${name}`).join('')
    throw apiError.badRequest(`the spec replicas field ${JSON.stringify(path)} cannot be empty`)
  }
  if (replicas < 0 && resource.builtin) {
    throw apiError.invalid('autoscaling', 'Scale', call.name, [
      fieldError.invalid('spec.replicas', replicas, 'must be greater than or equal to 0'),
    ])
  }
  const object = cloneJson(live)
  access.write(object, replicas)
  const apiVersion = resource.apiVersion
  const owners = parentEntries(live.metadata.managedFields, scale.metadata.managedFields, apiVersion, paths)
  if (owners === undefined) delete object.metadata.managedFields
  else object.metadata.managedFields = owners
  const decoded: Decoded = { object, unknown: [], lossy: access.lossy }
  return access.read(updateObject(call, options, version, decoded).object)
}

function replicasOf(scale: KubeObject): number {
  const replicas = (scale['spec'] as JsonObject | undefined)?.['replicas']
  return typeof replicas === 'number' ? replicas : 0
}

function checkPreconditions(call: RegistryCall, scale: KubeObject, live: KubeObject): void {
  const { uid, resourceVersion } = scale.metadata
  if (uid !== undefined && uid !== live.metadata.uid) {
    throw wrongUid(call, uid, live.metadata.uid ?? '')
  }
  if (resourceVersion !== undefined && resourceVersion !== live.metadata.resourceVersion) {
    throw apiError.modified(resourceName(call.resource), call.name)
  }
}
