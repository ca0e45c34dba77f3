/**
 * Memo of the field sets that a write derives from others: touched, taken, left and gained fields. Writes to a kind
 * mostly touch the same fields, and owners mostly own the same fields, so each function remembers its last few results.
 * An owner that keeps its fields also keeps the identical set, so that its entry, and the whole list of entries, can be
 * reused.
 *
 * Only results for frozen sets are remembered, and they are frozen, too.
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

/** Enough for a kind with several writers, each of which writes in a few ways. */
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

/**
 * The fields that another owner keeps, or that the writer keeps before it gets what it touches. `fields` itself if it
 * keeps all.
 */
function left(fields: FieldSet, touched: FieldSet, removed: FieldSet): FieldSet {
  return difference(difference(fields, intersection(fields, touched)), removed)
}

/** The set functions that the writes to one kind need. */
export class DerivedSets {
  readonly touched = new SetFunction(union)
  /** The fields that can be owned. */
  readonly owned = new SetFunction((fields) => difference(fields, untracked))
  /** Without the fields that the endpoint does not store, and those below them. */
  readonly stored = new SetFunction(recursiveDifference)
  /** The fields of an owner that a write by another manager takes. */
  readonly taken = new SetFunction(intersection)
  /** The fields that an owner keeps after a write by another manager. */
  readonly left = new SetFunction(left)
  /** Fields owned by an updater after the write: previous fields plus the ownable part of what it touched. */
  readonly gained = new SetFunction((fields, touched, removed) => {
    const now = union(left(fields, touched, removed), difference(touched, untracked))
    return equalSets(now, fields) ? fields : now
  })
  /** The set adapted to the current shape. */
  readonly fitted: SetFunction

  constructor(fit: (set: FieldSet) => FieldSet) {
    this.fitted = new SetFunction(fit)
  }
}
