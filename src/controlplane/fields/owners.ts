/**
 * Owners: `metadata.managedFields` as the algorithms use it, one owner per manager, operation and
 * subresource. Updates through different API versions are different owners; an applier is one, whatever
 * version it used last.
 */
import { isObject } from '../../api/json.ts'
import type { ManagedFieldsEntry } from '../../api/object.ts'
import { timestamp } from '../../env/env.ts'
import { emptySet, equalSets, parseFieldSet, union, type FieldSet } from './field-set.ts'
import { goQuote } from '../../api/go-format.ts'
import { goJsonString } from '../../api/go-json.ts'
import { markCanonical } from './set-stamp.ts'
import { OnObject } from '../../api/private-mark.ts'

export interface Owner {
  readonly id: string
  readonly manager: string
  readonly operation: 'Apply' | 'Update'
  /** The version in which the paths are to be read. */
  readonly apiVersion: string
  /** '' for the main resource. */
  readonly subresource: string
  /** RFC 3339, UTC, whole seconds; '' when there is none. */
  readonly time: string
  readonly fields: FieldSet
  /** The entry that says just this; written again as it is. Never set on an owner that differs from it. */
  readonly entry: ManagedFieldsEntry | undefined
}

/** The owner that an entry was written for, kept on the entry: reading it back is then free. */
class Written extends OnObject {
  readonly #owner: Owner

  constructor(entry: ManagedFieldsEntry, owner: Owner) {
    super(entry)
    this.#owner = owner
  }

  static owner(entry: ManagedFieldsEntry): Owner | undefined {
    return #owner in entry ? entry.#owner : undefined
  }
}

/** Owners by id. The functions here and in the algorithms replace entries, never an owner's parts. */
export type Owners = Map<string, Owner>

/** managedFields is not what a server writes. */
export class ManagedFieldsError extends Error {}

/** Who an operation is by. Its text is what upstream sorts owners by. */
export function ownerId(
  manager: string, operation: 'Apply' | 'Update', apiVersion: string, subresource: string,
): string {
  const who = manager === '' ? '' : `"manager":${goJsonString(manager)},`
  const version = operation === 'Apply' ? '' : `,"apiVersion":${goJsonString(apiVersion)}`
  const part = subresource === '' ? '' : `,"subresource":${goJsonString(subresource)}`
  return `{${who}"operation":"${operation}"${version}${part}}`
}

/** An owner without a name is called `unknown`. */
export function newOwner(
  name: string, operation: 'Apply' | 'Update', apiVersion: string, subresource: string, fields: FieldSet,
  time: string,
): Owner {
  const manager = name === '' ? 'unknown' : name
  const id = ownerId(manager, operation, apiVersion, subresource)
  return { id, manager, operation, apiVersion, subresource, time, fields, entry: undefined }
}

/** The owner with other fields; removed when none are left. */
export function setFields(owners: Owners, owner: Owner, fields: FieldSet): void {
  if (fields === owner.fields) return
  for (const _ in fields) {
    owners.set(owner.id, changedOwner(owner, fields, owner.time))
    return
  }
  owners.delete(owner.id)
}

/** The owner with other fields and another time. */
export function changedOwner(owner: Owner, fields: FieldSet, time: string): Owner {
  const { id, manager, operation, apiVersion, subresource } = owner
  return { id, manager, operation, apiVersion, subresource, time, fields, entry: undefined }
}

/** `"hpa" with subresource "scale" using apps/v1` */
export function ownerText(owner: Owner): string {
  let text = goQuote(owner.manager)
  if (owner.subresource !== '') text += ` with subresource ${goQuote(owner.subresource)}`
  return owner.operation === 'Update' ? `${text} using ${owner.apiVersion}` : text
}

/** Throws {@link ManagedFieldsError} or `PathElementError` when an entry is not valid. */
export function readOwners(entries: readonly ManagedFieldsEntry[] | undefined | null): Owners {
  const owners: Owners = new Map()
  if (!Array.isArray(entries)) return owners
  for (let i = 0; i < entries.length; i++) {
    const entry = entries[i] as ManagedFieldsEntry
    if (!isObject(entry)) throw new ManagedFieldsError(`invalid managed fields entry ${i}`)
    const owner = Written.owner(entry) ?? readOwner(entry, i)
    owners.set(owner.id, owner)
  }
  return owners
}

