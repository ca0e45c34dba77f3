/**
 * Server-side apply: merges a configuration into the live object and keeps account of who owns what.
 *
 * Guarantees
 * - Every field that the configuration names has its value afterwards, and the applier owns it, alone or shared.
 * - A field that another manager owns is changed only with force, which takes it from them.
 * - What the applier set last time, leaves out now and nobody else owns is removed (or falls back to its default).
 * - An apply that changes neither object nor owners returns the live object itself.
 */
import { cloneJson, equalJson, getOwn, isObject, type Json, type JsonObject } from '../../api/json.ts'
import { parseApiVersion, type KubeObject, type ManagedFieldsEntry } from '../../api/object.ts'
import { ApiError, apiError } from '../../api/status.ts'
import { conflictError } from './apply-conflict.ts'
import { fieldsOf } from './applied-fields.ts'
import { emptyObject, operationTime, resetFields, untracked, type TrackContext } from './context.ts'
import { difference, isEmpty, recursiveDifference } from './field-set.ts'
import { lastAppliedManager, nextLastApplied, setLastApplied, unexcusedConflicts } from './last-applied.ts'
import { merge } from './merge.ts'
import { changedOwner, newOwner, readOwners, sameButTimes, writeOwners, type Owners } from './owners.ts'
import { prune } from './prune.ts'
import { fitOwners, settle } from './settle.ts'
import { TypedValueError } from './plan.ts'
import { equalButEntries, recordUpdate } from './track-update.ts'
import { validateTyped } from './validate.ts'

/** Takes the fields of an object that was never applied to, at the first apply. */
const beforeFirstApply = 'before-first-apply'

/**
 * Applies `patch`, the body as parsed: neither decoded nor defaulted. `live` is undefined when there is no such object;
 * the result is then the object to create. Otherwise it is `live` itself when nothing changes, or a fresh object that
 * shares nothing that can be changed with either input.
 *
 * Throws an {@link ApiError}: 400 for a wrong type or managedFields in the body, 409 for conflicts (unless `force`),
 * and 500, as upstream, for a body that does not fit its schema.
 */
export function applyPatch(
  live: KubeObject | undefined, patch: JsonObject, manager: string, force: boolean, context: TrackContext,
): KubeObject {
  checkType(patch, context)
  const base = live ?? emptyObject(context)
  if (Array.isArray(metadataOf(patch)?.['managedFields'])) throw apiError.badRequest('metadata.managedFields must be nil')
  const problem = validateTyped(context.shape, patch)
  if (problem !== undefined) {
    throw apiError.internal(`failed to create typed patch object (${objectName(patch, context)}): ${problem}`)
  }
  try {
    const owners = ownersBefore(live, context)
    const merged = applyTo(base, patch, manager, force, owners, context)
    return finish(live, base, merged, patch, manager, owners, context)
  } catch (error) {
    if (!(error instanceof TypedValueError)) throw error
    const name = objectName(base as unknown as JsonObject, context)
    throw apiError.internal(`failed to create typed live object (${name}): ${error.message}`)
  }
}

function checkType(patch: JsonObject, context: TrackContext): void {
  const apiVersion = getOwn(patch, 'apiVersion')
  const kind = getOwn(patch, 'kind')
  if (apiVersion === context.apiVersion && kind === context.kind) return
  const parsed = parseApiVersion(typeof apiVersion === 'string' ? apiVersion : '')
  const { group, version } = parsed ?? { group: '', version: '' }
  const name = parsed === undefined || typeof kind !== 'string' ? '' : kind
  throw apiError.badRequest(`invalid object type: ${group}/${version}, Kind=${name}`)
}

function metadataOf(patch: JsonObject): JsonObject | undefined {
  const metadata = getOwn(patch, 'metadata')
  return isObject(metadata) ? metadata : undefined
}

/** `ns/name; group/version, Kind=K` of the object as it is given: an absent namespace is empty. */
function objectName(object: JsonObject, context: TrackContext): string {
  const metadata = metadataOf(object)
  const text = (key: string): string => {
    const value = metadata === undefined ? undefined : getOwn(metadata, key)
    return typeof value === 'string' ? value : ''
  }
  return `${text('namespace')}/${text('name')}; ${context.group}/${context.version}, Kind=${context.kind}`
}

