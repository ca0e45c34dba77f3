/**
 * Recognises parts that come again (see `api/recurring-part.ts`) by what was sent, and remembers what that was decoded
 * and defaulted to. Comparing is several times quicker than decoding, and allocates nothing.
 */
import { exactly, hasForm, isLarger, type Form } from '../api/json-form.ts'
import { equalJson, isObject, type JsonObject } from '../api/json.ts'
import { Memo, memoCounter } from '../api/memo.ts'
import { freezeBelow, freezePart, freezeRecurring } from '../api/recurring-part.ts'

/** Types whose values recur. */
export const recurringTypes: ReadonlySet<string> = new Set(['io.k8s.api.core.v1.PodSpec'])

/** Enough for several templates of one kind whose pods are made in turn. */
const counter = memoCounter('pod specs that were sent', 8)

/** Larger parts are not worth their place. */
const maxValues = 2000

/** A recurring part that the decoder met. */
export interface FoundPart {
  readonly holder: JsonObject
  readonly name: string
  readonly given: JsonObject
  /** It is known: the holder has the frozen part. */
  readonly isKnown: boolean
}

interface KnownPart {
  readonly given: Form
  readonly part: JsonObject
}

/** The parts of one kind. */
export class RecentParts {
  readonly #recent = new Memo<KnownPart>(counter)
  /** The last one that was not known. Its sender may change it: it only says whether a form is worth its place. */
  #lastUnknown: JsonObject | undefined

  find(given: JsonObject): JsonObject | undefined {
    const { entries } = this.#recent
    for (let i = 0; i < entries.length; i++)
      if (hasForm(given, (entries[i] as KnownPart).given)) return this.#recent.hit(i).part
    return this.#recent.miss()
  }

  /** Before defaults. A part at the top of its object is left open for the rules of the kind. */
  open({ holder, name, isKnown }: FoundPart, isTop: boolean): void {
    if (isKnown && isTop) holder[name] = { ...(holder[name] as JsonObject) }
  }

  /** After defaults. */
  close({ holder, name, given, isKnown }: FoundPart, isTop: boolean): void {
    if (isKnown) return
    const part = holder[name]
    if (!isObject(part)) return
    const recurs = this.#lastUnknown !== undefined && equalJson(this.#lastUnknown, given) && !isLarger(given, maxValues)
    this.#lastUnknown = recurs ? undefined : given
    if (recurs) {
      const known = isTop ? { ...part } : part
      freezeRecurring(known)
      this.#recent.add({ given: exactly(given), part: known })
    } else if (isTop) {
      freezeBelow(part)
    } else {
      freezePart(part)
    }
  }
}
