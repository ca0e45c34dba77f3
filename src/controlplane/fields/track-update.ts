/**
 * Field ownership of creates, updates and patches that are not applies: whoever changes a field takes it.
 *
 * Expected flow: the caller has decoded, patched and defaulted the object, and calls {@link trackUpdate}
 * before admission. After it has prepared the object for storage it calls {@link keepTimes}, so that a write
 * that changed nothing is seen as such.
 */
import { equalJson, isObject, type Json, type JsonObject } from '../../api/json.ts'
import type { KubeObject, ManagedFieldsEntry } from '../../api/object.ts'
import { emptyObject, operationTime, untracked, type TrackContext } from './context.ts'
import { difference, isEmpty, union } from './field-set.ts'
import {
  capUpdaters, changedOwner, ManagedFieldsError, newOwner, readOwners, sameButTimes, writeOwners, type Owners,
} from './owners.ts'
import { PathElementError } from './path-element.ts'
import { TypedValueError } from './plan.ts'
import { fitOwners, settle } from './settle.ts'

/**
 * Sets `next.metadata.managedFields`, or deletes it. `live` is undefined for a create.
 *
 * The entries that the request itself carries are the starting point if they are valid, else those of the
 * live object; a subresource never changes them by hand. `[]` or `[{}]` resets: the object is not tracked any
 * more until the next apply. So the decoder must let these two through, but `[]` only for built-ins:
 * upstream's decoder drops it from custom resources. Nothing is tracked either while a live object has no
 * entries. A value that does not fit its shape leaves the object without entries; nothing is thrown.
 */
export function trackUpdate(
  live: KubeObject | undefined, next: KubeObject, manager: string, context: TrackContext,
): void {
  const owners = startingOwners(live, next, context)
  delete next.metadata.managedFields
  try {
    if (live === undefined) recordUpdate(owners, emptyObject(context), next, manager, context)
    else if (owners.size > 0) recordUpdate(owners, live, next, manager, context)
  } catch (error) {
    if (!(error instanceof TypedValueError)) throw error
    return
  }
  const entries = writeOwners(owners)
  if (entries !== undefined) next.metadata.managedFields = entries
}

function startingOwners(live: KubeObject | undefined, next: KubeObject, context: TrackContext): Owners {
  const before = live?.metadata.managedFields as Json | undefined
  const given = next.metadata.managedFields as Json | undefined
  // Mostly the request has the live entries, read back: taking the live ones shares them, and what is known of them.
  if (context.subresource === '' && !(before !== undefined && equalJson(given, before))) {
    if (isReset(given)) return new Map()
    const owners = validOwners(given)
    if (owners !== undefined && owners.size > 0) return owners
  }
  return validOwners(before) ?? new Map()
}

function isReset(given: Json | undefined): boolean {
  if (!Array.isArray(given) || given.length > 1) return false
  const only = given[0]
  return only === undefined || (isObject(only) && Object.keys(only).length === 0)
}

function validOwners(entries: Json | undefined): Owners | undefined {
  try {
    return readOwners(entries as ManagedFieldsEntry[] | undefined)
  } catch (error) {
    if (error instanceof ManagedFieldsError || error instanceof PathElementError) return undefined
    throw error
  }
}

/** Gives what changed to `manager` and takes it from the others. */
export function recordUpdate(
  owners: Owners, live: KubeObject, next: KubeObject, manager: string, context: TrackContext,
): void {
  fitOwners(owners, live, context)
  const { touched, commit } = settle(owners, '', live, next, context)
  commit()
  const taken = difference(touched, untracked)
  if (!isEmpty(taken)) {
    const { apiVersion, subresource } = context
    const owner = newOwner(manager, 'Update', apiVersion, subresource, taken, operationTime(context))
    const earlier = owners.get(owner.id)
    const fields = earlier === undefined ? taken : union(earlier.fields, taken)
    owners.set(owner.id, changedOwner(owner, fields, owner.time))
  }
  capUpdaters(owners)
}

/**
 * Takes back new times in `next.metadata.managedFields` when nothing else differs from the live object.
 * Returns whether the two are now equal, which means that there is nothing to store.
 */
export function keepTimes(live: KubeObject, next: KubeObject): boolean {
  if (!sameButTimes(live.metadata.managedFields, next.metadata.managedFields)) return false
  if (!equalButEntries(live, next)) return false
  if (live.metadata.managedFields !== undefined) next.metadata.managedFields = live.metadata.managedFields
  return true
}

/** Equality of two objects but for their managedFields. */
export function equalButEntries(a: KubeObject, b: KubeObject): boolean {
  return (
    equalJson({ ...a, metadata: null }, { ...b, metadata: null }) &&
    equalJson(withoutEntries(a), withoutEntries(b))
  )
}

function withoutEntries(object: KubeObject): JsonObject {
  const { managedFields: _, ...rest } = object.metadata
  return rest
}
