/**
 * Decides from the cached object whether a server-side apply would change anything: it would not if the manager owns
 * exactly the fields that it applies, with these values. A wrong "different" costs a call that changes nothing; a wrong
 * "equal" would hide drift, so doubt means "different".
 *
 * Equal although their text differs: quantities of the same amount in quantity fields; and an empty value (`""`, 0,
 * false, `[]`, `{}`) that the server does not store, as long as the manager still owns the field. A field that is owned
 * as a whole is compared as a whole: as long as the manager owns it, no other manager has changed it.
 */
import { equalJson, isObject, type FrozenJson, type Json, type JsonObject } from '../api/json.ts'
import type { ManagedFieldsEntry } from '../api/object.ts'
import { compareQuantities, parseQuantity } from '../api/quantity.ts'

/** Not tracked by the server: these fields identify the object of an apply. */
const untracked = new Set([
  'name',
  'namespace',
  'uid',
  'resourceVersion',
  'generation',
  'creationTimestamp',
  'deletionTimestamp',
  'selfLink',
  'managedFields',
])

/** A path in an object, in the format of managedFields: `f:spec`, `k:{"name":"web"}`, `v:"x"`. */
export type FieldPath = readonly string[]

/** The first field that the apply would change; undefined if it would change nothing. */
export function firstDifference(desired: FrozenJson, actual: FrozenJson, manager: string): FieldPath | undefined {
  const wanted = desired as JsonObject
  const found = actual as JsonObject
  const entry = appliedEntry(found, manager)
  if (entry === undefined || entry.apiVersion !== wanted['apiVersion']) return []
  return difference(trackedPart(wanted), found, entry.fieldsV1 ?? {}, false)
}

/** The entry of the fields that the manager applied, without subresources. */
export function appliedEntry(object: JsonObject, manager: string): ManagedFieldsEntry | undefined {
  const { managedFields } = object['metadata'] as { managedFields?: readonly ManagedFieldsEntry[] }
  return managedFields?.find(
    (entry) => entry.manager === manager && entry.operation === 'Apply' && (entry.subresource ?? '') === '',
  )
}

function trackedPart(object: JsonObject): JsonObject {
  const { apiVersion: _apiVersion, kind: _kind, metadata, ...rest } = object
  const kept = Object.entries((metadata ?? {}) as JsonObject).filter(([name]) => !untracked.has(name))
  return kept.length === 0 ? rest : { metadata: Object.fromEntries(kept), ...rest }
}

/** The path from here on; built only if there is a difference. */
function difference(
  desired: Json,
  actual: Json | undefined,
  fields: JsonObject,
  quantities: boolean,
): FieldPath | undefined {
  if (isLeaf(fields)) return sameValue(desired, actual, quantities) ? undefined : []
  if (isObject(desired)) return objectDifference(desired, isObject(actual) ? actual : {}, fields, quantities)
  if (Array.isArray(desired)) return listDifference(desired, Array.isArray(actual) ? actual : [], fields, quantities)
  return []
}

/** Owned as a whole. */
function isLeaf(fields: JsonObject): boolean {
  for (const _ in fields) return false
  return true
}

function objectDifference(
  desired: JsonObject,
  actual: JsonObject,
  fields: JsonObject,
  quantities: boolean,
): FieldPath | undefined {
  let unnamed = 0
  for (const name in desired) {
    const step = stepTo(name)
    const owned = fields[step] as JsonObject | undefined
    if (owned === undefined) return [step, ...wayToDifference(desired[name] as Json, actual[name])]
    const found = difference(desired[name] as Json, actual[name], owned, quantities || holdsQuantities.has(name))
    if (found !== undefined) return [step, ...found]
    unnamed--
  }
  for (const step in fields) if (step.startsWith('f:')) unnamed++
  if (unnamed === 0) return undefined
  return Object.keys(fields)
    .filter((step) => step.startsWith('f:') && !Object.hasOwn(desired, step.slice(2)))
    .slice(0, 1)
}

/** Field names are few, and looked up in every comparison. */
const steps = new Map<string, string>()
const maxSteps = 4096

function stepTo(name: string): string {
  const known = steps.get(name)
  if (known !== undefined) return known
  if (steps.size >= maxSteps) steps.clear()
  const step = `f:${name}`
  steps.set(name, step)
  return step
}

