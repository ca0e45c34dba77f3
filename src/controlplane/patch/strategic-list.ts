/**
 * Merges lists in strategic merge patches, and determines their order.
 *
 * The order: items in the patch have the order of the patch (or of `$setElementOrder`), all others keep their order.
 * The two sequences are interleaved so that an old item comes before one of the patch only if it did before. So new
 * items come first.
 */
import { goType } from '../../api/go-format.ts'
import { getOwn, isObject, setOwn, type Json, type JsonObject } from '../../api/json.ts'
import type { Shape } from '../../shape/shape.ts'
import { withoutDirectives } from './strategic-directives.ts'
import { strategicError } from './strategic-errors.ts'
import { kindOf, type MergeListField } from './strategic-schema.ts'

/** Merges a patch into a copy of an item. */
export type MergeItem = (item: JsonObject, patch: JsonObject, shape: Shape) => JsonObject

/** Merges a list. With `deletes`, the values of `patch` are removed instead. */
export function mergeList(
  current: Json[],
  patch: Json[],
  field: MergeListField,
  deletes: boolean,
  mergeItem: MergeItem,
): Json[] {
  if (current.length === 0 && patch.length === 0) return current
  if (holdsObjects(current, patch)) return mergeItems(current, patch, field, mergeItem).list
  if (deletes) {
    const gone = new Set(patch)
    return current.filter((value) => !gone.has(value))
  }
  return arrange([...new Set([...current, ...patch])], patch, current, itself)
}

/** Merges a list with a declared order. Undefined if neither side has the list. */
export function orderedList(
  current: Json[] | undefined,
  patch: Json[] | undefined,
  order: Json[],
  field: MergeListField,
  mergeItem: MergeItem,
): Json[] | undefined {
  const { mergeKey } = field
  checkOrder(patch ?? [], order, mergeKey)
  if (current === undefined && patch === undefined) return undefined
  const { list, before } = mergeForOrder(current, patch, field, mergeItem)
  if (mergeKey !== '') requireKeys(list, order, mergeKey)
  else if (list.some(isObject) || order.some(isObject)) throw strategicError.badElementOrder()
  if (holdsObjects(current ?? [], patch ?? [])) {
    for (const item of [...order, ...before]) requireKey(item, mergeKey)
  }
  return arrange(list, order, before, mergeKey === '' ? itself : byKey(mergeKey))
}

/** A merged list, and the old one to compare positions with. */
interface Merged {
  readonly list: Json[]
  readonly before: Json[]
}

function mergeForOrder(
  current: Json[] | undefined,
  patch: Json[] | undefined,
  field: MergeListField,
  mergeItem: MergeItem,
): Merged {
  if (current === undefined) return { list: withoutDirectives(patch as Json[]) as Json[], before: [] }
  if (patch === undefined) return { list: current, before: current }
  if (field.strategy !== 'merge') return { list: patch, before: current }
  if (current.length + patch.length === 0) throw strategicError.noElements()
  if (holdsObjects(current, patch)) return mergeItems(current, patch, field, mergeItem)
  return { list: mergeList(current, patch, field, false, mergeItem), before: current }
}

function replaceContent(object: JsonObject, content: JsonObject): JsonObject {
  for (const key of Object.keys(object)) delete object[key]
  for (const [key, value] of Object.entries(content)) setOwn(object, key, value)
  return object
}

function mergeItems(current: Json[], patch: Json[], field: MergeListField, mergeItem: MergeItem): Merged {
  const { mergeKey, items } = field
  if (mergeKey === '') throw strategicError.noMergeKeyDeclared(kindOf(items))
  const { plain, deleted, replaces } = sortOut(patch as JsonObject[], mergeKey)
  const identity = byKey(mergeKey)
  const kept = deleted.size === 0 ? current : current.filter((item) => !deleted.has(identity(item)))
  const base = replaces ? plain : kept
  const additions = replaces ? [] : plain
  const list = base.slice()
  const places = firstIndexes(list, identity)
  const added = new Set<Json>(additions)
  for (const item of additions) {
    const key = keyOf(item, mergeKey)
    const at = places.get(key)
    if (at === undefined) {
      places.set(key, list.length)
      list.push(item)
    } else {
      const merged = mergeItem(list[at] as JsonObject, item, items)
      // Upstream merges in place: if a patch has an item twice, messages show the first one merged.
      list[at] = added.has(list[at] as Json) ? replaceContent(list[at] as JsonObject, merged) : merged
    }
  }
  requireKeys(list, additions, mergeKey)
  // With a declared order, upstream compares positions in the memory of the old list, where new items have overwritten
  // deleted ones.
  const before = replaces ? kept : list.slice(0, current.length)
  return { list: arrange(list, additions, base, identity), before }
}

interface Changes {
  readonly plain: JsonObject[]
  readonly deleted: ReadonlySet<Json | undefined>
  readonly replaces: boolean
}

/** Separates items from directives. */
function sortOut(patch: readonly JsonObject[], mergeKey: string): Changes {
  const plain: JsonObject[] = []
  const deleted = new Set<Json>()
  let replaces = false
  for (const item of patch) {
    const directive = getOwn(item, '$patch')
    if (directive === undefined) plain.push(item)
    else if (directive === 'delete') deleted.add(keyOf(item, mergeKey))
    else if (directive === 'replace') replaces = true
    else if (directive === 'merge') throw strategicError.mergeDirectiveInList()
    else throw strategicError.unknownDirective(directive, item)
  }
  return { plain, deleted, replaces }
}

