/** What is replayed against: a server over HTTP, or the control plane in this process. */
import type { Json } from '../../src/api/json.ts'
import type { GoldenRequest } from './golden.ts'

/** A request with recorded values already exchanged for the server's own. */
export type LiveRequest = GoldenRequest

export interface Answer {
  readonly status: number
  /** Lower-case names; several values of one name joined with a comma. */
  readonly headers: Readonly<Record<string, string>>
  /** What came over the wire, or the value that came in process. */
  readonly body: { readonly bytes: Buffer } | { readonly value: Json }
}

/** A watch under way, or the answer that came in its place as one event. */
export interface Stream {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  /** Grows as events come. */
  readonly events: readonly Json[]
  readonly ended: boolean
  /** Bytes after the last complete event. */
  readonly rest: string
  stop(): void
}

export interface Target {
  readonly name: 'HTTP' | 'in process'
  /** False where answers are values: encodings and the headers that describe them do not exist there. */
  readonly wire: boolean
  /**
   * True for a server with controllers and caches of its own: what a write leads to shows some time later, and its
   * clock cannot be set.
   */
  readonly remote: boolean
  send(request: LiveRequest): Promise<Answer>
  watch(request: LiveRequest): Promise<Stream>
  /** The server's clock in milliseconds since the epoch; undefined where it cannot be set. */
  now(): number | undefined
  /** Lets the server's clock run on by this many milliseconds, where it can be set. */
  passTime(ms: number): void
  /** Lets the server do what it has begun. */
  idle(): Promise<void>
  close(): Promise<void>
}
