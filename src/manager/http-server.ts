/** A small HTTP or HTTPS server for probes, metrics and debugging: a table of paths, nothing else. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { createServer as createSecureServer, type Server as SecureServer } from 'node:https'
import type { Socket } from 'node:net'
import { pipeline } from 'node:stream/promises'
import type { Readable } from 'node:stream'
import type { Env, Timer } from '../env/env.ts'
import type { Logger } from '../telemetry/logger.ts'
import type { CertificateSource } from '../webhooks/certificates.ts'
import { ListenError } from '../webhooks/listen-error.ts'
import type { SettingName } from './settings.ts'

export interface RouteResponse {
  readonly status: number
  readonly body: string | Readable
  readonly contentType?: string
}

export interface RouteRequest {
  readonly method: string
  /** The rest of the path after that of the route. */
  readonly rest: string
  readonly query: URLSearchParams
  readonly body: string
  /** Aborts when the client disconnects. */
  readonly signal: AbortSignal
}

export type Route = (request: RouteRequest) => RouteResponse | Promise<RouteResponse>

/** The caller of a route, before its body is read. */
export interface RouteCaller {
  /** `get` and other methods in lower case. */
  readonly verb: string
  readonly path: string
  /** The Authorization header. */
  readonly authorization: string | undefined
}

/** HTTPS: the certificate to present, which is asked for again every minute. */
export interface ServerTls {
  readonly env: Env
  readonly log: Logger
  readonly certificates: CertificateSource
}

export interface HttpServerOptions {
  /** `:8080`, `127.0.0.1:8081`, `[::1]:0`. Port 0: any free port. */
  readonly address: string
  /** The setting of the address, which an error names: `metrics-bind-address`. */
  readonly setting?: SettingName | undefined
  /** By path; a path that ends in `/` matches everything below it. */
  readonly routes: Readonly<Record<string, Route>>
  /**
   * Listens on loopback only, and rejects requests with another host name: a web page cannot reach it by DNS rebinding.
   * Default false.
   */
  readonly loopbackOnly?: boolean | undefined
  /** Default: plain HTTP. */
  readonly tls?: ServerTls | undefined
  /** Undefined: allowed. Otherwise the response that rejects the caller. Default: everyone may call. */
  readonly authorize?: ((caller: RouteCaller) => Promise<RouteResponse | undefined>) | undefined
}

const minVersion = 'TLSv1.2'
const maxBodyBytes = 64 * 1024
const handshakeTimeoutMs = 10_000
const certificatePeriodMs = 60_000

export class HttpServer {
  readonly #options: HttpServerOptions
  readonly #address: { readonly host: string | undefined; readonly port: number }
  readonly #server: Server | SecureServer
  /** Tracked because Node closes neither connections without a request nor those in a TLS handshake. */
  readonly #sockets = new Set<Socket>()
  #certificate = ''
  #renewal: Timer | undefined
  #isStopped = false

