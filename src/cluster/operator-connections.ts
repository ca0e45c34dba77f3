/** The operator's connections to the server of an embedded cluster, which is replaced when it is restored. */
import { inProcessTransport, type InProcessServer } from '../client/in-process-transport.ts'
import { TransportError, type Transport } from '../client/transport.ts'
import type { Env } from '../env/env.ts'
import { elsewhere } from './faulty-transport.ts'

export class OperatorConnections {
  readonly #env: Env
  readonly #serve: InProcessServer
  #broken = new AbortController()
  #downUntil = -Infinity

  /** `serve`: whatever server there is now. */
  constructor(env: Env, serve: InProcessServer) {
    this.#env = env
    this.#serve = serve
  }

  transport(): Transport {
    const inner = inProcessTransport(this.#serve)
    return {
      ...inner,
      request: (request) => {
        if (this.#env.monotonic() < this.#downUntil)
          return Promise.reject(new TransportError('ECONNREFUSED', 'the server is being restored', false))
        return request.stream === true ? elsewhere(inner, this.#broken.signal, request) : inner.request(request)
      },
      close: () => inner.close(),
    }
  }

  /** Breaks all watches. For so many milliseconds nobody accepts requests. */
  break(downMs: number): void {
    this.#downUntil = this.#env.monotonic() + downMs
    this.#broken.abort()
    this.#broken = new AbortController()
  }
}
