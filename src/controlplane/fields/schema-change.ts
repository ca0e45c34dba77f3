/** Adapts field sets to a shape: after a change of the schema, and by adding implied members. */
import type { Shape } from '../../shape/shape.ts'
import { isEmpty, isMember, leaf, withMember, type FieldSet } from './field-set.ts'
import { rootTree, type MapTree, type FieldTree } from './field-tree.ts'

/**
 * The set adapted to the current shape: a path inside a value that is atomic now becomes the path of that value. The
 * reverse, from atomic to granular, needs no change. Returns the set itself if it fits.
 */
export function fitToShape(set: FieldSet, shape: Shape): FieldSet {
  return isEmpty(set) ? set : fitMap(set, rootTree(shape))
}

function fitNode(node: FieldSet, tree: FieldTree): FieldSet {
  if (isEmpty(node)) return node
  switch (tree.type) {
    case 'leaf':
      return isUntyped(tree.shape) ? node : leaf
    case 'list':
      return fitChildren(node, () => tree.items)
    case 'map':
      return tree.untyped ? node : fitMap(node, tree)
  }
}

/** Scalars have nothing inside, and objects without declared fields are left alone, atomic or not. */
function isUntyped(shape: Shape): boolean {
  if (shape.type === 'map') return shape.values.type === 'any'
  if (shape.type === 'struct') return shape.preserveUnknown && shape.fields.size === 0
  return shape.type === 'scalar'
}

function fitMap(node: FieldSet, tree: MapTree): FieldSet {
  return fitChildren(node, (element) => {
    return element.startsWith('f:') ? tree.child(element.slice(2))?.tree : undefined
  })
}

function fitChildren(node: FieldSet, treeFor: (element: string) => FieldTree | undefined): FieldSet {
  let result: FieldSet | undefined
  for (const key in node) {
    if (key === '.') continue
    const below = node[key] as FieldSet
    if (isEmpty(below)) continue
    const tree = treeFor(key)
    if (tree === undefined) continue
    const fitted = fitNode(below, tree)
    if (fitted === below) continue
    result ??= { ...node }
    result[key] = fitted
  }
  return result ?? node
}

/**
 * Adds the declared fields on the way to the members. Appliers do not own them, but a prune must count them as kept.
 */
export function withNamedFields(set: FieldSet, shape: Shape): FieldSet {
  return isEmpty(set) ? set : nameChildren(set, rootTree(shape))
}

function nameChildren(node: FieldSet, tree: FieldTree | undefined): FieldSet {
  if (tree === undefined || tree.type === 'leaf') return node
  let result: FieldSet | undefined
  for (const key in node) {
    if (key === '.') continue
    const below = node[key] as FieldSet
    if (isEmpty(below)) continue
    const child = tree.type === 'map' && key.startsWith('f:') ? tree.child(key.slice(2)) : undefined
    const next = tree.type === 'list' && key.startsWith('k:') ? tree.items : child?.tree
    let changed = nameChildren(below, next)
    if (child !== undefined && child.declared && !isMember(changed)) changed = withMember(changed)
    if (changed === below) continue
    result ??= { ...node }
    result[key] = changed
  }
  return result ?? node
}
