/**
 * How the pipeline, which never waits, asks for an answer from outside: it throws an {@link ExternalCall} where the
 * answer is missing. `request-replay.ts` makes the call and runs the request again.
 */

/** Gives the answer to a question, or throws an {@link ExternalCall}. */
export type CallExternal = <Answer>(question: string, call: () => Promise<Answer>) => Answer

/** The request cannot go on without this. */
export class ExternalCall extends Error {
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
export const noExternalAnswers: CallExternal = (question, call) => {
  throw new ExternalCall(question, call)
}
