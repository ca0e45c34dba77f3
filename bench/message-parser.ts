/**
 * The framing of HTTP/1.1 messages: where a head ends, and how long its body is. Used by the load client (responses)
 * and by the echo server (requests). For speed it scans bytes in place and decodes only the head. It trusts its peer:
 * no limits, no folded headers.
 */

export interface MessageSink {
  /** The first line and the headers, without the empty line. */
  head(text: string): void
  /** A part of the body. The buffer is reused after the call. */
  body(buffer: Buffer, start: number, end: number): void
  end(): void
}

const headEnd = Buffer.from('\r\n\r\n')
const CR = 13
const LF = 10

type State = 'head' | 'fixed' | 'chunk-size' | 'chunk-data' | 'chunk-end' | 'trailer'

export class MessageParser {
  readonly #sink: MessageSink
  #state: State = 'head'
  /** The part of a head that arrived in an earlier read. */
  #pending: Buffer | undefined
  /** Remaining bytes of the body, or of the chunk. */
  #left = 0
  #line = ''

  constructor(sink: MessageSink) {
    this.#sink = sink
  }

  feed(buffer: Buffer, start: number, end: number): void {
    let at = start
    while (at < end) {
      switch (this.#state) {
        case 'head':
          at = this.#head(buffer, at, end)
          break
        case 'fixed':
        case 'chunk-data': {
          const stop = Math.min(end, at + this.#left)
          this.#sink.body(buffer, at, stop)
          this.#left -= stop - at
          at = stop
          if (this.#left > 0) break
          if (this.#state === 'fixed') this.#finish()
          else this.#state = 'chunk-end'
          break
        }
        case 'chunk-size':
        case 'chunk-end':
        case 'trailer':
          at = this.#text(buffer, at, end)
          break
      }
    }
  }

  #head(buffer: Buffer, start: number, end: number): number {
    let bytes = buffer.subarray(start, end)
    const before = this.#pending?.length ?? 0
    if (this.#pending !== undefined) bytes = Buffer.concat([this.#pending, bytes])
    const found = bytes.indexOf(headEnd)
    if (found < 0) {
      this.#pending = Buffer.from(bytes)
      return end
    }
    this.#pending = undefined
    const text = bytes.toString('latin1', 0, found)
    this.#sink.head(text)
    const length = /\r\ncontent-length:\s*(\d+)/i.exec(text)
    if (length !== null) {
      this.#left = Number(length[1])
      this.#state = 'fixed'
      if (this.#left === 0) this.#finish()
    } else if (/\r\ntransfer-encoding:\s*chunked/i.test(text)) {
      this.#state = 'chunk-size'
    } else {
      this.#finish()
    }
    return start + found + headEnd.length - before
  }

  /** Collects a line of the chunked framing. */
  #text(buffer: Buffer, start: number, end: number): number {
    for (let at = start; at < end; at++) {
      const byte = buffer[at] as number
      if (byte === CR) continue
      if (byte !== LF) {
        this.#line += String.fromCharCode(byte)
        continue
      }
      const line = this.#line
      this.#line = ''
      this.#lineEnd(line)
      return at + 1
    }
    return end
  }

  #lineEnd(line: string): void {
    if (this.#state === 'chunk-end') {
      this.#state = 'chunk-size'
    } else if (this.#state === 'chunk-size') {
      this.#left = Number.parseInt(line, 16)
      this.#state = this.#left === 0 ? 'trailer' : 'chunk-data'
    } else if (line === '') {
      this.#finish()
    }
  }

  #finish(): void {
    this.#state = 'head'
    this.#sink.end()
  }
}
