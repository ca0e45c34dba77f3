/** The fields that a configuration names: what its applier will own. */
import { isObject, type Json, type JsonObject } from '../../api/json.ts'
import type { Shape } from '../../shape/shape.ts'
import { emptySet, leaf, type FieldSet } from './field-set.ts'
import { isHollow, rootPlan, type ListPlan, type MapPlan, type Plan } from './plan.ts'
import { NodeDraft } from './recent-nodes.ts'

/**
 * Every leaf, list item and free key of the value. Declared fields that hold others are left out, and an
 * empty list names nothing. Throws `TypedValueError` when a list's item has no key.
 */
export function fieldsOf(shape: Shape, value: JsonObject): FieldSet {
  return fieldsOfMap(rootPlan(shape), value, false, false) ?? emptySet
}

/** The same of a value from which parts were taken: items of which nothing is left are nobody's. */
export function fieldsLeft(shape: Shape, value: JsonObject): FieldSet {
  return fieldsOfMap(rootPlan(shape), value, false, true) ?? emptySet
}

/** Undefined where the value names nothing; never so if its own path is to be a `member`. */
function fieldsOfValue(plan: Plan, value: Json, member: boolean, mayBeTaken: boolean): FieldSet | undefined {
  if (plan.type === 'leaf') return leaf
  let node: FieldSet | undefined
  if (plan.type === 'list') {
    if (Array.isArray(value)) node = fieldsOfList(plan, value, member, mayBeTaken)
  } else if (isObject(value)) {
    node = fieldsOfMap(plan, value, member, mayBeTaken)
  } else if (plan.untyped && value !== null) {
    return leaf
  }
  return node ?? (member ? leaf : undefined)
}

function fieldsOfMap(plan: MapPlan, value: JsonObject, member: boolean, mayBeTaken: boolean): FieldSet | undefined {
  let draft: NodeDraft | undefined
  for (const key in value) {
    const child = plan.child(key)
    if (child === undefined) continue
    const item = value[key] as Json
    const named = !child.declared || item === null || (isObject(item) && isHollow(item))
    const below = fieldsOfValue(child.plan, item, named, mayBeTaken)
    if (below !== undefined) (draft ??= new NodeDraft(plan.recentNodes)).add(child.element, below)
  }
  return draft?.node(member)
}

/** No item has it. */
const noElement = 'k:{}'

function fieldsOfList(plan: ListPlan, items: Json[], member: boolean, mayBeTaken: boolean): FieldSet | undefined {
  if (items.length === 0) return undefined
  const draft = new NodeDraft(plan.recentNodes)
  for (const item of items) {
    const element = mayBeTaken && item === null ? noElement : plan.element(item)
    draft.addItem(element, fieldsOfValue(plan.items, item, true, mayBeTaken) as FieldSet)
  }
  return draft.node(member)
}
