/** The fields that a configuration names, which its applier will own. */
import { isObject, type Json, type JsonObject } from '../../api/json.ts'
import type { Shape } from '../../shape/shape.ts'
import { emptySet, leaf, type FieldSet } from './field-set.ts'
import { isHollow, rootTree, type ListTree, type MapTree, type FieldTree } from './field-tree.ts'
import { NodeBuilder } from './node-builder.ts'

/**
 * Every leaf, list item and map key of the value. Declared fields that contain others are left out, and an empty list
 * names nothing. Throws `TypedValueError` if an item of a list has no key.
 */
export function configurationFields(shape: Shape, value: JsonObject): FieldSet {
  return fieldsOfMap(rootTree(shape), value, false, false) ?? emptySet
}

/** Same, for a value from which fields were removed: items that became null get an element that nobody owns. */
export function configurationFieldsLeft(shape: Shape, value: JsonObject): FieldSet {
  return fieldsOfMap(rootTree(shape), value, false, true) ?? emptySet
}

/** Undefined if the value names nothing, unless its own path is to be a `member`. */
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

/** Matches no item. */
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