/** For a field that is not owned at all: the path of the part that differs. */
function wayToDifference(desired: Json, actual: Json | undefined): FieldPath {
  if (!isObject(desired) || !isObject(actual)) return []
  const name = Object.keys(desired).find((field) => !equalJson(desired[field], actual[field]))
  return name === undefined ? [] : [`f:${name}`, ...wayToDifference(desired[name] as Json, actual[name])]
}

/** Fields whose values, or whose children's values, are quantities. */
const holdsQuantities = new Set([
  'limits',
  'requests',
  'capacity',
  'allocatable',
  'hard',
  'overhead',
  'sizeLimit',
  'divisor',
  'min',
  'max',
  'default',
  'defaultRequest',
  'averageValue',
  'targetAverageValue',
])

function listDifference(
  desired: Json[],
  actual: Json[],
  fields: JsonObject,
  quantities: boolean,
): FieldPath | undefined {
  const unclaimed = new Set(Object.keys(fields).filter((step) => step !== '.'))
  let last = -1
  for (const item of desired) {
    const at = isObject(item) ? keyedItem(item, actual, fields) : plainItem(item, actual, fields)
    if (at === undefined) return []
    unclaimed.delete(at.step)
    // Items in another order than desired: an apply would reorder them.
    if (at.index <= last) return [at.step]
    last = at.index
    const found = difference(item, actual[at.index], fields[at.step] as JsonObject, quantities)
    if (found !== undefined) return [at.step, ...found]
  }
  for (const step of unclaimed) return [step]
  return undefined
}

interface Position {
  readonly index: number
  readonly step: string
}

/** Finds the item by the list's keys. A key that the item omits has its default, and is then not an owned field. */
function keyedItem(item: JsonObject, actual: readonly Json[], fields: JsonObject): Position | undefined {
  for (const step in fields) {
    if (!step.startsWith('k:')) continue
    const keys = keysIn(step)
    const owned = fields[step] as JsonObject
    const isMeant = ([name, value]: [string, Json]): boolean =>
      Object.hasOwn(item, name) ? equalJson(item[name], value) : !Object.hasOwn(owned, `f:${name}`)
    if (!keys.every(isMeant)) continue
    const index = actual.findIndex(
      (other) => isObject(other) && keys.every(([name, value]) => equalJson(other[name], value)),
    )
    if (index >= 0) return { index, step }
  }
  return undefined
}

const keysOfSteps = new Map<string, readonly [string, Json][]>()

/** Parses `k:{"name":"web"}`. They recur in every comparison, and in all objects of one controller. */
function keysIn(step: string): readonly [string, Json][] {
  const known = keysOfSteps.get(step)
  if (known !== undefined) return known
  if (keysOfSteps.size >= maxSteps) keysOfSteps.clear()
  const keys = Object.entries(JSON.parse(step.slice(2)) as JsonObject)
  keysOfSteps.set(step, keys)
  return keys
}

function plainItem(item: Json, actual: readonly Json[], fields: JsonObject): Position | undefined {
  const step = `v:${JSON.stringify(item)}`
  if (!Object.hasOwn(fields, step)) return undefined
  const index = actual.findIndex((other) => equalJson(other, item))
  return index < 0 ? undefined : { index, step }
}

function sameValue(desired: Json, actual: Json | undefined, quantities: boolean): boolean {
  if (actual === undefined) return isEmpty(desired)
  if (isObject(desired) && isObject(actual)) {
    const names = new Set([...Object.keys(desired), ...Object.keys(actual)])
    return [...names].every(
      (name) => Object.hasOwn(desired, name) && sameValue(desired[name] as Json, actual[name], quantities),
    )
  }
  if (Array.isArray(desired) && Array.isArray(actual)) {
    return (
      desired.length === actual.length && desired.every((item, index) => sameValue(item, actual[index], quantities))
    )
  }
  return equalJson(desired, actual) || (quantities && equalQuantities(desired, actual))
}

function isEmpty(value: Json): boolean {
  if (isObject(value)) return Object.keys(value).length === 0
  return (
    value === null || value === '' || value === 0 || value === false || (Array.isArray(value) && value.length === 0)
  )
}

function equalQuantities(a: Json, b: Json): boolean {
  if (!isQuantity(a) || !isQuantity(b)) return false
  try {
    return compareQuantities(parseQuantity(String(a)), parseQuantity(String(b))) === 0
  } catch {
    return false
  }
}

function isQuantity(value: Json): value is string | number {
  return typeof value === 'string' || typeof value === 'number'
}
