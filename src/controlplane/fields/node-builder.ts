/**
 * Builds nodes of field sets. Objects of a kind mostly have the same fields, so their sets, which are often larger than
 * the objects, are mostly equal. Equal nodes that were built recently are shared and stored once.
 *
 * A node that may be shared is frozen when it is built, not when it is stored: the store weighs only what is not frozen
 * yet, and the weight of an object must not depend on earlier writes.
 */
import { Memo, memoCounter } from '../../api/memo.ts'
import { inOrder, leaf, type FieldSet } from './field-set.ts'
import { compareElements } from './path-element.ts'

interface MadeNode {
  /** In the order in which they were found, without duplicates. */
  readonly elements: readonly string[]
  readonly below: readonly FieldSet[]
  /** The path of the node itself is in the set. */
  readonly member: boolean
  readonly node: FieldSet
}

/** Enough for a kind of which several variants are written alternately. */
const counter = memoCounter('nodes of field sets', 8)

/** The nodes that were built for one position in a shape. */
export class RecentNodes extends Memo<MadeNode> {
  constructor() {
    super(counter)
  }

  find(elements: readonly string[], below: readonly FieldSet[], member: boolean): FieldSet | undefined {
    const { entries } = this
    for (let i = 0; i < entries.length; i++) {
      const made = entries[i] as MadeNode
      if (made.member === member && same(made.elements, elements) && same(made.below, below)) return this.hit(i).node
    }
    return this.miss()
  }
}

/** Larger nodes rarely repeat, and are not worth comparing. */
const maxElements = 64

/** Up to this length a linear search is faster than a map. */
const fewItems = 16

export class NodeBuilder {
  readonly #recent: RecentNodes
  readonly #elements: string[] = []
  readonly #below: FieldSet[] = []
  #places: Map<string, number> | undefined = undefined

  constructor(recent: RecentNodes) {
    this.#recent = recent
  }

  /** Adds a child. The element must not be in the node yet. */
  add(element: string, below: FieldSet): void {
    this.#places?.set(element, this.#elements.length)
    this.#elements.push(element)
    this.#below.push(below)
  }

  /** Adds a list item. Items with a duplicate key are owned as one. */
  addItem(element: string, below: FieldSet): void {
    const place = this.#placeOf(element)
    if (place < 0) this.add(element, below)
    else this.#below[place] = leaf
  }

  /** The node with all children; `member`: its own path is in the set. */
  node(member: boolean): FieldSet {
    const elements = this.#elements
    const below = this.#below
    const isSmall = elements.length <= maxElements
    const known = isSmall ? this.#recent.find(elements, below, member) : undefined
    if (known !== undefined) return known
    const node = nodeOf(elements, below, member)
    if (!isSmall || !below.every((each) => Object.isFrozen(each))) return node
    this.#recent.add({ elements, below, member, node: Object.freeze(node) })
    return node
  }

  #placeOf(element: string): number {
    const elements = this.#elements
    if (elements.length <= fewItems) return elements.indexOf(element)
    this.#places ??= new Map(elements.map((each, i) => [each, i]))
    return this.#places.get(element) ?? -1
  }
}

function nodeOf(elements: readonly string[], below: readonly FieldSet[], member: boolean): FieldSet {
  const node: FieldSet = member ? { '.': leaf } : {}
  for (let i = 0; i < elements.length; i++) node[elements[i] as string] = below[i] as FieldSet
  return areInOrder(elements) ? node : inOrder(node)
}

/** To enumerate the keys of a large node takes longer. */
function areInOrder(elements: readonly string[]): boolean {
  for (let i = 1; i < elements.length; i++)
    if (compareElements(elements[i - 1] as string, elements[i] as string) > 0) return false
  return true
}

function same<T>(a: readonly T[], b: readonly T[]): boolean {
  if (a.length !== b.length) return false
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false
  return true
}
