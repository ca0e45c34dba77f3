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
  const encoder = new ProtobufListEncoder(response)
  const encodeItems = guarded(delivery, () => {
    if (!encoder.encodeItems(turns)) {
      turns.later(encodeItems)
      return
    }
    const bytes = encoder.finish()
    if (bytes === undefined) writeText(response, delivery, 'json')
    else if (bytes.length <= maxWholeLength) delivery.sendWhole(bytes)
    else writePieces(new BytePieces(bytes), delivery)
  })
  encodeItems()
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
  readonly #bytes: Uint8Array
  #next = 0

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes
  }

  get isDone(): boolean {
    return this.#next >= this.#bytes.length
  }

  take(maxLength: number): Uint8Array {
    const start = this.#next
    this.#next = start + maxLength
    return this.#bytes.subarray(start, this.#next)
  }
}

function writePieces(pieces: Pieces, delivery: ListDelivery): void {
  const { res, connection } = delivery
  const output = new BackpressuredOutput(res, connection)
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
