/**
 * Sets made from other sets a moment ago, to be used again. Writes to a kind mostly touch the same fields, and those
 * who own them mostly own the same: what such a write leaves to whom is worked out once. An owner who keeps what they
 * had keeps the very set, by which the entry, and the whole list of entries, can stay what they are.
 *
 * Only what is made of frozen sets is kept, and it is frozen when it is made, as in `recent-nodes.ts`.
 */
import { deepFreeze } from '../../api/json.ts'
import { untracked } from './context.ts'
import {
  difference,
  emptySet,
  equalSets,
  intersection,
  isEmpty,
  recursiveDifference,
  union,
  type FieldSet,
} from './field-set.ts'
import { isCanonical, markCanonical } from './set-stamp.ts'

type Derive = (a: FieldSet, b: FieldSet, c: FieldSet) => FieldSet

interface Made {
  readonly a: FieldSet
  readonly b: FieldSet
  readonly c: FieldSet
  readonly set: FieldSet
}

/** Enough for a kind with several writers, each with a few ways to write. */
const kept = 8

/** A function of sets that remembers its last few results. */
export class SetFunction {
  readonly #derive: Derive
  readonly #made: Made[] = []
  #oldest = 0

  constructor(derive: Derive) {
    this.#derive = derive
  }

  of(a: FieldSet, b: FieldSet = emptySet, c: FieldSet = emptySet): FieldSet {
    if (a === emptySet && b === emptySet) return emptySet
    for (let i = 0; i < this.#made.length; i++) {
      const each = this.#made[i] as Made
      if (each.a === a && each.b === b && each.c === c) return each.set
    }
    const derived = this.#derive(a, b, c)
    if (!Object.isFrozen(a) || !Object.isFrozen(b) || !Object.isFrozen(c)) return derived
    const set = shared(derived)
    this.#made[this.#oldest] = { a, b, c, set }
    this.#oldest = (this.#oldest + 1) % kept
    return set
  }
}

function shared(set: FieldSet): FieldSet {
  if (isEmpty(set)) return emptySet
  if (isCanonical(set)) return deepFreeze(set)
  // What is frozen cannot be marked any more.
  const unmarked = Object.isFrozen(set) ? { ...set } : set
  markCanonical(unmarked)
  return deepFreeze(unmarked)
}

/** What is left of `fields` to somebody else, or to an owner before they take what they touch. `fields` itself: all. */
function left(fields: FieldSet, touched: FieldSet, removed: FieldSet): FieldSet {
  return difference(difference(fields, intersection(fields, touched)), removed)
}

/** All functions that the writes to one kind need. */
export class RecentSets {
  readonly touched = new SetFunction(union)
  /** Of what is touched: the part that can be owned. */
  readonly owned = new SetFunction((fields) => difference(fields, untracked))
  /** Without what the endpoint does not store, and what is below that. */
  readonly stored = new SetFunction(recursiveDifference)
  /** What is taken from those who own `fields`, by who touches. */
  readonly taken = new SetFunction(intersection)
  /** What others have left. */
  readonly left = new SetFunction(left)
  /** What an updater has, who touches fields: what it had, and what it can own of them. */
  readonly gained = new SetFunction((fields, touched, removed) => {
    const now = union(left(fields, touched, removed), difference(touched, untracked))
    return equalSets(now, fields) ? fields : now
  })
}
