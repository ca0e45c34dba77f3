/**
 * Writes of one object, from the request to the store. Every verb is the same sequence:
 *
 * decode the request → read the live version → make the new object → track fields, then, in `create.ts` or `update.ts`:
 * admit → prepare → validate → admit → store.
 */
import { isObject } from '../../api/json.ts'
import type { KubeObject } from '../../api/object.ts'
import { apiError } from '../../api/status.ts'
import { decodeFailure, finishApply, mergeApply, type MergedApply } from '../fields/apply-patch.ts'
import { trackCreate } from '../fields/first-entry.ts'
import { trackUpdate } from '../fields/track-update.ts'
import type { Stored } from '../storage/store.ts'
import { decodeBody, repeatedKeys, reportProblems } from './body.ts'
import { liveVersion, managerName, notFound, resourceName, storageKey, type RegistryCall } from './call.ts'
import { createObject } from './create.ts'
import { dedupOwners, matchName, matchNamespace, wipeSystemFields } from './metadata.ts'
import { writeOptions, type WriteOptions } from './options.ts'
import { applyYaml, decodeMerged, decodePatched, notAnObject, parseApply, parsePatch, patchType } from './patch.ts'
import type { Decoded } from '../contract/resource.ts'
import { parseResourceVersion } from './resource-version.ts'
import { trackContext } from './tracking.ts'
import { updateObject, wrongUid } from './update.ts'
import { peek } from './view-store.ts'
import { isFarTooLarge } from './size.ts'
import { stage } from './write-stages.ts'
import type { Written } from './written.ts'

/** POST to a collection. */
export function create(call: RegistryCall): Written {
  const { resource, request } = call
  const options = writeOptions('CreateOptions', request.query)
  call.stages?.basedOn(namespaceRevision(call))
  const decoded = decodeWhole(call, options)
  stage(call, () => {
    const { object, asSent, isTooLarge } = decoded
    matchNamespace(object.metadata, resource, call.namespace)
    wipeSystemFields(object.metadata)
    dedupOwners(call, object.metadata, false)
    if (isTooLarge === true) return
    const manager = managerName(options.fieldManager, request)
    // A large object rarely has the form of another one, and even to enumerate its keys takes long.
    if (call.stages !== undefined) trackUpdate(undefined, object, manager, trackContext(call), asSent)
    else trackCreate(object, manager, resource, call.backend.env.now(), () => trackContext(call), asSent)
  })
  return createObject(call, options, decoded)
}

/** Decodes a body that contains the whole object. An object that is too large is validated, but not tracked. */
function decodeWhole(call: RegistryCall, options: WriteOptions, read?: Stored): Decoded {
  const decoded = decodeBody(call, call.resource, options.fieldValidation, read)
  if (call.stages?.run(() => isFarTooLarge(decoded.object)) === true) decoded.isTooLarge = true
  return decoded
}

/** A create that takes several turns starts again if its namespace changes: it may be deleted. */
function namespaceRevision({ resource, namespace, backend }: RegistryCall): number | undefined {
  return resource.namespaced ? peek(backend.store, `/registry/namespaces/${namespace}`)?.revision : undefined
}

/** PUT, to the object or to a subresource that stores a part of it. */
export function update(call: RegistryCall): Written {
  const { resource, request } = call
  const options = writeOptions('UpdateOptions', request.query)
  // An in-process client sends back the object that it has read. Parts shared with the stored version are not decoded
  // again.
  const read = peek(call.backend.store, storageKey(resource, call.namespace, call.name))
  call.stages?.basedOn(read?.revision)
  const decoded = decodeWhole(call, options, read)
  const live = stage(call, () => {
    const { object, asSent, isTooLarge } = decoded
    matchNamespace(object.metadata, resource, call.namespace)
    matchName(object.metadata, call.name)
    dedupOwners(call, object.metadata, false)
    const found = liveVersion(call)
    if (found === undefined && !mayCreate(call, false)) throw notFound(call)
    checkUid(call, options, object.metadata.uid, found)
    const manager = managerName(options.fieldManager, request)
    if (isTooLarge !== true) trackUpdate(found?.object, object, manager, trackContext(call, found, decoded), asSent)
    return found
  })
  return live === undefined ? createMissing(call, options, decoded) : updateObject(call, options, live, decoded)
}

