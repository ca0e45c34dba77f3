/**
 * The transport over HTTP/1.1 (docs/internals/adr/0010-http-transport.md).
 *
 * - Calls share at most `maxSockets` connections, which are kept alive; each watch has its own and uses Node's client.
 * - A GET whose kept-alive connection turned out to be dead is sent again on another. Other requests are not: they may
 *   have arrived.
 * - After a 401 renewable credentials are renewed, and the request is sent once more.
 * - Credentials are sent over plain HTTP to this machine only.
 */
import type { IncomingMessage } from 'node:http'
import type { FrozenJson } from '../api/json.ts'
import type { Env } from '../env/env.ts'
import { maxBodyBytes, parseResponse, readResponse } from './response-body.ts'
import type { WholeResponse } from './call-connection.ts'
import { CallSlots } from './call-slots.ts'
import { credentialMask } from './credential-mask.ts'
import { DeadConnectionError } from './connection-failure.ts'
import { ConnectionPool, type ServerTrust } from './connection-pool.ts'
import { fixedCredentials, type Credential, type Credentials } from './credentials.ts'
import { abortError, closedError, LinkedSignal } from './deadline.ts'
import { sendRequest, type OutgoingRequest } from './http-exchange.ts'
import { requestText } from './request-text.ts'
import { isLoopback } from './proxy.ts'
import {
  TransportError,
  type Headers,
  type Transport,
  type TransportRequest,
  type TransportResponse,
} from './transport.ts'
import { readWatch } from './watch-stream.ts'

export interface HttpTransportOptions {
  readonly env: Env
  /** `https://10.0.0.1:6443`; a path is prepended to that of each request. */
  readonly server: string
  /** Default: anonymous. */
  readonly credentials?: Credentials | undefined
  /** Called before each request; a new value leads to new connections. Default: Node's CAs. */
  readonly trust?: (() => Promise<ServerTrust>) | undefined
  /** Connections use this proxy with CONNECT. Default: none; environment variables are not read here. */
  readonly proxy?: URL | undefined
  /** Sent with every request, as `impersonate-group: ['a', 'b']`. */
  readonly headers?: Headers | undefined
  /** The maximum of connections for calls. Default 32. */
  readonly maxSockets?: number | undefined
  /**
   * Asks for gzip, which servers use for responses of 128 KiB and more. Default: true unless the server is on loopback.
   */
  readonly compression?: boolean | undefined
  /**
   * Maximum size of one uncompressed response. Default and maximum: what one string can hold, 512 MiB. A larger
   * response is a TOO_LARGE error, and so is a compressed one of more than 64 MiB and 100 times what was sent.
   */
  readonly maxResponseBytes?: number | undefined
  /** The maximum size of one watch event, in bytes. Default 64 MiB. A larger event is a TOO_LARGE error. */
  readonly maxEventBytes?: number | undefined
}

interface Identity {
  readonly trust: ServerTrust
  readonly credential: Credential
  readonly pool: ConnectionPool
}

const noTrust: ServerTrust = {}
const defaultMaxSockets = 32

export class HttpTransport implements Transport {
  readonly host: string
  readonly #options: HttpTransportOptions
  readonly #server: URL
  readonly #address: Pick<OutgoingRequest, 'secure' | 'host' | 'port'>
  readonly #secure: boolean
  readonly #prefix: string
  readonly #headers: Headers
  readonly #credentials: Credentials
  readonly #slots: CallSlots
  readonly #closing = new AbortController()
  readonly #pools = new Set<ConnectionPool>()
  #identity: Identity | undefined

