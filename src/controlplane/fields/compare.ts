/** Comparison of two values of one shape: which paths came, changed and went. */
import { equalJson, getOwn, isObject, type Json, type JsonObject } from '../../api/json.ts'
import type { Shape } from '../shape/shape.ts'
import { emptySet, isEmpty, leaf, recursiveDifference, type FieldSet } from './field-set.ts'
import { isHollow, rootPlan, type ListPlan, type MapPlan, type Plan } from './plan.ts'
import { withPart, type NodeParts } from './recent-nodes.ts'

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
  added: NodeParts | undefined
  modified: NodeParts | undefined
  removed: NodeParts | undefined

  /** What differs below an element. */
  place(element: string, { added, modified, removed }: Changes): void {
    if (added !== undefined) this.added = withPart(this.added, element, added)
    if (modified !== undefined) this.modified = withPart(this.modified, element, modified)
    if (removed !== undefined) this.removed = withPart(this.removed, element, removed)
  }

  /** Undefined when nothing differs. */
  changes({ recentNodes }: MapPlan | ListPlan): Changes | undefined {
    const { added, modified, removed } = this
    if (added === undefined && modified === undefined && removed === undefined) return undefined
    return {
      added: added && recentNodes.node(added, false),
      modified: modified && recentNodes.node(modified, false),
      removed: removed && recentNodes.node(removed, false),
    }
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

/** The comparison without `excluded` paths and what is below them. */
export function exclude(comparison: Comparison, excluded: FieldSet): Comparison {
  if (isEmpty(excluded) || comparison === sameness) return comparison
  return {
    added: recursiveDifference(comparison.added, excluded),
    modified: recursiveDifference(comparison.modified, excluded),
    removed: recursiveDifference(comparison.removed, excluded),
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
  const draft = new Draft()
  for (const key in after) {
    const value = after[key] as Json
    const old = getOwn(before, key)
    if (old === value) continue
    const child = plan.child(key)
    if (child === undefined) continue
    if (old === undefined) {
      draft.added = withPart(draft.added, child.element, everything(child.plan, value))
    } else {
      const below = compareValues(child.plan, old, value)
      if (below !== undefined) draft.place(child.element, below)
    }
  }
  for (const key in before) {
    if (Object.hasOwn(after, key)) continue
    const child = plan.child(key)
    if (child === undefined) continue
    draft.removed = withPart(draft.removed, child.element, everything(child.plan, before[key] as Json))
  }
  return draft.changes(plan)
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
  const draft = new Draft()
  for (const [element, { old, now }] of items) {
    const below = compareItems(plan.items, old, now)
    if (below !== undefined) draft.place(element, below)
  }
  return draft.changes(plan)
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
  let parts: NodeParts | undefined
  for (const key in value) {
    const child = plan.child(key)
    if (child !== undefined) parts = withPart(parts, child.element, everything(child.plan, value[key] as Json))
  }
  return parts === undefined ? leaf : plan.recentNodes.node(parts, true)
}

function everyItem(plan: ListPlan, items: Json[], member: boolean): FieldSet {
  const parts: NodeParts = { elements: [], below: [] }
  const places = items.length > fewItems ? new Map<string, number>() : undefined
  for (const item of items) {
    const element = plan.element(item)
    const place = places === undefined ? parts.elements.indexOf(element) : (places.get(element) ?? -1)
    if (place >= 0) {
      parts.below[place] = leaf
      continue
    }
    places?.set(element, parts.elements.length)
    withPart(parts, element, everything(plan.items, item))
  }
  return plan.recentNodes.node(parts, member)
}

/** Up to here looking through a list is quicker than a map. */
const fewItems = 16
