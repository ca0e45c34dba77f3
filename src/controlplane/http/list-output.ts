/**
 * Writes a list. A short one is sent as a whole. A long one is encoded and sent in pieces, each in its own turn of the
 * event loop if necessary, and not faster than the client reads.
 */
import type { ServerResponse } from 'node:http'
import type { Gzip } from 'node:zlib'
import { ListEncoder, ProtobufListEncoder, type TextForm } from '../api/list-encoder.ts'
import type { ListResponse } from '../contract/request.ts'
import { BackpressuredOutput } from './backpressured-output.ts'
import type { Connection } from './clients.ts'

/** Up to this size a list is sent as a whole, with its length in a header. */
const maxWholeLength = 1024 * 1024
const maxPieceLength = 256 * 1024

/** How a list is sent. */
export interface ListDelivery {
  readonly res: ServerResponse
  readonly connection: Connection
  readonly form: TextForm | 'protobuf'
  /** Sends a body that is complete. */
  sendWhole(body: string | Uint8Array): void
  /** Writes the headers of a body that is sent in pieces. Returns a compressor if the client accepts it. */
  startPieces(): Gzip | undefined
}

/** The pieces of a body. */
interface Pieces {
  readonly isDone: boolean
  take(maxLength: number): string | Uint8Array
}

export function writeList(response: ListResponse, delivery: ListDelivery): void {
  if (delivery.form === 'protobuf') writeProtobuf(response, delivery)
  else writeText(response, delivery, delivery.form)
}

function writeText(response: ListResponse, delivery: ListDelivery, form: TextForm): void {
  const { turns } = delivery.connection.clients
  const encoder = new ListEncoder(response, form)
  let start = ''
  const encodeStart = guarded(delivery, () => {
    start += encoder.take(maxWholeLength - start.length, turns)
    if (encoder.isDone && start.length <= maxWholeLength) delivery.sendWhole(start)
    else if (start.length < maxWholeLength) turns.later(encodeStart)
    else writePieces(new TextPieces(start, encoder, turns), delivery)
  })
  encodeStart()
}

function writeProtobuf(response: ListResponse, delivery: ListDelivery): void {
  const { turns } = delivery.connection.clients
  const encoder = ProtobufListEncoder.of(response)
  if (encoder === undefined) {
    writeText(response, delivery, 'json')
    return
  }
  const encodeItems = guarded(delivery, () => {
    if (!encoder.encodeItems(turns)) {
      turns.later(encodeItems)
      return
    }
    writeParts(new BytePieces(encoder.parts()), delivery)
  })
  encodeItems()
}

function writeParts(pieces: BytePieces, delivery: ListDelivery): void {
  const start = pieces.take(maxWholeLength)
  if (pieces.isDone) delivery.sendWhole(start)
  else writePieces(pieces.from(start), delivery)
}

/** A failure ends its own connection only. Nothing is done for a client that is gone. */
function guarded({ res }: ListDelivery, task: () => void): () => void {
  return () => {
    if (res.destroyed) return
    try {
      task()
    } catch {
      res.destroy()
    }
  }
}

class TextPieces implements Pieces {
  #start: string | undefined
  readonly #encoder: ListEncoder
  readonly #turn: { readonly isOver: boolean }

  constructor(start: string, encoder: ListEncoder, turn: { readonly isOver: boolean }) {
    this.#start = start
    this.#encoder = encoder
    this.#turn = turn
  }

  get isDone(): boolean {
    return this.#start === undefined && this.#encoder.isDone
  }

  take(maxLength: number): string {
    const start = this.#start
    if (start === undefined) return this.#encoder.take(maxLength, this.#turn)
    this.#start = undefined
    return start
  }
}

class BytePieces implements Pieces {
  readonly #parts: readonly Uint8Array[]
  #next = 0
  #start: Uint8Array | undefined

  constructor(parts: readonly Uint8Array[]) {
    this.#parts = parts
  }

  get isDone(): boolean {
    return this.#start === undefined && this.#next === this.#parts.length
  }

  /** Puts back a piece that was taken. */
  from(start: Uint8Array): this {
    this.#start = start
    return this
  }

  take(maxLength: number): Uint8Array {
    const start = this.#start
    this.#start = undefined
    if (start !== undefined) return start
    const first = this.#next
    let length = 0
    while (this.#next < this.#parts.length && length < maxLength)
      length += (this.#parts[this.#next++] as Uint8Array).length
    return Buffer.concat(this.#parts.slice(first, this.#next), length)
  }
}

function writePieces(pieces: Pieces, delivery: ListDelivery): void {
  const { res, connection } = delivery
  const output = new BackpressuredOutput(res, connection, 'list')
  const gzip = delivery.startPieces()
  if (gzip !== undefined) {
    compressPieces(pieces, delivery, output, gzip)
    return
  }
  const writeMore = guarded(delivery, () => {
    while (!pieces.isDone) {
      output.write(pieces.take(maxPieceLength))
      if (!pieces.isDone && !output.room(writeMore)) return
    }
    res.end()
  })
  writeMore()
}

/** One piece is compressed at a time, in a thread of its own. */
function compressPieces(pieces: Pieces, delivery: ListDelivery, output: BackpressuredOutput, gzip: Gzip): void {
  const { res } = delivery
  gzip.on('data', (chunk: Uint8Array) => {
    if (!res.destroyed) output.write(chunk)
  })
  gzip.on('end', () => res.end())
  gzip.on('error', () => res.destroy())
  res.once('close', () => gzip.destroy())
  const compressMore = guarded(delivery, () => {
    if (pieces.isDone) gzip.end()
    else if (output.room(compressMore)) gzip.write(pieces.take(maxPieceLength), compressMore)
  })
  compressMore()
}
