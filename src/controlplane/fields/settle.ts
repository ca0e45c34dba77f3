/** What a change of the object does to those who own parts of it. */
import type { JsonObject } from '../../api/json.ts'
import type { KubeObject } from '../../api/object.ts'
import { compare } from './compare.ts'
import { resetFields, type TrackContext, type VersionedObject } from './context.ts'
import { isEmpty, type FieldSet } from './field-set.ts'
import { setFields, type Owner, type Owners } from './owners.ts'
import { ConversionError, rootPlan, TypedValueError } from './plan.ts'
import { fitToShape } from './schema-change.ts'
import { validateParts, validateTyped } from './validate.ts'

/**
 * The object in an API version; undefined when that version is not served.
 * Throws a {@link ConversionError} when the object does not fit it; `task` says what was tried.
 */
export function inVersion(
  object: KubeObject,
  apiVersion: string,
  context: TrackContext,
  task = '',
): VersionedObject | undefined {
  if (apiVersion === context.apiVersion) return { object, shape: context.shape }
  return converted(object, apiVersion, context, task)
}

/** As {@link inVersion}, of an object that is in another version than the request's. */
export function converted(
  object: KubeObject,
  apiVersion: string,
  context: TrackContext,
  task: string,
): VersionedObject | undefined {
  try {
    const result = context.convert?.(object, apiVersion)
    const problem =
      result?.unchecked === true ? validateTyped(result.shape, result.object as unknown as JsonObject) : undefined
    if (problem !== undefined) throw new ConversionError(problem)
    return result
  } catch (error) {
    if (!(error instanceof ConversionError)) throw error
    throw new ConversionError(task + error.message)
  }
}

/**
 * Throws a {@link TypedValueError} when the object has values that the shape does not allow. `live` is the stored
 * object that it was made from, and has been checked.
 */
export function checkFit(object: KubeObject, { shape, mayNotFit }: TrackContext, live?: KubeObject): void {
  if (mayNotFit !== true) return
  const problem = validateParts(shape, object as unknown as JsonObject, live as unknown as JsonObject | undefined)
  if (problem !== undefined) throw new TypedValueError(problem)
}

/** Makes owners fit the present schema, and drops those of versions that are not served. */
export function fitOwners(owners: Owners, live: KubeObject, context: TrackContext): void {
  for (const owner of owners.all) {
    const isOwn = owner.apiVersion === context.apiVersion
    const shape = isOwn ? context.shape : inVersion(live, owner.apiVersion, context)?.shape
    if (shape === undefined) owners.delete(owner.id)
    else setFields(owners, owner, fitToShape(owner.fields, shape))
  }
}

/** What differs between two objects, without what the endpoint does not store. */
interface Change {
  /** Added or modified. */
  readonly touched: FieldSet
  readonly removed: FieldSet
}

function changeOf(before: VersionedObject, after: KubeObject, context: TrackContext): Change {
  const { shape, object } = before
  const comparison = compare(shape, object as unknown as JsonObject, after as unknown as JsonObject)
  const reset = before.resetPaths === undefined ? resetFields(context) : resetFields({ resetPaths: before.resetPaths })
  const { stored, touched } = rootPlan(context.shape).recentSets
  const { added, modified, removed } = comparison
  return {
    touched: touched.of(stored.of(added, reset), stored.of(modified, reset)),
    removed: stored.of(removed, reset),
  }
}

/** One owner's fields that somebody else's change would take. */
export interface Conflict {
  readonly owner: Owner
  readonly fields: FieldSet
}

/** What a change leaves to an owner; undefined: it goes. */
interface Loss {
  readonly owner: Owner
  readonly left: FieldSet | undefined
}

export interface Settlement extends Change {
  /** Fields that the change takes from others, in the order of the owners' ids. */
  readonly conflicts: readonly Conflict[]
  readonly losses: readonly Loss[]
}

const noConflicts: readonly Conflict[] = []
const noLosses: readonly Loss[] = []

/**
 * Looks at the change from `before` to `after` by `self`; `touched` and `removed` are in the request's own version.
 * Changes nothing: {@link commit} takes the fields from all owners but the one who makes the change.
 */
export function settle(
  owners: Owners,
  self: string,
  before: KubeObject,
  after: KubeObject,
  context: TrackContext,
): Settlement {
  const own = changeOf({ object: before, shape: context.shape }, after, context)
  const sets = rootPlan(context.shape).recentSets
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

export function commit(owners: Owners, { losses }: Settlement): void {
  for (const { owner, left } of losses) {
    if (left === undefined) owners.delete(owner.id)
    else setFields(owners, owner, left)
  }
}

/** The change as another version shows it; undefined when that version is not served. */
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
