/**
 * Field ownership of creates, updates and patches that are not applies: the writer takes the fields that it changes.
 *
 * Sequence: the caller has decoded, patched and defaulted the object, and calls {@link trackUpdate} before admission.
 * After it has prepared the object for storage it calls {@link keepTimes}, so that a no-op update is recognised.
 */
import { equalJson, getOwn, isObject, type Json, type JsonObject } from '../../api/json.ts'
import type { KubeObject, ManagedFieldsEntry } from '../../api/object.ts'
import { emptyObject, operationTime, type TrackContext } from './context.ts'
import { isEmpty } from './field-set.ts'
import {
  capUpdaters,
  changedOwner,
  ManagedFieldsError,
  newOwner,
  readOwners,
  sameButTimes,
  setFields,
  writeOwners,
  Owners,
} from './owners.ts'
import { ownerId } from './owner-id.ts'
import { PathElementError } from './path-element.ts'
import { memosOf } from './kind-memos.ts'
import { TypedValueError } from './typed-value-error.ts'
import { checkFit, effectOf, fitOwners, takeFromOthers } from './change-effect.ts'

/**
 * Sets `next.metadata.managedFields`, or deletes it. `live` is undefined for a create. `asSent` makes the form of
 * `next` that is compared with the live object, if that is not `next` itself.
 *
 * Valid managedFields in the request are the starting point, otherwise those of the live object; a subresource cannot
 * set them. `[]` or `[{}]` resets them: the object is not tracked any more until the next apply. So the decoder must
 * keep these two, but `[]` only for built-in kinds: upstream's decoder drops it from custom resources. Nothing is
 * tracked either while a live object has no managedFields. A value that does not fit its shape removes managedFields;
 * nothing is thrown.
 */
export function trackUpdate(
  live: KubeObject | undefined,
  next: KubeObject,
  manager: string,
  context: TrackContext,
  asSent?: () => KubeObject,
): void {
  const owners = startingOwners(live, next, context)
  // managedFields are not compared: both sides get the same.
  setEntries(next, live?.metadata.managedFields)
  const compared = asSent?.() ?? next
  if (compared !== next) setEntries(compared, live?.metadata.managedFields)
  try {
    if (live === undefined) recordUpdate(owners, emptyObject(context), compared, manager, context)
    else if (owners.size > 0) recordUpdate(owners, live, compared, manager, context)
  } catch (error) {
    if (!(error instanceof TypedValueError)) throw error
    setEntries(next, undefined)
    return
  }
  setEntries(next, writeOwners(owners, live?.metadata.managedFields))
}

function setEntries(object: KubeObject, entries: ManagedFieldsEntry[] | undefined): void {
  if (entries === undefined) delete object.metadata.managedFields
  else object.metadata.managedFields = entries
}

function startingOwners(live: KubeObject | undefined, next: KubeObject, context: TrackContext): Owners {
  const before = live?.metadata.managedFields as Json | undefined
  const given = next.metadata.managedFields as Json | undefined
  // Mostly the request has the live entries, sent back. Using the live ones shares them and their memos.
  if (context.subresource === '' && !(before !== undefined && equalJson(given, before))) {
    if (isReset(given)) return new Owners()
    const owners = validOwners(given)
    if (owners !== undefined && owners.size > 0) return owners
  }
  return validOwners(before) ?? new Owners()
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

/** Gives the changed fields to `manager` and takes them from others. */
export function recordUpdate(
  owners: Owners,
  live: KubeObject,
  next: KubeObject,
  manager: string,
  context: TrackContext,
): void {
  checkFit(live, context)
  checkFit(next, context, live)
  fitOwners(owners, live, context)
  const { apiVersion, subresource, shape } = context
  const id = ownerId(manager, 'Update', apiVersion, subresource)
  const effect = effectOf(owners, id, live, next, context)
  takeFromOthers(owners, effect)
  const { touched, removed } = effect
  const sets = memosOf(shape).sets
  const taken = sets.owned.of(touched)
  const earlier = owners.get(id)
  if (earlier === undefined) {
    if (!isEmpty(taken)) owners.set(newOwner(manager, 'Update', apiVersion, subresource, taken, operationTime(context)))
  } else if (isEmpty(taken)) {
    setFields(owners, earlier, sets.left.of(earlier.fields, touched, removed))
  } else {
    const fields = sets.gained.of(earlier.fields, touched, removed)
    const time = operationTime(context)
    if (fields !== earlier.fields || time !== earlier.time) owners.set(changedOwner(earlier, fields, time))
  }
  capUpdaters(owners)
}

/**
 * Restores the old times in `next.metadata.managedFields` if nothing else differs from the live object. Returns whether
 * both are equal now, so that there is nothing to store.
 */
export function keepTimes(live: KubeObject, next: KubeObject): boolean {
  if (!equalButEntries(live, next)) return false
  if (!sameButTimes(live.metadata.managedFields, next.metadata.managedFields)) return false
  if (live.metadata.managedFields !== undefined) next.metadata.managedFields = live.metadata.managedFields
  return true
}

/** Whether two objects are equal except for their managedFields. */
export function equalButEntries(a: KubeObject, b: KubeObject): boolean {
  return equalBut('metadata', a, b) && equalBut('managedFields', a.metadata, b.metadata)
}

/** Whether two objects are equal except for one field. */
function equalBut(field: string, a: JsonObject, b: JsonObject): boolean {
  let more = 0
  for (const key in a) {
    if (key === field) continue
    const other = getOwn(b, key)
    if (a[key] !== other && !equalJson(a[key], other)) return false
    more++
  }
  for (const key in b) if (key !== field) more--
  return more === 0
}