  /** Throws for an invalid address, or one that is not on loopback if it must be. */
  constructor(options: HttpServerOptions) {
    this.#options = options
    this.#address = parseBindAddress(options.address)
    if (options.loopbackOnly === true && !isLoopback(this.#address.host)) {
      throw new Error(
        `"${options.address}" can be reached from elsewhere, and what is served there must not be: use ` +
          '127.0.0.1:PORT or [::1]:PORT',
      )
    }
    const handle = (request: IncomingMessage, response: ServerResponse): void => {
      this.#serve(request, response).catch((error: unknown) => {
        if (response.headersSent) response.destroy()
        else response.writeHead(500, plainText).end(`${error instanceof Error ? error.message : String(error)}\n`)
      })
    }
    this.#server =
      options.tls === undefined
        ? createServer(handle)
        : createSecureServer({ minVersion, handshakeTimeout: handshakeTimeoutMs }, handle)
    this.#server.on('connection', (socket: Socket) => {
      this.#sockets.add(socket)
      socket.once('close', () => this.#sockets.delete(socket))
    })
    this.#server.headersTimeout = 32_000
    this.#server.keepAliveTimeout = 90_000
  }

  async start(): Promise<void> {
    const { host, port } = this.#address
    const { tls } = this.#options
    if (tls !== undefined) {
      await this.#present(tls)
      this.#presentAgain(tls)
    }
    await new Promise<void>((resolve, reject) => {
      const failed = (error: NodeJS.ErrnoException): void => {
        reject(new ListenError(this.#options.address, this.#options.setting, error))
      }
      this.#server.once('error', failed)
      this.#server.listen(port, host, () => {
        this.#server.off('error', failed)
        resolve()
      })
    })
  }

  /** Used from the next connection on. */
  async #present({ certificates }: ServerTls): Promise<void> {
    const { cert, key } = await certificates.current()
    if (cert === this.#certificate) return
    const server = this.#server as SecureServer
    server.setSecureContext({ cert, key, minVersion })
    this.#certificate = cert
  }

  #presentAgain(tls: ServerTls): void {
    this.#renewal = tls.env.after(certificatePeriodMs, () => {
      void this.#present(tls)
        .catch((error: unknown) => tls.log.warn('a certificate was not renewed; trying again', { error }))
        .then(() => (this.#isStopped ? undefined : this.#presentAgain(tls)))
    })
  }

  /** `http://127.0.0.1:8080`, with the actual port. */
  get url(): string {
    const bound = this.#server.address()
    if (bound === null || typeof bound === 'string')
      throw new Error(`the server at ${this.#options.address} is not listening`)
    const { address, port, family } = bound
    const host = address === '::' || address === '0.0.0.0' ? '127.0.0.1' : family === 'IPv6' ? `[${address}]` : address
    return `${this.#options.tls === undefined ? 'http' : 'https'}://${host}:${port}`
  }

  async stop(): Promise<void> {
    this.#isStopped = true
    this.#renewal?.cancel()
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()))
    for (const socket of this.#sockets) socket.destroy()
    await closed
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(`http://local${request.url ?? '/'}`)
    const { routes, authorize, loopbackOnly = false } = this.#options
    const { method = 'GET' } = request
    if (loopbackOnly && !isLoopback(hostOf(request.headers.host)))
      return answer(response, { status: 403, body: 'only for this machine: use 127.0.0.1\n' })
    const path = Object.keys(routes).find(
      (each) => url.pathname === each || (each.endsWith('/') && url.pathname.startsWith(each)),
    )
    if (path === undefined)
      return answer(response, { status: 404, body: `nothing here; try ${Object.keys(routes).join(', ')}\n` })
    const rejection = await authorize?.({
      verb: method.toLowerCase(),
      path: url.pathname,
      authorization: request.headers.authorization,
    })
    if (rejection !== undefined) return answer(response, rejection)
    const gone = new AbortController()
    response.once('close', () => gone.abort())
    const body = await readBody(request)
    const route = routes[path] as Route
    await answer(
      response,
      await route({
        method,
        rest: url.pathname.slice(path.length),
        query: url.searchParams,
        body,
        signal: gone.signal,
      }),
    )
  }
}

export function parseBindAddress(address: string): { readonly host: string | undefined; readonly port: number } {
  const match = /^(?:\[([^\]]+)\]|([^:]*)):(\d{1,5})$/.exec(address)
  const port = Number(match?.[3])
  if (match === null || port > 65535)
    throw new Error(`"${address}" is no address: write HOST:PORT, or :PORT for all interfaces`)
  const host = match[1] ?? match[2]
  return { host: host === '' ? undefined : host, port }
}

export function isLoopback(host: string | undefined): boolean {
  return host !== undefined && (host === 'localhost' || host === '::1' || /^127(\.\d{1,3}){3}$/.test(host))
}

/** The host of a Host header, without its port. */
function hostOf(header: string | undefined): string | undefined {
  return header?.replace(/:\d+$/, '').replace(/^\[(.*)\]$/, '$1')
}

async function readBody(request: IncomingMessage): Promise<string> {
  let text = ''
  for await (const chunk of request) {
    text += String(chunk)
    if (text.length > maxBodyBytes) throw new Error('the body is too large')
  }
  return text
}

const plainText = {
  'content-type': 'text/plain; charset=utf-8',
  'x-content-type-options': 'nosniff',
  'cache-control': 'no-store',
}

async function answer(response: ServerResponse, { status, body, contentType }: RouteResponse): Promise<void> {
  response.writeHead(status, contentType === undefined ? plainText : { ...plainText, 'content-type': contentType })
  if (typeof body === 'string') response.end(body)
  else await pipeline(body, response)
}
