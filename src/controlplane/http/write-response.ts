/** Writes a response to its socket: whole bodies, compressed if large, and watch streams that never block a writer. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Gzip } from 'node:zlib'
import type { ApiResponse, ListResponse, StreamResponse, WatchResponse } from '../contract/request.ts'
import { encodeEvent, encodeProtobufEvent, encodeInProtobuf, encodeObject, encodeOther } from '../api/encode.ts'
import { protobufMediaType } from '../api/negotiate.ts'
import { tooManyRequests } from '../api/too-many-requests.ts'
import { BackpressuredOutput } from './backpressured-output.ts'
import type { Exchange } from './clients.ts'
import { writeList } from './list-output.ts'

/** Smaller bodies are not compressed, as upstream. */
const minCompressedBytes = 128 * 1024

/** A watch client with more unread bytes is disconnected. */
export const maxUnreadBytes = 16 * 1024 * 1024

/** Never throws: a response that cannot be written ends only its own connection. */
export function writeResponse(
  response: ApiResponse,
  req: IncomingMessage,
  res: ServerResponse,
  exchange: Exchange,
): void {
  if (res.headersSent || res.destroyed) return
  try {
    if (response.type === 'object' || response.type === 'text') {
      writeBody(response, req, res, exchange)
      return
    }
    exchange.endWithResponse()
    if (response.type === 'list') writeListBody(response, req, res, exchange)
    else if (!exchange.startWatch()) writeBody(tooManyRequests, req, res, exchange)
    else if (response.type === 'watch') stream(response, res, exchange)
    else streamText(response, res, exchange)
  } catch {
    res.destroy()
  }
}

type Headers = Record<string, string | readonly string[] | number>
type Whole = Exclude<ApiResponse, ListResponse | WatchResponse | StreamResponse>

function headersOf(response: Whole | ListResponse): Headers {
  const contentType = response.type === 'text' ? response.contentType : 'application/json'
  const headers: Headers = { 'cache-control': 'no-cache, private' }
  if (contentType !== '') headers['content-type'] = contentType
  Object.assign(headers, response.headers)
  if (headers['cache-control'] === '') delete headers['cache-control']
  return headers
}

function writeBody(response: Whole, req: IncomingMessage, res: ServerResponse, exchange: Exchange): void {
  const headers = headersOf(response)
  const body = bodyOf(response, req, headers['content-type'] as string)
  sendWhole(response.status, headers, body, req, res, exchange)
}

function writeListBody(response: ListResponse, req: IncomingMessage, res: ServerResponse, exchange: Exchange): void {
  const { status } = response
  const headers = headersOf(response)
  const contentType = headers['content-type'] as string
  writeList(response, {
    res,
    connection: exchange.connection,
    form: contentType.startsWith(protobufMediaType) ? 'protobuf' : textForm(req, contentType),
    sendWhole: (body) => sendWhole(status, headers, body, req, res, exchange),
    startPieces() {
      const gzip = acceptsGzip(req) ? createGzip(headers) : undefined
      res.writeHead(status, headers as Record<string, string | string[] | number>)
      return gzip
    },
  })
}

function acceptsGzip(req: IncomingMessage): boolean {
  return /\bgzip\b/.test(req.headers['accept-encoding']?.toString() ?? '')
}

function setCompressed(headers: Headers): void {
  headers['content-encoding'] = 'gzip'
  headers['vary'] = withEncoding(headers['vary'])
}

function createGzip(headers: Headers): Gzip {
  const zlib = process.getBuiltinModule('node:zlib')
  setCompressed(headers)
  return zlib.createGzip({ level: zlib.constants.Z_BEST_SPEED })
}

