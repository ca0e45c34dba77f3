/**
 * The second round of mutating hooks, which follows if a webhook or policy has changed the object. In it, webhooks and
 * policies run only if their reinvocationPolicy is IfNeeded and the object was changed after they ran.
 */
import type { AdmissionRequest } from '../registry/admission.ts'

/** What a plugin remembers of one request, from the first round to the second. */
export class Reinvocation {
  readonly #request: AdmissionRequest
  /** Those that want to run again after the next change. */
  readonly #waiting = new Set<string>()
  readonly #due = new Set<string>()
  #output = ''
  /** Whether the object was patched before. */
  hasPatched = false

  constructor(request: AdmissionRequest) {
    this.#request = request
  }

  /** To be called at the start of a round. */
  begin(): void {
    if (this.#request.isSecondRound === true && this.#output !== this.#object()) this.#require()
  }

  /** To be called at the end of a round. */
  end(): void {
    if (this.#waiting.size > 0) this.#output = this.#object()
  }

  /** Whether it runs in this round. */
  isDue(key: string): boolean {
    return this.#request.isSecondRound !== true || this.#due.has(key)
  }

  /** It ran. Its own change does not make it run again. */
  ran(key: string, hasChanged: boolean, isReinvoked: boolean): void {
    if (hasChanged) {
      this.#require()
      this.#request.needsSecondRound = true
    }
    if (isReinvoked) this.#waiting.add(key)
  }

  #require(): void {
    for (const key of this.#waiting) this.#due.add(key)
    this.#waiting.clear()
  }

  #object(): string {
    return JSON.stringify(this.#request.object)
  }
}

/** The state of each request, for one plugin. */
export class Reinvocations {
  readonly #states = new WeakMap<AdmissionRequest, Reinvocation>()

  of(request: AdmissionRequest): Reinvocation {
    let state = this.#states.get(request)
    if (state === undefined) this.#states.set(request, (state = new Reinvocation(request)))
    return state
  }
}
