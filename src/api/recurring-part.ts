/**
 * Parts of objects that recur: the spec of a pod stands in a template, in what controllers copy the template to, and in
 * every pod that is made from it. Such a part is frozen as soon as it is decoded and defaulted, and equal ones are one
 * value. What was found out about it once, such as that it is valid, then need not be found out again.
 *
 * Expected flow: the decoder calls {@link freezeBelow} for each such part, known or not, so that the rules of kinds
 * meet the same everywhere. A pod's own spec stays open at its top; who changes something below calls {@link thaw}
 * first, and {@link settled} closes it.
 */
import { cloneJson, equalJson, type Json, type JsonObject } from './json.ts'
import { OnObject } from './private-mark.ts'

/** What was frozen before its object was stored weighs the same in every object. */
class Weighed extends OnObject {
  #weight = 0

  /** Marked before it is frozen: what is frozen may not take marks. */
  static freeze(value: object): void {
    const mark = new Weighed(value)
    mark.#weight = freezeAndWeigh(value)
  }

  static weight(value: object): number {
    return #weight in value ? value.#weight : 0
  }
}

/**
 * Freezes a JSON tree in place and estimates the bytes of what was not frozen yet. Parts that are frozen already are
 * shared with an earlier version, and neither looked into nor counted, but for those that recur.
 */
export function freezeAndWeigh(value: unknown): number {
  if (typeof value === 'string') return 16 + value.length
  if (typeof value !== 'object' || value === null) return 0
  if (Object.isFrozen(value)) return Weighed.weight(value)
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

/** A function of a part and of nothing else. */
type PartFunction<T> = (part: JsonObject) => T

/** A part that came at least twice. */
class Recurring extends OnObject {
  readonly #facts = new Map<PartFunction<unknown>, unknown>()
  /** What open copies came to. */
  readonly #settled: SettledCopy[] = []

  static mark(part: JsonObject): object {
    return new Recurring(part)
  }

  static has(part: object): part is Recurring & JsonObject {
    return #facts in part
  }

  static fact<T>(part: JsonObject, compute: PartFunction<T>): T | undefined {
    if (!(#facts in part)) return undefined
    const facts = part.#facts
    if (!facts.has(compute)) facts.set(compute, compute(part))
    return facts.get(compute) as T
  }

  static settle(part: Recurring, copy: JsonObject): JsonObject {
    for (const each of part.#settled) if (equals(each, copy)) return each.part
    if (part.#settled.length >= keptForms) part.#settled.pop()
    part.#settled.unshift({ keys: Object.keys(copy), part: copy })
    freezeRecurring(copy)
    return copy
  }
}

const keptForms = 2

interface SettledCopy {
  readonly keys: readonly string[]
  readonly part: JsonObject
}

/** In the same order, too. Mostly they have the same values. */
function equals({ keys, part }: SettledCopy, copy: JsonObject): boolean {
  let i = 0
  for (const key in copy) {
    if (keys[i++] !== key || (part[key] !== copy[key] && !equalJson(part[key], copy[key]))) return false
  }
  return i === keys.length
}

/** An open copy of a part that recurs. */
class Copy extends OnObject {
  #original: JsonObject | undefined

  constructor(copy: JsonObject, original: JsonObject) {
    super(copy)
    this.#original = original
  }

  static of(copy: JsonObject, original: JsonObject): JsonObject {
    return new Copy(copy, original) as object as JsonObject
  }

  static original(value: object): JsonObject | undefined {
    return #original in value ? value.#original : undefined
  }

  static forget(value: object): void {
    if (#original in value) value.#original = undefined
  }
}

/** The part itself stays open. */
export function freezeBelow(part: JsonObject): void {
  for (const key in part) {
    const value = part[key]
    if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) Weighed.freeze(value)
  }
}

export function freezePart(part: JsonObject): void {
  freezeBelow(part)
  Weighed.freeze(part)
}

/** As {@link freezePart}, of one that will come again: what is found out about it is kept. */
export function freezeRecurring(part: JsonObject): void {
  Recurring.mark(part)
  freezePart(part)
}

/** A copy to be changed at its top. */
export function openCopy(part: JsonObject): JsonObject {
  return openCopyOf({ ...part }, part)
}

/** `copy` is fresh and equal to the part. */
export function openCopyOf(copy: JsonObject, part: JsonObject): JsonObject {
  return Copy.of(copy, part)
}

/** Whether the part has been decoded and defaulted as a whole before. */
export function isKnownPart(part: JsonObject): boolean {
  return Object.isFrozen(part) || Copy.original(part) !== undefined
}

/** Before something below the top of a part is changed. */
export function thaw(part: JsonObject): void {
  Copy.forget(part)
  for (const key in part) if (Object.isFrozen(part[key])) part[key] = cloneJson(part[key] as Json)
}

/** The frozen value that is equal to an open copy; the part itself where it is none. */
export function settled(part: JsonObject): JsonObject {
  const original = Copy.original(part)
  return original !== undefined && Recurring.has(original) ? Recurring.settle(original, part) : part
}

/** What `compute` makes of a part that recurs, computed once; undefined for other parts. */
export function factOf<T>(part: JsonObject, compute: PartFunction<T>): T | undefined {
  return Recurring.fact(part, compute)
}