function readOwner(entry: ManagedFieldsEntry, index: number): Owner {
  const { operation, apiVersion = '', fieldsType = '' } = entry
  if (operation !== 'Apply' && operation !== 'Update') {
    throw new ManagedFieldsError('operation must be `Apply` or `Update`')
  }
  if (apiVersion === '') throw new ManagedFieldsError('apiVersion must not be empty')
  if (fieldsType === '') throw new ManagedFieldsError(`missing fieldsType in managed fields entry ${index}`)
  if (fieldsType !== 'FieldsV1') {
    throw new ManagedFieldsError(`invalid fieldsType ${goQuote(fieldsType)} in managed fields entry ${index}`)
  }
  const fields = isObject(entry.fieldsV1) ? parseFieldSet(entry.fieldsV1) : emptySet
  const { manager = '', subresource = '' } = entry
  const id = ownerId(manager, operation, apiVersion, subresource)
  const time = wholeSeconds(entry.time)
  const saysJustThis = fields === entry.fieldsV1 && time === (entry.time ?? '')
  return { id, manager, operation, apiVersion, subresource, time, fields, entry: saysJustThis ? entry : undefined }
}

/** `2026-11-15T23:16:50Z` as the server writes it. */
const canonicalTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/

function wholeSeconds(time: string | null | undefined): string {
  if (time === undefined || time === null || canonicalTime.test(time)) return time ?? ''
  const ms = Date.parse(time)
  return Number.isNaN(ms) ? '' : timestamp(ms)
}

/** In the order in which the server lists them; undefined when there are none. */
export function writeOwners(owners: Owners): ManagedFieldsEntry[] | undefined {
  if (owners.size === 0) return undefined
  return [...owners.values()].sort(compareOwners).map(entryOf)
}

function compareOwners(a: Owner, b: Owner): number {
  return (
    compareText(a.operation, b.operation) ||
    compareText(a.time, b.time) ||
    compareText(a.manager, b.manager) ||
    compareText(a.apiVersion, b.apiVersion) ||
    compareText(a.subresource, b.subresource)
  )
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}

function entryOf(owner: Owner): ManagedFieldsEntry {
  if (owner.entry !== undefined) return owner.entry
  const entry: ManagedFieldsEntry = {}
  if (owner.manager !== '') entry.manager = owner.manager
  entry.operation = owner.operation
  entry.apiVersion = owner.apiVersion
  if (owner.time !== '') entry.time = owner.time
  entry.fieldsType = 'FieldsV1'
  entry.fieldsV1 = owner.fields
  markCanonical(owner.fields)
  if (owner.subresource !== '') entry.subresource = owner.subresource
  const { id, manager, operation, apiVersion, subresource, time, fields } = owner
  return new Written(entry, { id, manager, operation, apiVersion, subresource, time, fields, entry }) as ManagedFieldsEntry
}

/** Whether two lists of entries are the same, position by position, but for their times. */
export function sameButTimes(
  a: readonly ManagedFieldsEntry[] | undefined, b: readonly ManagedFieldsEntry[] | undefined,
): boolean {
  const left = a ?? []
  const right = b ?? []
  if (left.length !== right.length) return false
  return left.every((entry, i) => sameEntry(entry, right[i] as ManagedFieldsEntry))
}

function sameEntry(a: ManagedFieldsEntry, b: ManagedFieldsEntry): boolean {
  return (
    a === b ||
    (a.manager === b.manager &&
      a.operation === b.operation &&
      a.apiVersion === b.apiVersion &&
      a.subresource === b.subresource &&
      a.fieldsType === b.fieldsType &&
      equalSets(a.fieldsV1 ?? emptySet, b.fieldsV1 ?? emptySet))
  )
}

/** At most this many entries of updaters stay apart. */
const maxUpdaters = 10
const oldUpdates = 'ancient-changes'

/** Merges the oldest updaters of each version into one until few enough are left. */
export function capUpdaters(owners: Owners): void {
  const updaters = [...owners.values()].filter((owner) => owner.operation === 'Update')
  let count = updaters.length
  if (count <= maxUpdaters) return
  updaters.sort((a, b) => compareText(a.time, b.time) || compareText(a.id, b.id))
  const first = new Map<string, Owner>()
  for (const owner of updaters) {
    if (count <= maxUpdaters) return
    const earlier = first.get(owner.apiVersion)
    if (earlier === undefined) {
      first.set(owner.apiVersion, owner)
      continue
    }
    mergeOldest(owners, earlier, owner)
    count--
  }
}

/**
 * As upstream: an existing bucket takes only `owner`, and a bucket that is itself the next oldest is dropped.
 */
function mergeOldest(owners: Owners, earlier: Owner, owner: Owner): void {
  const bucket = newOwner(oldUpdates, 'Update', owner.apiVersion, '', emptySet, owner.time)
  let fields = owners.get(bucket.id)?.fields
  if (fields === undefined) {
    fields = earlier.fields
    owners.delete(earlier.id)
  }
  owners.set(bucket.id, changedOwner(bucket, union(owner.fields, fields), owner.time))
  owners.delete(owner.id)
}
