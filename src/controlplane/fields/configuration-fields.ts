/** The fields that a configuration names: what its applier will own. */
import { isObject, type Json, type JsonObject } from '../../api/json.ts'
import type { Shape } from '../../shape/shape.ts'
import { emptySet, leaf, type FieldSet } from './field-set.ts'
import { isHollow, rootTree, type ListTree, type MapTree, type FieldTree } from './field-tree.ts'
import { NodeBuilder } from './node-builder.ts'

/**
 * Every leaf, list item and free key of the value. Declared fields that hold others are left out, and an
 * empty list names nothing. Throws `TypedValueError` when a list's item has no key.
 */
export function configurationFields(shape: Shape, value: JsonObject): FieldSet {
  return fieldsOfMap(rootTree(shape), value, false, false) ?? emptySet
}

/** The same of a value from which parts were taken: items of which nothing is left are nobody's. */
export function configurationFieldsLeft(shape: Shape, value: JsonObject): FieldSet {
  return fieldsOfMap(rootTree(shape), value, false, true) ?? emptySet
}

/** Undefined where the value names nothing; never so if its own path is to be a `member`. */
function fieldsOfValue(tree: FieldTree, value: Json, member: boolean, mayBeTaken: boolean): FieldSet | undefined {
  if (tree.type === 'leaf') return leaf
  let node: FieldSet | undefined
  if (tree.type === 'list') {
    if (Array.isArray(value)) node = fieldsOfList(tree, value, member, mayBeTaken)
  } else if (isObject(value)) {
    node = fieldsOfMap(tree, value, member, mayBeTaken)
  } else if (tree.untyped && value !== null) {
    return leaf
  }
  return node ?? (member ? leaf : undefined)
}

function fieldsOfMap(tree: MapTree, value: JsonObject, member: boolean, mayBeTaken: boolean): FieldSet | undefined {
  let builder: NodeBuilder | undefined
  for (const key in value) {
    const child = tree.child(key)
    if (child === undefined) continue
    const item = value[key] as Json
    const named = !child.declared || item === null || (isObject(item) && isHollow(item))
    const below = fieldsOfValue(child.tree, item, named, mayBeTaken)
    if (below !== undefined) (builder ??= new NodeBuilder(tree.recentNodes)).add(child.element, below)
  }
  return builder?.node(member)
}

/** No item has it. */
const noElement = 'k:{}'

function fieldsOfList(tree: ListTree, items: Json[], member: boolean, mayBeTaken: boolean): FieldSet | undefined {
  if (items.length === 0) return undefined
  const builder = new NodeBuilder(tree.recentNodes)
  for (const item of items) {
    const element = mayBeTaken && item === null ? noElement : tree.element(item)
    builder.addItem(element, fieldsOfValue(tree.items, item, true, mayBeTaken) as FieldSet)
  }
  return builder.node(member)
}
