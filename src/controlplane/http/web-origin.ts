/**
 * Keeps web pages out, also if their author has made their domain point to this machine (DNS rebinding). No page has a
 * token, and no response allows another origin to read it (CORS); this is a second barrier. Upstream has none.
 *
 * Only browsers are meant: other clients send no `Origin`, or that of the server. What nobody can register is not
 * suspicious: addresses, names without a dot, and names under domains for private use, such as `host.docker.internal`.
 */
import type { IncomingMessage } from 'node:http'
import { isIP } from 'node:net'
import { hostname } from 'node:os'
import { ApiError } from '../../api/status.ts'

/** Domains that are reserved, or used within machines and clusters. */
const privateDomains =
  /(^|\.)(localhost|local|internal|intranet|lan|home\.arpa|test|invalid|svc|example|example\.(com|net|org))$/

export class OriginCheck {
  readonly #checksHost: boolean
  /** Most clients send one and the same. */
  #allowedHost: string | undefined

  /** The certificate of a TLS server is for its own names, and one beyond loopback may be behind any name. */
  constructor({ host, isTls }: { readonly host: string; readonly isTls: boolean }) {
    this.#checksHost = !isTls && isLoopback(host)
  }

  /** An ApiError 403 for a request that a foreign page may have caused. */
  rejection(req: IncomingMessage): ApiError | undefined {
    const { host, origin } = req.headers
    if (this.#checksHost && host !== undefined && host !== this.#allowedHost) {
      if (isPublicName(nameOf(host))) return refusedBecause(`the host ${JSON.stringify(host)} is not this server`)
      this.#allowedHost = host
    }
    if (origin === undefined) return undefined
    // A WebSocket handshake refuses `null` itself, in upstream's words.
    const isForeign = origin === 'null' ? req.headers.upgrade === undefined : isForeignOrigin(origin, host)
    return isForeign ? refusedBecause(`web pages of ${JSON.stringify(origin)} have no access`) : undefined
  }
}

function refusedBecause(why: string): ApiError {
  const message = `forbidden: ${why}`
  return new ApiError({
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message,
    reason: 'Forbidden',
    code: 403,
  })
}

/** An origin that is no URL is left to those who need one: WebSocket handshakes. */
function isForeignOrigin(origin: string, host: string | undefined): boolean {
  const name = /^[a-z][-+.a-z0-9]*:\/\/(\[[^\]]*\]|[^/:?#]*)(:\d*)?$/i.exec(origin)?.[1]?.toLowerCase()
  if (name === undefined || name === nameOf(host ?? '')) return false
  const address = name.replace(/^\[|\]$/g, '')
  return isIP(address) === 0 ? isPublicName(name) : !isLoopback(address)
}

/** The host without its port, in lower case. */
function nameOf(host: string): string {
  return (/^(\[[^\]]*\]|[^:]*)/.exec(host)?.[0] ?? '').toLowerCase()
}

/** A domain that somebody may own. */
function isPublicName(name: string): boolean {
  const plain = name.replace(/\.$/, '')
  if (!plain.includes('.') || plain.startsWith('[') || isIP(plain) !== 0 || privateDomains.test(plain)) return false
  const own = hostname().toLowerCase()
  return plain !== own && !plain.startsWith(`${own}.`)
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127(\.\d{1,3}){3}$/.test(host)
}
