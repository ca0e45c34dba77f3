/**
 * Watches over WebSocket: a watch with `Upgrade: websocket` gets each event as a message, JSON as text and protobuf as
 * binary. Any other request is answered as if it had no such header.
 *
 * The handshake follows upstream: it requires an `Origin`, accepts any subprotocol but not several, and answers a bad
 * handshake in plain text. It comes last, so that a rejected watch gets a Status. Browsers cannot set headers and may
 * send their token as a subprotocol.
 */
import { createHash } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { apiError } from '../../api/status.ts'
import { anonymous } from '../auth/user-names.ts'
import type { ApiResponse, WatchResponse, WatchSink } from '../contract/request.ts'
import type { UserInfo } from '../contract/resource.ts'
import { clientCertificate } from './client-certificate.ts'
import { encodeEvent, encodeProtobufEvent as encodeProtobufFrame } from '../api/encode.ts'
import { errorResponse } from '../api/handler.ts'
import { HttpRequest } from './http-request.ts'
import { writeFinalResponse } from './final-response.ts'
import type { Clients, Connection, Exchange } from './clients.ts'
import { rejectionOf, type ListenerHooks } from './listener-hooks.ts'
import { protobufMediaType } from '../api/negotiate.ts'
import { tooManyRequests } from '../api/too-many-requests.ts'
import { closeCode, encodeClose, encodeWebSocketFrame, FrameReader, opcode } from './web-socket-frame.ts'
import { BackpressuredOutput } from './backpressured-output.ts'
import { maxUnreadBytes } from './write-response.ts'

/** How long a client may take to read the end of its watch. */
const closeTimeoutMs = 10_000

/** If more bytes are unread, pings are not answered, so that pongs do not pile up for a client that does not read. */
const maxUnreadPongBytes = 64 * 1024

export function isWebSocket(req: IncomingMessage): boolean {
  return req.method === 'GET' && req.headers.upgrade?.toLowerCase() === 'websocket'
}

/** Serves a request for which {@link isWebSocket} holds. `head` holds the bytes already received after the request. */
export function serveWebSocket(
  hooks: ListenerHooks,
  clients: Clients,
  req: IncomingMessage,
  socket: Socket,
  head: Buffer,
): void {
  socket.on('error', () => socket.destroy())
  let protocols: readonly string[] = []
  let exchange: Exchange | undefined
  const begin = (user?: UserInfo): Exchange => {
    exchange = clients.begin(socket, user, undefined)
    return exchange
  }
  const answer = (response: ApiResponse): void => {
    if (socket.destroyed) return
    const current = exchange ?? begin()
    if (response.type !== 'watch') {
      writeFinalResponse(response, req, socket, current)
      return
    }
    const refused = rejection(req, protocols)
    if (refused === undefined && current.startWatch())
      return stream(response, req, protocols[0], socket, head, current.connection)
    // Ends the watch, for the audit log.
    response.start(noSink).stop()
    if (refused === undefined) writeFinalResponse(tooManyRequests, req, socket, current)
    else socket.end(`HTTP/1.1 ${refused}`)
  }
  try {
    const signedIn = signIn(hooks, req)
    protocols = signedIn.protocols
    const request = new HttpRequest(req, socket, signedIn.user, undefined, clients.turns)
    const response = begin(signedIn.user).isAllowed ? hooks.handle(request) : rejectionOf(hooks, request)
    if (response instanceof Promise) response.then(answer, (error: unknown) => answer(errorResponse(error)))
    else answer(response)
  } catch (error) {
    answer(errorResponse(error))
  }
}

const noSink: WatchSink = { event: () => {}, room: () => true, end: () => {} }

const tokenPrefix = 'base64url.bearer.authorization.k8s.io.'

interface SignedIn {
  readonly user: UserInfo
  /** The subprotocols without the one that carried the token. */
  readonly protocols: readonly string[]
}

/**
 * The token in a subprotocol is used only if the request has no other valid credentials, and that subprotocol is then
 * removed.
 */
