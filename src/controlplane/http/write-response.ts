/** Writes a response to its socket: whole bodies, compressed if large, and watch streams that never block a writer. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { ApiResponse, StreamResponse, WatchResponse } from '../contract/request.ts'
import {
  encodeEvent,
  encodeProtobufEvent,
  encodeInProtobuf,
  encodeList,
  encodeObject,
  encodeOther,
  listValue,
} from '../api/encode.ts'
import { protobufMediaType } from '../api/negotiate.ts'
import { BackpressuredOutput } from './backpressured-output.ts'

/** Smaller bodies are not compressed, as upstream. */
const minCompressedBytes = 128 * 1024

/** A watch client with more unread bytes is disconnected. */
export const maxUnreadBytes = 16 * 1024 * 1024

/** Never throws: a response that cannot be written ends only its own connection. */
export function writeResponse(response: ApiResponse, req: IncomingMessage, res: ServerResponse): void {
  if (res.headersSent || res.destroyed) return
  try {
    if (response.type === 'watch') stream(response, res)
    else if (response.type === 'stream') streamText(response, res)
    else writeBody(response, req, res)
  } catch {
    res.destroy()
  }
}

type Whole = Exclude<ApiResponse, WatchResponse | StreamResponse>

function writeBody(response: Whole, req: IncomingMessage, res: ServerResponse): void {
  const contentType = response.type === 'text' ? response.contentType : 'application/json'
  const headers: Record<string, string | readonly string[] | number> = { 'cache-control': 'no-cache, private' }
  if (contentType !== '') headers['content-type'] = contentType
  Object.assign(headers, response.headers)
  if (headers['cache-control'] === '') delete headers['cache-control']
  const body = bodyOf(response, req, headers['content-type'] as string)
  if (body.length >= minCompressedBytes && /\bgzip\b/.test(req.headers['accept-encoding']?.toString() ?? '')) {
    // Loaded on demand: most servers never compress, and importing it would slow down their start.
    const { gzip, constants } = process.getBuiltinModule('node:zlib')
    gzip(body, { level: constants.Z_BEST_SPEED }, (error, bytes) => {
      if (error !== null) send(res, response.status, headers, body)
      else
        send(
          res,
          response.status,
          { ...headers, 'content-encoding': 'gzip', vary: withEncoding(headers['vary']) },
          bytes,
        )
    })
    return
  }
  send(res, response.status, headers, body)
}

function withEncoding(vary: string | readonly string[] | number | undefined): string {
  if (vary === undefined) return 'Accept-Encoding'
  return String(vary).includes('Accept-Encoding') ? String(vary) : `${String(vary)}, Accept-Encoding`
}

function send(
  res: ServerResponse,
  status: number,
  headers: Record<string, string | readonly string[] | number>,
  body: string | Uint8Array,
): void {
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
  const form = contentType.startsWith('application/yaml') ? 'yaml' : isForPeople(req) ? 'pretty' : 'json'
  if (response.type === 'list') return form === 'json' ? encodeList(response) : encodeOther(listValue(response), form)
  return form === 'json' ? encodeObject(response) : encodeOther(response.body, form)
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

function stream(response: WatchResponse, res: ServerResponse): void {
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
  const output = new BackpressuredOutput(res)
  const watch = response.start({
    event(event) {
      if (!open) return
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
function streamText(response: StreamResponse, res: ServerResponse): void {
  res.writeHead(response.status, {
    'content-type': response.contentType,
    'cache-control': 'no-cache, private',
    ...response.headers,
  } as Record<string, string>)
  res.flushHeaders()
  const source = response.start({
    write(text) {
      if (res.writableLength > maxUnreadBytes) res.destroy()
      else res.write(text)
    },
    end: () => void res.end(),
  })
  if (res.destroyed) source.stop()
  res.once('close', () => source.stop())
}
