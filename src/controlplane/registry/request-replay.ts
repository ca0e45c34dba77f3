/**
 * Asynchronous calls (webhooks) from a synchronous pipeline, by replay: a run of a request that needs the result of an
 * external call stops, the call is made, and the request runs again from its start with the result
 * (docs/internals/adr/0014-answers-from-outside.md).
 *
 * Life cycle
 * 1. First run, without state: no external call has a result. Most requests end here, at no extra cost.
 * 2. It throws an {@link ExternalCall}. Now a {@link ReplayState} is created and the request runs again. This run draws
 *    the ids, random values and time that all later runs reuse.
 * 3. It throws again. The call is made, its result is kept, and the request runs again; and so on for each call.
 * 4. A run ends, with a response or with an error other than {@link ExternalCall}. So does the replay.
 *
 * Guarantees: the object that a webhook saw is the object that is stored. If the store has changed meanwhile, the call
 * has other contents and is made again. A run that stops has stored nothing; a request that stores before it calls
 * starts with step 2 and keeps its progress with `once`. So does the write of a large body, which continues in later
 * turns (`write-stages.ts`).
 */
import type { Env } from '../../env/env.ts'
import { ExternalCall, type CallExternal, type Once } from '../contract/external-calls.ts'
import { TurnOver } from './turn-over.ts'

/** For one request: a collection of objects, with several webhooks each. */
const maxAnswers = 10_000

/** The state that all runs of one request share. */
export class ReplayState {
  /** Returns the same values in each run. */
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
      monotonic: () => env.monotonic(),
      random: () => draw(() => env.random()),
      uuid: () => draw(() => env.uuid()),
      after: (ms, task) => env.after(ms, task),
    }
  }

  readonly ask: CallExternal = <Answer>(question: string, call: () => Promise<Answer>): Answer => {
    if (!this.#answers.has(question)) throw new ExternalCall(question, call)
    return this.#answers.get(question) as Answer
  }

  /** Made by the first run that gets here, and reused by all later ones. There is one such value per request. */
  readonly once: Once = <Value>(make: () => Value): Value => (this.#kept ??= { value: make() }).value as Value

  /** Makes the call and keeps its result; after that the request can run again from its start. */
  async answer({ question, call }: ExternalCall): Promise<void> {
    // A request that stores before each call would never end.
    if (this.#answers.size >= maxAnswers) throw new Error(`a request needs more than ${maxAnswers} external calls`)
    this.#answers.set(question, await call())
    this.#next = 0
  }
}

export class RequestReplay<Response> {
  readonly #env: Env
  readonly #run: (state: ReplayState | undefined) => Response | Promise<Response>
  #state: ReplayState | undefined

  /**
   * `run` throws an {@link ExternalCall}, or rejects with one, where it needs a result. `needsState`: the request may
   * store something before it makes a call, or continue in a later turn.
   */
  constructor(env: Env, run: (state: ReplayState | undefined) => Response | Promise<Response>, needsState: boolean) {
    this.#env = env
    this.#run = run
    this.#state = needsState ? new ReplayState(env) : undefined
  }

  /** The response of the last run; synchronous if no external call is needed. Throws what that run throws. */
  respond(): Response | Promise<Response> {
    try {
      const response = this.#run(this.#state)
      return response instanceof Promise ? response.catch((error: unknown) => this.#goOn(error)) : response
    } catch (error) {
      return this.#goOn(error)
    }
  }

  #goOn(error: unknown): Response | Promise<Response> {
    if (error instanceof TurnOver) return error.resume(() => this.respond())
    if (!(error instanceof ExternalCall)) throw error
    if (this.#state !== undefined) return this.#answer(error, this.#state)
    this.#state = new ReplayState(this.#env)
    return this.respond()
  }

  async #answer(needed: ExternalCall, state: ReplayState): Promise<Response> {
    await state.answer(needed)
    return this.respond()
  }
}
