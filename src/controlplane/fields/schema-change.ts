/** Sets seen through a shape: what a change of the schema makes of them, and their unspoken members. */
import type { Shape } from '../../shape/shape.ts'
import { isEmpty, isMember, leaf, withMember, type FieldSet } from './field-set.ts'
import { rootPlan, type MapPlan, type Plan } from './plan.ts'
import { knownToFit, markFitting } from './set-stamp.ts'

/**
 * The set as the present shape would have it: a path inside what is atomic now becomes the atomic value's own
 * path. The other way, from atomic to granular, needs nothing. Returns the set itself when it fits, which it
 * learns once.
 */
export function fitToShape(set: FieldSet, shape: Shape): FieldSet {
  if (isEmpty(set) || knownToFit(set, shape)) return set
  const fitted = fitMap(set, rootPlan(shape))
  if (fitted === set) markFitting(set, shape)
  return fitted
}

function fitNode(node: FieldSet, plan: Plan): FieldSet {
  if (isEmpty(node)) return node
  switch (plan.type) {
    case 'leaf':
      return isUntyped(plan.shape) ? node : leaf
    case 'list':
      return fitChildren(node, () => plan.items)
    case 'map':
      return plan.untyped ? node : fitMap(node, plan)
  }
}

/** Scalars have nothing inside, and objects without any declared field are left alone, atomic or not. */
function isUntyped(shape: Shape): boolean {
  if (shape.type === 'map') return shape.values.type === 'any'
  if (shape.type === 'struct') return shape.preserveUnknown && shape.fields.size === 0
  return shape.type === 'scalar'
}

function fitMap(node: FieldSet, plan: MapPlan): FieldSet {
  return fitChildren(node, (element) => {
    return element.startsWith('f:') ? plan.child(element.slice(2))?.plan : undefined
  })
}

function fitChildren(node: FieldSet, planFor: (element: string) => Plan | undefined): FieldSet {
  let result: FieldSet | undefined
  for (const key in node) {
    if (key === '.') continue
    const below = node[key] as FieldSet
    if (isEmpty(below)) continue
    const plan = planFor(key)
    if (plan === undefined) continue
    const fitted = fitNode(below, plan)
    if (fitted === below) continue
    result ??= { ...node }
    result[key] = fitted
  }
  return result ?? node
}

/**
 * The set with the declared fields on the way to its members added. Appliers do not own these, but a prune
 * that looks at what is left must count them as kept.
 */
export function withNamedFields(set: FieldSet, shape: Shape): FieldSet {
  return isEmpty(set) ? set : nameChildren(set, rootPlan(shape))
}

function nameChildren(node: FieldSet, plan: Plan | undefined): FieldSet {
  if (plan === undefined || plan.type === 'leaf') return node
  let result: FieldSet | undefined
  for (const key in node) {
    if (key === '.') continue
    const below = node[key] as FieldSet
    if (isEmpty(below)) continue
    const child = plan.type === 'map' && key.startsWith('f:') ? plan.child(key.slice(2)) : undefined
    const next = plan.type === 'list' && key.startsWith('k:') ? plan.items : child?.plan
    let changed = nameChildren(below, next)
    if (child !== undefined && child.declared && !isMember(changed)) changed = withMember(changed)
    if (changed === below) continue
    result ??= { ...node }
    result[key] = changed
  }
  return result ?? node
}
