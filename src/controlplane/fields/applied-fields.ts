/** The fields that a configuration names: what its applier will own. */
import { isObject, type Json, type JsonObject } from '../../api/json.ts'
import type { Shape } from '../shape/shape.ts'
import { emptySet, inOrder, leaf, withMember, type FieldSet } from './field-set.ts'
import { isHollow, rootPlan, type ListPlan, type MapPlan, type Plan } from './plan.ts'

/**
 * Every leaf, list item and free key of the value. Declared fields that hold others are left out, and an
 * empty list names nothing. Throws `TypedValueError` when a list's item has no key.
 */
export function fieldsOf(shape: Shape, value: JsonObject): FieldSet {
  return fieldsOfMap(rootPlan(shape), value, false) ?? emptySet
}

/** The same of a value from which parts were taken: items of which nothing is left are nobody's. */
export function fieldsLeft(shape: Shape, value: JsonObject): FieldSet {
  return fieldsOfMap(rootPlan(shape), value, true) ?? emptySet
}

function fieldsOfValue(plan: Plan, value: Json, mayBeTaken: boolean): FieldSet | undefined {
  if (plan.type === 'leaf') return leaf
  if (plan.type === 'list') return Array.isArray(value) ? fieldsOfList(plan, value, mayBeTaken) : undefined
  if (isObject(value)) return fieldsOfMap(plan, value, mayBeTaken)
  return plan.untyped && value !== null ? leaf : undefined
}

function fieldsOfMap(plan: MapPlan, value: JsonObject, mayBeTaken: boolean): FieldSet | undefined {
  let node: FieldSet | undefined
  for (const child of plan.childrenOf(value)) {
    const item = value[child.name] as Json
    const below = fieldsOfValue(child.plan, item, mayBeTaken)
    const member = child.rank < 0 || item === null || (isObject(item) && isHollow(item))
    if (member) (node ??= {})[child.element] = withMember(below)
    else if (below !== undefined) (node ??= {})[child.element] = below
  }
  return node
}

/** No item has it. */
const noElement = 'k:{}'

function fieldsOfList(plan: ListPlan, items: Json[], mayBeTaken: boolean): FieldSet | undefined {
  if (items.length === 0) return undefined
  const node: FieldSet = {}
  for (const item of items) {
    const element = mayBeTaken && item === null ? noElement : plan.element(item)
    node[element] = node[element] === undefined ? withMember(fieldsOfValue(plan.items, item, mayBeTaken)) : leaf
  }
  return inOrder(node)
}
