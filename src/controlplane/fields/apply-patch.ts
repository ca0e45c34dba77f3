/**
 * Server-side apply: merges a configuration into the live object and tracks field ownership.
 *
 * Sequence: {@link mergeApply} merges the parsed body; the caller decodes and defaults the result; {@link finishApply}
 * sets its managedFields, or finds that nothing has changed.
 *
 * Guarantees
 * - Every field that the configuration names has its value afterwards; the applier owns it, alone or shared.
 * - A field that another manager owns is changed only with force, which takes it from them.
 * - A field that the applier set last time, leaves out now and nobody else owns is removed or reset to its default.
 * - An apply that changes neither object nor owners returns the live object itself.
 */
import { cloneJson, equalJson, getOwn, isObject, type Json, type JsonObject } from '../../api/json.ts'
import { parseApiVersion, type KubeObject, type ManagedFieldsEntry } from '../../api/object.ts'
import { ApiError, apiError } from '../../api/status.ts'
import { conflictError } from './apply-conflict.ts'
import { configurationFields } from './configuration-fields.ts'
import { emptyObject, operationTime, resetFields, type TrackContext } from './context.ts'
import { difference, equalSets, isEmpty, type FieldSet } from './field-set.ts'
import { lastAppliedManager, nextLastApplied, setLastApplied, remainingConflicts } from './last-applied.ts'
import { memosOf } from './kind-memos.ts'
import { mergeConfiguration } from './merge.ts'
import { changedOwner, newOwner, readOwners, sameButTimes, writeOwners, Owners, type Owner } from './owners.ts'
import { rootTree } from './field-tree.ts'
import { ConversionError, TypedValueError } from './typed-value-error.ts'
import { prune } from './prune.ts'
import { checkFit, effectOf, fitOwners, takeFromOthers, type ChangeEffect } from './change-effect.ts'
import { equalButEntries, recordUpdate } from './track-update.ts'
import { validateTyped } from './validate.ts'

/** At the first apply to an object without managedFields, this manager gets the existing fields. */
const beforeFirstApply = 'before-first-apply'

export type Stage = <Result>(work: () => Result) => Result

/** The state of one apply. */
interface Run {
  readonly live: KubeObject | undefined
  /** The live object, or the empty object if there is none. */
  readonly base: KubeObject
  readonly patch: JsonObject
  readonly manager: string
  readonly force: boolean
  readonly context: TrackContext
}

/** The result of the merge. */
export interface MergedApply {
  readonly run: Run
  /**
   * The merged object, neither decoded nor defaulted, without managedFields; undefined if the configuration changes
   * nothing in it. It shares parts with the live object. Containers that lost their last entry are null, because pruned
   * fields are reset to their defaults. For custom resources upstream only defaults the null, and validation rejects it
   * if it stays.
   */
  readonly merged: KubeObject | undefined
  readonly entries: ManagedFieldsEntry[] | undefined
}

/**
 * Merges `patch`, the parsed body, neither decoded nor defaulted. `live` is undefined if there is no such object.
 *
 * Throws an {@link ApiError}: 400 for a wrong type or managedFields in the body, 409 for conflicts (unless `force`),
 * and 500, as upstream, for a body that does not fit its schema. `stage` runs each stage of the merge.
 */
export function mergeApply(
  live: KubeObject | undefined,
  patch: JsonObject,
  manager: string,
  force: boolean,
  context: TrackContext,
  stage: Stage = (work) => work(),
): MergedApply {
  checkType(patch, context)
  if (Array.isArray(metadataField(patch, 'managedFields'))) {
    throw apiError.badRequest('metadata.managedFields must be nil')
  }
  const run: Run = { live, base: live ?? emptyObject(context), patch, manager, force, context }
  try {
    const { owners, named } = stage(() => ({ owners: ownersBefore(run), named: namedFields(patch, context) }))
    return stage(() => {
      const merged = mergeAndTrack(run, owners, named)
      const entries = writeOwners(owners, live?.metadata.managedFields)
      if (merged === run.base) return { run, merged: undefined, entries }
      // Unchanged metadata needs no decoding; managedFields are replaced later.
      return { run, merged: merged.metadata === live?.metadata ? merged : withoutEntries(merged), entries }
    })
  } catch (error) {
    if (!(error instanceof TypedValueError)) throw error
    if (error instanceof ConversionError) throw apiError.internal(error.message)
    const base = run.base
    // The error alone has no path.
    const problem = validateTyped(context.shape, base, true) ?? error.message
    throw apiError.internal(`failed to create typed live object (${objectName(base, context)}): ${problem}`)
  }
}

