/** Sets seen through a shape: what a change of the schema makes of them, and their unspoken members. */
import type { MapShape, Shape, StructShape } from '../shape/shape.ts'
import { isEmpty, isMember, leaf, withMember, type FieldSet } from './field-set.ts'
import { childLookup } from './shape-walk.ts'

/** Sets that fit a shape as they are. A set is checked once per shape, since it never changes. */
const fitting = new WeakMap<FieldSet, Shape>()

/**
 * The set as the present shape would have it: a path inside what is atomic now becomes the atomic value's own path.
 * The other way, from atomic to granular, needs nothing. Returns the set itself when it fits.
 */
export function fitToShape(set: FieldSet, shape: Shape): FieldSet {
  if (isEmpty(set) || fitting.get(set) === shape) return set
  const fitted = fitMap(set, shape)
  if (fitted === set) fitting.set(set, shape)
  return fitted
}

function fitNode(node: FieldSet, shape: Shape): FieldSet {
  switch (shape.type) {
    case 'scalar':
    case 'any':
      return node
    case 'list':
      if (shape.ownership === 'atomic') return leaf
      return isEmpty(node) ? node : fitChildren(node, () => shape.items)
    default:
      if (isUntyped(shape)) return node
      if (shape.atomic) return leaf
      return isEmpty(node) ? node : fitMap(node, shape)
  }
}

/** Objects without any declared field are left alone, atomic or not. */
function isUntyped(shape: StructShape | MapShape): boolean {
  return shape.type === 'map' ? shape.values.type === 'any' : shape.preserveUnknown && shape.fields.size === 0
}

function fitMap(node: FieldSet, shape: Shape): FieldSet {
  const childFor = childLookup(shape)
  return fitChildren(node, (element) => (element.startsWith('f:') ? childFor(element.slice(2))?.shape : undefined))
}

function fitChildren(node: FieldSet, shapeFor: (element: string) => Shape | undefined): FieldSet {
  let result: FieldSet | undefined
  for (const key in node) {
    if (key === '.') continue
    const shape = shapeFor(key)
    if (shape === undefined) continue
    const below = node[key] as FieldSet
    const fitted = fitNode(below, shape)
    if (fitted === below || (isEmpty(fitted) && isEmpty(below))) continue
    result ??= { ...node }
    result[key] = fitted
  }
  return result ?? node
}

/**
 * The set with the declared fields on the way to its members added. Appliers do not own these, but a prune that looks
 * at what is left must count them as kept.
 */
export function withNamedFields(set: FieldSet, shape: Shape): FieldSet {
  return isEmpty(set) ? set : nameChildren(set, shape)
}

function nameChildren(node: FieldSet, shape: Shape | undefined): FieldSet {
  if (shape === undefined || shape.type === 'scalar' || shape.type === 'any') return node
  const childFor = shape.type === 'list' ? undefined : childLookup(shape)
  let result: FieldSet | undefined
  for (const key in node) {
    if (key === '.') continue
    const below = node[key] as FieldSet
    if (isEmpty(below)) continue
    let next: Shape | undefined
    let named = false
    if (key.startsWith('f:')) {
      const child = childFor?.(key.slice(2))
      next = child?.shape
      named = child?.named ?? false
    } else if (key.startsWith('k:') && shape.type === 'list') {
      next = shape.items
    }
    let changed = nameChildren(below, next)
    if (named && !isMember(changed)) changed = withMember(changed)
    if (changed === below) continue
    result ??= { ...node }
    result[key] = changed
  }
  return result ?? node
}
