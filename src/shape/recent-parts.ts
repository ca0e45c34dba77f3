/**
 * Memo of recurring parts (see `api/recurring-part.ts`): by the form that was sent, the decoded and defaulted part. A
 * comparison is several times faster than decoding, and allocates nothing.
 */
import { exactly, hasForm, isLarger, type Form } from '../api/json-form.ts'
import { equalJson, isObject, type JsonObject } from '../api/json.ts'
import { Memo, memoCounter } from '../api/memo.ts'
import { freezeBelow, freezePart, freezeRecurring } from '../api/recurring-part.ts'

/** Types with recurring values. */
export const recurringTypes: ReadonlySet<string> = new Set(['io.k8s.api.core.v1.PodSpec'])

/** Enough for several templates of one kind whose pods are created alternately. */
const counter = memoCounter('pod specs that were sent', 8)

/** Larger parts are not remembered. */
const maxValues = 2000

/** A recurring part that the decoder found. */
export interface FoundPart {
  readonly holder: JsonObject
  readonly name: string
  readonly given: JsonObject
  /** It is in the memo: the holder has the frozen part. */
  readonly isKnown: boolean
}

interface KnownPart {
  readonly given: Form
  readonly part: JsonObject
}

/** The parts of one kind. */
export class RecentParts {
  readonly #recent = new Memo<KnownPart>(counter)
  /**
   * The last part that was not in the memo. Its sender may modify it; it is only used to see whether a form repeats.
   */
  #lastUnknown: JsonObject | undefined

  find(given: JsonObject): JsonObject | undefined {
    const { entries } = this.#recent
    for (let i = 0; i < entries.length; i++)
      if (hasForm(given, (entries[i] as KnownPart).given)) return this.#recent.hit(i).part
    return this.#recent.miss()
  }

  /** Called before defaulting. A part at the top level of its object is copied, so that the strategy can change it. */
  open({ holder, name, isKnown }: FoundPart, isTop: boolean): void {
    if (isKnown && isTop) holder[name] = { ...(holder[name] as JsonObject) }
  }

  /** Called after defaulting. Remembers a part when its form is sent for the second time. */
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
