/** What a change of the object does to those who own parts of it. */
import type { JsonObject } from '../../api/json.ts'
import type { KubeObject } from '../../api/object.ts'
import { compare, exclude, touched, type Comparison } from './compare.ts'
import { resetFields, type TrackContext, type VersionedObject } from './context.ts'
import { difference, intersection, isEmpty, type FieldSet } from './field-set.ts'
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

/** The comparison of two objects, without what the endpoint does not store. */
function compareObjects(before: VersionedObject, after: KubeObject, context: TrackContext): Comparison {
  const { shape, object } = before
  const comparison = compare(shape, object as unknown as JsonObject, after as unknown as JsonObject)
  return exclude(comparison, resetFields(context))
}

/** One owner's fields that somebody else's change would take. */
export interface Conflict {
  readonly owner: Owner
  readonly fields: FieldSet
}

export interface Settlement {
  /** In the request's own version. */
  readonly comparison: Comparison
  /** Fields that the change takes from others, in the order of the owners' ids. */
  readonly conflicts: readonly Conflict[]
  /** Takes the changed and removed fields from all owners but the one who makes the change. */
  readonly commit: () => void
}

/** Looks at the change from `before` to `after` by `self`; changes nothing until `commit` is called. */
export function settle(
  owners: Owners, self: string, before: KubeObject, after: KubeObject, context: TrackContext,
): Settlement {
  const own = compareObjects({ object: before, shape: context.shape }, after, context)
  const versions = new Map<string, Comparison | undefined>([[context.apiVersion, own]])
  const conflicts: Conflict[] = []
  const losses: (() => void)[] = []
  for (const owner of owners.values()) {
    if (owner.id === self) continue
    const comparison = comparisonIn(versions, owner.apiVersion, before, after, context)
    if (comparison === undefined) {
      losses.push(() => owners.delete(owner.id))
      continue
    }
    const taken = intersection(owner.fields, touched(comparison))
    if (!isEmpty(taken)) conflicts.push({ owner, fields: taken })
    if (!isEmpty(taken) || !isEmpty(comparison.removed)) {
      losses.push(() => {
        setFields(owners, owner, difference(difference(owner.fields, taken), comparison.removed))
      })
    }
  }
  conflicts.sort((a, b) => (a.owner.id < b.owner.id ? -1 : 1))
  return {
    comparison: own,
    conflicts,
    commit: () => {
      for (const lose of losses) lose()
    },
  }
}

function comparisonIn(
  versions: Map<string, Comparison | undefined>, apiVersion: string, before: KubeObject, after: KubeObject,
  context: TrackContext,
): Comparison | undefined {
  if (versions.has(apiVersion)) return versions.get(apiVersion)
  const old = inVersion(before, apiVersion, context)
  const now = inVersion(after, apiVersion, context)
  const known = old !== undefined && now !== undefined
  const comparison = known ? compareObjects(old, now.object, context) : undefined
  versions.set(apiVersion, comparison)
  return comparison
}
