/**
 * Sends the request of a watch and reads the response up to its headers; the body is left to the caller. Errors say
 * whether the request was sent.
 */
import { request as httpRequest, type ClientRequest, type IncomingMessage } from 'node:http'
import { request as httpsRequest } from 'node:https'
import type { Socket } from 'node:net'
import { connectionError, unsendableError } from './connection-failure.ts'
import type { ConnectionPool } from './connection-pool.ts'
import { abortError } from './deadline.ts'
import { TransportError } from './transport.ts'

export interface OutgoingRequest {
  readonly secure: boolean
  readonly host: string
  readonly port: number
  readonly method: string
  readonly path: string
  readonly headers: Record<string, string | readonly string[]>
  readonly body: string | undefined
}

export function sendRequest(
  pool: ConnectionPool,
  { secure, body, headers, ...target }: OutgoingRequest,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) {
      reject(abortError(signal, false))
      return
    }
    let sent = false
    let reused = false
    let request: ClientRequest
    try {
      request = (secure ? httpsRequest : httpRequest)({
        ...target,
        agent: pool.watches,
        headers: headers as Record<string, string | string[]>,
      })
    } catch (error) {
      reject(unsendableError(error as NodeJS.ErrnoException, `${target.method} ${target.path}`))
      return
    }
    let answer: IncomingMessage | undefined
    signal.addEventListener('abort', () => {
      const error = abortError(signal, sent)
      // The reader of the response must get the reason. A request without a connection would report it only when it has
      // one.
      if (answer === undefined) request.destroy(error)
      else answer.destroy(error)
      reject(error)
    })
    request.once('socket', (socket: Socket) => {
      reused = pool.markUsed(socket)
      sent = reused || !isFresh(socket)
      if (!sent) socket.once(secure ? 'secureConnect' : 'connect', () => (sent = true))
    })
    request.once('response', (incoming) => {
      answer = incoming
      resolve(incoming)
    })
    request.on('error', (error: NodeJS.ErrnoException) => {
      if (error instanceof TransportError) reject(error)
      else reject(connectionError(error, `${target.host}:${target.port}`, sent, reused))
    })
    request.end(body)
  })
}

/** Not yet connected; a connection through a proxy is connected from the start. */
function isFresh(socket: Socket): boolean {
  return socket.connecting || (socket as { secureConnecting?: boolean }).secureConnecting === true
}