function signIn(hooks: ListenerHooks, req: IncomingMessage): SignedIn {
  const certificate = clientCertificate(req.socket)
  const lines = req.headersDistinct['sec-websocket-protocol'] ?? []
  const otherwise = (): SignedIn => ({
    user: hooks.authenticate(req.headers.authorization, certificate),
    protocols: splitProtocols(lines[0] ?? ''),
  })
  const offered = lines
    .join(',')
    .split(',')
    .map((protocol) => protocol.trim())
  const [token, ...more] = offered.filter((protocol) => protocol.startsWith(tokenPrefix))
  if (token === undefined || (token === tokenPrefix && more.length === 0)) return otherwise()
  try {
    const signedIn = otherwise()
    if (signedIn.user !== anonymous) return signedIn
  } catch {
    // Falls back to the token.
  }
  const others = offered.filter((protocol) => !protocol.startsWith(tokenPrefix))
  const decoded = decodeToken(token.slice(tokenPrefix.length))
  if (more.length > 0 || decoded === undefined || others.length === 0) throw apiError.unauthorized()
  return { user: hooks.authenticate(`Bearer ${decoded}`, certificate), protocols: splitProtocols(others.join(',')) }
}

function splitProtocols(line: string): string[] {
  return line.trim() === '' ? [] : line.split(',').map((protocol) => protocol.trim())
}

/** Undefined if it is not base64url, or if the token contains white space. */
function decodeToken(encoded: string): string | undefined {
  const token = Buffer.from(encoded, 'base64url')
  return token.toString('base64url') === encoded && /^\S+$/.test(token.toString()) ? token.toString() : undefined
}

/** The rest of the status line and the body of a rejected handshake. Undefined if the handshake is valid. */
function rejection(req: IncomingMessage, protocols: readonly string[]): string | undefined {
  if (firstOf(req, 'sec-websocket-key') === '') return '400 Bad Request\r\n\r\nmismatch challenge/response'
  if (firstOf(req, 'sec-websocket-version') !== '13') {
    return '400 Bad Request\r\nSec-WebSocket-Version: 13\r\n\r\nmissing or bad WebSocket Version'
  }
  if (!isOrigin(firstOf(req, 'origin'))) return '403 Forbidden\r\n\r\n'
  return protocols.length > 1 ? '400 Bad Request\r\n\r\n' : undefined
}

/** A URL or an absolute path, as Go parses the target of a request. */
function isOrigin(text: string): boolean {
  return /^[/*]/.test(text) || (/^[a-z][a-z0-9+.-]*:/i.test(text) && URL.canParse(text))
}

function firstOf(req: IncomingMessage, name: string): string {
  return req.headersDistinct[name]?.[0] ?? ''
}

function stream(
  response: WatchResponse,
  req: IncomingMessage,
  protocol: string | undefined,
  socket: Socket,
  head: Buffer,
  connection: Connection,
): void {
  const accepted = createHash('sha1')
    .update(`${firstOf(req, 'sec-websocket-key')}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`)
    .digest('base64')
  const chosen = protocol === undefined ? '' : `Sec-WebSocket-Protocol: ${protocol}\r\n`
  socket.write(
    `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ` +
      `${accepted}\r\n${chosen}\r\n`,
  )
  const isProtobuf = response.headers?.['content-type'] === protobufMediaType
  let open = true
  const output = new BackpressuredOutput(socket, connection, 'watch')
  const send = (frame: Buffer): void => {
    if (!open) return
    if (socket.writableLength > maxUnreadBytes) socket.destroy()
    else output.write(frame)
  }
  const finish = (code: number): void => {
    if (!open) return
    send(encodeClose(code))
    open = false
    socket.setTimeout(closeTimeoutMs, () => socket.destroy())
    socket.destroySoon()
  }
  const watch = response.start({
    event(event) {
      // The length prefix of the protobuf frame is dropped: a WebSocket message has its own length.
      if (isProtobuf) send(encodeWebSocketFrame(opcode.binary, encodeProtobufFrame(event).subarray(4)))
      else send(encodeWebSocketFrame(opcode.text, encodeEvent(event)))
    },
    room: (resume) => output.room(resume),
    end: () => finish(closeCode.normal),
  })
  socket.once('close', () => {
    open = false
    watch.stop()
  })
  const leave = (code: number): void => {
    finish(code)
    watch.stop()
  }
  const reader = new FrameReader({
    ping(payload) {
      if (socket.writableLength <= maxUnreadPongBytes) send(encodeWebSocketFrame(opcode.pong, payload))
    },
    end: leave,
  })
  reader.read(head)
  socket.on('data', (chunk: Buffer) => reader.read(chunk))
  socket.once('end', () => leave(closeCode.normal))
}
