/** Update: the way of a changed object through the registry, whether by PUT, patch, apply or a subresource. */
import { restoreEmptyLists } from '../../api/emptied.ts'
import { cloneJson, equalJson, getOwn, setOwn, type Json, type JsonObject } from '../../api/json.ts'
import type { KubeObject } from '../../api/object.ts'
import { apiError } from '../../api/status.ts'
import { isUnsettled } from '../../api/unsettled.ts'
import { keepTimes, trackUpdate } from '../fields/track-update.ts'
import type { Stored } from '../storage/store.ts'
import { Admission } from './admission.ts'
import { decodeBody } from './body.ts'
import { managerName, resourceName, storageKey, writeContext, type Call } from './call.ts'
import { createObject, type Written } from './create.ts'
import {
  dedupOwners,
  matchName,
  matchNamespace,
  resourceVersionRequired,
  restamped,
  restoreSystemFields,
  stamp,
} from './metadata.ts'
import { dropUnstoredLists } from './empty-lists.ts'
import { changeErrors } from './metadata-checks.ts'
import { writeOptions, type WriteOptions } from './options.ts'
import { parseResourceVersion } from './resource-version.ts'
import { checkChangedSize } from './size.ts'
import type { PartRules, WriteContext } from '../contract/resource.ts'
import { trackContext } from './tracking.ts'
import { isStale, readBack } from './view-store.ts'

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
    create:
      call.resource.rules.allowCreateOnUpdate && (call.subresource === '' || call.subresource === 'status')
        ? () => {
            trackUpdate(undefined, object, manager, trackContext(call))
            return object
          }
        : undefined,
  })
}

export interface Change {
  /**
   * The new object from the live one, which is frozen: decoded, defaulted, fields tracked, fresh. `live` itself means
   * no change.
   */
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
    if (uid !== undefined) throw wrongUid(call, uid, '', options.dryRun)
    const object = create()
    matchNamespace(object.metadata, resource, call.namespace)
    matchName(object.metadata, call.name)
    const { resourceVersion } = object.metadata
    parseResourceVersion(resourceVersion ?? '')
    delete object.metadata.resourceVersion
    const created = createObject(call, object, options)
    if (options.dryRun && resourceVersion !== undefined) created.object.metadata.resourceVersion = resourceVersion
    return created
  }
  if (uid !== undefined && uid !== live.object.metadata.uid)
    throw wrongUid(call, uid, live.object.metadata.uid ?? '', options.dryRun)
  let object = change(live.object)
  const counts = () => isUnsettled(live.object) || isStale(backend.store, live)
  if (object === live.object) {
    if (!counts() && resource.rules.checksUnchanged?.(live.object) !== true) {
      warn(call, object, live.object)
      return unchanged(live)
    }
    object = cloneJson<Json>(object as unknown as Json) as unknown as KubeObject
  }
  if (
    object.metadata.name !== live.object.metadata.name ||
    object.metadata.namespace !== live.object.metadata.namespace
  ) {
    matchNamespace(object.metadata, resource, call.namespace)
    matchName(object.metadata, call.name)
  }
  const context = writeContext(call, options.dryRun)
  const admission = new Admission(call, 'UPDATE', object, live.object, context)
  admission.mutate()
  resource.rules.checkGrants?.(object, live.object, context)
  checkResourceVersion(call, object, live)
  object.metadata.resourceVersion = live.object.metadata.resourceVersion as string
  dedupOwners(call, object.metadata, true)
  dropUnstoredLists(resource, object)
  prepare(call, object, live.object, context)
  admission.validate()
  if (isLastFinalizerGone(call, object, live.object)) {
    if (!options.dryRun) backend.store.delete(key, live.revision, (revision) => restamped(live.object, revision))
    return { object, created: false }
  }
  dropUnstoredLists(resource, object)
  // What is stored in another form than it is served differs from what is served.
  if (!isUnsettled(object) && keepTimes(live.object, object) && !counts()) return unchanged(live)
  const textLength = checkChangedSize(object as unknown as Json, live)
  if (options.dryRun) return { object: readBack(backend.store, object), created: false }
  const stored = backend.store.put(live.key, live.revision, (revision) => stamp(object, revision)) as Stored
  stored.textLength = textLength
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
function prepare(call: Call, object: KubeObject, old: KubeObject, context: WriteContext): void {
  const { resource } = call
  const { rules } = resource
  const { metadata } = object
  if (old.metadata.generation !== undefined) metadata.generation = old.metadata.generation
  else if (metadata.generation !== undefined) delete metadata.generation
  const ofStatus = call.subresource === 'status'
  const part = partOf(call)
  if (part !== undefined) {
    part.prepare(object, old, context)
    if (part.countsGeneration === true && isNewGeneration(call, object, old))
      metadata.generation = (old.metadata.generation ?? 0) + 1
  } else if (ofStatus) {
    restoreAllBut(object, old, 'status')
    rules.prepareForStatusUpdate?.(object, old, context)
  } else {
    if (resource.subresources.has('status') && rules.opensStatus !== true) restore(object, old, 'status')
    rules.prepareForUpdate?.(object, old, context)
    if (rules.generation !== 'none' && isNewGeneration(call, object, old)) {
      metadata.generation = (old.metadata.generation ?? 0) + 1
    }
  }
  restoreSystemFields(metadata, old.metadata)
  restoreEmptyLists(object)
  const validated =
    part !== undefined
      ? part.validate(object, old, context)
      : ofStatus
        ? rules.validateStatusUpdate?.(object, old, context)
        : rules.validateUpdate?.(object, old, context)
  const steps =
    part?.metadataSteps ?? (ofStatus || part !== undefined ? rules.metadataSteps?.status : rules.metadataSteps?.update)
  const errors = changeErrors(resource, metadata, old.metadata, steps, validated ?? [])
  if (errors.length > 0)
    throw apiError.invalid(rules.errorGroup ?? resource.group, resource.kind, metadata.name ?? '', errors)
  warn(call, object, old)
}

