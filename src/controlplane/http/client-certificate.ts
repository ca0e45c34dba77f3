/**
 * Client certificates: authenticates TLS connections. The common name is the user, the organizations are the groups.
 *
 * The issuer is verified here and not in the handshake: a TLS context with a CA first loads all root certificates of
 * the machine, which adds 30 ms to the start of the server.
 */
import { X509Certificate } from 'node:crypto'
import type { Socket } from 'node:net'
import type { TLSSocket } from 'node:tls'
import type { VerifiedCertificate } from '../auth/authenticator.ts'
import { loggedIn } from '../auth/user-names.ts'

const clientAuth = '1.3.6.1.5.5.7.3.2'

/** By connection: the certificate is read once, since it cannot change. */
const shown = new WeakMap<Socket, VerifiedCertificate>()

/** The certificate of the client of a connection. Undefined if it presented none, or one without a common name. */
export function clientCertificate(socket: Socket): VerifiedCertificate | undefined {
  return shown.get(socket)
}

/** Reads the certificate of each new connection. `authority` is the client CA in PEM. */
export function certificateReader(authority: string): (socket: TLSSocket) => void {
  let issuer: X509Certificate | undefined
  return (socket) => {
    const certificate = socket.getPeerX509Certificate()
    if (certificate === undefined) return
    issuer ??= new X509Certificate(authority)
    const found = isIssued(certificate, issuer) ? read(certificate) : nobody
    if (found !== undefined) shown.set(socket, found)
  }
}

const nobody: VerifiedCertificate = { user: undefined, validFrom: 0, validUntil: 0 }

function read(certificate: X509Certificate): VerifiedCertificate | undefined {
  const { subject, valid_from, valid_to, fingerprint256 } = certificate.toLegacyObject()
  const name = all(subject.CN).at(-1) ?? ''
  // Without a common name the client is anonymous, as upstream.
  if (name === '') return undefined
  const fingerprint = fingerprint256.replaceAll(':', '').toLowerCase()
  return {
    // Invalid dates parse to NaN, so the certificate is never valid.
    validFrom: Date.parse(valid_from),
    validUntil: Date.parse(valid_to),
    user: {
      name,
      uid: '',
      groups: loggedIn(all(subject.O)),
      extra: { 'authentication.kubernetes.io/credential-id': [`X509SHA256=${fingerprint}`] },
    },
  }
}

/** Signed directly by the CA (there are no intermediates), and with the client usage or without any usage. */
function isIssued(certificate: X509Certificate, issuer: X509Certificate): boolean {
  // Undefined if the certificate has no extended key usage.
  const purposes = certificate.keyUsage as readonly string[] | undefined
  if (purposes !== undefined && !purposes.includes(clientAuth)) return false
  return certificate.checkIssued(issuer) && certificate.verify(issuer.publicKey)
}

/** A subject attribute can occur once, several times or not at all. */
function all(part: unknown): string[] {
  if (Array.isArray(part)) return part.filter((each): each is string => typeof each === 'string')
  return typeof part === 'string' ? [part] : []
}
