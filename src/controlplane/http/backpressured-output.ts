/**
 * Writes to a stream and reports when its reader has caught up. Does not use `drain`: Node emits it only after a write
 * beyond the high-water mark, which the listener has raised.
 */
import type { Writable } from 'node:stream'
import type { Connection } from './clients.ts'

/** Beyond this many unsent bytes, senders that can wait should wait. */
const maxEagerBytes = { list: 256 * 1024, watch: 1024 * 1024 }

export class BackpressuredOutput {
  readonly #stream: Writable
  readonly #connection: Connection
  readonly #maxEagerBytes: number
  #resume: (() => void) | undefined

  constructor(stream: Writable, connection: Connection, of: keyof typeof maxEagerBytes) {
    this.#maxEagerBytes = maxEagerBytes[of]
    this.#stream = stream
    this.#connection = connection
  }

  write(chunk: string | Uint8Array): void {
    if (this.#connection.socket.destroyed) return
    // A callback for each write is expensive, so only writes that a sender may wait for have one.
    if (this.#stream.writableLength + chunk.length > this.#maxEagerBytes / 2) this.#stream.write(chunk, this.#flushed)
    else this.#stream.write(chunk)
    this.#connection.wrote(chunk.length)
  }

  /** Whether the sender may go on in this turn. If false, `resume` is called once, in a turn in which it may. */
  room(resume: () => void): boolean {
    if (this.#stream.writableLength > this.#maxEagerBytes) {
      this.#resume = resume
      return false
    }
    const { turns } = this.#connection.clients
    if (!turns.isOver) return true
    turns.later(resume)
    return false
  }

  readonly #flushed = (): void => {
    if (this.#resume === undefined || this.#stream.destroyed || this.#stream.writableLength > this.#maxEagerBytes / 2)
      return
    const resume = this.#resume
    this.#resume = undefined
    this.#connection.clients.turns.later(resume)
  }
}