function ownersBefore(live: KubeObject | undefined, context: TrackContext): Owners {
  if (live === undefined) return new Map()
  let owners: Owners
  try {
    owners = readOwners(live.metadata.managedFields)
  } catch (error) {
    throw apiError.internal(`failed to decode managed fields: ${error instanceof Error ? error.message : String(error)}`)
  }
  if (owners.size === 0) recordUpdate(owners, emptyObject(context), live, beforeFirstApply, context)
  return owners
}

/** The merged object; `base` itself when it stays as it is. Brings `owners` up to date. */
function applyTo(
  base: KubeObject, patch: JsonObject, manager: string, force: boolean, owners: Owners, context: TrackContext,
): KubeObject {
  fitOwners(owners, base, context)
  const { shape, apiVersion, subresource } = context
  const whole = merge(shape, base as unknown as JsonObject, patch) as unknown as KubeObject
  const fields = recursiveDifference(fieldsOf(shape, patch), resetFields(context))
  const applier = newOwner(manager === '' ? 'unknown' : manager, 'Apply', apiVersion, subresource, fields, '')
  const last = owners.get(applier.id)
  owners.set(applier.id, applier)
  // Whoever still names all that he named has nothing to prune.
  const nothingLeftOut = last === undefined || (last.apiVersion === apiVersion && isEmpty(difference(last.fields, fields)))
  const merged = nothingLeftOut ? whole : prune(whole, last, owners, context)
  const { conflicts, commit } = settle(owners, applier.id, base, merged, context)
  if (conflicts.length > 0 && !force) {
    const left = manager === lastAppliedManager ? unexcusedConflicts(conflicts, base, context) : conflicts
    if (left.length > 0) throw conflictError(left, base.metadata.managedFields === undefined)
  }
  commit()
  const changed = merged !== base && !equalJson(merged, base)
  const tracked = difference(fields, untracked)
  if (isEmpty(tracked)) owners.delete(applier.id)
  else {
    const time = changed ? operationTime(context) : (last?.time ?? '')
    const same = last !== undefined && last.apiVersion === apiVersion && last.time === time && equalJson(last.fields, tracked)
    owners.set(applier.id, same ? last : changedOwner(applier, tracked, time))
  }
  return changed ? merged : base
}

function finish(
  live: KubeObject | undefined, base: KubeObject, merged: KubeObject, patch: JsonObject, manager: string, owners: Owners,
  context: TrackContext,
): KubeObject {
  const entries = writeOwners(owners)
  const changed = merged !== base
  const object = changed ? normalised(merged, patch, context) : undefined
  const annotation = manager === lastAppliedManager ? nextLastApplied(object ?? base, patch) : undefined
  if (object === undefined && annotation === undefined && live !== undefined && sameEntries(entries, live)) return live
  const result = object ?? fresh(base)
  if (annotation !== undefined) setLastApplied(result, annotation)
  if (live !== undefined && changed && sameButTimes(entries, live.metadata.managedFields) && equalButEntries(result, live)) {
    return live
  }
  if (entries === undefined) delete result.metadata.managedFields
  else result.metadata.managedFields = entries
  return result
}

function sameEntries(entries: ManagedFieldsEntry[] | undefined, live: KubeObject): boolean {
  return equalJson(entries ?? [], live.metadata.managedFields ?? [])
}

/** A copy without managedFields, safe to change. */
function fresh(object: KubeObject): KubeObject {
  const { metadata, ...rest } = object
  const { managedFields: _, ...meta } = metadata ?? {}
  return cloneJson<Json>({ ...rest, metadata: meta }) as unknown as KubeObject
}

function normalised(merged: KubeObject, patch: JsonObject, context: TrackContext): KubeObject {
  const object = fresh(merged)
  if (context.normalise === undefined) return object
  try {
    return context.normalise(object)
  } catch (error) {
    if (error instanceof ApiError || !(error instanceof Error)) throw error
    throw apiError.internal(`failed to convert new object (${objectName(patch, context)}) to proper version: ${error.message}`)
  }
}
