/**
 * Encodes and reads frames of the WebSocket protocol (RFC 6455), server side.
 *
 * Clients of a watch send no data, so their frames are validated and discarded as they arrive: a frame of any length
 * takes no memory. Upstream's reader is laxer; here a client that violates the protocol gets a close frame with the
 * code of the violation.
 */

export const opcode = { continuation: 0, text: 1, binary: 2, close: 8, ping: 9, pong: 10 } as const

/** Close codes of RFC 6455. */
export const closeCode = { normal: 1000, protocolError: 1002, notUtf8: 1007, tooLarge: 1009 } as const

/** A whole message in one frame; text is written as UTF-8. */
export function encodeWebSocketFrame(code: number, payload: string | Uint8Array): Buffer {
  const size = typeof payload === 'string' ? Buffer.byteLength(payload) : payload.length
  const start = size < 126 ? 2 : size < 0x1_0000 ? 4 : 10
  const frame = Buffer.allocUnsafe(start + size)
  frame[0] = 0x80 | code
  if (start === 2) {
    frame[1] = size
  } else if (start === 4) {
    frame[1] = 126
    frame.writeUInt16BE(size, 2)
  } else {
    frame[1] = 127
    frame.writeUInt32BE(Math.floor(size / 2 ** 32), 2)
    frame.writeUInt32BE(size >>> 0, 6)
  }
  if (typeof payload === 'string') frame.write(payload, start)
  else frame.set(payload, start)
  return frame
}

export function encodeClose(code: number): Buffer {
  return encodeWebSocketFrame(opcode.close, Uint8Array.of(code >>> 8, code & 0xff))
}

export interface FrameEvents {
  /** The payload is valid only during the call. */
  ping(payload: Uint8Array): void
  /** The client has closed, or has violated the protocol. Nothing is read afterwards. */
  end(code: number): void
}

/** A frame whose header is complete. */
interface Frame {
  readonly code: number
  readonly final: boolean
  readonly mask: Uint8Array
  readonly size: number
  /** Bytes of the payload received so far. */
  read: number
}

/** The limit of upstream. */
const maxFrameBytes = 32 * 1024 * 1024
const maxControlBytes = 125

export class FrameReader {
  readonly #events: FrameEvents
  readonly #head = new Uint8Array(14)
  #headLength = 0
  /** Undefined while a header is being read. */
  #frame: Frame | undefined
  /** The payload of a control frame, which may come between the frames of a message. */
  readonly #control = new Uint8Array(maxControlBytes)
  /** The type of the message whose frames are being received. */
  #message: 'none' | 'text' | 'binary' = 'none'
  readonly #utf8 = new TextDecoder('utf-8', { fatal: true })
  #ended = false

  constructor(events: FrameEvents) {
    this.#events = events
  }

  read(chunk: Uint8Array): void {
    let at = 0
    while (!this.#ended && at < chunk.length) {
      if (this.#frame === undefined) {
        this.#head[this.#headLength++] = chunk[at++] as number
        if (this.#headLength >= 2) this.#readHead()
      } else {
        const part = chunk.subarray(at, at + this.#frame.size - this.#frame.read)
        at += part.length
        this.#readPayload(this.#frame, part)
      }
    }
  }

  #end(code: number): void {
    if (this.#ended) return
    this.#ended = true
    this.#events.end(code)
  }

  #readHead(): void {
    const [first, second] = this.#head as unknown as [number, number]
    const code = first & 0x0f
    const final = (first & 0x80) !== 0
    if (this.#headLength === 2 && !this.#mayCome(first, second, code, final)) {
      this.#end(closeCode.protocolError)
      return
    }
    const short = second & 0x7f
    const start = short < 126 ? 2 : short === 126 ? 4 : 10
    if (this.#headLength < start + 4) return
    let size = short
    if (start > 2) {
      size = 0
      for (const byte of this.#head.subarray(2, start)) size = size * 256 + byte
    }
    if (size > maxFrameBytes) {
      this.#end(closeCode.tooLarge)
      return
    }
    this.#frame = { code, final, mask: this.#head.slice(start, start + 4), size, read: 0 }
    if (code === opcode.text) this.#message = 'text'
    else if (code === opcode.binary) this.#message = 'binary'
    if (size === 0) this.#frameDone(this.#frame)
  }

  /**
   * No extensions (reserved bits are 0), client frames are masked, control frames are short and not fragmented, and
   * messages do not overlap.
   */
  #mayCome(first: number, second: number, code: number, final: boolean): boolean {
    if ((first & 0x70) !== 0 || (second & 0x80) === 0) return false
    switch (code) {
      case opcode.text:
      case opcode.binary:
        return this.#message === 'none'
      case opcode.continuation:
        return this.#message !== 'none'
      case opcode.close:
      case opcode.ping:
      case opcode.pong:
        return final && (second & 0x7f) <= maxControlBytes
      default:
        return false
    }
  }

  #readPayload(frame: Frame, part: Uint8Array): void {
    if (frame.code >= opcode.close) unmask(part, frame, this.#control.subarray(frame.read))
    else if (this.#message === 'text' && !this.#isText(unmask(part, frame, new Uint8Array(part.length)), true)) return
    frame.read += part.length
    if (frame.read === frame.size) this.#frameDone(frame)
  }

  #isText(bytes: Uint8Array, more: boolean): boolean {
    try {
      this.#utf8.decode(bytes, { stream: more })
      return true
    } catch {
      this.#end(closeCode.notUtf8)
      return false
    }
  }

  #frameDone({ code, final, size }: Frame): void {
    this.#frame = undefined
    this.#headLength = 0
    if (code < opcode.close) {
      if (!final || (this.#message === 'text' && !this.#isText(new Uint8Array(), false))) return
      this.#message = 'none'
      return
    }
    if (code === opcode.ping) this.#events.ping(this.#control.subarray(0, size))
    else if (code === opcode.close) this.#end(closeCode.normal)
  }
}

function unmask(part: Uint8Array, { mask, read }: Frame, target: Uint8Array): Uint8Array {
  for (let i = 0; i < part.length; i++) target[i] = (part[i] as number) ^ (mask[(read + i) & 3] as number)
  return target
}
