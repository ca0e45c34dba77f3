/**
 * Owners: parsed `metadata.managedFields`, with one owner per manager, operation and subresource. Updates through
 * different API versions have different owners; an applier is one owner, whatever version it used last.
 */
import { isObject } from '../../api/json.ts'
import { Memo, memoCounter } from '../../api/memo.ts'
import type { ManagedFieldsEntry } from '../../api/object.ts'
import { timestamp } from '../../env/env.ts'
import { emptySet, equalSets, parseFieldSet, union, type FieldSet } from './field-set.ts'
import { goQuote } from '../../api/go-format.ts'
import { idText, ownerId, unnamed } from './owner-id.ts'

export interface Owner {
  readonly id: string
  readonly manager: string
  readonly operation: 'Apply' | 'Update'
  /** The version of the paths in `fields`. */
  readonly apiVersion: string
  /** '' for the main resource. */
  readonly subresource: string
  /** RFC 3339, UTC, whole seconds; '' if there is none. */
  readonly time: string
  readonly fields: FieldSet
  /** The entry that is equal to this owner, to be written again as it is. Undefined if the owner differs from it. */
  readonly entry: ManagedFieldsEntry | undefined
}

/** An owner with its entry. */
interface WrittenOwner extends Owner {
  readonly entry: ManagedFieldsEntry
}

/**
 * The owners of written entries, so that parsing an entry again is free: it would take longer than the rest of most
 * writes. An entry that is not here, such as one from a file, is parsed.
 */
const ownersOfEntries = new WeakMap<ManagedFieldsEntry, WrittenOwner>()

/** A manager that writes to many objects within a second owns the same fields of each, so its entries can be shared. */
const recentEntries = new Memo<WrittenOwner>(memoCounter('entries of managedFields', 8))

function recentEntry({ id, fields, time, apiVersion }: Owner): ManagedFieldsEntry | undefined {
  const { entries } = recentEntries
  for (let i = 0; i < entries.length; i++) {
    const each = entries[i] as WrittenOwner
    if (each.fields === fields && each.time === time && each.id === id && each.apiVersion === apiVersion)
      return recentEntries.hit(i).entry
  }
  return recentEntries.miss()
}

/** Up to this number a list is faster than a map. */
const fewOwners = 16

/** Owners by id: mostly few, in a list; many, which a client can send, in a map. They are replaced, never modified. */
export class Owners {
  /** Undefined: to be made from the map. */
  #all: readonly Owner[] | undefined
  #many: Map<string, Owner> | undefined

  /** The ids must be unique. */
  constructor(all: readonly Owner[] = []) {
    this.#all = all
  }

  get size(): number {
    return this.#many?.size ?? this.all.length
  }

