/** Comparison of two values of one shape: which paths came, changed and went. */
import { equalJson, getOwn, isObject, type Json, type JsonObject } from '../../api/json.ts'
import type { Shape } from '../../shape/shape.ts'
import { emptySet, leaf, type FieldSet } from './field-set.ts'
import { isHollow, rootPlan, type ListPlan, type MapPlan, type Plan } from './plan.ts'
import { NodeDraft, type RecentNodes } from './recent-nodes.ts'

export interface Comparison {
  readonly added: FieldSet
  readonly modified: FieldSet
  readonly removed: FieldSet
}

/** Differences at one node: what is set there and below, per kind; undefined where there are none. */
interface Changes {
  added: FieldSet | undefined
  modified: FieldSet | undefined
  removed: FieldSet | undefined
}

/** Differences at one node while they are found. */
class Draft {
  readonly #recent: RecentNodes
  #added: NodeDraft | undefined = undefined
  #modified: NodeDraft | undefined = undefined
  #removed: NodeDraft | undefined = undefined

  constructor({ recentNodes }: MapPlan | ListPlan) {
    this.#recent = recentNodes
  }

  add(element: string, below: FieldSet): void {
    ;(this.#added ??= new NodeDraft(this.#recent)).add(element, below)
  }

  remove(element: string, below: FieldSet): void {
    ;(this.#removed ??= new NodeDraft(this.#recent)).add(element, below)
  }

  /** What differs below an element. */
  place(element: string, { added, modified, removed }: Changes): void {
    if (added !== undefined) this.add(element, added)
    if (modified !== undefined) (this.#modified ??= new NodeDraft(this.#recent)).add(element, modified)
    if (removed !== undefined) this.remove(element, removed)
  }

  /** Undefined when nothing differs. */
  changes(): Changes | undefined {
    const added = this.#added
    const modified = this.#modified
    const removed = this.#removed
    if (added === undefined && modified === undefined && removed === undefined) return undefined
    return { added: added?.node(false), modified: modified?.node(false), removed: removed?.node(false) }
  }
}

const sameness: Comparison = { added: emptySet, modified: emptySet, removed: emptySet }
const modifiedHere: Changes = { added: undefined, modified: leaf, removed: undefined }
const nothing: JsonObject = {}

/**
 * What changes from `before` to `after`. A container that comes or goes counts as a path itself; one that
 * stays does not. Throws `TypedValueError` when a list's item has no key.
 */
export function compare(shape: Shape, before: JsonObject, after: JsonObject): Comparison {
  const changes = before === after ? undefined : compareMaps(rootPlan(shape), before, after)
  if (changes === undefined) return sameness
  return {
    added: changes.added ?? emptySet,
    modified: changes.modified ?? emptySet,
    removed: changes.removed ?? emptySet,
  }
}

function compareValues(plan: Plan, before: Json, after: Json): Changes | undefined {
  if (before === after) return undefined
  if (plan.type === 'leaf') return compareLeaves(before, after)
  if (plan.type === 'list') return compareLists(plan, before, after)
  if (plan.untyped && !(isObject(before) && isObject(after))) return compareUntyped(plan, before, after)
  if (isHollow(before) && isHollow(after)) return compareLeaves(before, after)
  return compareMaps(plan, isObject(before) ? before : nothing, isObject(after) ? after : nothing)
}

function compareLeaves(before: Json, after: Json): Changes | undefined {
  return equalJson(before, after) ? undefined : modifiedHere
}

/**
 * Untyped values of which at most one is a map: a change of kind is one of the value and of what the map
 * held.
 */
function compareUntyped(plan: MapPlan, before: Json, after: Json): Changes | undefined {
  const had = isObject(before) && !isHollow(before)
  const has = isObject(after) && !isHollow(after)
  if (!had && !has) return compareLeaves(before, after)
  const changes = compareMaps(plan, had ? before : nothing, has ? after : nothing)
  if (before === null || after === null) return changes
  return { added: changes?.added, modified: leaf, removed: changes?.removed }
}

function compareMaps(plan: MapPlan, before: JsonObject, after: JsonObject): Changes | undefined {
  let draft: Draft | undefined
  let gone = 0
  for (const key in after) {
    const value = after[key] as Json
    const old = getOwn(before, key)
    if (old !== undefined) gone--
    if (old === value) continue
    const child = plan.child(key)
    if (child === undefined) continue
    if (old === undefined) {
      ;(draft ??= new Draft(plan)).add(child.element, everything(child.plan, value))
    } else {
      const below = compareValues(child.plan, old, value)
      if (below !== undefined) (draft ??= new Draft(plan)).place(child.element, below)
    }
  }
  for (const _ in before) gone++
  if (gone === 0) return draft?.changes()
  for (const key in before) {
    if (getOwn(after, key) !== undefined) continue
    const child = plan.child(key)
    if (child === undefined) continue
    ;(draft ??= new Draft(plan)).remove(child.element, everything(child.plan, before[key] as Json))
  }
  return draft?.changes()
}

function compareLists(plan: ListPlan, before: Json, after: Json): Changes | undefined {
  const old = Array.isArray(before) ? before : []
  const now = Array.isArray(after) ? after : []
  if (old.length === 0 && now.length === 0) return compareLeaves(before, after)
  if (old.length === 0) {
    return { added: everyItem(plan, now, false), modified: undefined, removed: undefined }
  }
  const items = new Map<string, Pair>()
  for (const item of old) slot(items, plan.element(item)).old.push(item)
  for (const item of now) slot(items, plan.element(item)).now.push(item)
  const draft = new Draft(plan)
  for (const [element, { old, now }] of items) {
    const below = compareItems(plan.items, old, now)
    if (below !== undefined) draft.place(element, below)
  }
  return draft.changes()
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

/** Items that repeat a key have no fields of their own: only the key as a whole is owned. */
function compareItems(plan: Plan, old: Json[], now: Json[]): Changes | undefined {
  if (old.length > 1 && now.length > 1) return compareLeaves(old, now)
  if (old.length === 1 && now.length === 1) return compareValues(plan, old[0] as Json, now[0] as Json)
  return { added: oneOrMany(plan, now), modified: undefined, removed: oneOrMany(plan, old) }
}

function oneOrMany(plan: Plan, items: Json[]): FieldSet | undefined {
  if (items.length === 0) return undefined
  return items.length === 1 ? everything(plan, items[0] as Json) : leaf
}

/** The node of a value that comes or goes as a whole: it and all that is below. */
function everything(plan: Plan, value: Json): FieldSet {
  if (plan.type === 'leaf' || isHollow(value)) return leaf
  if (plan.type === 'list') return Array.isArray(value) ? everyItem(plan, value, true) : leaf
  if (!isObject(value)) return leaf
  let draft: NodeDraft | undefined
  for (const key in value) {
    const child = plan.child(key)
    if (child !== undefined)
      (draft ??= new NodeDraft(plan.recentNodes)).add(child.element, everything(child.plan, value[key] as Json))
  }
  return draft?.node(true) ?? leaf
}

function everyItem(plan: ListPlan, items: Json[], member: boolean): FieldSet {
  const draft = new NodeDraft(plan.recentNodes)
  for (const item of items) draft.addItem(plan.element(item), everything(plan.items, item))
  return draft.node(member)
}