/** PATCH, to the object or to a subresource that stores a part of it. */
export function patch(call: RegistryCall): Written {
  const type = patchType(call)
  const options = writeOptions('PatchOptions', call.request.query, type === applyYaml)
  call.request.audit?.patch()
  if (type === applyYaml) return apply(call, options)
  call.stages?.basedOn(storedRevision(call))
  const live = stage(call, () => liveVersion(call))
  if (live === undefined) throw notFound(call)
  const parsed = parsePatch(call, type)
  const decoded = stage(call, () => decodePatched(call, call.resource, type, live, parsed, options))
  stage(call, () => {
    const manager = managerName(options.fieldManager, call.request)
    trackUpdate(live.object, decoded.object, manager, trackContext(call, live, decoded), decoded.asSent)
  })
  return updateObject(call, options, live, decoded)
}

/** Server-side apply. */
function apply(call: RegistryCall, options: WriteOptions): Written {
  call.stages?.basedOn(storedRevision(call))
  const { value, repeats = [] } = parseApply(call)
  const configuration = value ?? {}
  if (!isObject(configuration)) throw notAnObject(configuration)
  const live = stage(call, () => liveVersion(call))
  if (live === undefined && !mayCreate(call, true)) throw notFound(call)
  const merge = mergeApply(
    live?.object,
    configuration,
    options.fieldManager,
    options.force,
    trackContext(call, live),
    (work) => stage(call, work),
  )
  const decoded = stage(call, () => {
    const result = decodeApplied(call, merge, live)
    reportProblems(call, options.fieldValidation, repeats, () => {
      throw apiError.badRequest(`error strict decoding YAML: error converting YAML to JSON: ${repeatedKeys(repeats)}`)
    })
    if (live === undefined) {
      checkNoUid(call, result.object)
      matchName(result.object.metadata, call.name)
    }
    return result
  })
  if (live !== undefined) return updateObject(call, options, live, decoded)
  return createMissing(call, options, decoded)
}

function storedRevision({ backend, resource, namespace, name }: RegistryCall): number | undefined {
  return peek(backend.store, storageKey(resource, namespace, name))?.revision
}

/** Decodes the merged object and sets its managedFields; the live object itself if nothing changes. */
function decodeApplied(call: RegistryCall, merge: MergedApply, live: Stored | undefined): Decoded {
  if (merge.merged === undefined) {
    return { object: finishApply(merge, undefined), unknown: [], sameContent: live !== undefined }
  }
  let decoded: Decoded
  try {
    decoded = decodeMerged(call, merge.merged, live)
  } catch (error) {
    throw decodeFailure(merge, error)
  }
  const object = finishApply(merge, decoded.object, decoded.needsRewrite)
  return object === decoded.object ? decoded : { object, unknown: [] }
}

/** Whether a write to a missing name creates it: an apply always does, others if the kind allows it. */
function mayCreate({ subresource, resource: { strategy } }: RegistryCall, isApply: boolean): boolean {
  return subresource === ''
    ? isApply || strategy.allowCreateOnUpdate
    : subresource === 'status' && strategy.allowCreateOnUpdate
}

/** A PUT may have a uid to identify the object; an empty uid means none. */
function checkUid(
  call: RegistryCall,
  options: WriteOptions,
  given: string | undefined,
  live: Stored | undefined,
): void {
  if (given === undefined || given === '' || given === live?.object.metadata.uid) return
  throw wrongUid(call, given, live?.object.metadata.uid ?? '', options.dryRun)
}

/** An apply with a uid fails if there is no such object. */
function checkNoUid(call: RegistryCall, { metadata: { uid } }: KubeObject): void {
  if (uid === undefined || uid === '') return
  throw apiError.conflict(
    resourceName(call.resource),
    call.name,
    `uid mismatch: the provided object specified uid ${uid}, and no existing object was found`,
  )
}

/** Creates the object of an update or apply of a missing name. Its resourceVersion is ignored. */
function createMissing(call: RegistryCall, options: WriteOptions, decoded: Decoded): Written {
  const resourceVersion = stage(call, () => {
    const { metadata } = decoded.object
    matchNamespace(metadata, call.resource, call.namespace)
    matchName(metadata, call.name)
    const given = metadata.resourceVersion
    parseResourceVersion(given ?? '')
    delete metadata.resourceVersion
    return given
  })
  const created = createObject(call, options, decoded)
  if (options.dryRun && resourceVersion !== undefined) created.object.metadata.resourceVersion = resourceVersion
  return created
}
