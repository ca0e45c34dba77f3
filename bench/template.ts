/**
 * Requests as prepared bytes. They differ in digits of fixed width, which are written in place: `@@@@@@@@` becomes the
 * number of the request, `########` the number of its object.
 */
import type { Target } from './connection.ts'

export const sequenceSlot = '@@@@@@@@'
export const objectSlot = '########'

const width = 8

export interface RequestText {
  readonly method: string
  /** Including the query. */
  readonly path: string
  readonly contentType?: string
  /** Compact JSON. */
  readonly body?: string
}

/** The whole request as bytes. Slots must be filled before it is sent. */
export function requestBytes(target: Target, request: RequestText): Buffer {
  const lines = [
    `${request.method} ${request.path} HTTP/1.1`,
    `Host: ${target.host}:${target.port}`,
    `Authorization: Bearer ${target.token}`,
    'User-Agent: coxswain-bench',
    'Accept: application/json',
  ]
  if (request.body !== undefined) {
    lines.push(`Content-Type: ${request.contentType ?? 'application/json'}`)
    lines.push(`Content-Length: ${Buffer.byteLength(request.body)}`)
  }
  return Buffer.from(`${lines.join('\r\n')}\r\n\r\n${request.body ?? ''}`)
}

/** Fills the slots of a text, for requests that are not measured and for requests as values. */
export function fillText(text: string, sequence: number, object: number): string {
  return text.replaceAll(sequenceSlot, digits(sequence)).replaceAll(objectSlot, digits(object))
}

/** A number in the format of a slot. */
export function digits(n: number): string {
  return String(n).padStart(width, '0')
}

export class Template {
  /** Separate bytes for each connection, since a request may be in flight while the next one is filled. */
  readonly #copies: Buffer[]
  readonly #sequencePlaces: number[]
  readonly #objectPlaces: number[]

  constructor(bytes: Buffer, connections: number) {
    this.#copies = Array.from({ length: connections }, () => Buffer.from(bytes))
    this.#sequencePlaces = places(bytes, sequenceSlot)
    this.#objectPlaces = places(bytes, objectSlot)
  }

  fill(connection: number, sequence: number, object: number): Buffer {
    const bytes = this.#copies[connection] as Buffer
    for (const place of this.#sequencePlaces) writeDigits(bytes, place, sequence)
    for (const place of this.#objectPlaces) writeDigits(bytes, place, object)
    return bytes
  }
}

function places(bytes: Buffer, slot: string): number[] {
  const found: number[] = []
  for (let at = bytes.indexOf(slot); at >= 0; at = bytes.indexOf(slot, at + slot.length)) found.push(at)
  return found
}

function writeDigits(bytes: Buffer, place: number, n: number): void {
  let rest = n
  for (let i = place + width - 1; i >= place; i--) {
    bytes[i] = 48 + (rest % 10)
    rest = Math.floor(rest / 10)
  }
}
