/**
 * A watch over HTTP as batches of events, with back-pressure: nothing is read while the reader processes a batch.
 *
 * The idle guard ends a stream without data for too long, since a dead connection is silent, too. It measures silence
 * while the reader waits, not the age of the stream.
 */
import type { IncomingMessage } from 'node:http'
import type { Env, Timer } from '../env/env.ts'
import { TransportError, type WireEvents } from './transport.ts'
import { WatchDecoder } from './watch-decoder.ts'

export interface WatchStreamOptions {
  readonly env: Env
  /** Milliseconds. Undefined: no guard. */
  readonly idleTimeoutMs: number | undefined
  /** The name of the server in errors. */
  readonly from: string
  readonly maxLineBytes?: number | undefined
  /** Called once, at any end of the stream. */
  readonly onEnd: () => void
}

export async function* readWatch(answer: IncomingMessage, options: WatchStreamOptions): WireEvents {
  const { from, onEnd } = options
  const decoder = new WatchDecoder(options.maxLineBytes)
  const guard = new IdleGuard(options, (error) => answer.destroy(error))
  try {
    guard.listen()
    for await (const chunk of answer as AsyncIterable<Buffer>) {
      guard.pause()
      const events = decoder.push(chunk)
      if (events.length > 0) yield events
      guard.listen()
    }
    decoder.end()
  } catch (error) {
    throw error instanceof TransportError ? error : broken(from, error as NodeJS.ErrnoException)
  } finally {
    guard.stop()
    answer.destroy()
    onEnd()
  }
}

function broken(from: string, error: NodeJS.ErrnoException): TransportError {
  return new TransportError(
    error.code ?? 'ECONNRESET',
    `the connection to ${from} broke during a watch: ${error.message}`,
    true,
    error,
  )
}

/** One timer for the whole stream, set again only when it fires: bytes arrive far more often. */
class IdleGuard {
  readonly #options: WatchStreamOptions
  readonly #onIdle: (error: TransportError) => void
  #timer: Timer | undefined
  /** When the reader started to wait; undefined while it does not. */
  #waitingSince: number | undefined

  constructor(options: WatchStreamOptions, onIdle: (error: TransportError) => void) {
    this.#options = options
    this.#onIdle = onIdle
    if (options.idleTimeoutMs !== undefined) this.#arm(options.idleTimeoutMs)
  }

  listen(): void {
    this.#waitingSince = this.#options.env.monotonic()
  }

  pause(): void {
    this.#waitingSince = undefined
  }

  stop(): void {
    this.#timer?.cancel()
  }

  #arm(ms: number): void {
    this.#timer = this.#options.env.after(ms, () => this.#check(this.#options.idleTimeoutMs as number))
  }

  #check(limit: number): void {
    const silence = this.#waitingSince === undefined ? 0 : this.#options.env.monotonic() - this.#waitingSince
    if (silence < limit) this.#arm(limit - silence)
    else
      this.#onIdle(
        new TransportError(
          'IDLE',
          `nothing has come from ${this.#options.from} for ${limit / 1000} s: the connection is taken for dead`,
          true,
        ),
      )
  }
}
