/**
 * Parses the responses on one connection: heads (RFC 9112), and bodies with a length, in chunks, or up to the end of
 * the connection. Bytes are not copied. Anything that is not HTTP/1 is an error.
 */
import { TransportError, type Headers } from './transport.ts'

export interface ResponseHead {
  readonly status: number
  /** Names in lower case. Values of a repeated header are joined by commas; warnings are a list. */
  readonly headers: Headers
  /** The connection may carry another request after this response. */
  readonly isKept: boolean
}

export interface ResponseSink {
  head(head: ResponseHead): void
  /** A part of the body. The buffer is reused after the call. */
  body(buffer: Buffer, start: number, end: number): void
  end(): void
}

/** More than servers send, and more than proxies accept. */
const maxHeadBytes = 64 * 1024
const headEnd = Buffer.from('\r\n\r\n')
const lineEnd = 10

type State = 'head' | 'fixed' | 'chunk-size' | 'chunk-data' | 'chunk-end' | 'trailer' | 'until-close'

export class ResponseParser {
  /** Set for HEAD: the responses have no body, whatever their heads say. */
  isBodiless = false
  readonly #sink: ResponseSink
  readonly #from: string
  #state: State = 'head'
  /** An incomplete head, or an incomplete line between chunks. */
  #pending: Buffer | undefined
  /** Remaining bytes of the body, or of the chunk. */
  #leftBytes = 0

  /** `from`: the name of the server in errors. */
  constructor(sink: ResponseSink, from: string) {
    this.#sink = sink
    this.#from = from
  }

  /** Part of a response has arrived. */
  get isWithin(): boolean {
    return this.#state !== 'head' || this.#pending !== undefined
  }

  /** Throws MALFORMED. */
  feed(buffer: Buffer, from: number, end: number): void {
    for (let at = from; at < end;) {
      switch (this.#state) {
        case 'head':
          at = this.#head(buffer, at, end)
          break
        case 'fixed':
        case 'chunk-data':
          at = this.#data(buffer, at, end)
          break
        case 'until-close':
          this.#sink.body(buffer, at, end)
          at = end
          break
        default:
          at = this.#line(buffer, at, end)
      }
    }
  }

  /** The connection has ended. True if that is the regular end of the response. */
  close(): boolean {
    if (this.#state !== 'until-close') return false
    this.#finish()
    return true
  }

  #head(buffer: Buffer, start: number, end: number): number {
    const before = this.#pending?.length ?? 0
    const bytes = this.#gather(buffer.subarray(start, end))
    const found = bytes.indexOf(headEnd)
    if (found < 0) {
      if (!isStatusLine(bytes.toString('latin1', 0, 9))) throw this.#malformed('what it says is no HTTP/1.1')
      return this.#keep(bytes, end)
    }
    this.#pending = undefined
    this.#begin(bytes.toString('latin1', 0, found))
    return start + found + headEnd.length - before
  }

  #begin(text: string): void {
    const lines = text.split('\r\n')
    const status = /^HTTP\/1\.([01]) (\d{3})(?: |$)/.exec(lines[0] ?? '')
    if (status === null) throw this.#malformed('what it says is no HTTP/1.1')
    const code = Number(status[2])
    // 1xx: the final response follows.
    if (code < 200 && code !== 101) return
    const headers = this.#headers(lines)
    const length = headers['content-length']
    const coding = headers['transfer-encoding']
    const isBodiless = this.isBodiless || code === 204 || code === 304
    const isFramed = isBodiless || coding !== undefined || length !== undefined
    const isKept = isFramed && status[1] === '1' && !/\bclose\b/i.test(String(headers['connection'] ?? ''))
    this.#sink.head({ status: code, headers, isKept })
    if (isBodiless) return this.#finish()
    if (coding !== undefined) {
      if (coding.toString().toLowerCase() !== 'chunked')
        throw this.#malformed(`its answer is transferred as ${String(coding)}`)
      this.#state = 'chunk-size'
    } else if (length === undefined) {
      this.#state = 'until-close'
    } else {
      if (typeof length !== 'string' || !/^\d{1,15}$/.test(length))
        throw this.#malformed(`the length of its answer is ${String(length)}`)
      this.#leftBytes = Number(length)
      this.#state = 'fixed'
      if (this.#leftBytes === 0) this.#finish()
    }
  }

  #headers(lines: readonly string[]): Headers {
    const headers: Record<string, string | string[]> = Object.create(null) as Record<string, string | string[]>
    for (let index = 1; index < lines.length; index++) {
      const line = lines[index] as string
      const colon = line.indexOf(':')
      if (colon <= 0 || line.startsWith(' ') || line.startsWith('\t'))
        throw this.#malformed('one of its headers has no name')
      const name = line.slice(0, colon).toLowerCase()
      const value = line.slice(colon + 1).trim()
      const known = headers[name]
      if (name === 'warning') headers[name] = [...(known ?? []), value]
      else if (known === undefined || (name === 'content-length' && known === value)) headers[name] = value
      else headers[name] = `${String(known)}, ${value}`
    }
    return headers
  }

  #data(buffer: Buffer, start: number, end: number): number {
    const stop = Math.min(end, start + this.#leftBytes)
    this.#leftBytes -= stop - start
    this.#sink.body(buffer, start, stop)
    if (this.#leftBytes === 0) {
      if (this.#state === 'fixed') this.#finish()
      else this.#state = 'chunk-end'
    }
    return stop
  }

  /** A line of the chunked framing. */
  #line(buffer: Buffer, start: number, end: number): number {
    const found = buffer.subarray(start, end).indexOf(lineEnd)
    if (found < 0) return this.#keep(this.#gather(buffer.subarray(start, end)), end)
    const line = this.#gather(buffer.subarray(start, start + found))
      .toString('latin1')
      .replace(/\r$/, '')
    this.#pending = undefined
    if (this.#state === 'chunk-size') {
      const size = /^([0-9a-f]{1,12})(?:[ \t]*;.*)?[ \t]*$/i.exec(line)
      if (size === null) throw this.#malformed('a chunk of its answer has no size')
      this.#leftBytes = Number.parseInt(size[1] as string, 16)
      this.#state = this.#leftBytes === 0 ? 'trailer' : 'chunk-data'
    } else if (this.#state === 'chunk-end') {
      if (line !== '') throw this.#malformed('a chunk of its answer is longer than it says')
      this.#state = 'chunk-size'
    } else if (line === '') {
      this.#finish()
    }
    return start + found + 1
  }

  #finish(): void {
    this.#state = 'head'
    this.#sink.end()
  }

  #gather(bytes: Buffer): Buffer {
    return this.#pending === undefined ? bytes : Buffer.concat([this.#pending, bytes])
  }

  /** Copies, since the buffer is reused. */
  #keep(bytes: Buffer, end: number): number {
    if (bytes.length > maxHeadBytes)
      throw this.#malformed(`its answer begins with more than ${maxHeadBytes} bytes of headers`)
    this.#pending = Buffer.from(bytes)
    return end
  }

  #malformed(what: string): TransportError {
    return new TransportError('MALFORMED', `the answer of ${this.#from} cannot be read: ${what}`, true)
  }
}

/** Whether a head can start with this. */
function isStatusLine(text: string): boolean {
  return 'HTTP/1.1 '.startsWith(text.slice(0, 9)) || 'HTTP/1.0 '.startsWith(text.slice(0, 9))
}
