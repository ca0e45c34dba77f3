/**
 * Recognises parts that come again (see `api/recurring-part.ts`) by what was given, and remembers what that was decoded
 * and defaulted to. Comparing is several times quicker than decoding, and makes nothing.
 */
import { equalJson, isObject, type Json, type JsonObject } from '../api/json.ts'
import { freezeBelow, freezePart, freezeRecurring, openCopy, openCopyOf } from '../api/recurring-part.ts'

/** Types whose values recur. */
export const recurringTypes: ReadonlySet<string> = new Set(['io.k8s.api.core.v1.PodSpec'])

/** For one kind: enough for several templates whose pods are made in turn. */
const kept = 8

/** In values. Larger parts are not worth their place. */
const maxSize = 2000

/** A recurring part that the decoder met. */
export interface FoundPart {
  readonly holder: JsonObject
  readonly name: string
  readonly given: JsonObject
  /** It is known: the holder has the frozen part. */
  readonly isKnown: boolean
}

interface KnownPart {
  readonly given: Pattern
  readonly part: JsonObject
}

/** A JSON value in the form in which it is compared quickest. Lists have no keys. */
type Pattern =
  | null
  | boolean
  | number
  | string
  | { readonly keys: readonly string[] | undefined; readonly values: readonly Pattern[] }

/** The parts of one kind. */
export class RecentParts {
  readonly #recent: KnownPart[] = []
  #oldest = 0
  /** The last one that was not known. Whoever gave it may change it: it only says that a copy is worth while. */
  #lastUnknown: JsonObject | undefined

  find(given: JsonObject): JsonObject | undefined {
    for (const each of this.#recent) if (fits(each.given, given)) return each.part
    return undefined
  }

  /** Before defaults. A part at the top of its object is left open for the rules of the kind. */
  open({ holder, name, isKnown }: FoundPart, isTop: boolean): void {
    if (isKnown && isTop) holder[name] = openCopy(holder[name] as JsonObject)
  }

  /** After defaults. */
  close({ holder, name, given, isKnown }: FoundPart, isTop: boolean): void {
    if (isKnown) return
    const part = holder[name]
    if (!isObject(part)) return
    freezeBelow(part)
    if (this.#lastUnknown === undefined || !equalJson(this.#lastUnknown, given) || sizeOf(given) > maxSize) {
      this.#lastUnknown = given
      if (!isTop) freezePart(part)
      return
    }
    this.#lastUnknown = undefined
    const known = isTop ? { ...part } : part
    if (isTop) openCopyOf(part, known)
    freezeRecurring(known)
    this.#recent[this.#oldest] = { given: patternOf(given), part: known }
    this.#oldest = (this.#oldest + 1) % kept
  }
}

function sizeOf(value: Json): number {
  if (typeof value !== 'object' || value === null) return 1
  return Object.values(value).reduce<number>((sum, each) => sum + sizeOf(each), 1)
}

function patternOf(value: Json): Pattern {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return { keys: undefined, values: value.map(patternOf) }
  return { keys: Object.keys(value), values: Object.values(value).map(patternOf) }
}

function fits(pattern: Pattern, value: Json): boolean {
  if (typeof pattern !== 'object' || pattern === null) return pattern === value
  if (typeof value !== 'object' || value === null) return false
  const { keys, values } = pattern
  if (keys === undefined) {
    if (!Array.isArray(value) || value.length !== values.length) return false
    for (let i = 0; i < values.length; i++) if (!fits(values[i] as Pattern, value[i] as Json)) return false
    return true
  }
  if (Array.isArray(value)) return false
  let i = 0
  for (const key in value) {
    if (keys[i] !== key || !fits(values[i] as Pattern, value[key] as Json)) return false
    i++
  }
  return i === keys.length
}
