/** One request on a pooled connection, up to the headers of its answer, whose body is still to be read. Says of a failure whether the request was sent. */
import { request as httpRequest, type ClientRequest, type IncomingMessage } from 'node:http'
import { request as httpsRequest } from 'node:https'
import type { Socket } from 'node:net'
import type { ConnectionPool } from './connection-pool.ts'
import { abortError } from './deadline.ts'
import { TransportError } from './transport.ts'

export interface Outgoing {
  readonly secure: boolean
  readonly host: string
  readonly port: number
  readonly method: string
  readonly path: string
  readonly headers: Record<string, string | readonly string[]>
  readonly body: string | undefined
  readonly stream: boolean
}

/** The request went out on a kept-alive connection that turned out to be dead: nobody has answered. */
export class DeadConnectionError extends TransportError {}

export function exchange(pool: ConnectionPool, { secure, stream, body, headers, ...target }: Outgoing, signal: AbortSignal): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) {
      reject(abortError(signal, false))
      return
    }
    let sent = false
    let reused = false
    const agent = stream ? pool.watches : pool.calls
    let request: ClientRequest
    try {
      request = (secure ? httpsRequest : httpRequest)({ ...target, agent, headers: headers as Record<string, string | string[]> })
    } catch (error) {
      reject(unsendable(error as NodeJS.ErrnoException, `${target.method} ${target.path}`))
      return
    }
    let answer: IncomingMessage | undefined
    signal.addEventListener('abort', () => {
      const error = abortError(signal, sent)
      // Whoever reads the answer must learn why it ended. A request without a connection would tell only once it has one.
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
      else reject(failure(error, `${target.host}:${target.port}`, sent, reused))
    })
    request.end(body)
  })
}

/** A path or a header with characters that HTTP does not have. Node's message names the header and not its value. */
function unsendable(error: NodeJS.ErrnoException, what: string): TransportError {
  return new TransportError(error.code ?? 'UNKNOWN', `${what} cannot be sent: ${error.message}`, false, error)
}

/** Not yet connected; a connection through a proxy comes connected. */
function isFresh(socket: Socket): boolean {
  return socket.connecting || (socket as { secureConnecting?: boolean }).secureConnecting === true
}

function failure(error: NodeJS.ErrnoException, server: string, sent: boolean, reused: boolean): TransportError {
  const code = error.code ?? 'UNKNOWN'
  const message = `no answer from ${server}: ${explain(code, error.message)}`
  return reused ? new DeadConnectionError(code, message, sent, error) : new TransportError(code, message, sent, error)
}

function explain(code: string, message: string): string {
  switch (code) {
    case 'ECONNREFUSED':
      return 'connection refused: does the server run, and is the address right?'
    case 'ENOTFOUND':
      return `${message}: the name of the server is not known here`
    case 'UNABLE_TO_VERIFY_LEAF_SIGNATURE':
    case 'SELF_SIGNED_CERT_IN_CHAIN':
    case 'DEPTH_ZERO_SELF_SIGNED_CERT':
    case 'UNABLE_TO_GET_ISSUER_CERT_LOCALLY':
      return `its certificate is not trusted (${message}): certificate-authority must name the authority that signed it`
    case 'ERR_TLS_CERT_ALTNAME_INVALID':
      return `${message}: if that is the right server, set tls-server-name`
    case 'CERT_HAS_EXPIRED':
      return 'its certificate has expired'
    default:
      return message === '' ? code : message
  }
}
