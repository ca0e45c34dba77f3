/** The fields that a configuration names: what its applier will own. */
import { isObject, type Json, type JsonObject } from '../../api/json.ts'
import type { ListShape, Shape } from '../shape/shape.ts'
import { emptySet, inOrder, leaf, withMember, type FieldSet } from './field-set.ts'
import { childLookup, isAtomic, isHollow, itemElement } from './shape-walk.ts'

/**
 * Every leaf, list item and free key of the value. Declared fields that hold others are left out, and an empty list
 * names nothing. Throws `TypedValueError` when a list's item has no key.
 */
export function fieldsOf(shape: Shape, value: JsonObject): FieldSet {
  return fieldsOfMap(shape, value) ?? emptySet
}

function fieldsOfValue(shape: Shape, value: Json): FieldSet | undefined {
  if (isAtomic(shape)) return leaf
  if (shape.type === 'list') return Array.isArray(value) ? fieldsOfList(shape, value) : undefined
  if (isObject(value)) return fieldsOfMap(shape, value)
  return shape.type === 'any' && value !== null ? leaf : undefined
}

function fieldsOfMap(shape: Shape, value: JsonObject): FieldSet | undefined {
  const childFor = childLookup(shape)
  let node: FieldSet | undefined
  for (const key of Object.keys(value).sort()) {
    const child = childFor(key)
    if (child === undefined) continue
    const item = value[key] as Json
    const below = fieldsOfValue(child.shape, item)
    const member = !child.named || item === null || (isObject(item) && isHollow(item))
    if (member) (node ??= {})[child.element] = withMember(below)
    else if (below !== undefined) (node ??= {})[child.element] = below
  }
  return node
}

function fieldsOfList(shape: ListShape, items: Json[]): FieldSet | undefined {
  if (items.length === 0) return undefined
  const node: FieldSet = {}
  for (const item of items) {
    const element = itemElement(shape, item)
    node[element] = node[element] === undefined ? withMember(fieldsOfValue(shape.items, item)) : leaf
  }
  return inOrder(node)
}
