/**
 * Asynchronous calls (webhooks) from a synchronous pipeline, by replay: a run of a request that needs an answer from
 * outside stops, the call is made, and the request is run again from its start with the answer at hand
 * (docs/adr/0014-answers-from-outside.md).
 *
 * Life cycle
 * 1. First run, without any state: nothing can be asked. Most requests end here, and cost nothing more.
 * 2. It throws an {@link ExternalCall}. From now on there is a {@link ReplayState}: the request is run again, and draws
 *    the ids, names and time that all later runs draw, too.
 * 3. It throws again. The call is made, its answer is kept, and the request is run again; so on for each answer.
 * 4. A run ends, with a response or with an error that is no {@link ExternalCall}. So does the replay.
 *
 * Guarantees: what a webhook was asked about is what is stored. Where the store has changed meanwhile, the question is
 * another one, and is asked anew. A run that stops has stored nothing; a request that stores before it asks begins with
 * step 2 and keeps what it has done by `once`.
 */
import type { Env } from '../../env/env.ts'
import { ExternalCall, type CallExternal, type Once } from '../contract/external-calls.ts'

/** Of one request: a collection of objects, several webhooks each. */
const maxAnswers = 10_000

/** What the runs of one request share. */
export class ReplayState {
  /** Draws the same values in each run. */
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

  readonly ask: CallExternal = <Answer>(question: string, call: () => Promise<Answer>): Answer => {
    if (!this.#answers.has(question)) throw new ExternalCall(question, call)
    return this.#answers.get(question) as Answer
  }

  /** Made in the first run that gets so far, and the same in all later ones. One for each request. */
  readonly once: Once = <Value>(make: () => Value): Value => (this.#kept ??= { value: make() }).value as Value

  /** Makes the call; after that the request can be run from its start. */
  async answer({ question, call }: ExternalCall): Promise<void> {
    // What stores something before it asks would ask for ever.
    if (this.#answers.size >= maxAnswers) throw new Error(`a request needs more than ${maxAnswers} answers`)
    this.#answers.set(question, await call())
    this.#next = 0
  }
}

export class RequestReplay<Response> {
  readonly #env: Env
  readonly #run: (state: ReplayState | undefined) => Response | Promise<Response>
  #state: ReplayState | undefined

  /**
   * `run` throws an {@link ExternalCall}, or rejects with one, where it cannot go on. `storesFirst`: it may store
   * before it asks.
   */
  constructor(env: Env, run: (state: ReplayState | undefined) => Response | Promise<Response>, storesFirst: boolean) {
    this.#env = env
    this.#run = run
    this.#state = storesFirst ? new ReplayState(env) : undefined
  }

  /** The response of the last run: at once where nothing has to be waited for. Throws what that run throws. */
  respond(): Response | Promise<Response> {
    try {
      const response = this.#run(this.#state)
      return response instanceof Promise ? response.catch((error: unknown) => this.#goOn(error)) : response
    } catch (error) {
      return this.#goOn(error)
    }
  }

  #goOn(error: unknown): Response | Promise<Response> {
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
