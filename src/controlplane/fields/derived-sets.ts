/**
 * The sets that a write derives from others: what it touches, takes, leaves and gains. Writes to a kind mostly touch
 * the same fields, and those who own them mostly own the same, so each function remembers its last few results. An
 * owner who keeps its fields keeps the very set, by which the entry, and the whole list of entries, can stay what they
 * are.
 *
 * Only results of frozen sets are remembered, and they are frozen, too.
 */
import { deepFreeze } from '../../api/json.ts'
import { Memo, memoCounter } from '../../api/memo.ts'
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

interface Derived {
  readonly a: FieldSet
  readonly b: FieldSet
  readonly c: FieldSet
  readonly set: FieldSet
}

/** Enough for a kind with several writers, each with a few ways to write. */
const counter = memoCounter('derived field sets', 8)

/** A function of field sets that remembers its last few results. */
export class SetFunction {
  readonly #derive: (a: FieldSet, b: FieldSet, c: FieldSet) => FieldSet
  readonly #recent = new Memo<Derived>(counter)

  constructor(derive: (a: FieldSet, b: FieldSet, c: FieldSet) => FieldSet) {
    this.#derive = derive
  }

  of(a: FieldSet, b: FieldSet = emptySet, c: FieldSet = emptySet): FieldSet {
    if (a === emptySet && b === emptySet) return emptySet
    const recent = this.#recent
    const { entries } = recent
    for (let i = 0; i < entries.length; i++) {
      const derived = entries[i] as Derived
      if (derived.a === a && derived.b === b && derived.c === c) return recent.hit(i).set
    }
    recent.miss()
    const derived = this.#derive(a, b, c)
    if (!Object.isFrozen(a) || !Object.isFrozen(b) || !Object.isFrozen(c)) return derived
    const set = isEmpty(derived) ? emptySet : deepFreeze(derived)
    recent.add({ a, b, c, set })
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
