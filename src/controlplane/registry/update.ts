/** Update: stores a changed object, for a PUT, a patch, an apply or a subresource. */
import { cloneJson, equalJson, getOwn, setOwn, type Json } from '../../api/json.ts'
import type { KubeObject } from '../../api/object.ts'
import { apiError } from '../../api/status.ts'
import { keepTimes } from '../fields/track-update.ts'
import { keepParts, type Stored } from '../storage/store.ts'
import { Admission } from './admission.ts'
import { resourceName, storageKey, writeContext, type RegistryCall } from './call.ts'
import {
  dedupOwners,
  matchName,
  matchNamespace,
  resourceVersionRequired,
  withStoredResourceVersion,
  restoreSystemFields,
  setResourceVersion,
} from './metadata.ts'
import { dropUnstoredLists } from './empty-lists.ts'
import { changeErrors } from './metadata-checks.ts'
import type { WriteOptions } from './options.ts'
import { parseResourceVersion } from './resource-version.ts'
import { changedLength, objectTooLarge } from './size.ts'
import type { Decoded, SubresourceStrategy, WriteContext } from '../contract/resource.ts'
import { isStale, readBack } from './view-store.ts'
import { stage } from './write-stages.ts'
import type { Written } from './written.ts'

/**
 * `live`: the version to update; `decoded`: the new object, defaulted and with its managedFields, or the live object
 * itself if nothing changes.
 */
export function updateObject(call: RegistryCall, options: WriteOptions, live: Stored, decoded: Decoded): Written {
  const { resource, backend } = call
  const isSame = decoded.object === live.object
  if (isSame && !mustRewrite(call, live) && resource.strategy.checksUnchanged?.(live.object) !== true) {
    warn(call, live.object, live.object)
    return noOpUpdate(live)
  }
  const { object, context, admission } = stage(call, () =>
    prepareChanged(call, options, live, isSame ? copyOf(live.object) : decoded),
  )
  // A large object is measured in a turn of its own. Dropping lists may still make it smaller.
  const measured = call.stages?.run(() => changedLength(object, live)) ?? Infinity
  admission.validate()
  if (isLastFinalizerGone(call, object, live.object)) {
    if (!options.dryRun)
      backend.store.delete(live.key, live.revision, (revision) => withStoredResourceVersion(live.object, revision))
    return { object, created: false }
  }
  dropUnstoredLists(resource, context)
  if (isNoOpUpdate(call, object, live, context)) return noOpUpdate(live)
  const textLength = measured === Infinity ? changedLength(object, live) : measured
  if (textLength === Infinity || decoded.isTooLarge === true) throw objectTooLarge()
  if (options.dryRun) return { object: readBack(backend.store, object, context), created: false }
  const stored = backend.store.put(
    live.key,
    live.revision,
    (revision) => setResourceVersion(object, revision),
    context,
  ) as Stored
  stored.textLength = textLength
  keepParts(stored, context.decoded?.parts, live.parts)
  return { object: stored.object, stored, created: false }
}

function copyOf(object: KubeObject): Decoded {
  return { object: cloneJson<Json>(object) as KubeObject, unknown: [] }
}

interface Prepared {
  readonly object: KubeObject
  readonly context: WriteContext
  readonly admission: Admission
}

/** Mutating admission, fields that the write may not change, validation. */
function prepareChanged(call: RegistryCall, options: WriteOptions, live: Stored, decoded: Decoded): Prepared {
  const { resource } = call
  const { object } = decoded
  matchLive(call, object, live.object)
  const context = writeContext(call, options.dryRun, decoded, live)
  const admission = new Admission(call, 'UPDATE', object, live.object, context)
  admission.mutate()
  resource.strategy.checkGrants?.(object, live.object, context)
  checkResourceVersion(call, object, live)
  object.metadata.resourceVersion = live.object.metadata.resourceVersion as string
  dedupOwners(call, object.metadata, true)
  // The strategy compares with the stored form, without empty lists. Validation and admission see the lists as sent.
  dropUnstoredLists(resource, context)
  prepare(call, object, live.object, context)
  context.decoded?.empty?.restoreLists()
  validate(call, object, live.object, context)
  return { object, context, admission }
}

/** The new object must have the name and namespace of the live one. */
function matchLive(call: RegistryCall, { metadata }: KubeObject, live: KubeObject): void {
  if (metadata.name === live.metadata.name && metadata.namespace === live.metadata.namespace) return
  matchNamespace(metadata, call.resource, call.namespace)
  matchName(metadata, call.name)
}

/** Whether even a no-op update is stored: the stored form differs from what the next write would store. */
function mustRewrite({ backend }: RegistryCall, live: Stored): boolean {
  return live.needsRewrite === true || isStale(backend.store, live)
}

/** Whether the update changes nothing but the times in managedFields. Then it takes those back. */
function isNoOpUpdate(call: RegistryCall, object: KubeObject, live: Stored, context: WriteContext): boolean {
  return !context.needsRewrite && keepTimes(live.object, object) && !mustRewrite(call, live)
}

/** Takes no revision and sends no event. */
function noOpUpdate(live: Stored): Written {
  return { object: live.object, stored: live, created: false }
}

