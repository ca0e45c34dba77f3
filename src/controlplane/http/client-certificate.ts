/** Client certificates: the user of a TLS connection. The common name is the user, the organizations are the groups. */
import type { Socket } from 'node:net'
import { TLSSocket } from 'node:tls'
import type { ClientCertificate } from '../auth/authenticator.ts'
import { loggedIn } from '../auth/user-names.ts'

/** Read once for each connection: a certificate does not change within one. Null: there is none. */
const known = new WeakMap<Socket, ClientCertificate | null>()

/** What the client showed; undefined when it showed nothing. */
export function clientCertificate(socket: Socket): ClientCertificate | undefined {
  let found = known.get(socket)
  if (found === undefined) {
    found = read(socket)
    known.set(socket, found)
  }
  return found ?? undefined
}

function read(socket: Socket): ClientCertificate | null {
  if (!(socket instanceof TLSSocket)) return null
  const certificate = socket.getPeerCertificate()
  if (certificate === null || Object.keys(certificate).length === 0) return null
  const validUntil = Date.parse(certificate.valid_to)
  const name = all(certificate.subject.CN).at(-1) ?? ''
  // A certificate without a name is nobody's, which is no mistake of the client's.
  if (socket.authorized && name === '') return null
  if (!socket.authorized || Number.isNaN(validUntil)) return { user: undefined, validUntil: 0 }
  const fingerprint = certificate.fingerprint256.replaceAll(':', '').toLowerCase()
  return {
    validUntil,
    user: {
      name,
      uid: '',
      groups: loggedIn(all(certificate.subject.O)),
      extra: { 'authentication.kubernetes.io/credential-id': [`X509SHA256=${fingerprint}`] },
    },
  }
}

/** A part of a name may stand there once, several times or not at all. */
function all(part: unknown): string[] {
  if (Array.isArray(part)) return part.filter((each): each is string => typeof each === 'string')
  return typeof part === 'string' ? [part] : []
}