  /** Throws for a server that is not an http or https URL. */
  constructor(options: HttpTransportOptions) {
    this.#options = options
    this.#server = serverUrl(options.server)
    this.host = this.#server.host
    this.#secure = this.#server.protocol === 'https:'
    this.#address = addressOf(this.#server)
    this.#prefix = this.#server.pathname.replace(/\/$/, '')
    this.#credentials = options.credentials ?? fixedCredentials()
    this.#slots = new CallSlots(options.maxSockets ?? defaultMaxSockets)
    const compression = options.compression ?? !isLoopback(this.#server.hostname)
    this.#headers = { ...options.headers, host: this.host, ...(compression ? { 'accept-encoding': 'gzip' } : {}) }
  }

  /** The number of open connections, including idle ones. */
  get connectionCount(): number {
    let count = 0
    for (const pool of this.#pools) count += pool.size
    return count
  }

  async request(request: TransportRequest): Promise<TransportResponse> {
    const { signal } = request
    if (this.#closing.signal.aborted) throw closedError()
    if (signal?.aborted === true) throw abortError(signal, false)
    const first = await this.#current(signal)
    const response = await this.#send(request, first)
    if (response.status !== 401 || !this.#credentials.refused(first.credential)) return response
    const second = await this.#current(signal)
    return second.credential === first.credential ? response : this.#send(request, second)
  }

  async close(): Promise<void> {
    this.#closing.abort(closedError())
    this.#slots.close()
    await Promise.all([...this.#pools].map((pool) => pool.close()))
    this.#pools.clear()
  }

  /** The pool and credentials for the current identity of the client. */
  async #current(signal: AbortSignal | undefined): Promise<Identity> {
    const { trust: askTrust } = this.#options
    const trust = askTrust === undefined ? noTrust : await askTrust()
    const credential = await this.#credentials.current(signal)
    if (credential.authorization !== undefined && !this.#secure && !isLoopback(this.#server.hostname)) {
      throw new TransportError(
        'INSECURE',
        `credentials are not sent to ${this.#server.origin} over plain HTTP: use https, or a tunnel to this machine`,
        false,
      )
    }
    const last = this.#identity
    if (last?.trust === trust && last.credential === credential) return last
    credentialMask.add(credential)
    if (last !== undefined && last.trust === trust && last.credential.certificate === credential.certificate) {
      return (this.#identity = { trust, credential, pool: last.pool })
    }
    return (this.#identity = { trust, credential, pool: this.#openPool(trust, credential) })
  }

  #openPool(trust: ServerTrust, { certificate }: Credential): ConnectionPool {
    const { proxy } = this.#options
    let pool: ConnectionPool
    try {
      pool = new ConnectionPool({ server: this.#server, proxy, trust, certificate })
    } catch (error) {
      throw new TransportError(
        'CREDENTIALS',
        `the certificates for ${this.#server.origin} cannot be used: ${(error as Error).message}`,
        false,
        error,
      )
    }
    for (const old of this.#pools) {
      // Requests that are about to be sent may still use the previous pool.
      if (old.isRetired && old.size === 0) this.#pools.delete(old)
      else old.retire()
    }
    this.#pools.add(pool)
    return pool
  }

  async #send(request: TransportRequest, identity: Identity): Promise<TransportResponse> {
    const { signal } = request
    if (request.stream === true) return this.#watch(request, identity)
    const slot = this.#slots.take(signal)
    if (!(typeof slot === 'boolean' ? slot : await slot))
      throw signal?.aborted === true ? abortError(signal, false) : closedError()
    try {
      const maxBytes = this.#maxBytes(request)
      const { status, headers, bytes } = await this.#call(request, identity, maxBytes)
      return masked(status, headers, await parseResponse(bytes, headers, maxBytes, this.host))
    } finally {
      this.#slots.release()
    }
  }

  async #call(request: TransportRequest, { pool, credential }: Identity, maxBytes: number): Promise<WholeResponse> {
    const { method, path, headers, body } = this.#outgoing(request, credential)
    const text = requestText(method, path, headers, body)
    // After a restart of the server every connection of the pool may be dead; each is tried once.
    for (let left = this.#options.maxSockets ?? defaultMaxSockets; ; left--) {
      const taken = pool.take(request.signal)
      const connection = taken instanceof Promise ? await taken : taken
      try {
        return await connection.call(text, maxBytes, request.signal, request.guard)
      } catch (error) {
        if (!(error instanceof DeadConnectionError) || method !== 'GET' || left === 0) throw error
      } finally {
        pool.giveBack(connection)
      }
    }
  }

  async #watch(request: TransportRequest, identity: Identity): Promise<TransportResponse> {
    const link = new LinkedSignal(request.signal, this.#closing.signal)
    let isAccepted = false
    try {
      const response = await this.#stream(request, identity, link)
      isAccepted = response.events !== undefined
      return response
    } finally {
      if (!isAccepted) link.dispose()
    }
  }

  async #stream(
    request: TransportRequest,
    { pool, credential }: Identity,
    link: LinkedSignal,
  ): Promise<TransportResponse> {
    const outgoing = this.#outgoing(request, credential)
    delete outgoing.headers['accept-encoding']
    const answer = await this.#open(pool, outgoing, request.guard, link.signal)
    const status = answer.statusCode ?? 0
    const headers = headersOf(answer)
    if (status !== 200) return masked(status, headers, await readResponse(answer, this.#maxBytes(request), this.host))
    const events = readWatch(answer, {
      env: this.#options.env,
      from: this.host,
      idleTimeoutMs: request.idleTimeoutMs,
      maxLineBytes: this.#options.maxEventBytes,
      onEnd: () => link.dispose(),
    })
    return { ...masked(status, headers, null), events }
  }

  async #open(
    pool: ConnectionPool,
    outgoing: OutgoingRequest,
    guard: TransportRequest['guard'],
    signal: AbortSignal,
  ): Promise<IncomingMessage> {
    for (let left = this.#options.maxSockets ?? defaultMaxSockets; ; left--) {
      try {
        guard?.()
        return await sendRequest(pool, outgoing, signal)
      } catch (error) {
        if (!(error instanceof DeadConnectionError) || outgoing.method !== 'GET' || left === 0) throw error
      }
    }
  }

  #maxBytes(request: TransportRequest): number {
    const { maxResponseBytes = maxBodyBytes } = this.#options
    return Math.min(maxResponseBytes, request.maxResponseBytes ?? maxBodyBytes, maxBodyBytes)
  }

  #outgoing({ method, path, headers, body }: TransportRequest, { authorization }: Credential): OutgoingRequest {
    const text = body === undefined ? undefined : JSON.stringify(body)
    const all: Record<string, string | readonly string[]> = { accept: 'application/json', ...this.#headers, ...headers }
    if (authorization !== undefined) all['authorization'] = authorization
    if (text !== undefined) {
      all['content-type'] ??= 'application/json'
      all['content-length'] = String(Buffer.byteLength(text))
    }
    return { ...this.#address, method, path: this.#prefix + path, headers: all, body: text }
  }
}

function addressOf({ protocol, hostname, port }: URL): Pick<OutgoingRequest, 'secure' | 'host' | 'port'> {
  const secure = protocol === 'https:'
  return {
    secure,
    host: hostname.startsWith('[') ? hostname.slice(1, -1) : hostname,
    port: port === '' ? (secure ? 443 : 80) : Number(port),
  }
}

function serverUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url?.protocol === 'https:' || url?.protocol === 'http:') return url
  throw new Error(`the server ${JSON.stringify(text)} is not a URL of the form https://host:port`)
}

/** The response without own credentials where they would be reported: in errors and warnings that echo the request. */
function masked(status: number, headers: Headers, body: FrozenJson): TransportResponse {
  const { warning } = headers
  return {
    status,
    headers: warning === undefined ? headers : { ...headers, warning: [warning].flat().map(maskText) },
    body: status < 400 ? body : credentialMask.json(body),
  }
}

const maskText = (text: string): string => credentialMask.text(text)

function headersOf(answer: IncomingMessage): Headers {
  const headers = answer.headers as Record<string, string | readonly string[]>
  if (headers['warning'] === undefined) return headers
  return { ...headers, warning: answer.headersDistinct['warning'] ?? [] }
}