function checkResourceVersion(call: RegistryCall, object: KubeObject, live: Stored): void {
  const given = parseResourceVersion(object.metadata.resourceVersion ?? '')
  if (given === 0) {
    if (!call.resource.strategy.allowUnconditionalUpdate) throw resourceVersionRequired(call.resource, call.name)
  } else if (given !== live.revision) {
    throw apiError.modified(resourceName(call.resource), call.name)
  }
}

/** Restores what this kind of write may not change, and increments the generation. */
function prepare(call: RegistryCall, object: KubeObject, old: KubeObject, context: WriteContext): void {
  const { resource } = call
  const { strategy } = resource
  const { metadata } = object
  if (old.metadata.generation !== undefined) metadata.generation = old.metadata.generation
  else if (metadata.generation !== undefined) delete metadata.generation
  const ofStatus = call.subresource === 'status'
  const part = subresourceStrategy(call)
  if (part !== undefined) {
    part.prepare(object, old, context)
    if (part.countsGeneration === true && isNewGeneration(call, object, old, context))
      metadata.generation = (old.metadata.generation ?? 0) + 1
  } else if (ofStatus) {
    restoreAllBut(object, old, 'status')
    strategy.prepareForStatusUpdate?.(object, old, context)
  } else {
    if (resource.subresources.has('status') && strategy.opensStatus !== true) restore(object, old, 'status')
    strategy.prepareForUpdate?.(object, old, context)
    if (strategy.generation !== 'none' && isNewGeneration(call, object, old, context)) {
      metadata.generation = (old.metadata.generation ?? 0) + 1
    }
  }
  restoreSystemFields(metadata, old.metadata)
}

/** Throws all errors of the update; adds warnings if there are none. */
function validate(call: RegistryCall, object: KubeObject, old: KubeObject, context: WriteContext): void {
  const { resource } = call
  const { strategy } = resource
  const { metadata } = object
  const ofStatus = call.subresource === 'status'
  const part = subresourceStrategy(call)
  const validated =
    part !== undefined
      ? part.validate(object, old, context)
      : ofStatus
        ? strategy.validateStatusUpdate?.(object, old, context)
        : strategy.validateUpdate?.(object, old, context)
  const steps =
    part?.metadataSteps ??
    (ofStatus || part !== undefined ? strategy.metadataSteps?.status : strategy.metadataSteps?.update)
  const isStored = context.storedLive === undefined || context.storedLive.metadata === old.metadata
  const errors = changeErrors(resource, metadata, old.metadata, steps, validated ?? [], isStored)
  if (errors.length > 0)
    throw apiError.invalid(strategy.errorGroup ?? resource.group, resource.kind, metadata.name ?? '', errors)
  warn(call, object, old)
}

function warn(call: RegistryCall, object: KubeObject, old: KubeObject): void {
  const { strategy } = call.resource
  if (subresourceStrategy(call) !== undefined) return
  const warnings = call.subresource === 'status' ? strategy.statusWarnings?.(object) : strategy.warnings?.(object, old)
  for (const warning of warnings ?? []) call.warnings.add(warning)
}

/** The strategy of the subresource, if it has its own. */
function subresourceStrategy({ subresource, resource }: RegistryCall): SubresourceStrategy | undefined {
  const { subresources } = resource.strategy
  return subresource !== '' && subresources !== undefined && Object.hasOwn(subresources, subresource)
    ? subresources[subresource]
    : undefined
}

function isNewGeneration(call: RegistryCall, object: KubeObject, old: KubeObject, context: WriteContext): boolean {
  const { strategy, subresources } = call.resource
  if (context.newGeneration) return true
  if (typeof strategy.generation === 'function') return strategy.generation(object, old, context)
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
  const value = getOwn(old, field)
  if (value === undefined) {
    if (object[field] !== undefined) delete object[field]
  } else setOwn(object, field, value)
}

function restoreAllBut(object: KubeObject, old: KubeObject, kept: string): void {
  for (const field in object)
    if (field !== kept && field !== 'metadata' && old[field] === undefined) delete object[field]
  for (const field in old) if (field !== kept && field !== 'metadata') restore(object, old, field)
}

/** An update that removes the last finalizer of an object being deleted deletes it. */
function isLastFinalizerGone(call: RegistryCall, object: KubeObject, old: KubeObject): boolean {
  if (old.metadata.deletionTimestamp === undefined) return false
  if ((object.metadata.finalizers?.length ?? 0) > 0) return false
  if ((old.metadata.deletionGracePeriodSeconds ?? 0) !== 0) return false
  return !(call.resource.strategy.holdsDeletion?.(object) ?? false)
}

/** A dry run does not reach the storage layer, which adds the `/registry` prefix to the key. */
export function wrongUid(call: RegistryCall, given: string, actual: string, dryRun = false) {
  const key = storageKey(call.resource, call.namespace, call.name)
  return apiError.conflict(
    resourceName(call.resource),
    call.name,
    `StorageError: invalid object, Code: 4, Key: ${dryRun ? key.slice('/registry'.length) : key}, ` +
      'ResourceVersion: 0, AdditionalErrorMsg: ' +
      `Precondition failed: UID in precondition: ${given}, UID in object meta: ${actual}`,
  )
}