function sendWhole(
  status: number,
  headers: Headers,
  body: string | Uint8Array,
  req: IncomingMessage,
  res: ServerResponse,
  exchange: Exchange,
): void {
  const { connection } = exchange
  if (body.length < minCompressedBytes || !acceptsGzip(req)) {
    // A response that has no socket yet waits for those before it on the connection.
    if (res.socket === null) exchange.endWithResponse()
    else exchange.end()
    send(res, status, headers, body)
    connection.wrote(body.length)
    return
  }
  exchange.endWithResponse()
  // Loaded on demand: most servers never compress, and importing it would slow down their start.
  const { gzip, constants } = process.getBuiltinModule('node:zlib')
  gzip(body, { level: constants.Z_BEST_SPEED }, (error, bytes) => {
    if (res.destroyed) return
    if (error === null) setCompressed(headers)
    send(res, status, headers, error === null ? bytes : body)
    connection.wrote(error === null ? bytes.length : body.length)
  })
}

function withEncoding(vary: string | readonly string[] | number | undefined): string {
  if (vary === undefined) return 'Accept-Encoding'
  return String(vary).includes('Accept-Encoding') ? String(vary) : `${String(vary)}, Accept-Encoding`
}

function send(res: ServerResponse, status: number, headers: Headers, body: string | Uint8Array): void {
  if (status !== 304 && status !== 204)
    headers['content-length'] = typeof body === 'string' ? Buffer.byteLength(body) : body.length
  res.writeHead(status, headers as Record<string, string | string[] | number>)
  res.end(body)
}

function bodyOf(response: Whole, req: IncomingMessage, contentType: string): string | Uint8Array {
  if (response.type === 'text') return response.bytes ?? response.body
  if (contentType.startsWith(protobufMediaType)) {
    const bytes = encodeInProtobuf(response)
    if (bytes !== undefined) return bytes
  }
  const form = textForm(req, contentType)
  return form === 'json' ? encodeObject(response) : encodeOther(response.body, form)
}

function textForm(req: IncomingMessage, contentType: string): 'json' | 'yaml' | 'pretty' {
  return contentType.startsWith('application/yaml') ? 'yaml' : isForPeople(req) ? 'pretty' : 'json'
}

/** Upstream indents for curl, wget and browsers, and for `?pretty=true`. */
function isForPeople(req: IncomingMessage): boolean {
  const url = req.url as string
  const mark = url.indexOf('pretty=')
  if (mark > 0) return /[?&]pretty=(?!false|0)/.test(url)
  const agent = req.headers['user-agent']
  return (
    agent !== undefined && (agent.startsWith('curl') || agent.startsWith('Wget') || agent.startsWith('Mozilla/5.0'))
  )
}

function stream(response: WatchResponse, res: ServerResponse, { connection }: Exchange): void {
  const headers: Record<string, string | readonly string[]> = {
    'content-type': 'application/json',
    'cache-control': 'no-cache, private',
    ...response.headers,
  }
  const isProtobuf = headers['content-type'] === protobufMediaType
  if (isProtobuf) headers['content-type'] = `${protobufMediaType};stream=watch`
  res.writeHead(200, headers as Record<string, string | string[]>)
  res.flushHeaders()
  let open = true
  const output = new BackpressuredOutput(res, connection, 'watch')
  const watch = response.start({
    event(event) {
      if (!open || res.destroyed) return
      if (res.writableLength > maxUnreadBytes) {
        open = false
        res.destroy()
        return
      }
      output.write(isProtobuf ? encodeProtobufEvent(event) : encodeEvent(event))
    },
    room: (resume) => output.room(resume),
    end() {
      open = false
      res.end()
    },
  })
  if (res.destroyed) watch.stop()
  res.once('close', () => {
    open = false
    watch.stop()
  })
}

/** A client with too many unread bytes is disconnected, as for watches. */
function streamText(response: StreamResponse, res: ServerResponse, { connection }: Exchange): void {
  res.writeHead(response.status, {
    'content-type': response.contentType,
    'cache-control': 'no-cache, private',
    ...response.headers,
  } as Record<string, string>)
  res.flushHeaders()
  const source = response.start({
    write(text) {
      if (res.destroyed) return
      if (res.writableLength > maxUnreadBytes) {
        res.destroy()
        return
      }
      res.write(text)
      connection.wrote(text.length)
    },
    end: () => void res.end(),
  })
  if (res.destroyed) source.stop()
  res.once('close', () => source.stop())
}
