/** What a change of the object does to those who own parts of it. */
import type { JsonObject } from '../../api/json.ts'
import type { KubeObject } from '../../api/object.ts'
import type { Shape } from '../shape/shape.ts'
import { compare, exclude } from './compare.ts'
import { resetFields, type TrackContext, type VersionedObject } from './context.ts'
import { difference, intersection, isEmpty, union, type FieldSet } from './field-set.ts'
import { setFields, type Owner, type Owners } from './owners.ts'
import { ConversionError, TypedValueError } from './plan.ts'
import { fitToShape } from './schema-change.ts'
import { validateTyped } from './validate.ts'

/**
 * The object in an API version; undefined when that version is not served.
 * Throws a {@link ConversionError} when the object does not fit it; `task` says what was tried.
 */
export function inVersion(
  object: KubeObject, apiVersion: string, context: TrackContext, task = '',
): VersionedObject | undefined {
  if (apiVersion === context.apiVersion) return { object, shape: context.shape }
  return converted(object, apiVersion, context, task)
}

/** As {@link inVersion}, of an object that is in another version than the request's. */
export function converted(
  object: KubeObject, apiVersion: string, context: TrackContext, task: string,
): VersionedObject | undefined {
  try {
    const result = context.convert?.(object, apiVersion)
    const problem = result?.unchecked === true ? validateTyped(result.shape, result.object as unknown as JsonObject) : undefined
    if (problem !== undefined) throw new ConversionError(problem)
    return result
  } catch (error) {
    if (!(error instanceof ConversionError)) throw error
    throw new ConversionError(task + error.message)
  }
}

const fitting = new WeakMap<KubeObject, Shape>()

/** Throws a {@link TypedValueError} when the object has values that the shape does not allow. */
export function checkFit(object: KubeObject, { shape, mayNotFit }: TrackContext): void {
  if (mayNotFit !== true || fitting.get(object) === shape) return
  const problem = validateTyped(shape, object as unknown as JsonObject, true)
  if (problem !== undefined) throw new TypedValueError(problem)
  if (Object.isFrozen(object)) fitting.set(object, shape)
}

/** Makes owners fit the present schema, and drops those of versions that are not served. */
export function fitOwners(owners: Owners, live: KubeObject, context: TrackContext): void {
  for (const owner of owners.values()) {
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
  const { added, modified, removed } = exclude(comparison, reset)
  return { touched: union(added, modified), removed }
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

export interface Settlement {
  /** What was added or modified, in the request's own version. */
  readonly touched: FieldSet
  /** Fields that the change takes from others, in the order of the owners' ids. */
  readonly conflicts: readonly Conflict[]
  /** Takes the changed and removed fields from all owners but the one who makes the change. */
  readonly commit: () => void
}

/** Looks at the change from `before` to `after` by `self`; changes nothing until `commit` is called. */
export function settle(
  owners: Owners, self: string, before: KubeObject, after: KubeObject, context: TrackContext,
): Settlement {
  const own = changeOf({ object: before, shape: context.shape }, after, context)
  const inOthers = new Map<string, Change | undefined>()
  const conflicts: Conflict[] = []
  const losses: Loss[] = []
  for (const owner of owners.values()) {
    if (owner.id === self) continue
    const { apiVersion } = owner
    if (apiVersion !== context.apiVersion && !inOthers.has(apiVersion)) {
      inOthers.set(apiVersion, changeIn(apiVersion, before, after, context))
    }
    const change = apiVersion === context.apiVersion ? own : inOthers.get(apiVersion)
    if (change === undefined) {
      losses.push({ owner, left: undefined })
      continue
    }
    const taken = intersection(owner.fields, change.touched)
    if (!isEmpty(taken)) conflicts.push({ owner, fields: taken })
    const left = difference(difference(owner.fields, taken), change.removed)
    if (left !== owner.fields) losses.push({ owner, left })
  }
  if (conflicts.length > 1) conflicts.sort((a, b) => (a.owner.id < b.owner.id ? -1 : 1))
  return {
    touched: own.touched,
    conflicts,
    commit: () => {
      for (const { owner, left } of losses) {
        if (left === undefined) owners.delete(owner.id)
        else setFields(owners, owner, left)
      }
    },
  }
}

/** The change as another version shows it; undefined when that version is not served. */
function changeIn(
  apiVersion: string, before: KubeObject, after: KubeObject, context: TrackContext,
): Change | undefined {
  const old = inVersion(before, apiVersion, context, 'failed to convert old object: ')
  const now = inVersion(after, apiVersion, context, 'failed to convert new object: ')
  return old === undefined || now === undefined ? undefined : changeOf(old, now.object, context)
}
