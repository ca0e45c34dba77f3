/**
 * Listener: serves the control plane on a socket. Reads requests within limits, passes them to the handler and writes
 * the responses.
 *
 * Limits: bodies of 3 MiB, headers of 16 KiB within 20 s, whole requests within 60 s, TLS handshakes within 10 s,
 * 16 MiB that a watch client has not read yet, and those of `client-limits.ts`. A client that exceeds them gets an
 * error or is disconnected.
 */
import { isUtf8 } from 'node:buffer'
import { createServer as createHttpServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { createServer as createHttpsServer } from 'node:https'
import type { AddressInfo, Socket } from 'node:net'
import type { TlsOptions } from 'node:tls'
import { apiError } from '../../api/status.ts'
import type { Env } from '../../env/env.ts'
import { realEnv } from '../../env/real.ts'
import type { ApiRequest, ApiResponse } from '../contract/request.ts'
import type { UserInfo } from '../contract/resource.ts'
import { bodyTooLarge, maxBodyBytes } from '../registry/size.ts'
import { anonymous } from '../auth/user-names.ts'
import { certificateReader, clientCertificate } from './client-certificate.ts'
import { errorResponse } from '../api/handler.ts'
import { HttpRequest, type RequestBody } from './http-request.ts'
import { unknownMethodRequest, writeFinalResponse } from './final-response.ts'
import { protobufMediaType } from '../api/negotiate.ts'
import { defaultClientLimits, type ClientLimits } from './client-limits.ts'
import { Clients, type Exchange } from './clients.ts'
import { RequestBatch } from './request-batch.ts'
import { Turns } from './turns.ts'
import { rejectionOf, type ListenerHooks } from './listener-hooks.ts'
import { OriginCheck } from './web-origin.ts'
import { isWebSocket, serveWebSocket } from './web-socket.ts'
import { writeResponse } from './write-response.ts'

export interface ListenOptions {
  /** Default 127.0.0.1. */
  readonly host?: string
  /** Default 0: any free port. */
  readonly port?: number
  /** PEM. Absent: plain HTTP. */
  readonly tls?: ListenerTls | undefined
  /** Default: {@link defaultLimits}. */
  readonly limits?: Partial<ListenerLimits>
  /** Default: {@link defaultClientLimits}. */
  readonly clientLimits?: Partial<ClientLimits> | undefined
  /** Default: the machine's. */
  readonly env?: Env
}

/** PEM. */
export interface ListenerTls {
  readonly cert: string
  readonly key: string
  /** The CA whose client certificates authenticate users. Absent: clients are not asked for certificates. */
  readonly clientCa?: string | undefined
}

/** How long clients may take, in milliseconds. */
export interface ListenerLimits {
  /** From the first byte, or the connection, to the end of the headers. */
  readonly headersTimeout: number
  /** To the end of the body. */
  readonly requestTimeout: number
  /** How long a connection may stay idle between requests. */
  readonly keepAliveTimeout: number
  /** How often the first two are checked. */
  readonly connectionsCheckingInterval: number
}

export const defaultLimits: ListenerLimits = {
  headersTimeout: 20_000,
  requestTimeout: 60_000,
  keepAliveTimeout: 120_000,
  connectionsCheckingInterval: 5000,
}

export interface Listener {
  readonly host: string
  readonly port: number
  /** `https://127.0.0.1:6443` */
  readonly url: string
  /** Stops accepting connections, ends open watches, lets running requests finish and closes idle connections. */
  close(): Promise<void>
}

/** A listener with what its metrics report. */
export interface MeasuredListener extends Listener {
  readonly clients: Pick<Clients, 'counts'>
  readonly turns: Pick<Turns, 'longestMs'>
}

/** Connections above the limit for the moment until another one is closed. */
const maxSurplusConnections = 64
/** How much of an oversized body is read after the response. */
const maxDiscardedBytes = 16 * 1024 * 1024
/** The number of unsent bytes on a connection from which its next requests wait. */
const maxUnsentBytes = 16 * 1024 * 1024

export async function startListener(hooks: ListenerHooks, options: ListenOptions): Promise<MeasuredListener> {
  const { host = '127.0.0.1', port = 0, tls } = options
  const env = options.env ?? realEnv()
  const turns = new Turns(env)
  const clientLimits = { ...defaultClientLimits, ...options.clientLimits }
  const clients = new Clients(env, turns, clientLimits)
  const batch = new RequestBatch<Received>(turns, (received) => handleReceived(hooks, received))
  const origins = new OriginCheck({ host, isTls: tls !== undefined })
  const onRequest = (req: IncomingMessage, res: ServerResponse): void => {
    const rejection = origins.rejection(req)
    if (rejection === undefined) receive(hooks, clients, batch, req, res)
    else fail(rejection, req.resume(), res, clients.begin(req.socket, undefined, res))
  }
  const limits = { ...defaultLimits, ...options.limits, noDelay: true, shouldUpgradeCallback: isWebSocket }
  const server: Server =
    tls === undefined
      ? createHttpServer(limits, onRequest)
      : createHttpsServer(
          { ...limits, ...tlsOptions(tls), handshakeTimeout: 10_000, ALPNProtocols: ['http/1.1'] },
          onRequest,
        )
  server.maxConnections = clientLimits.maxConnections + maxSurplusConnections
  if (tls === undefined) server.on('connection', (socket: Socket) => clients.add(socket))
  else followSecureConnections(server, clients)
  server.on('secureConnection', takeMore)
  if (tls?.clientCa !== undefined) server.on('secureConnection', certificateReader(tls.clientCa))
  server.on('clientError', (error: ClientError, socket: Socket) => onClientError(hooks, clients, error, socket))
  server.on('upgrade', (req: IncomingMessage, socket: Socket, head: Buffer) => {
    if (!isWebSocket(req)) {
      server.emit(tls === undefined ? 'connection' : 'secureConnection', withoutUpgrade(req, socket, head))
      return
    }
    const rejection = origins.rejection(req)
    if (rejection === undefined) serveWebSocket(hooks, clients, req, socket, head)
    else writeFinalResponse(errorResponse(rejection), req, socket, clients.begin(socket, undefined, undefined))
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen({ port, host, backlog: clientLimits.maxConnections }, () => {
      server.off('error', reject)
      resolve()
    })
  })
  const actual = (server.address() as AddressInfo).port
  return {
    host,
    port: actual,
    clients,
    turns,
    url: `${tls === undefined ? 'http' : 'https'}://${host.includes(':') ? `[${host}]` : host}:${actual}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeIdleConnections()
        clients.close()
      }),
  }
}

/** A TLS connection is counted from its start. */
function followSecureConnections(server: Server, clients: Clients): void {
  server.on('connection', (socket: Socket) => clients.add(socket))
  server.on('secureConnection', (socket: Socket) => {
    const { _parent: plain } = socket as { _parent?: Socket }
    if (plain === undefined) clients.add(socket)
    else clients.secure(plain, socket)
  })
}

/** Clients without a certificate of our CA may connect: they can authenticate with a token. */
function tlsOptions({ cert, key, clientCa }: ListenerTls): TlsOptions {
  // No CAs instead of the default: loading all of the machine is slow, see client-certificate.ts.
  return { cert, key, ca: [], requestCert: clientCa !== undefined, rejectUnauthorized: false }
}

/**
 * While a response of more than 16 KiB is being sent, Node pauses the HTTP parser of the connection. If a TLS client
 * sends several records meanwhile, the parser fails with HPE_PAUSED. With a high-water mark above the size of a
 * response, Node does not pause it.
 */
function takeMore(socket: Socket): void {
  const { _writableState: state } = socket as { _writableState?: { highWaterMark: number } }
  if (state !== undefined) state.highWaterMark = maxUnsentBytes
}

/**
 * Puts the request back into the socket without its Upgrade header. HTTP servers ignore upgrades that they do not
 * support, and Java's HTTP client asks for h2c with each request. Node before 24.9 has no `shouldUpgradeCallback` and
 * stops parsing at any upgrade.
 */
function withoutUpgrade({ method, url, rawHeaders }: IncomingMessage, socket: Socket, head: Buffer): Socket {
  const lines: string[] = []
  for (let i = 0; i < rawHeaders.length; i += 2) {
    if (rawHeaders[i]?.toLowerCase() !== 'upgrade') lines.push(`${rawHeaders[i]}: ${rawHeaders[i + 1]}\r\n`)
  }
  socket.unshift(Buffer.concat([Buffer.from(`${method} ${url} HTTP/1.1\r\n${lines.join('')}\r\n`, 'latin1'), head]))
  return socket
}

interface ClientError extends NodeJS.ErrnoException {
  readonly rawPacket?: Buffer
  readonly bytesParsed?: number
}

/** Responds to malformed HTTP, if the socket is still writable. */
function onClientError(hooks: ListenerHooks, clients: Clients, error: ClientError, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy()
    return
  }
  if (error.code === 'HPE_INVALID_METHOD' && answerUnknownMethod(hooks, clients, error, socket)) return
  const status = error.code === 'HPE_HEADER_OVERFLOW' ? '431 Request Header Fields Too Large' : '400 Bad Request'
  socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`)
}

/** A method that Node does not know is valid HTTP: most paths reject it with a Status, some accept any method. */
function answerUnknownMethod(
  hooks: ListenerHooks,
  clients: Clients,
  { rawPacket, bytesParsed = 0 }: ClientError,
  socket: Socket,
): boolean {
  const req = rawPacket === undefined ? undefined : unknownMethodRequest(rawPacket, socket)
  // If the packet begins with another request, the parsed request would be that one.
  if (req === undefined || bytesParsed > (req.method as string).length) return false
  let exchange: Exchange | undefined
  const answer = (response: ApiResponse): void =>
    writeFinalResponse(response, req, socket, exchange ?? clients.begin(socket, undefined, undefined))
  try {
    const user = hooks.authenticate(req.headers.authorization, clientCertificate(socket))
    exchange = clients.begin(socket, user, undefined)
    const request = new HttpRequest(req, socket, user, undefined, clients.turns)
    const response = exchange.isAllowed ? hooks.handle(request) : rejectionOf(hooks, request)
    if (response instanceof Promise) response.then(answer, (error: unknown) => answer(errorResponse(error)))
    else answer(response)
  } catch (error) {
    answer(errorResponse(error))
  }
  return true
}

const withoutBody = new Set(['GET', 'HEAD'])

function receive(
  hooks: ListenerHooks,
  clients: Clients,
  batch: RequestBatch<Received>,
  req: IncomingMessage,
  res: ServerResponse,
): void {
  res.on('error', destroyOnError)
  let user: UserInfo
  try {
    user = hooks.authenticate(req.headers.authorization, clientCertificate(req.socket))
  } catch (error) {
    req.resume()
    hooks.onUnauthenticated?.(new HttpRequest(req, res, anonymous, undefined, clients.turns))
    fail(error, req, res, clients.begin(req.socket, undefined, res))
    return
  }
  const exchange = clients.begin(req.socket, user, res)
  if (!exchange.isAllowed) {
    req.resume()
    const request = new HttpRequest(req, res, user, undefined, clients.turns)
    writeResponse(rejectionOf(hooks, request), req, res, exchange)
    return
  }
  if (withoutBody.has(req.method as string)) {
    batch.add({ request: new HttpRequest(req, res, user, undefined, clients.turns), req, res, exchange })
    return
  }
  receiveBody(req, res, exchange, (body) =>
    batch.add({ request: new HttpRequest(req, res, user, body, clients.turns), req, res, exchange }),
  )
}

function destroyOnError(this: ServerResponse): void {
  this.destroy()
}

function receiveBody(
  req: IncomingMessage,
  res: ServerResponse,
  exchange: Exchange,
  complete: (body: RequestBody) => void,
): void {
  const declared = Number(req.headers['content-length'] ?? 0)
  if (declared > maxBodyBytes) refuseLarge(req, res, exchange)
  const chunks: Buffer[] = []
  let size = 0
  req.on('data', (chunk: Buffer) => {
    size += chunk.length
    if (size > maxBodyBytes + maxDiscardedBytes) req.destroy()
    else if (size > maxBodyBytes) refuseLarge(req, res, exchange)
    else if (!res.headersSent) chunks.push(chunk)
  })
  req.on('end', () => {
    if (size > maxBodyBytes || res.headersSent) return
    const bytes = chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks)
    if (isProtobuf(req)) complete(bytes)
    else if (isUtf8(bytes)) complete(bytes.toString())
    else fail(apiError.badRequest('the request body is not valid UTF-8'), req, res, exchange)
  })
}

