/**
 * Request and response as values: where HTTP and the in-process transport meet.
 * HTTP decodes bytes into an {@link ApiRequest} and encodes an {@link ApiResponse}; in process both travel as they are.
 */
import type { Json } from '../../api/json.ts'
import type { Stored } from '../storage/store.ts'
import type { UserInfo } from './resource.ts'

/** The query of a URL as upstream reads it: parts with a semicolon are dropped. */
export function parseQuery(text: string): URLSearchParams {
  if (!text.includes(';')) return new URLSearchParams(text)
  return new URLSearchParams(
    text
      .split('&')
      .filter((part) => !part.includes(';'))
      .join('&'),
  )
}

export interface ApiRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | (string & {})
  /** Without the query: `/api/v1/namespaces/default/configmaps`. Still percent-encoded. */
  readonly path: string
  readonly query: URLSearchParams
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string | undefined>>
  /** Each value of a header that came several times. Absent: `headers` has all there is to know. */
  headerValues?(name: string): readonly string[]
  readonly user: UserInfo
  /**
   * As received over HTTP: text, or bytes when the content type is protobuf; or a JSON value from the in-process
   * transport. Values are never changed, and what is stored shares nothing with them. Absent and '' both mean no body.
   */
  readonly body?: string | Uint8Array | Json | undefined
  /** Aborted when the client goes away. */
  readonly signal?: AbortSignal | undefined
}

export type ApiResponse = ObjectResponse | ListResponse | TextResponse | StreamResponse | WatchResponse

interface ResponseBase {
  readonly status: number
  /**
   * Beyond those that every answer carries. `warning` may hold several values; an empty `cache-control` is not sent.
   */
  readonly headers?: Readonly<Record<string, string | readonly string[]>>
}

/** One JSON value: an object, a Status, a Table, a discovery document. Frozen when it came from the store. */
export interface ObjectResponse extends ResponseBase {
  readonly type: 'object'
  readonly body: Json
  /** Set when the body is a stored version as it is, whose encoding can be reused. */
  readonly stored?: Stored
  /** The body's exact JSON text, where a cached one exists. */
  readonly text?: string
}

/** A list of stored versions; encoded by joining their encodings. */
export interface ListResponse extends ResponseBase {
  readonly type: 'list'
  readonly kind: string
  readonly apiVersion: string
  readonly metadata: { resourceVersion: string; continue?: string; remainingItemCount?: number }
  readonly items: readonly Stored[]
  /** Items of built-in lists leave out kind and apiVersion. */
  readonly typedItems: boolean
}

export interface TextResponse extends ResponseBase {
  readonly type: 'text'
  readonly contentType: string
  readonly body: string
  /** What is sent in place of the body, where the content type is no text; in process there is only the body. */
  readonly bytes?: Uint8Array
}

/** Text that comes bit by bit: a log that is followed. In process it is read to its end. */
export interface StreamResponse extends ResponseBase {
  readonly type: 'stream'
  readonly contentType: string
  /**
   * Starts delivery; `end` is called once, after the last text. Returns the way to stop early, after which nothing is
   * called.
   */
  start(sink: StreamSink): { stop(): void }
}

export interface StreamSink {
  write(text: string): void
  end(): void
}

export interface WatchResponse extends ResponseBase {
  readonly type: 'watch'
  /** Starts delivery. Events arrive in order; `end` is called once, after the last. Returns the way to stop early. */
  start(sink: WatchSink): { stop(): void }
}

export interface WatchEvent {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK' | 'ERROR'
  readonly object: Json
  /** Set when the object is a stored version as it is. */
  readonly stored?: Stored
}

export interface WatchSink {
  event(event: WatchEvent): void
  /**
   * Whether the reader keeps up. False: `resume` is called once, when it has. Asked while the initial state is
   * delivered, which may be larger than what may pile up; changes are delivered as they happen.
   */
  room(resume: () => void): boolean
  end(): void
}
