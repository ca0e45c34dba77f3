/** The target of a replay: a server over HTTP, or the control plane in this process. */
import type { Json } from '../../src/api/json.ts'
import type { GoldenRequest } from './golden.ts'

/** A request whose recorded values have been replaced by those of the server. */
export type LiveRequest = GoldenRequest

export interface Answer {
  readonly status: number
  /** Names in lower case; several values of a header are joined with commas. */
  readonly headers: Readonly<Record<string, string>>
  /** The bytes on the wire, or the value in process. */
  readonly body: { readonly bytes: Buffer } | { readonly value: Json }
}

/** A running watch, or another response as a single event. */
export interface Stream {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  /** Grows with every event. */
  readonly events: readonly Json[]
  readonly ended: boolean
  /** Bytes after the last complete event. */
  readonly rest: string
  stop(): void
}

export interface Target {
  readonly name: 'HTTP' | 'in process'
  /** False in process: responses are values, without encodings and the headers about them. */
  readonly wire: boolean
  /**
   * True for a server with its own controllers and caches: the effects of a write are visible later, and its clock
   * cannot be set.
   */
  readonly remote: boolean
  send(request: LiveRequest): Promise<Answer>
  watch(request: LiveRequest): Promise<Stream>
  /** The server's clock, in milliseconds since the epoch; undefined if it cannot be set. */
  now(): number | undefined
  /** Advances the server's clock by this many milliseconds, if it can be set. */
  passTime(ms: number): void
  /** Lets the server complete pending work. */
  idle(): Promise<void>
  close(): Promise<void>
}
