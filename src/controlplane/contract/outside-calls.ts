/**
 * Answers from outside within a pipeline that never waits. What needs one that is not there yet throws an {@link
 * OutsideCall}; the handler makes the call, and then runs the whole request again, with the answer at hand.
 *
 * Nothing has been stored by then, and a request that runs again sees the same time, the same names and the same ids:
 * what a webhook was asked about is what is stored. Where the store has changed meanwhile, the question is another one,
 * and asked anew.
 */
import type { Env } from '../../env/env.ts'

/** Gives the answer to a question, or throws an {@link OutsideCall}. */
export type AskOutside = <Answer>(question: string, call: () => Promise<Answer>) => Answer

/** The request cannot go on without this. */
export class OutsideCall extends Error {
  readonly question: string
  readonly call: () => Promise<unknown>

  constructor(question: string, call: () => Promise<unknown>) {
    super('an answer from outside is needed')
    this.name = 'OutsideCall'
    this.question = question
    this.call = call
  }
}

/** A value that is made once, however often the request is run. */
export type Once = <Value>(make: () => Value) => Value

/** The first run of a request: nothing has been answered. */
export const askNothing: AskOutside = (question, call) => {
  throw new OutsideCall(question, call)
}

/** Of one request: a collection of objects, several webhooks each. */
const mostQuestions = 10_000

export class Replay {
  readonly env: Env
  readonly #answers = new Map<string, unknown>()
  readonly #drawn: (number | string)[] = []
  #next = 0
  #kept: { readonly value: unknown } | undefined

  constructor(env: Env) {
    const now = env.now()
    const draw = <Value extends number | string>(fresh: () => Value): Value =>
      (this.#drawn[this.#next++] ??= fresh()) as Value
    this.env = {
      now: () => now,
      random: () => draw(() => env.random()),
      uuid: () => draw(() => env.uuid()),
      after: (ms, task) => env.after(ms, task),
    }
  }

  readonly ask: AskOutside = <Answer>(question: string, call: () => Promise<Answer>): Answer => {
    if (!this.#answers.has(question)) throw new OutsideCall(question, call)
    return this.#answers.get(question) as Answer
  }

  /** Made in the first run that comes so far, and the same in all later ones. One for each request. */
  readonly once: Once = <Value>(make: () => Value): Value => (this.#kept ??= { value: make() }).value as Value

  /** Makes the call; after that the request can be run from its start. */
  async answer({ question, call }: OutsideCall): Promise<void> {
    // What stores something before it asks would ask for ever.
    if (this.#answers.size >= mostQuestions) throw new Error(`a request needs more than ${mostQuestions} answers`)
    this.#answers.set(question, await call())
    this.#next = 0
  }
}
