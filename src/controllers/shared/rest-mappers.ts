/** One RestMapper for each client of a controller, so that discovery is not requested in every reconcile. */
import { RestMapper } from '../../client/index.ts'
import type { Client } from '../../index.ts'

export class RestMappers {
  readonly #byClient = new WeakMap<Client, RestMapper>()

  of(client: Client): RestMapper {
    let mapper = this.#byClient.get(client)
    if (mapper === undefined) this.#byClient.set(client, (mapper = new RestMapper(client)))
    return mapper
  }
}
