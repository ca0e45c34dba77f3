/**
 * Writes to a stream and reports when its reader has caught up. Does not use `drain`: Node emits it only after a write
 * beyond the high-water mark, which the listener has raised.
 */
import type { Writable } from 'node:stream'

/** Beyond this many unsent bytes, senders that can wait should wait. */
const maxEagerBytes = 1024 * 1024

export class BackpressuredOutput {
  readonly #stream: Writable
  #resume: (() => void) | undefined

  constructor(stream: Writable) {
    this.#stream = stream
  }

  write(chunk: string | Uint8Array): void {
    // A callback for each write is expensive, so only writes that a sender may wait for have one.
    if (this.#stream.writableLength + chunk.length > maxEagerBytes / 2) this.#stream.write(chunk, this.#flushed)
    else this.#stream.write(chunk)
  }

  /** Whether the sender may go on. If false, `resume` is called once, when it may. */
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
