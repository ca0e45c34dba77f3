/**
 * Parts of objects that recur: the spec of a pod is in a template, in copies of the template by controllers, and in
 * every pod that is created from it. Such a part is frozen as soon as it is decoded and defaulted, and equal parts are
 * one value. A result for it, such as that it is valid, is then computed once.
 *
 * Expected flow: the decoder calls {@link freezeBelow} for each such part, whether it recurs or not, so that strategies
 * get the same everywhere. The spec of a pod itself stays open at its top level; code that changes something below
 * calls {@link thaw} first, and {@link internPart} closes it.
 *
 * This only saves time: for a part without a record here, results are computed again. The weight of an object is the
 * same whether its part was seen before or not, because the store compacts its history by weight.
 */
import { cloneJson, equalJson, type Json, type JsonObject } from './json.ts'
import { Memo, memoCounter } from './memo.ts'

/** A pure function of a part. */
type PartFunction<T> = (part: JsonObject) => T

/** The record of a part, or of a value at the top level of one. */
interface FrozenPart {
  /**
   * For a frozen part, and for a value at the top level of a recurring one: its weight in every object that has it. For
   * a part that is open at its top level: the weight of what is frozen below.
   */
  readonly weightBytes: number
  /** The results of functions of the part. Undefined: it does not recur, and none are kept. */
  facts: Map<PartFunction<unknown>, unknown> | undefined
  /** The value is at the top level of a recurring part. */
  readonly recurs: boolean
}

/** By identity. */
const frozenParts = new WeakMap<object, FrozenPart>()

/**
 * Freezes a JSON tree in place and estimates the bytes of what was not frozen yet. Frozen values are shared with an
 * earlier version and neither visited nor counted, except for the parts of this module.
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
  // `for in` without checks: JSON values have only own keys.
  for (const key in value) weight += 8 + freezeAndWeigh((value as Record<string, unknown>)[key])
  return weight + closed(value)
}

/** The weight below an open part, which is stored now: it counts once. */
function closed(part: object): number {
  const open = frozenParts.get(part)
  if (open === undefined) return 0
  frozenParts.delete(part)
  return open.weightBytes
}

/** Freezes everything below the part. The part itself stays open. */
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

/** Like {@link freezePart}, for a part that will recur: results of functions of it are kept. */
export function freezeRecurring(part: JsonObject): void {
  frozenParts.delete(part)
  for (const key in part) {
    const value = part[key]
    if (typeof value !== 'object' || value === null || frozenParts.has(value)) continue
    frozenParts.set(value, { weightBytes: freezeAndWeigh(value), facts: undefined, recurs: true })
  }
  frozenParts.set(part, { weightBytes: freezeAndWeigh(part), facts: new Map(), recurs: false })
}

/** Whether the value is at the top level of a recurring part. */
export function isRecurring(value: object): boolean {
  return frozenParts.get(value)?.recurs === true
}

/** Freezes a value that takes the place of one at the top level of recurring parts. */
export function freezeReplacement(value: object): void {
  frozenParts.set(value, { weightBytes: freezeAndWeigh(value), facts: undefined, recurs: true })
}

/**
 * Whether the part has been decoded and defaulted as a whole: then it is frozen, or the values at its top level are.
 * Defaulting such a part again would change nothing.
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

/** Must be called before something below the top level of a part is changed. */
export function thaw(part: JsonObject): void {
  frozenParts.delete(part)
  for (const key in part) if (Object.isFrozen(part[key])) part[key] = cloneJson(part[key] as Json)
}

/** A part that was a copy of a recurring one and was changed at its top level. */
interface InternedPart {
  /** The first value at its top level that was frozen before. */
  readonly anchor: object
  readonly keys: readonly string[]
  readonly part: JsonObject
}

const interned = new Memo<InternedPart>(memoCounter('pod specs after admission', 16))

/** The frozen value that is equal to an open copy of a recurring part; otherwise the part itself. */
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

/** Also in the same order. Usually they have identical values. */
function isEqual({ keys, part }: InternedPart, other: JsonObject): boolean {
  let i = 0
  for (const key in other) {
    if (keys[i++] !== key || (part[key] !== other[key] && !equalJson(part[key], other[key]))) return false
  }
  return i === keys.length
}

/** The result of `compute` for a recurring part, computed once; undefined for other parts. */
export function factOf<T>(part: JsonObject, compute: PartFunction<T>): T | undefined {
  const facts = frozenParts.get(part)?.facts
  if (facts === undefined) return undefined
  const known = facts.get(compute) as T | undefined
  if (known !== undefined || facts.has(compute)) return known
  const fact = compute(part)
  facts.set(compute, fact)
  return fact
}
