/**
 * Client certificates: the user of a TLS connection. The common name is the user, the organizations are the groups.
 *
 * Whether our authority signed a certificate is found out here, not in the handshake: a TLS context that is given an
 * authority first reads all authorities of the machine, which takes 30 ms of the server's start.
 */
import { X509Certificate } from 'node:crypto'
import type { Socket } from 'node:net'
import type { TLSSocket } from 'node:tls'
import type { VerifiedCertificate } from '../auth/authenticator.ts'
import { loggedIn } from '../auth/user-names.ts'

const clientAuth = '1.3.6.1.5.5.7.3.2'

/** Of connections whose client showed one: read once, since it does not change. */
const shown = new WeakMap<Socket, VerifiedCertificate>()

/** What the client of a connection showed; undefined when it showed nothing. */
export function clientCertificate(socket: Socket): VerifiedCertificate | undefined {
  return shown.get(socket)
}

/** Looks at what the client of each new connection shows. `authority`: PEM of the one whose certificates log in. */
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
  // A certificate without a name is nobody's, which is no mistake of the client's.
  if (name === '') return undefined
  const fingerprint = fingerprint256.replaceAll(':', '').toLowerCase()
  return {
    // Dates that are none are never valid.
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

/** Signed by the authority itself, which has no others below it, and meant for clients or for everything. */
function isIssued(certificate: X509Certificate, issuer: X509Certificate): boolean {
  // Undefined where the certificate does not say.
  const purposes = certificate.keyUsage as readonly string[] | undefined
  if (purposes !== undefined && !purposes.includes(clientAuth)) return false
  return certificate.checkIssued(issuer) && certificate.verify(issuer.publicKey)
}

/** A part of a name may stand there once, several times or not at all. */
function all(part: unknown): string[] {
  if (Array.isArray(part)) return part.filter((each): each is string => typeof each === 'string')
  return typeof part === 'string' ? [part] : []
}
