/** HttpRequest: a request from a socket, as the ApiRequest that HTTP and the in-process transport share. */
import type { EventEmitter } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { isIP } from 'node:net'
import { parseQuery, type ApiRequest, type RequestTurn } from '../contract/request.ts'
import type { UserInfo } from '../contract/resource.ts'

export type RequestBody = string | Uint8Array | undefined

const noQuery = new URLSearchParams()

export class HttpRequest implements ApiRequest {
  readonly method: string
  readonly path: string
  readonly query: URLSearchParams
  readonly headers: ApiRequest['headers']
  readonly user: UserInfo
  readonly body: RequestBody
  readonly turn: RequestTurn
  readonly #req: IncomingMessage
  readonly #connection: EventEmitter
  #signal: AbortSignal | undefined

  /**
   * `connection` emits `close` when the client disconnects: the response, or the socket if there is no response object.
   */
  constructor(req: IncomingMessage, connection: EventEmitter, user: UserInfo, body: RequestBody, turn: RequestTurn) {
    const url = req.url as string
    const mark = url.indexOf('?')
    this.method = req.method as string
    this.path = mark < 0 ? url : url.slice(0, mark)
    this.query = mark < 0 ? noQuery : parseQuery(url.slice(mark + 1))
    this.headers = req.headers as ApiRequest['headers']
    this.user = user
    this.body = body
    this.turn = turn
    this.#req = req
    this.#connection = connection
  }

  get uri(): string {
    return this.#req.url as string
  }

  /** X-Forwarded-For, X-Real-Ip and the connection's address, each once, as upstream. Only the last can be trusted. */
  sourceIps(): readonly string[] {
    const forwarded = (this.headers['x-forwarded-for'] ?? '').split(',').map((part) => part.trim())
    const ips = forwarded.filter((ip) => isIP(ip) !== 0)
    const real = this.headers['x-real-ip'] ?? ''
    if (isIP(real) !== 0 && !ips.includes(real)) ips.push(real)
    const remote = (this.#req.socket.remoteAddress ?? '').replace(/^::ffff:/, '')
    if (remote !== '' && ips.at(-1) !== remote) ips.push(remote)
    return ips
  }

  headerValues(name: string): readonly string[] {
    return this.#req.headersDistinct[name] ?? []
  }

  /** Created on demand: most requests are done before anything needs to be aborted. */
  get signal(): AbortSignal {
    if (this.#signal === undefined) {
      const controller = new AbortController()
      this.#connection.once('close', () => controller.abort())
      this.#signal = controller.signal
    }
    return this.#signal
  }
}
