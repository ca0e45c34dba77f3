/**
 * Writes to a stream, and tells when its reader keeps up again. Not by `drain`: that comes only after a write beyond
 * the stream's own limit, which the listener has raised.
 */
import type { Writable } from 'node:stream'

/** Who can wait, waits while this much is unread. */
const maxEagerBytes = 1024 * 1024

export class BackpressuredOutput {
  readonly #stream: Writable
  #resume: (() => void) | undefined

  constructor(stream: Writable) {
    this.#stream = stream
  }

  write(chunk: string | Uint8Array): void {
    // A call after each write has its price: only those that somebody may wait for have one.
    if (this.#stream.writableLength + chunk.length > maxEagerBytes / 2) this.#stream.write(chunk, this.#flushed)
    else this.#stream.write(chunk)
  }

  /** Whether there is room. False: `resume` is called once, when there is. */
  room(resume: () => void): boolean {
    if (this.#stream.writableLength <= maxEagerBytes) return true
    this.#resume = resume
    return false
  }

  readonly #flushed = (): void => {
    if (this.#resume === undefined || this.#stream.destroyed || this.#stream.writableLength > maxEagerBytes / 2) return
    const resume = this.#resume
    this.#resume = undefined
    resume()
  }
}
