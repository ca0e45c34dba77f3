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
import { cloneJson, deepFreeze, equalJson, type Json, type JsonObject } from './json.ts'
import { Memo, memoCounter } from './memo.ts'

/** A function of a part and of nothing else. */
type PartFunction<T> = (part: JsonObject) => T

/** What is known of a part, or of a value at the top of one. */
interface FrozenPart {
  /**
   * Of a part that is frozen, and of a value at the top of one that recurs: it counts so in every object that has it.
   * Of a part that is open at its top: what is frozen below.
   */
  readonly weightBytes: number
  /** The results of functions of the part. Undefined: it does not recur, and none are kept. */
  facts: Map<PartFunction<unknown>, unknown> | undefined
  /** The value stands at the top of a part that recurs. */
  readonly recurs: boolean
}

/** By identity. */
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
    return weight
  }
  // Nothing but own keys: these are JSON values.
  for (const key in value) weight += 8 + freezeAndWeigh((value as Record<string, unknown>)[key])
  return weight + closed(value)
}

/** What was frozen below an open part, which is stored now: it counts once. */
function closed(part: object): number {
  const open = frozenParts.get(part)
  if (open === undefined) return 0
  frozenParts.delete(part)
  return open.weightBytes
}

/** The part itself stays open. */
export function freezeBelow(part: JsonObject): void {
  let weightBytes = 0
  for (const key in part) {
    const value = part[key]
    if (typeof value === 'object') weightBytes += freezeAndWeigh(value)
  }
  frozenParts.set(part, { weightBytes, facts: undefined, recurs: false })
}

export function freezePart(part: JsonObject): void {
  if (!Object.isFrozen(part))
    frozenParts.set(part, { weightBytes: freezeAndWeigh(part), facts: undefined, recurs: false })
}

/** As {@link freezePart}, of a part that will come again: results of functions of it are kept. */
export function freezeRecurring(part: JsonObject): void {
  frozenParts.delete(part)
  for (const key in part) {
    const value = part[key]
    if (typeof value !== 'object' || value === null || frozenParts.has(value)) continue
    frozenParts.set(deepFreeze(value), { weightBytes: weigh(value), facts: undefined, recurs: true })
  }
  frozenParts.set(part, { weightBytes: freezeAndWeigh(part), facts: new Map(), recurs: false })
}

/** As {@link freezeAndWeigh} of a value of which nothing is frozen. */
function weigh(value: Json): number {
  if (typeof value === 'string') return 16 + value.length
  if (typeof value !== 'object' || value === null) return 0
  let weight = 32
  for (const each of Object.values(value)) weight += 8 + weigh(each)
  return weight
}

/**
 * Whether the part has been decoded and defaulted as a whole: then it is frozen, or the values at its top are. To
 * default such a part again would change nothing.
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
  frozenParts.delete(part)
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
