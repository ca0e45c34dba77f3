/** Computes how a change of an object affects the owners of its fields. */
import type { KubeObject } from '../../api/object.ts'
import { compareFields } from './compare.ts'
import { resetFields, type TrackContext, type VersionedObject } from './context.ts'
import { isEmpty, type FieldSet } from './field-set.ts'
import { setFields, type Owner, type Owners } from './owners.ts'
import { memosOf } from './kind-memos.ts'
import { inVersion } from './object-version.ts'
import { TypedValueError } from './typed-value-error.ts'
import { validateParts } from './validate.ts'

/**
 * Throws a {@link TypedValueError} if the object has values that the shape does not allow. `live` is the stored object
 * that it was made from, and has been checked.
 */
export function checkFit(object: KubeObject, context: TrackContext, live?: KubeObject): void {
  if (context.mayNotFit !== true) return
  const problem = validateParts(context, object, live)
  if (problem !== undefined) throw new TypedValueError(problem)
}

/** Adapts field sets to the current schema, and drops owners of versions that are not served. */
export function fitOwners(owners: Owners, live: KubeObject, context: TrackContext): void {
  for (const owner of owners.all) {
    const isOwn = owner.apiVersion === context.apiVersion
    const shape = isOwn ? context.shape : inVersion(live, owner.apiVersion, context)?.shape
    if (shape === undefined) owners.delete(owner.id)
    else setFields(owners, owner, memosOf(shape).sets.fitted.of(owner.fields))
  }
}

/** The difference of two objects, without fields that the request does not store. */
interface Change {
  /** Added or modified. */
  readonly touched: FieldSet
  readonly removed: FieldSet
}

function changeOf(before: VersionedObject, after: KubeObject, context: TrackContext): Change {
  const { shape, object } = before
  const comparison = compareFields(shape, object, after)
  const reset = before.resetPaths === undefined ? resetFields(context) : resetFields({ resetPaths: before.resetPaths })
  const { stored, touched } = memosOf(context.shape).sets
  const { added, modified, removed } = comparison
  return {
    touched: touched.of(stored.of(added, reset), stored.of(modified, reset)),
    removed: stored.of(removed, reset),
  }
}

/** Fields of one owner that a change by another manager would take. */
export interface Conflict {
  readonly owner: Owner
  readonly fields: FieldSet
}

/** The fields that an owner keeps after a change; undefined: the owner is removed. */
interface Loss {
  readonly owner: Owner
  readonly left: FieldSet | undefined
}

export interface ChangeEffect extends Change {
  /** Fields that the change takes from others, sorted by owner id. */
  readonly conflicts: readonly Conflict[]
  readonly losses: readonly Loss[]
}

const noConflicts: readonly Conflict[] = []
const noLosses: readonly Loss[] = []

/**
 * The effect of the change from `before` to `after` by the owner `self`. `touched` and `removed` are in the version of
 * the request. Modifies nothing: {@link takeFromOthers} applies it to all owners but `self`.
 */
export function effectOf(
  owners: Owners,
  self: string,
  before: KubeObject,
  after: KubeObject,
  context: TrackContext,
): ChangeEffect {
  const own = changeOf({ object: before, shape: context.shape }, after, context)
  const sets = memosOf(context.shape).sets
  let inOthers: Map<string, Change | undefined> | undefined
  let conflicts: Conflict[] | undefined
  let losses: Loss[] | undefined
  for (const owner of owners.all) {
    if (owner.id === self) continue
    const { apiVersion, fields } = owner
    let change: Change | undefined = own
    if (apiVersion !== context.apiVersion) {
      inOthers ??= new Map()
      if (!inOthers.has(apiVersion)) inOthers.set(apiVersion, changeIn(apiVersion, before, after, context))
      change = inOthers.get(apiVersion)
    }
    if (change === undefined) {
      ;(losses ??= []).push({ owner, left: undefined })
      continue
    }
    if (isEmpty(change.touched) && isEmpty(change.removed)) continue
    const taken = sets.taken.of(fields, change.touched)
    if (!isEmpty(taken)) (conflicts ??= []).push({ owner, fields: taken })
    const left = sets.left.of(fields, change.touched, change.removed)
    if (left !== fields) (losses ??= []).push({ owner, left })
  }
  conflicts?.sort((a, b) => (a.owner.id < b.owner.id ? -1 : 1))
  return { touched: own.touched, removed: own.removed, conflicts: conflicts ?? noConflicts, losses: losses ?? noLosses }
}

export function takeFromOthers(owners: Owners, { losses }: ChangeEffect): void {
  for (const { owner, left } of losses) {
    if (left === undefined) owners.delete(owner.id)
    else setFields(owners, owner, left)
  }
}

/** The change in another version; undefined if that version is not served. */
function changeIn(
  apiVersion: string,
  before: KubeObject,
  after: KubeObject,
  context: TrackContext,
): Change | undefined {
  const old = inVersion(before, apiVersion, context, 'failed to convert old object: ')
  const now = inVersion(after, apiVersion, context, 'failed to convert new object: ')
  return old === undefined || now === undefined ? undefined : changeOf(old, now.object, context)
}