function warn(call: Call, object: KubeObject, old: KubeObject): void {
  const { rules } = call.resource
  if (partOf(call) !== undefined) return
  const warnings = call.subresource === 'status' ? rules.statusWarnings?.(object) : rules.warnings?.(object, old)
  for (const warning of warnings ?? []) call.warnings.add(warning)
}

/** The rules of the subresource that is written, where it has its own. */
function partOf({ subresource, resource }: Call): PartRules | undefined {
  const { parts } = resource.rules
  return subresource !== '' && parts !== undefined && Object.hasOwn(parts, subresource) ? parts[subresource] : undefined
}

function isNewGeneration(call: Call, object: KubeObject, old: KubeObject): boolean {
  const { rules, subresources } = call.resource
  if (typeof rules.generation === 'function') return rules.generation(object, old)
  const counts = (field: string) =>
    field !== 'apiVersion' &&
    field !== 'kind' &&
    field !== 'metadata' &&
    !(field === 'status' && subresources.has('status'))
  for (const field in object) if (counts(field) && !equalJson(object[field], old[field])) return true
  for (const field in old) if (counts(field) && !Object.hasOwn(object, field)) return true
  return false
}

function restore(object: KubeObject, old: KubeObject, field: string): void {
  const value = getOwn(old as unknown as JsonObject, field)
  if (value === undefined) {
    if (object[field] !== undefined) delete object[field]
  } else setOwn(object as unknown as JsonObject, field, value)
}

function restoreAllBut(object: KubeObject, old: KubeObject, kept: string): void {
  for (const field in object)
    if (field !== kept && field !== 'metadata' && old[field] === undefined) delete object[field]
  for (const field in old) if (field !== kept && field !== 'metadata') restore(object, old, field)
}

/** The update that takes the last finalizer from an object being deleted deletes it. */
function isLastFinalizerGone(call: Call, object: KubeObject, old: KubeObject): boolean {
  if (old.metadata.deletionTimestamp === undefined) return false
  if ((object.metadata.finalizers?.length ?? 0) > 0) return false
  if ((old.metadata.deletionGracePeriodSeconds ?? 0) !== 0) return false
  return !(call.resource.rules.holdsDeletion?.(object) ?? false)
}

/** A dry run does not get as far as the store, which puts the start before the key. */
export function wrongUid(call: Call, given: string, actual: string, dryRun = false) {
  const key = storageKey(call.resource, call.namespace, call.name)
  return apiError.conflict(
    resourceName(call.resource),
    call.name,
    `StorageError: invalid object, Code: 4, Key: ${dryRun ? key.slice('/registry'.length) : key}, ` +
      'ResourceVersion: 0, AdditionalErrorMsg: ' +
      `Precondition failed: UID in precondition: ${given}, UID in object meta: ${actual}`,
  )
}
