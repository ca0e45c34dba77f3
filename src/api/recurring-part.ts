/**
 * Parts of objects that recur: the spec of a pod stands in a template, in what controllers copy the template to, and in
 * every pod that is made from it. Such a part is frozen as soon as it is decoded and defaulted, and equal parts are one
 * value. A result for it, such as that it is valid, is then computed once.
 *
 * Expected flow: the decoder calls {@link freezeBelow} for each such part, whether it recurs or not, so that the rules
 * of kinds meet the same everywhere. A pod's own spec stays open at its top; who changes something below calls
 * {@link thaw} first, and {@link internPart} closes it.
 *
 * Nothing depends on whether a part recurs but time: a part without a record here is computed with again.
 */
import { cloneJson, equalJson, type Json, type JsonObject } from './json.ts'
import { Memo, memoCounter } from './memo.ts'

/** A function of a part and of nothing else. */
type PartFunction<T> = (part: JsonObject) => T

/** What is known of a value that was frozen before its object was stored. */
interface FrozenPart {
  /** It counts the same in every object that has it. */
  readonly weightBytes: number
  /** The results of functions of the part. Undefined: it has not recurred, and none are kept. */
  facts: Map<PartFunction<unknown>, unknown> | undefined
  /** It stands at the top of a part that recurs. */
  recurs: boolean
}

/** Of the parts themselves and of the values at their top, by identity. */
const frozenParts = new WeakMap<object, FrozenPart>()

/**
 * Freezes a JSON tree in place and estimates the bytes of what was not frozen yet. Values that are frozen already are
 * shared with an earlier version, and neither looked into nor counted, but for the parts of this module.
 */
export function freezeAndWeigh(value: unknown): number {
  if (typeof value === 'string') return 16 + value.length
  if (typeof value !== 'object' || value === null) return 0
  if (Object.isFrozen(value)) return frozenParts.get(value)?.weightBytes ?? 0
  Object.freeze(value)
  let weight = 32
  if (Array.isArray(value)) {
    for (const item of value) weight += 8 + freezeAndWeigh(item)
  } else {
    // Nothing but own keys: these are JSON values.
    for (const key in value) weight += 8 + freezeAndWeigh((value as Record<string, unknown>)[key])
  }
  return weight
}

function freeze(value: object): FrozenPart {
  const known = frozenParts.get(value)
  if (known !== undefined) return known
  const part: FrozenPart = { weightBytes: freezeAndWeigh(value), facts: undefined, recurs: false }
  frozenParts.set(value, part)
  return part
}

/** The part itself stays open. */
export function freezeBelow(part: JsonObject): void {
  for (const key in part) {
    const value = part[key]
    if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) freeze(value)
  }
}

export function freezePart(part: JsonObject): void {
  freezeBelow(part)
  freeze(part)
}

/** As {@link freezePart}, of a part that will come again: results of functions of it are kept. */
export function freezeRecurring(part: JsonObject): void {
  freezeBelow(part)
  for (const key in part) {
    const value = part[key]
    const frozen = typeof value === 'object' && value !== null ? frozenParts.get(value) : undefined
    if (frozen !== undefined) frozen.recurs = true
  }
  freeze(part).facts = new Map()
}

/**
 * Whether the part has been decoded and defaulted as a whole: then it is frozen, or the values at its top are. To default
 * such a part again would change nothing.
 */
export function isDefaulted(part: JsonObject): boolean {
  return Object.isFrozen(part) || firstFrozen(part) !== undefined
}

function firstFrozen(part: JsonObject): object | undefined {
  for (const key in part) {
    const value = part[key]
    if (typeof value === 'object' && value !== null && Object.isFrozen(value)) return value
  }
  return undefined
}

/** Before something below the top of a part is changed. */
export function thaw(part: JsonObject): void {
  for (const key in part) if (Object.isFrozen(part[key])) part[key] = cloneJson(part[key] as Json)
}

/** A part that was a copy of one that recurs, and was changed at its top. */
interface InternedPart {
  /** The first value at its top that was frozen before. */
  readonly anchor: object
  readonly keys: readonly string[]
  readonly part: JsonObject
}

const interned = new Memo<InternedPart>(memoCounter('pod specs after admission', 16))

/** The frozen value that is equal to an open copy of a part that recurs; the part itself where it is none. */
export function internPart(part: JsonObject): JsonObject {
  const anchor = firstFrozen(part)
  if (anchor === undefined || frozenParts.get(anchor)?.recurs !== true) return part
  const { entries } = interned
  for (let i = 0; i < entries.length; i++) {
    const each = entries[i] as InternedPart
    if (each.anchor === anchor && isEqual(each, part)) return interned.hit(i).part
  }
  interned.miss()
  freezeRecurring(part)
  interned.add({ anchor, keys: Object.keys(part), part })
  return part
}

/** In the same order, too. Mostly they have the same values. */
function isEqual({ keys, part }: InternedPart, other: JsonObject): boolean {
  let i = 0
  for (const key in other) {
    if (keys[i++] !== key || (part[key] !== other[key] && !equalJson(part[key], other[key]))) return false
  }
  return i === keys.length
}

/** What `compute` returns for a part that recurs, computed once; undefined for other parts. */
export function factOf<T>(part: JsonObject, compute: PartFunction<T>): T | undefined {
  const facts = frozenParts.get(part)?.facts
  if (facts === undefined) return undefined
  const known = facts.get(compute) as T | undefined
  if (known !== undefined || facts.has(compute)) return known
  const fact = compute(part)
  facts.set(compute, fact)
  return fact
}
