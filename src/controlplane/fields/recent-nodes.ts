/**
 * Nodes of field sets that were made a moment ago, to be used again. Objects of a kind mostly have the same fields, so
 * their sets, which are often larger than the objects, are mostly equal: shared, they are stored once.
 *
 * What may be shared is frozen when it is made, not when it is stored: the store weighs what is not frozen yet, and an
 * object must weigh the same whatever was written before it.
 */
import { deepFreeze } from '../../api/json.ts'
import { inOrder, leaf, type FieldSet } from './field-set.ts'
import { markCanonical } from './set-stamp.ts'

/** For one place in a shape: enough for a kind of which several variants are written in turn. */
const kept = 4

/** Larger nodes are unlikely to come again, and not worth comparing. */
const maxElements = 64

/** A node in the making: its elements, no two of them the same, and the nodes below them. */
export interface NodeParts {
  readonly elements: string[]
  readonly below: FieldSet[]
}

/** The parts with one more; new ones where there were none. */
export function withPart(parts: NodeParts | undefined, element: string, below: FieldSet): NodeParts {
  if (parts === undefined) return { elements: [element], below: [below] }
  parts.elements.push(element)
  parts.below.push(below)
  return parts
}

interface RecentNode {
  readonly parts: NodeParts
  readonly member: boolean
  readonly node: FieldSet
}

/** The nodes of one place in a shape. */
export class RecentNodes {
  readonly #recent: RecentNode[] = []
  #oldest = 0

  /** The node of these parts, in any order, which now belong to it; itself a member if so said. */
  node(parts: NodeParts, member: boolean): FieldSet {
    const { elements, below } = parts
    for (const each of this.#recent) {
      if (each.member === member && same(each.parts.elements, elements) && same(each.parts.below, below)) return each.node
    }
    const unordered: FieldSet = member ? { '.': leaf } : {}
    for (let i = 0; i < elements.length; i++) unordered[elements[i] as string] = below[i] as FieldSet
    const node = inOrder(unordered)
    if (elements.length > maxElements || !below.every((each) => Object.isFrozen(each))) return node
    this.#recent[this.#oldest] = { parts, member, node: Object.freeze(node) }
    this.#oldest = (this.#oldest + 1) % kept
    return node
  }
}

function same<T>(a: readonly T[], b: readonly T[]): boolean {
  if (a.length !== b.length) return false
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false
  return true
}

/** Sets made from other sets, always in the same way. */
export class DerivedSets {
  readonly #recent: { readonly source: FieldSet; readonly derived: FieldSet }[] = []
  #oldest = 0

  /** What `derive`, which only takes paths away, makes of a set; the same as before for the same set. */
  of(source: FieldSet, derive: (source: FieldSet) => FieldSet): FieldSet {
    if (!Object.isFrozen(source)) return derive(source)
    for (const each of this.#recent) if (each.source === source) return each.derived
    const made = derive(source)
    // What is frozen cannot be marked any more.
    const derived = made === source ? { ...source } : made
    markCanonical(derived)
    this.#recent[this.#oldest] = { source, derived: deepFreeze(derived) }
    this.#oldest = (this.#oldest + 1) % kept
    return derived
  }
}