/** Whether the lists contain objects. Throws if the types are mixed, and for lists of lists or empty lists. */
function holdsObjects(current: Json[], patch: Json[]): boolean {
  const first = current.length > 0 ? current[0] : patch[0]
  if (first === undefined) throw strategicError.noElements()
  if (Array.isArray(first)) throw strategicError.listOfLists()
  const type = goType(first)
  for (const list of [current, patch]) {
    for (const item of list) if (goType(item) !== type) throw strategicError.mixedList([current, patch])
  }
  return isObject(first)
}

function keyOf(item: JsonObject, mergeKey: string): Json {
  const key = getOwn(item, mergeKey)
  if (key === undefined) throw strategicError.noMergeKey(item, mergeKey)
  return key
}

function requireKey(item: Json, mergeKey: string): Json {
  if (!isObject(item)) throw strategicError.notAMap(item)
  return keyOf(item, mergeKey)
}

/** Every item of `list` must have the key, and must be in `order` before the first entry that is not an object. */
function requireKeys(list: readonly Json[], order: readonly Json[], mergeKey: string): void {
  const odd = order.findIndex((item) => !isObject(item))
  const places = odd < 0 ? undefined : firstIndexes(order, byKey(mergeKey))
  for (const item of list) {
    const key = requireKey(item, mergeKey)
    if (places !== undefined && (places.get(key) ?? Infinity) > odd) throw strategicError.itemNotAMap(odd)
  }
}

/** The items of the patch must have the declared order and all be in it; deletions are ignored. */
function checkOrder(patch: Json[], order: Json[], mergeKey: string): void {
  if (patch.length === 0 || order.length === 0) return
  const items = mergeKey === '' ? patch : patch.filter((item) => !isDeletion(item))
  let next = 0
  for (let i = 0; next < items.length && i < order.length; i++) {
    while (next < items.length && hasDirective(items[next] as Json)) next++
    if (next < items.length && sameItem(items[next] as Json, order[i] as Json, mergeKey)) next++
  }
  if (next < items.length) throw strategicError.orderMismatch(patch, order)
}

function isDeletion(item: Json): boolean {
  if (!isObject(item)) throw strategicError.notAMap(item)
  return getOwn(item, '$patch') === 'delete'
}

function hasDirective(item: Json): boolean {
  return isObject(item) && Object.hasOwn(item, '$patch')
}

function sameItem(a: Json, b: Json, mergeKey: string): boolean {
  if (mergeKey === '') return a === b
  if (!isObject(a)) throw strategicError.notAMap(a)
  if (!isObject(b)) throw strategicError.notAMap(b)
  return keyOf(a, mergeKey) === keyOf(b, mergeKey)
}

/** The value by which items are compared. */
type Identity = (item: Json) => Json | undefined

const itself: Identity = (item) => item

function byKey(mergeKey: string): Identity {
  return (item) => (isObject(item) ? getOwn(item, mergeKey) : undefined)
}

type Places = ReadonlyMap<Json | undefined, number>

function firstIndexes(list: readonly Json[], identity: Identity): Map<Json | undefined, number> {
  const places = new Map<Json | undefined, number>()
  list.forEach((item, i) => {
    const key = identity(item)
    if (!places.has(key)) places.set(key, i)
  })
  return places
}

/** Items in `order` get its order, others the order of `before`; the two sequences are interleaved. */
function arrange(list: readonly Json[], order: readonly Json[], before: readonly Json[], identity: Identity): Json[] {
  const orderPlaces = firstIndexes(order, identity)
  const oldPlaces = firstIndexes(before, identity)
  const named: Json[] = []
  const others: Json[] = []
  for (const item of list) (orderPlaces.has(identity(item)) ? named : others).push(item)
  sortByPlace(named, orderPlaces, identity)
  sortByPlace(others, oldPlaces, identity)
  const arranged: Json[] = []
  let next = 0
  for (const item of named) {
    const place = oldPlaces.get(identity(item))
    while (next < others.length && isBefore(oldPlaces.get(identity(others[next] as Json)), place)) {
      arranged.push(others[next++] as Json)
    }
    arranged.push(item)
  }
  for (; next < others.length; next++) arranged.push(others[next] as Json)
  return arranged
}

function isBefore(a: number | undefined, b: number | undefined): boolean {
  return a !== undefined && b !== undefined && a < b
}

/** Longer lists with unplaced items are not sorted, since that takes quadratic time. */
const maxUnplacedItems = 1000

/**
 * Sorts in place and is stable. An item without a position counts as less than every other, which is not an order: only
 * insertion sort, which upstream uses, has the same result.
 */
function sortByPlace(items: Json[], places: Places, identity: Identity): void {
  const place = (item: Json) => places.get(identity(item))
  if (items.every((item) => place(item) !== undefined)) {
    items.sort((a, b) => (place(a) as number) - (place(b) as number))
    return
  }
  if (items.length > maxUnplacedItems) return
  for (let i = 1; i < items.length; i++) {
    const item = items[i] as Json
    const own = place(item)
    let at = i
    while (at > 0) {
      const other = place(items[at - 1] as Json)
      if (own !== undefined && other !== undefined && own >= other) break
      items[at] = items[at - 1] as Json
      at--
    }
    items[at] = item
  }
}