  /** In insertion order. The list is never modified. */
  get all(): readonly Owner[] {
    return (this.#all ??= [...(this.#many as Map<string, Owner>).values()])
  }

  get(id: string): Owner | undefined {
    const many = this.#map()
    return many === undefined ? this.all[placeOf(this.all, id)] : many.get(id)
  }

  /** Replaces the owner with the same id, or appends. */
  set(owner: Owner): void {
    const many = this.#map()
    if (many !== undefined) {
      many.set(owner.id, owner)
      this.#all = undefined
      return
    }
    const all = this.all.slice()
    all[placeOf(all, owner.id)] = owner
    this.#all = all
  }

  delete(id: string): void {
    if (this.#map()?.delete(id) === undefined) this.#all = this.all.filter((owner) => owner.id !== id)
    else this.#all = undefined
  }

  #map(): Map<string, Owner> | undefined {
    if (this.#many === undefined && this.all.length > fewOwners) {
      this.#many = new Map(this.all.map((owner) => [owner.id, owner]))
    }
    return this.#many
  }
}

/** The index of the owner with this id, or the next free one. */
function placeOf(all: readonly Owner[], id: string): number {
  let place = 0
  while (place < all.length && (all[place] as Owner).id !== id) place++
  return place
}

/** managedFields are malformed. */
export class ManagedFieldsError extends Error {}

export function newOwner(
  name: string,
  operation: 'Apply' | 'Update',
  apiVersion: string,
  subresource: string,
  fields: FieldSet,
  time: string,
): Owner {
  const manager = name === '' ? unnamed : name
  const id = ownerId(manager, operation, apiVersion, subresource)
  return { id, manager, operation, apiVersion, subresource, time, fields, entry: undefined }
}

/** Replaces the fields of an owner; removes the owner if none are left. */
export function setFields(owners: Owners, owner: Owner, fields: FieldSet): void {
  if (fields === owner.fields) return
  for (const _ in fields) {
    owners.set(changedOwner(owner, fields, owner.time))
    return
  }
  owners.delete(owner.id)
}

/** A copy of the owner with other fields and another time. */
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

/** Throws {@link ManagedFieldsError} or `PathElementError` if an entry is invalid. */
export function readOwners(entries: readonly ManagedFieldsEntry[] | undefined | null): Owners {
  if (!Array.isArray(entries)) return new Owners()
  const read: Owner[] = []
  const places = entries.length > fewOwners ? new Map<string, number>() : undefined
  for (let i = 0; i < entries.length; i++) {
    const entry: unknown = entries[i]
    if (!isObject(entry)) throw new ManagedFieldsError(`invalid managed fields entry ${i}`)
    const owner = ownersOfEntries.get(entry) ?? readOwner(entry, i)
    const place = places === undefined ? placeOf(read, owner.id) : (places.get(owner.id) ?? read.length)
    places?.set(owner.id, place)
    read[place] = owner
  }
  return new Owners(read)
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
  const id = idText(manager, operation, apiVersion, subresource)
  const time = wholeSeconds(entry.time)
  const saysJustThis = fields === entry.fieldsV1 && time === (entry.time ?? '')
  return { id, manager, operation, apiVersion, subresource, time, fields, entry: saysJustThis ? entry : undefined }
}

/** The server's format: `2026-11-15T23:16:50Z`. */
const canonicalTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/

function wholeSeconds(time: string | null | undefined): string {
  if (time === undefined || time === null || canonicalTime.test(time)) return time ?? ''
  const ms = Date.parse(time)
  return Number.isNaN(ms) ? '' : timestamp(ms)
}

/**
 * The entries in the order in which the server lists them; undefined if there are none. `before` itself if it is equal.
 */
export function writeOwners(owners: Owners, before?: readonly ManagedFieldsEntry[]): ManagedFieldsEntry[] | undefined {
  if (owners.size === 0) return undefined
  if (before?.length === owners.size && saysJust(before, owners)) return before as ManagedFieldsEntry[]
  return owners.all.toSorted(compareOwners).map(entryOf)
}

/** Whether these are the entries of the owners, by identity and in the same order. */
function saysJust(entries: readonly ManagedFieldsEntry[], owners: Owners): boolean {
  const { all } = owners
  for (let i = 0; i < all.length; i++) {
    const { entry } = all[i] as Owner
    if (entry === undefined || entry !== entries[i]) return false
  }
  return true
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
  // Sets that are not frozen are large and not shared.
  const isShared = Object.isFrozen(owner.fields)
  const known = isShared ? recentEntry(owner) : undefined
  if (known !== undefined) return known
  const { id, manager, operation, apiVersion, subresource, time, fields } = owner
  const entry: ManagedFieldsEntry = {}
  if (manager !== '') entry.manager = manager
  entry.operation = operation
  entry.apiVersion = apiVersion
  if (time !== '') entry.time = time
  entry.fieldsType = 'FieldsV1'
  entry.fieldsV1 = fields
  if (subresource !== '') entry.subresource = subresource
  const written: WrittenOwner = { id, manager, operation, apiVersion, subresource, time, fields, entry }
  ownersOfEntries.set(entry, written)
  if (isShared) {
    Object.freeze(entry)
    recentEntries.add(written)
  }
  return entry
}

/** Whether two lists of entries are equal, position by position, except for their times. */
export function sameButTimes(
  a: readonly ManagedFieldsEntry[] | undefined,
  b: readonly ManagedFieldsEntry[] | undefined,
): boolean {
  if (a === b) return true
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

/** Maximum number of update entries. */
const maxUpdaters = 10
const oldUpdates = 'ancient-changes'

/** Merges the oldest update entries of each version into one until few enough are left. */
export function capUpdaters(owners: Owners): void {
  if (owners.size <= maxUpdaters) return
  const updaters = owners.all.filter((owner) => owner.operation === 'Update')
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
 * As upstream: an existing bucket gets only the fields of `owner`; a bucket that is itself the next oldest is dropped.
 */
function mergeOldest(owners: Owners, earlier: Owner, owner: Owner): void {
  const bucket = newOwner(oldUpdates, 'Update', owner.apiVersion, '', emptySet, owner.time)
  let fields = owners.get(bucket.id)?.fields
  if (fields === undefined) {
    fields = earlier.fields
    owners.delete(earlier.id)
  }
  owners.set(changedOwner(bucket, union(owner.fields, fields), owner.time))
  owners.delete(owner.id)
}
