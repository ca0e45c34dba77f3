/** TurnOver: lets a request continue in a later turn. `request-replay.ts` runs it again from its start. */
import type { RequestTurn } from '../contract/request.ts'

/** Thrown by a run of a request that continues in a later turn. */
export class TurnOver extends Error {
  readonly #turn: RequestTurn

  constructor(turn: RequestTurn) {
    super('the request continues in a later turn')
    this.name = 'TurnOver'
    this.#turn = turn
  }

  /** Runs the request again, in a later turn. */
  resume<Response>(run: () => Response | Promise<Response>): Promise<Response> {
    return new Promise((resolve, reject) => {
      this.#turn.later(() => {
        try {
          resolve(run())
        } catch (error) {
          reject(error)
        }
      })
    })
  }
}
