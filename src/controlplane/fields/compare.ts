/** Comparison of two values of one shape: which paths came, changed and went. */
import { equalJson, getOwn, isObject, type Json, type JsonObject } from '../../api/json.ts'
import type { Shape } from '../shape/shape.ts'
import { emptySet, inOrder, isEmpty, leaf, recursiveDifference, type FieldSet } from './field-set.ts'
import { isHollow, rootPlan, type ListPlan, type MapPlan, type Plan } from './plan.ts'

export interface Comparison {
  readonly added: FieldSet
  readonly modified: FieldSet
  readonly removed: FieldSet
}

/** Differences at one node: what is set there and below, per kind; absent where there are none. */
interface Changes {
  added?: FieldSet
  modified?: FieldSet
  removed?: FieldSet
}

const sameness: Comparison = { added: emptySet, modified: emptySet, removed: emptySet }
const modifiedHere: Changes = { modified: leaf }
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
  const changes = compareMaps(plan, had ? before : nothing, has ? after : nothing) ?? {}
  if (before !== null && after !== null) changes.modified = leaf
  return changes
}

function compareMaps(plan: MapPlan, before: JsonObject, after: JsonObject): Changes | undefined {
  let changes: Changes | undefined
  for (const key in after) {
    const value = after[key] as Json
    const old = getOwn(before, key)
    if (old === value) continue
    const child = plan.child(key)
    if (child === undefined) continue
    if (old === undefined) {
      changes ??= {}
      ;(changes.added ??= {})[child.element] = everything(child.plan, value)
    } else {
      const below = compareValues(child.plan, old, value)
      if (below !== undefined) place((changes ??= {}), child.element, below)
    }
  }
  for (const key in before) {
    if (Object.hasOwn(after, key)) continue
    const child = plan.child(key)
    if (child === undefined) continue
    changes ??= {}
    ;(changes.removed ??= {})[child.element] = everything(child.plan, before[key] as Json)
  }
  return changes === undefined ? undefined : ordered(changes)
}

function place(changes: Changes, element: string, below: Changes): void {
  if (below.added !== undefined) (changes.added ??= {})[element] = below.added
  if (below.modified !== undefined) (changes.modified ??= {})[element] = below.modified
  if (below.removed !== undefined) (changes.removed ??= {})[element] = below.removed
}

function ordered(changes: Changes): Changes {
  if (changes.added !== undefined) changes.added = inOrder(changes.added)
  if (changes.modified !== undefined) changes.modified = inOrder(changes.modified)
  if (changes.removed !== undefined) changes.removed = inOrder(changes.removed)
  return changes
}

function compareLists(plan: ListPlan, before: Json, after: Json): Changes | undefined {
  const old = Array.isArray(before) ? before : []
  const now = Array.isArray(after) ? after : []
  if (old.length === 0 && now.length === 0) return compareLeaves(before, after)
  if (old.length === 0) {
    const added = everyItem(plan, now, false)
    return { added }
  }
  const items = new Map<string, Pair>()
  for (const item of old) slot(items, plan.element(item)).old.push(item)
  for (const item of now) slot(items, plan.element(item)).now.push(item)
  const changes: Changes = {}
  for (const [element, { old, now }] of items) compareItems(plan.items, element, old, now, changes)
  return isHollow(changes as JsonObject) ? undefined : ordered(changes)
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
function compareItems(plan: Plan, element: string, old: Json[], now: Json[], changes: Changes): void {
  if (old.length > 1 && now.length > 1) {
    if (!equalJson(old, now)) (changes.modified ??= {})[element] = leaf
  } else if (old.length > 1) {
    if (now.length === 1) (changes.added ??= {})[element] = everything(plan, now[0] as Json)
    ;(changes.removed ??= {})[element] = leaf
  } else if (now.length > 1) {
    if (old.length === 1) (changes.removed ??= {})[element] = everything(plan, old[0] as Json)
    ;(changes.added ??= {})[element] = leaf
  } else if (old.length === 0) {
    ;(changes.added ??= {})[element] = everything(plan, now[0] as Json)
  } else if (now.length === 0) {
    ;(changes.removed ??= {})[element] = everything(plan, old[0] as Json)
  } else {
    const below = compareValues(plan, old[0] as Json, now[0] as Json)
    if (below !== undefined) place(changes, element, below)
  }
}

/** The node of a value that comes or goes as a whole: it and all that is below. */
function everything(plan: Plan, value: Json): FieldSet {
  if (plan.type === 'leaf' || isHollow(value)) return leaf
  if (plan.type === 'list') return Array.isArray(value) ? everyItem(plan, value, true) : leaf
  if (!isObject(value)) return leaf
  const children = plan.childrenOf(value)
  if (children.length === 0) return leaf
  const node: FieldSet = { '.': leaf }
  for (const child of children) node[child.element] = everything(child.plan, value[child.name] as Json)
  return node
}

function everyItem(plan: ListPlan, items: Json[], member: boolean): FieldSet {
  const node: FieldSet = member ? { '.': leaf } : {}
  for (const item of items) {
    const element = plan.element(item)
    node[element] = node[element] === undefined ? everything(plan.items, item) : leaf
  }
  return items.length > 1 ? inOrder(node) : node
}
