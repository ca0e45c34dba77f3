/** Decodes the bytes of a watch into events: one JSON value per line, in batches of those that a chunk completes. */
import { credentialMask } from './credential-mask.ts'
import { whyNotJson } from './response-body.ts'
import { TransportError, type WireEvent } from './transport.ts'

const newline = 10

/** No object of a current server is larger; a longer line is an attack or a fault. */
export const maxLineBytes = 64 * 1024 * 1024

export class WatchDecoder {
  readonly #maxLineBytes: number
  /** The start of an incomplete line. */
  #pending: Buffer[] = []
  #pendingBytes = 0

  constructor(limit = maxLineBytes) {
    this.#maxLineBytes = limit
  }

  /** The events that this chunk completes. Throws TOO_LARGE and MALFORMED. */
  push(chunk: Buffer): WireEvent[] {
    const events: WireEvent[] = []
    let start = 0
    for (let end = chunk.indexOf(newline); end >= 0; end = chunk.indexOf(newline, start)) {
      const line =
        this.#pendingBytes === 0
          ? chunk.toString('utf8', start, end)
          : this.#join(chunk.subarray(start, end)).toString()
      start = end + 1
      if (line.trim() !== '') events.push(parse(line))
    }
    if (start < chunk.length) this.#keep(start === 0 ? chunk : chunk.subarray(start))
    return events
  }

  /** At the end of the stream. Throws TRUNCATED if it ended within an event. */
  end(): void {
    const rest = this.#join(Buffer.alloc(0)).toString()
    if (rest.trim() === '') return
    throw new TransportError(
      'TRUNCATED',
      `the watch ended within an event, after ${Buffer.byteLength(rest)} bytes of it`,
      true,
    )
  }

  #keep(part: Buffer): void {
    this.#pending.push(part)
    this.#pendingBytes += part.length
    if (this.#pendingBytes <= this.#maxLineBytes) return
    throw new TransportError('TOO_LARGE', `an event of the watch is larger than ${this.#maxLineBytes} bytes`, true)
  }

  #join(last: Buffer): Buffer {
    const line = Buffer.concat([...this.#pending, last])
    this.#pending = []
    this.#pendingBytes = 0
    return line
  }
}

function parse(line: string): WireEvent {
  let event: unknown
  try {
    event = JSON.parse(line)
  } catch (error) {
    throw new TransportError('MALFORMED', `an event of the watch is not JSON: ${whyNotJson(error)}`, true)
  }
  if (!isEvent(event)) {
    const start = credentialMask.text(line.slice(0, 10_000)).slice(0, 100)
    throw new TransportError('MALFORMED', `an event of the watch has no type and object: ${start}`, true)
  }
  return event.type === 'ERROR' ? { type: 'ERROR', object: credentialMask.json(event.object) } : event
}

function isEvent(value: unknown): value is WireEvent {
  if (typeof value !== 'object' || value === null) return false
  const { type, object } = value as Record<string, unknown>
  return typeof type === 'string' && typeof object === 'object' && object !== null
}
