/** What a change of the object does to those who own parts of it. */
import type { JsonObject } from '../../api/json.ts'
import type { KubeObject } from '../../api/object.ts'
import { compare, exclude } from './compare.ts'
import { resetFields, type TrackContext, type VersionedObject } from './context.ts'
import { difference, intersection, isEmpty, union, type FieldSet } from './field-set.ts'
import { setFields, type Owner, type Owners } from './owners.ts'
import { fitToShape } from './schema-change.ts'

/** The object in an API version; undefined when that version is not served. */
export function inVersion(
  object: KubeObject, apiVersion: string, context: TrackContext,
): VersionedObject | undefined {
  if (apiVersion === context.apiVersion) return { object, shape: context.shape }
  return context.convert?.(object, apiVersion)
}

/** Makes owners fit the present schema, and drops those of versions that are not served. */
export function fitOwners(owners: Owners, live: KubeObject, context: TrackContext): void {
  for (const owner of owners.values()) {
    const versioned = inVersion(live, owner.apiVersion, context)
    if (versioned === undefined) owners.delete(owner.id)
    else setFields(owners, owner, fitToShape(owner.fields, versioned.shape))
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
  const { added, modified, removed } = exclude(comparison, resetFields(context))
  return { touched: union(added, modified), removed }
}

/** One owner's fields that somebody else's change would take. */
export interface Conflict {
  readonly owner: Owner
  readonly fields: FieldSet
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
  const changes = new Map<string, Change | undefined>([[context.apiVersion, own]])
  const conflicts: Conflict[] = []
  const losses: (() => void)[] = []
  for (const owner of owners.values()) {
    if (owner.id === self) continue
    if (!changes.has(owner.apiVersion)) {
      changes.set(owner.apiVersion, changeIn(owner.apiVersion, before, after, context))
    }
    const change = changes.get(owner.apiVersion)
    if (change === undefined) {
      losses.push(() => owners.delete(owner.id))
      continue
    }
    const taken = intersection(owner.fields, change.touched)
    if (!isEmpty(taken)) conflicts.push({ owner, fields: taken })
    const left = difference(difference(owner.fields, taken), change.removed)
    if (left !== owner.fields) losses.push(() => setFields(owners, owner, left))
  }
  conflicts.sort((a, b) => (a.owner.id < b.owner.id ? -1 : 1))
  return {
    touched: own.touched,
    conflicts,
    commit: () => {
      for (const lose of losses) lose()
    },
  }
}

/** The change as another version shows it; undefined when that version is not served. */
function changeIn(
  apiVersion: string, before: KubeObject, after: KubeObject, context: TrackContext,
): Change | undefined {
  const old = inVersion(before, apiVersion, context)
  const now = inVersion(after, apiVersion, context)
  return old === undefined || now === undefined ? undefined : changeOf(old, now.object, context)
}
