/** Compares two values of one shape: which paths were added, modified and removed. */
import { equalJson, getOwn, isObject, type Json, type JsonObject } from '../../api/json.ts'
import type { Shape } from '../../shape/shape.ts'
import { emptySet, leaf, type FieldSet } from './field-set.ts'
import { isHollow, rootTree, type ListTree, type MapTree, type FieldTree } from './field-tree.ts'
import { NodeBuilder, type RecentNodes } from './node-builder.ts'

export interface FieldComparison {
  readonly added: FieldSet
  readonly modified: FieldSet
  readonly removed: FieldSet
}

/** Differences at one node and below it; undefined where there are none. */
interface Changes {
  added: FieldSet | undefined
  modified: FieldSet | undefined
  removed: FieldSet | undefined
}

/** Collects the differences at one node. */
class ChangesBuilder {
  readonly #recent: RecentNodes
  #added: NodeBuilder | undefined = undefined
  #modified: NodeBuilder | undefined = undefined
  #removed: NodeBuilder | undefined = undefined

  constructor({ recentNodes }: MapTree | ListTree) {
    this.#recent = recentNodes
  }

  add(element: string, below: FieldSet): void {
    ;(this.#added ??= new NodeBuilder(this.#recent)).add(element, below)
  }

  remove(element: string, below: FieldSet): void {
    ;(this.#removed ??= new NodeBuilder(this.#recent)).add(element, below)
  }

  /** Adds the differences below an element. */
  place(element: string, { added, modified, removed }: Changes): void {
    if (added !== undefined) this.add(element, added)
    if (modified !== undefined) (this.#modified ??= new NodeBuilder(this.#recent)).add(element, modified)
    if (removed !== undefined) this.remove(element, removed)
  }

  /** Undefined if there are no differences. */
  changes(): Changes | undefined {
    const added = this.#added
    const modified = this.#modified
    const removed = this.#removed
    if (added === undefined && modified === undefined && removed === undefined) return undefined
    return { added: added?.node(false), modified: modified?.node(false), removed: removed?.node(false) }
  }
}

const sameness: FieldComparison = { added: emptySet, modified: emptySet, removed: emptySet }
const modifiedHere: Changes = { added: undefined, modified: leaf, removed: undefined }
const nothing: JsonObject = {}

/**
 * The changes from `before` to `after`. A container that is added or removed is a path itself; one that stays is not.
 * Throws `TypedValueError` if an item of a list has no key.
 */
export function compareFields(shape: Shape, before: JsonObject, after: JsonObject): FieldComparison {
  const changes = before === after ? undefined : compareMaps(rootTree(shape), before, after)
  if (changes === undefined) return sameness
  return {
    added: changes.added ?? emptySet,
    modified: changes.modified ?? emptySet,
    removed: changes.removed ?? emptySet,
  }
}

function compareValues(tree: FieldTree, before: Json, after: Json): Changes | undefined {
  if (before === after) return undefined
  if (tree.type === 'leaf') return compareLeaves(before, after)
  if (tree.type === 'list') return compareLists(tree, before, after)
  if (tree.untyped && !(isObject(before) && isObject(after))) return compareUntyped(tree, before, after)
  if (isHollow(before) && isHollow(after)) return compareLeaves(before, after)
  return compareMaps(tree, isObject(before) ? before : nothing, isObject(after) ? after : nothing)
}

function compareLeaves(before: Json, after: Json): Changes | undefined {
  return equalJson(before, after) ? undefined : modifiedHere
}

/**
 * For untyped values of which at most one is a map: the value itself is modified, and the entries of the map are added
 * or removed.
 */
function compareUntyped(tree: MapTree, before: Json, after: Json): Changes | undefined {
  const had = isObject(before) && !isHollow(before)
  const has = isObject(after) && !isHollow(after)
  if (!had && !has) return compareLeaves(before, after)
  const changes = compareMaps(tree, had ? before : nothing, has ? after : nothing)
  if (before === null || after === null) return changes
  return { added: changes?.added, modified: leaf, removed: changes?.removed }
}

function compareMaps(tree: MapTree, before: JsonObject, after: JsonObject): Changes | undefined {
  let builder: ChangesBuilder | undefined
  let gone = 0
  for (const key in after) {
    const value = after[key] as Json
    const old = getOwn(before, key)
    if (old !== undefined) gone--
    if (old === value) continue
    const child = tree.child(key)
    if (child === undefined) continue
    if (old === undefined) {
      ;(builder ??= new ChangesBuilder(tree)).add(child.element, everything(child.tree, value))
    } else {
      const below = compareValues(child.tree, old, value)
      if (below !== undefined) (builder ??= new ChangesBuilder(tree)).place(child.element, below)
    }
  }
  for (const _ in before) gone++
  if (gone === 0) return builder?.changes()
  for (const key in before) {
    if (getOwn(after, key) !== undefined) continue
    const child = tree.child(key)
    if (child === undefined) continue
    ;(builder ??= new ChangesBuilder(tree)).remove(child.element, everything(child.tree, before[key] as Json))
  }
  return builder?.changes()
}

function compareLists(tree: ListTree, before: Json, after: Json): Changes | undefined {
  const old = Array.isArray(before) ? before : []
  const now = Array.isArray(after) ? after : []
  if (old.length === 0 && now.length === 0) return compareLeaves(before, after)
  if (old.length === 0) {
    return { added: everyItem(tree, now, false), modified: undefined, removed: undefined }
  }
  const items = new Map<string, Pair>()
  for (const item of old) slot(items, tree.element(item)).old.push(item)
  for (const item of now) slot(items, tree.element(item)).now.push(item)
  const builder = new ChangesBuilder(tree)
  for (const [element, { old, now }] of items) {
    const below = compareItems(tree.items, old, now)
    if (below !== undefined) builder.place(element, below)
  }
  return builder.changes()
}

interface Pair {
  readonly old: Json[]
  readonly now: Json[]
}

function slot(items: Map<string, Pair>, element: string): Pair {
  let found = items.get(element)
  if (found === undefined) {
    found = { old: [], now: [] }
    items.set(element, found)
  }
  return found
}

/** Items with a duplicate key have no fields of their own: only the key as a whole is owned. */
function compareItems(tree: FieldTree, old: Json[], now: Json[]): Changes | undefined {
  if (old.length > 1 && now.length > 1) return compareLeaves(old, now)
  if (old.length === 1 && now.length === 1) return compareValues(tree, old[0] as Json, now[0] as Json)
  return { added: oneOrMany(tree, now), modified: undefined, removed: oneOrMany(tree, old) }
}

function oneOrMany(tree: FieldTree, items: Json[]): FieldSet | undefined {
  if (items.length === 0) return undefined
  return items.length === 1 ? everything(tree, items[0] as Json) : leaf
}

/** The node of a value that is added or removed as a whole: its path and all paths below it. */
function everything(tree: FieldTree, value: Json): FieldSet {
  if (tree.type === 'list') return Array.isArray(value) && value.length > 0 ? everyItem(tree, value, true) : leaf
  if (tree.type === 'leaf' || !isObject(value)) return leaf
  let builder: NodeBuilder | undefined
  for (const key in value) {
    const child = tree.child(key)
    if (child !== undefined)
      (builder ??= new NodeBuilder(tree.recentNodes)).add(child.element, everything(child.tree, value[key] as Json))
  }
  return builder?.node(true) ?? leaf
}

function everyItem(tree: ListTree, items: Json[], member: boolean): FieldSet {
  const builder = new NodeBuilder(tree.recentNodes)
  for (const item of items) builder.addItem(tree.element(item), everything(tree.items, item))
  return builder.node(member)
}
