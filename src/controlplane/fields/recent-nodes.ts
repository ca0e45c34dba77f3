/**
 * Nodes of field sets that were made a moment ago, to be used again. Objects of a kind mostly have the same fields, so
 * their sets, which are often larger than the objects, are mostly equal: shared, they are stored once.
 *
 * What may be shared is frozen when it is made, not when it is stored: the store weighs what is not frozen yet, and an
 * object must weigh the same whatever was written before it.
 */
import { inOrder, leaf, type FieldSet } from './field-set.ts'
import { markCanonical } from './set-stamp.ts'

/** For one place in a shape: enough for a kind of which several variants are written in turn. */
const kept = 8

/** Larger nodes are unlikely to come again, and not worth comparing. */
const maxElements = 64

/** Up to here looking through a list is quicker than a map. */
const fewItems = 16

interface RecentNode {
  /** No two of them the same. */
  readonly elements: readonly string[]
  readonly below: readonly FieldSet[]
  readonly member: boolean
  readonly node: FieldSet
}

/** The nodes of one place in a shape. */
export class RecentNodes {
  readonly #recent: RecentNode[] = []
  #oldest = 0

  /** One that starts as `model` does, for so many parts, and goes on with this one. */
  continued(model: RecentNode | undefined, count: number, element: string, below: FieldSet): RecentNode | undefined {
    for (let i = 0; i < this.#recent.length; i++) {
      const each = this.#recent[i] as RecentNode
      if (
        each.elements.length > count &&
        each.elements[count] === element &&
        each.below[count] === below &&
        startsAs(each, model, count)
      )
        return each
    }
    return undefined
  }

  /** The node with just so many parts of `model`, if it was made. */
  ended(model: RecentNode | undefined, count: number, member: boolean): FieldSet | undefined {
    for (let i = 0; i < this.#recent.length; i++) {
      const each = this.#recent[i] as RecentNode
      if (each.elements.length === count && each.member === member && startsAs(each, model, count)) return each.node
    }
    return undefined
  }

  /** The node of these parts, in any order, which now belong to it; itself a member if so said. */
  node(elements: readonly string[], below: readonly FieldSet[], member: boolean): FieldSet {
    for (let i = 0; i < this.#recent.length; i++) {
      const each = this.#recent[i] as RecentNode
      if (each.member === member && same(each.elements, elements) && same(each.below, below)) return each.node
    }
    const unordered: FieldSet = member ? { '.': leaf } : {}
    for (let i = 0; i < elements.length; i++) unordered[elements[i] as string] = below[i] as FieldSet
    const node = inOrder(unordered)
    if (elements.length > maxElements || !below.every((each) => Object.isFrozen(each))) return node
    // It may be a whole set, and what is frozen cannot be marked any more.
    if (!member) markCanonical(node)
    this.#recent[this.#oldest] = { elements, below, member, node: Object.freeze(node) }
    this.#oldest = (this.#oldest + 1) % kept
    return node
  }
}

/** A node in the making. As long as it goes as a recent one, nothing is made. */
export class NodeDraft {
  readonly #recent: RecentNodes
  #model: RecentNode | undefined = undefined
  /** So many of the model's parts have come. */
  #alike = 0
  #elements: string[] | undefined = undefined
  #below: FieldSet[] = noParts
  #places: Map<string, number> | undefined = undefined

  constructor(recent: RecentNodes) {
    this.#recent = recent
  }

  /** A part with an element that has not come yet. */
  add(element: string, below: FieldSet): void {
    if (this.#isNext(element, below)) this.#alike++
    else this.#push(this.#own(), element, below)
  }

  /** An item of a list; those that repeat an element have no fields of their own. */
  addItem(element: string, below: FieldSet): void {
    if (this.#isNext(element, below)) {
      this.#alike++
      return
    }
    const elements = this.#own()
    const place = this.#placeOf(elements, element)
    if (place < 0) this.#push(elements, element, below)
    else this.#below[place] = leaf
  }

  node(member: boolean): FieldSet {
    const known = this.#elements === undefined ? this.#recent.ended(this.#model, this.#alike, member) : undefined
    return known ?? this.#recent.node(this.#own(), this.#below, member)
  }

  #isNext(element: string, below: FieldSet): boolean {
    if (this.#elements !== undefined) return false
    const model = this.#model
    const at = this.#alike
    if (
      model !== undefined &&
      at < model.elements.length &&
      model.elements[at] === element &&
      model.below[at] === below
    )
      return true
    const other = this.#recent.continued(model, at, element, below)
    if (other === undefined) return false
    this.#model = other
    return true
  }

  #own(): string[] {
    if (this.#elements === undefined) {
      this.#elements = this.#model?.elements.slice(0, this.#alike) ?? []
      this.#below = this.#model?.below.slice(0, this.#alike) ?? []
    }
    return this.#elements
  }

  #push(elements: string[], element: string, below: FieldSet): void {
    this.#places?.set(element, elements.length)
    elements.push(element)
    this.#below.push(below)
  }

  #placeOf(elements: readonly string[], element: string): number {
    if (elements.length <= fewItems) return elements.indexOf(element)
    this.#places ??= new Map(elements.map((each, i) => [each, i]))
    return this.#places.get(element) ?? -1
  }
}

const noParts: FieldSet[] = []

function startsAs(node: RecentNode, model: RecentNode | undefined, count: number): boolean {
  if (model === undefined || node === model) return true
  for (let i = 0; i < count; i++)
    if (node.elements[i] !== model.elements[i] || node.below[i] !== model.below[i]) return false
  return true
}

function same<T>(a: readonly T[], b: readonly T[]): boolean {
  if (a.length !== b.length) return false
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false
  return true
}
