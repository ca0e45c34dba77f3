/** Update: the way of a changed object through the registry, whether by PUT, patch, apply or a subresource. */
import { equalJson, type Json } from '../../api/json.ts'
import type { KubeObject } from '../../api/object.ts'
import { apiError } from '../../api/status.ts'
import { keepTimes, trackUpdate } from '../fields/track-update.ts'
import type { Stored } from '../storage/store.ts'
import { decodeBody } from './body.ts'
import { managerName, resourceName, storageKey, writeContext, type Call } from './call.ts'
import { createObject, type Written } from './create.ts'
import { dedupOwners, matchName, matchNamespace, metadataUpdateErrors, resourceVersionRequired, restamped, restoreSystemFields, stamped } from './metadata.ts'
import { writeOptions, type WriteOptions } from './options.ts'
import { parseResourceVersion } from './resource-version.ts'
import { checkSize } from './size.ts'
import { trackContext } from './tracking.ts'

/** PUT, on the object or its status. */
export function update(call: Call): Written {
  const options = writeOptions('UpdateOptions', call.request.query)
  const object = decodeBody(call, call.resource, options.fieldValidation)
  matchNamespace(object.metadata, call.resource, call.namespace)
  matchName(object.metadata, call.name)
  dedupOwners(call, object.metadata, false)
  const manager = managerName(options.fieldManager, call.request)
  const uid = object.metadata.uid
  return updateObject(call, options, {
    uid: uid === '' ? undefined : uid,
    change: (live) => {
      trackUpdate(live, object, manager, trackContext(call))
      return object
    },
    create: call.resource.rules.allowCreateOnUpdate && call.subresource === ''
      ? () => {
          trackUpdate(undefined, object, manager, trackContext(call))
          return object
        }
      : undefined,
  })
}

export interface Change {
  /** The new object from the live one, which is frozen: decoded, defaulted, fields tracked, fresh. `live` itself means no change. */
  readonly change: (live: KubeObject) => KubeObject
  /** What to create when the name is missing; absent: 404. */
  readonly create?: (() => KubeObject) | undefined
  /** The live object must have this uid. */
  readonly uid?: string | undefined
}

export function updateObject(call: Call, options: WriteOptions, { change, create, uid }: Change): Written {
  const { resource, backend } = call
  const key = storageKey(resource, call.namespace, call.name)
  const live = backend.store.get(key)
  if (live === undefined) {
    if (create === undefined) throw apiError.notFound(resourceName(resource), call.name)
    const object = create()
    matchNamespace(object.metadata, resource, call.namespace)
    matchName(object.metadata, call.name)
    delete object.metadata.resourceVersion
    return createObject(call, object, options)
  }
  if (uid !== undefined && uid !== live.object.metadata.uid) throw wrongUid(call, uid, live.object.metadata.uid ?? '')
  const object = change(live.object)
  if (object === live.object) return unchanged(live)
  matchNamespace(object.metadata, resource, call.namespace)
  matchName(object.metadata, call.name)
  checkResourceVersion(call, object, live)
  object.metadata.resourceVersion = live.object.metadata.resourceVersion as string
  dedupOwners(call, object.metadata, true)
  prepare(call, object, live.object, options)
  if (isLastFinalizerGone(call, object, live.object)) {
    if (!options.dryRun) backend.store.delete(key, live.revision, (revision) => restamped(object, revision))
    return { object, created: false }
  }
  if (keepTimes(live.object, object)) return unchanged(live)
  checkSize(object as unknown as Json)
  if (options.dryRun) return { object, created: false }
  const stored = backend.store.put(key, live.revision, (revision) => stamped(object, revision)) as Stored
  return { object: stored.object, stored, created: false }
}

/** A no-op write takes no revision and makes no event. */
function unchanged(live: Stored): Written {
  return { object: live.object, stored: live, created: false }
}

function checkResourceVersion(call: Call, object: KubeObject, live: Stored): void {
  const given = parseResourceVersion(object.metadata.resourceVersion ?? '')
  if (given === 0) {
    if (!call.resource.rules.allowUnconditionalUpdate) throw resourceVersionRequired(call.resource, call.name)
  } else if (given !== live.revision) {
    throw apiError.modified(resourceName(call.resource), call.name)
  }
}

/** Restores what this kind of write may not change, counts generations and validates. */
function prepare(call: Call, object: KubeObject, old: KubeObject, options: WriteOptions): void {
  const { resource } = call
  const { rules } = resource
  const context = writeContext(call, options.dryRun)
  const { metadata } = object
  if (old.metadata.generation === undefined) delete metadata.generation
  else metadata.generation = old.metadata.generation
  const ofStatus = call.subresource === 'status'
  if (ofStatus) {
    restoreAllBut(object, old, 'status')
    rules.prepareForStatusUpdate?.(object, old, context)
  } else if (call.subresource === 'finalize') {
    restoreAllBut(object, old, 'spec')
  } else {
    if (resource.subresources.has('status')) restore(object, old, 'status')
    rules.prepareForUpdate?.(object, old, context)
    if (rules.generation !== 'none' && isNewGeneration(call, object, old)) {
      metadata.generation = (old.metadata.generation ?? 0) + 1
    }
  }
  restoreSystemFields(metadata, old.metadata)
  const errors = metadataUpdateErrors(resource, metadata, old.metadata)
  const ofKind = ofStatus ? rules.validateStatusUpdate?.(object, old, context) : rules.validateUpdate?.(object, old, context)
  if (ofKind !== undefined) errors.push(...ofKind)
  if (errors.length > 0) throw apiError.invalid(resource.group, resource.kind, metadata.name ?? '', errors)
  if (!ofStatus) for (const warning of rules.warnings?.(object, old) ?? []) call.warnings.add(warning)
}

function isNewGeneration(call: Call, object: KubeObject, old: KubeObject): boolean {
  const { rules, subresources } = call.resource
  if (typeof rules.generation === 'function') return rules.generation(object, old)
  const skip = new Set(['apiVersion', 'kind', 'metadata'])
  if (subresources.has('status')) skip.add('status')
  for (const field of new Set([...Object.keys(object), ...Object.keys(old)])) {
    if (!skip.has(field) && !equalJson(object[field], old[field])) return true
  }
  return false
}

function restore(object: KubeObject, old: KubeObject, field: string): void {
  if (old[field] === undefined) delete object[field]
  else object[field] = old[field]
}

function restoreAllBut(object: KubeObject, old: KubeObject, kept: string): void {
  for (const field of new Set([...Object.keys(object), ...Object.keys(old)])) {
    if (field !== kept && field !== 'metadata') restore(object, old, field)
  }
}

/** The update that takes the last finalizer from an object being deleted deletes it. */
function isLastFinalizerGone(call: Call, object: KubeObject, old: KubeObject): boolean {
  if (old.metadata.deletionTimestamp === undefined) return false
  if ((object.metadata.finalizers?.length ?? 0) > 0) return false
  if ((old.metadata.deletionGracePeriodSeconds ?? 0) !== 0) return false
  return !(call.resource.rules.holdsDeletion?.(object) ?? false)
}

export function wrongUid(call: Call, given: string, actual: string) {
  const key = storageKey(call.resource, call.namespace, call.name)
  return apiError.conflict(
    resourceName(call.resource), call.name,
    `StorageError: invalid object, Code: 4, Key: ${key}, ResourceVersion: 0, AdditionalErrorMsg: ` +
      `Precondition failed: UID in precondition: ${given}, UID in object meta: ${actual}`,
  )
}
