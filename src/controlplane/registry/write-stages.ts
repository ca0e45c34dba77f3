/**
 * WriteStages: divides the write of a large body into stages that run in turns of their own, so that no other request
 * waits for the whole of it.
 *
 * The pipeline of a write is synchronous. A stage at whose end the turn is over throws {@link TurnOver}. The request
 * then runs again in a later turn, in which completed stages return their results without being repeated. What is
 * between two stages runs each time.
 *
 * Guarantees: a stage is completed once. If the version on which the stages are based changes meanwhile, or the request
 * needs an external call, all stages are repeated. An object that changes all the time is written in one turn.
 */
import type { ApiRequest, RequestTurn } from '../contract/request.ts'
import type { RegistryCall } from './call.ts'
import { TurnOver } from './turn-over.ts'

/** Smaller bodies are written in one turn. YAML takes ten times as long. */
const minBytes = 256 * 1024
const minYamlBytes = 16 * 1024

/** How often a write starts again because its object has changed, before it keeps the turn. */
const maxRestartCount = 3

export class WriteStages {
  readonly #turn: RequestTurn
  #results: unknown[] = []
  /** The stage that is not completed. */
  #steps: Generator<void, unknown> | undefined
  #next = 0
  #base: number | undefined
  #isBased = false
  #restartCount = 0

  private constructor(turn: RequestTurn) {
    this.#turn = turn
  }

  /** Undefined for small bodies, and in process, where a request has no turn. */
  static for({ body, headers, turn }: ApiRequest): WriteStages | undefined {
    if (turn === undefined || (typeof body !== 'string' && !(body instanceof Uint8Array))) return undefined
    if (body.length < minYamlBytes) return undefined
    const isLarge = body.length >= minBytes || headers['content-type']?.includes('yaml') === true
    return isLarge ? new WriteStages(turn) : undefined
  }

  /** Starts a run. Returns whether it continues an earlier one. */
  begin(): boolean {
    this.#next = 0
    return this.#results.length > 0
  }

  /** Lets the next run repeat all stages. */
  clear(): void {
    this.#results = []
    this.#steps = undefined
  }

  /**
   * `revision`: that of the object on which the stages are based; undefined: it does not exist. A request that does not
   * call this, such as an update of a scale, is done in one turn.
   */
  basedOn(revision: number | undefined): void {
    if (this.#results.length > 0 && this.#base !== revision) {
      this.clear()
      this.#restartCount++
    }
    this.#base = revision
    this.#isBased = true
  }

  run<Result>(work: () => Result): Result {
    if (!this.#isBased) return work()
    const index = this.#next++
    if (index < this.#results.length) return this.#results[index] as Result
    const result = work()
    this.#results.push(result)
    this.#endTurn()
    return result
  }

  /** A stage that also ends its turn between two steps of its work, and continues there. */
  runInSteps<Result>(work: () => Generator<void, Result>): Result {
    return this.run(() => {
      const steps = (this.#steps ??= work()) as Generator<void, Result>
      for (;;) {
        const { done, value } = steps.next()
        if (done === true) {
          this.#steps = undefined
          return value
        }
        if (this.#isBased) this.#endTurn()
      }
    })
  }

  #endTurn(): void {
    if (this.#turn.isOver && this.#restartCount < maxRestartCount) throw new TurnOver(this.#turn)
  }
}

/** Runs a stage of a write. */
export function stage<Result>({ stages }: RegistryCall, work: () => Result): Result {
  return stages === undefined ? work() : stages.run(work)
}