/**
 * Responds at once. The rest of the body is read and discarded, up to a limit: closing a connection with unread bytes
 * resets it, and a client that is still sending would lose the response.
 */
function refuseLarge(req: IncomingMessage, res: ServerResponse, exchange: Exchange): void {
  if (!res.headersSent) fail(bodyTooLarge(), req, res, exchange)
}

function fail(error: unknown, req: IncomingMessage, res: ServerResponse, exchange: Exchange): void {
  writeResponse(errorResponse(error), req, res, exchange)
}

function isProtobuf(req: IncomingMessage): boolean {
  return req.headers['content-type']?.startsWith(protobufMediaType) ?? false
}

/** A request whose body is complete. */
interface Received {
  readonly request: ApiRequest
  readonly req: IncomingMessage
  readonly res: ServerResponse
  readonly exchange: Exchange
}

/** Handles the request. The returned function writes the response. */
function handleReceived(hooks: ListenerHooks, { request, req, res, exchange }: Received): () => void {
  const response = hooks.handle(request)
  if (!(response instanceof Promise)) return () => writeResponse(response, req, res, exchange)
  const { turns } = exchange.connection.clients
  response.then(
    (resolved) => turns.run(() => writeResponse(resolved, req, res, exchange)),
    (error: unknown) => fail(error, req, res, exchange),
  )
  return () => {}
}