/** All fields that the body names. Throws if it does not fit its shape. */
function namedFields(patch: JsonObject, context: TrackContext): FieldSet {
  const { shape } = context
  const { configurations } = memosOf(shape)
  const known = configurations.fieldsOf(patch)
  if (known !== undefined) return known
  const problem = validateTyped(shape, patch)
  if (problem !== undefined)
    throw apiError.internal(`failed to create typed patch object (${objectName(patch, context)}): ${problem}`)
  const fields = configurationFields(shape, patch)
  configurations.remember(rootTree(shape), patch, fields)
  return fields
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

function metadataField(object: JsonObject, name: string): Json | undefined {
  const metadata = getOwn(object, 'metadata')
  return isObject(metadata) ? getOwn(metadata, name) : undefined
}

/** `ns/name; group/version, Kind=K` from the object as sent: a missing namespace is empty. */
function objectName(object: JsonObject, context: TrackContext): string {
  const namespace = metadataField(object, 'namespace')
  const name = metadataField(object, 'name')
  const path = `${typeof namespace === 'string' ? namespace : ''}/${typeof name === 'string' ? name : ''}`
  return `${path}; ${context.group}/${context.version}, Kind=${context.kind}`
}

function ownersBefore({ live, context }: Run): Owners {
  if (live === undefined) return new Owners()
  let owners: Owners
  try {
    owners = readOwners(live.metadata.managedFields)
  } catch (error) {
    if (!(error instanceof Error)) throw error
    throw apiError.internal(`failed to decode managed fields: ${error.message}`)
  }
  if (owners.size > 0) return owners
  try {
    recordUpdate(owners, emptyObject(context), live, beforeFirstApply, context)
  } catch (error) {
    const problem =
      error instanceof ConversionError || !(error instanceof TypedValueError)
        ? undefined
        : validateTyped(context.shape, live, true)
    if (problem === undefined) throw error
    const name = objectName(live, context)
    throw apiError.internal(
      `failed to create manager for existing fields: failed to convert new object (${name}) to smd typed: ${problem}`,
    )
  }
  return owners
}

/** The merged object, or `base` itself if it is unchanged. Updates `owners`. */
function mergeAndTrack(run: Run, owners: Owners, named: FieldSet): KubeObject {
  const { base, patch, manager, context } = run
  const { shape, apiVersion, subresource } = context
  checkFit(base, context)
  fitOwners(owners, base, context)
  const whole = mergeConfiguration(shape, base, patch) as KubeObject
  const sets = memosOf(shape).sets
  const fields = sets.stored.of(named, resetFields(context))
  const owned = sets.owned.of(fields)
  const applier = newOwner(manager, 'Apply', apiVersion, subresource, fields, '')
  const last = owners.get(applier.id)
  owners.set(applier)
  const prunes = leavesOut(last, applier, owned)
  const merged = prunes ? prune(whole, last, owners, context) : whole
  takeChanges(run, owners, applier, last, merged)
  // A merge without changes returns the object itself, but a prune may return a copy.
  const changed = merged !== base && !(prunes && equalJson(merged, base))
  const changedAt = changed ? operationTime(context) : undefined
  recordApplier(owners, applier, last, owned, changedAt)
  return changed ? merged : base
}

/** Takes the changed fields from other owners. Throws a conflict if force is needed. */
function takeChanges(run: Run, owners: Owners, applier: Owner, last: Owner | undefined, merged: KubeObject): void {
  const { base, manager, context } = run
  const effect = effectOfMerge(run, owners, applier, last, merged)
  const { conflicts } = effect
  if (conflicts.length > 0 && !run.force) {
    const left = manager === lastAppliedManager ? remainingConflicts(conflicts, base, context) : conflicts
    if (left.length > 0) throw conflictError(left, base.metadata.managedFields === undefined)
  }
  takeFromOthers(owners, effect)
}

function effectOfMerge(
  run: Run,
  owners: Owners,
  applier: Owner,
  last: Owner | undefined,
  merged: KubeObject,
): ChangeEffect {
  const { base, context } = run
  try {
    return effectOf(owners, applier.id, base, merged, context)
  } catch (error) {
    // Upstream prunes first, even if there is nothing to prune, and fails there.
    if (error instanceof ConversionError) prune(merged, last, owners, context)
    throw error
  }
}

/** Whether the applier named fields last time that it leaves out now. */
function leavesOut(last: Owner | undefined, applier: Owner, owned: FieldSet): boolean {
  if (last === undefined) return false
  if (last.apiVersion !== applier.apiVersion) return true
  return last.fields !== owned && !isEmpty(difference(last.fields, applier.fields))
}

/** The time of the applier is that of the last apply that changed the object; it may have none. */
function recordApplier(
  owners: Owners,
  applier: Owner,
  last: Owner | undefined,
  owned: FieldSet,
  changedAt: string | undefined,
): void {
  const time = changedAt ?? last?.time ?? ''
  if (isEmpty(owned)) {
    owners.delete(applier.id)
    return
  }
  // Reuses the previous set if the fields are the same.
  const fields = last !== undefined && equalSets(last.fields, owned) ? last.fields : owned
  const isSame = last?.apiVersion === applier.apiVersion && last.time === time && last.fields === fields
  owners.set(isSame ? last : changedOwner(applier, fields, time))
}

/**
 * The object to create or to store; `live` itself if nothing changes. `decoded`: the merged object after decoding and
 * defaulting, not shared; undefined if there is none, and then the result is a copy of the live object. `needsRewrite`:
 * store it even if it equals the live object.
 */
export function finishApply(
  { run, entries }: MergedApply,
  decoded: KubeObject | undefined,
  needsRewrite = false,
): KubeObject {
  const { live, base, patch, manager } = run
  const before = live?.metadata.managedFields
  const annotation = manager === lastAppliedManager ? nextLastApplied(decoded ?? base, patch) : undefined
  const steady = decoded === undefined && annotation === undefined && equalJson(entries ?? [], before ?? [])
  if (live !== undefined && steady) return live
  const object = decoded ?? fresh(base)
  if (annotation !== undefined) setLastApplied(object, annotation)
  // A difference only in times, or in how managedFields are written, is not a change.
  const rewritten = decoded !== undefined && sameButTimes(entries, before)
  if (live !== undefined && rewritten && !needsRewrite && equalButEntries(object, live)) return live
  if (entries === undefined) delete object.metadata.managedFields
  else object.metadata.managedFields = entries
  return object
}

/** The object without managedFields; shares its parts with the original. */
function withoutEntries(object: KubeObject): KubeObject {
  const { managedFields: _, ...metadata } = object.metadata ?? {}
  return { ...object, metadata }
}

/** A deep copy without managedFields. */
function fresh(object: KubeObject): KubeObject {
  return cloneJson<Json>(withoutEntries(object)) as KubeObject
}

/** The error for a merged object that cannot be decoded: an `ApiError` as it is, another error as a 500. */
export function decodeFailure({ run: { patch, context } }: MergedApply, error: unknown): unknown {
  if (error instanceof ApiError || !(error instanceof Error)) return error
  const name = objectName(patch, context)
  return apiError.internal(`failed to convert new object (${name}) to proper version: ${error.message}`)
}
