/**
 * The sets that a write derives from others: what it touches, takes, leaves and gains. Writes to a kind mostly touch the
 * same fields, and those who own them mostly own the same, so each function remembers its last few results. An owner
 * who keeps its fields keeps the very set, by which the entry, and the whole list of entries, can stay what they are.
 *
 * Only results of frozen sets are remembered, and they are frozen, too.
 */
import { deepFreeze } from '../../api/json.ts'
import { Memo, MemoKind } from '../../api/memo.ts'
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

interface Arguments {
  readonly a: FieldSet
  readonly b: FieldSet
  readonly c: FieldSet
}

interface Derived extends Arguments {
  readonly set: FieldSet
}

/** Enough for a kind with several writers, each with a few ways to write. */
const kind = new MemoKind<Derived, Arguments>('derived field sets', 8, (derived, { a, b, c }) => {
  return derived.a === a && derived.b === b && derived.c === c
})

/** A function of field sets that remembers its last few results. */
export class SetFunction {
  readonly #derive: (a: FieldSet, b: FieldSet, c: FieldSet) => FieldSet
  readonly #recent = new Memo(kind)

  constructor(derive: (a: FieldSet, b: FieldSet, c: FieldSet) => FieldSet) {
    this.#derive = derive
  }

  of(a: FieldSet, b: FieldSet = emptySet, c: FieldSet = emptySet): FieldSet {
    if (a === emptySet && b === emptySet) return emptySet
    const known = this.#recent.find({ a, b, c })
    if (known !== undefined) return known.set
    const derived = this.#derive(a, b, c)
    if (!Object.isFrozen(a) || !Object.isFrozen(b) || !Object.isFrozen(c)) return derived
    const set = isEmpty(derived) ? emptySet : deepFreeze(derived)
    this.#recent.add({ a, b, c, set })
    return set
  }
}

/** What is left of `fields` to another owner, or to an owner before it takes what it touches. `fields` itself: all. */
function left(fields: FieldSet, touched: FieldSet, removed: FieldSet): FieldSet {
  return difference(difference(fields, intersection(fields, touched)), removed)
}

/** The set functions that the writes to one kind need. */
export class DerivedSets {
  readonly touched = new SetFunction(union)
  /** Of what is touched: the part that can be owned. */
  readonly owned = new SetFunction((fields) => difference(fields, untracked))
  /** Without the fields that the endpoint does not store, and what is below them. */
  readonly stored = new SetFunction(recursiveDifference)
  /** What is taken from the owner of `fields` by a write that touches others. */
  readonly taken = new SetFunction(intersection)
  /** What is left to other owners. */
  readonly left = new SetFunction(left)
  /** What an updater owns afterwards: what it had, and what it can own of the fields that it touches. */
  readonly gained = new SetFunction((fields, touched, removed) => {
    const now = union(left(fields, touched, removed), difference(touched, untracked))
    return equalSets(now, fields) ? fields : now
  })
  /** The set as the present shape has it. */
  readonly fitted: SetFunction

  constructor(fit: (set: FieldSet) => FieldSet) {
    this.fitted = new SetFunction(fit)
  }
}
