/** Errors of requests without a response: what failed, how to fix it, and whether the request was sent. */
import { TransportError } from './transport.ts'

/** The request was sent on a kept-alive connection that turned out to be dead: there is no response. */
export class DeadConnectionError extends TransportError {}

/** `error` undefined: the server has closed the connection. `isReused`: it had carried another request before. */
export function connectionError(
  error: NodeJS.ErrnoException | undefined,
  server: string,
  sent: boolean,
  isReused: boolean,
): TransportError {
  const { code = 'UNKNOWN', message } = error ?? { code: 'ECONNRESET', message: 'it closed the connection' }
  const text = `no answer from ${server}: ${explain(code, message)}`
  return isReused ? new DeadConnectionError(code, text, sent, error) : new TransportError(code, text, sent, error)
}

/**
 * A path or a header with characters that HTTP does not allow. Node's message has the name of the header, not its
 * value.
 */
export function unsendableError(error: NodeJS.ErrnoException, what: string): TransportError {
  return new TransportError(error.code ?? 'UNKNOWN', `${what} cannot be sent: ${error.message}`, false, error)
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
