/**
 * The transport of requests to a control plane. Two implementations: HTTP (`http-transport.ts`) and the embedded
 * control plane in the same process. Everything else uses only this interface.
 */
import type { FrozenJson, Json } from '../api/json.ts'
import { credentialMask } from './credential-mask.ts'

export type Headers = Readonly<Record<string, string | readonly string[]>>

export interface TransportRequest {
  readonly method: string
  /** Including its query: `/api/v1/pods?limit=10`. */
  readonly path: string
  /** Names in lower case. */
  readonly headers?: Headers | undefined
  readonly body?: Json | undefined
  /** Ends the request, or the stream of a watch, at once. */
  readonly signal?: AbortSignal | undefined
  /** A watch: the response has `events`, unless it is an error. */
  readonly stream?: boolean | undefined
  /** The maximum size of the response, uncompressed. Default: that of the transport. */
  readonly maxResponseBytes?: number | undefined
  /** Milliseconds of silence after which a stream counts as broken (IDLE), at any age. Default: never. */
  readonly idleTimeoutMs?: number | undefined
  /** Called when a connection is available, right before the request is sent. If it throws, nothing is sent. */
  readonly guard?: (() => void) | undefined
}

export interface WireEvent {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK' | 'ERROR'
  readonly object: FrozenJson
}

/**
 * The events of a watch in order, in batches as they arrive. Ends when the server ends the watch; throws a {@link
 * TransportError} if the connection breaks, even in the middle of an event.
 */
export type WireEvents = AsyncIterable<readonly WireEvent[]>

export interface TransportResponse {
  readonly status: number
  readonly headers: Headers
  /** The parsed body, frozen or not; text if the server responds with text; null for a watch. */
  readonly body: FrozenJson
  /** Set for an accepted watch. */
  readonly events?: WireEvents | undefined
}

export interface Transport {
  /** Host and port of the server, for metrics. Absent: it is in this process. */
  readonly host?: string | undefined
  /**
   * Writes always complete, as those to a server in this process do: they get no deadline unless the call sets one.
   * Default false.
   */
  readonly prompt?: boolean | undefined
  /** Resolves for any HTTP status. Rejects with a {@link TransportError} without a response. */
  request(request: TransportRequest): Promise<TransportResponse>
  /** Closes all connections. Later requests fail. */
  close(): Promise<void>
}

/**
 * Why there was no response, if Node has no code for it (ECONNREFUSED, CERT_HAS_EXPIRED, …). `docs/reference/errors.md`
 * lists cause and fix of each.
 */
export const transportErrorCodes = [
  'TIMEOUT',
  'ABORTED',
  'CLOSED',
  'IDLE',
  'TRUNCATED',
  'TOO_LARGE',
  'MALFORMED',
  'PROXY',
  'INSECURE',
  'CREDENTIALS',
] as const

export type TransportErrorCode = (typeof transportErrorCodes)[number] | (string & {})

/**
 * No response: the connection was refused, reset or cut, a name did not resolve, or a certificate was not trusted. The
 * message may quote the server: own credentials in it are masked.
 */
export class TransportError extends Error {
  readonly code: TransportErrorCode
  /** Whether the request may have reached the server. False only if it certainly has not. */
  readonly sent: boolean

  constructor(code: TransportErrorCode, message: string, sent: boolean, cause?: unknown) {
    super(credentialMask.text(message), cause === undefined ? undefined : { cause })
    this.name = 'TransportError'
    this.code = code
    this.sent = sent
  }
}
