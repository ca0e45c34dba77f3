/**
 * External calls of the pipeline, which is synchronous: it throws an {@link ExternalCall} if the result is not known
 * yet. `registry/request-replay.ts` makes the call and runs the request again.
 */

/** Returns the result of a call, identified by `question`, or throws an {@link ExternalCall}. */
export type CallExternal = <Answer>(question: string, call: () => Promise<Answer>) => Answer

/** Thrown by a run of a request that cannot continue without the result of this call. */
export class ExternalCall extends Error {
  readonly question: string
  readonly call: () => Promise<unknown>

  constructor(question: string, call: () => Promise<unknown>) {
    super('the request needs an external call')
    this.name = 'ExternalCall'
    this.question = question
    this.call = call
  }
}

/** Computes a value once, however often the request is replayed. */
export type Once = <Value>(make: () => Value) => Value

/** For the first run of a request, which has no results yet. */
export const noExternalAnswers: CallExternal = (question, call) => {
  throw new ExternalCall(question, call)
}
