/**
 * Requests and responses as values, shared by HTTP and the in-process transport. HTTP decodes bytes into an {@link
 * ApiRequest} and encodes an {@link ApiResponse}; in process both are passed as they are.
 */
import type { Json, JsonObject } from '../../api/json.ts'
import type { Stored } from '../storage/store.ts'
import type { RequestAudit } from './request-audit.ts'
import type { UserInfo } from './resource.ts'

/** Parses the query of a URL as upstream: parts with a semicolon are dropped. */
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
  /** Path and query as the client sent them. Absent: in process. */
  readonly uri?: string
  /** The addresses of the client and of proxies in front of it, as far as they say so. Absent: in process. */
  sourceIps?(): readonly string[]
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string | undefined>>
  /** Each value of a repeated header. Absent: no header was repeated. */
  headerValues?(name: string): readonly string[]
  readonly user: UserInfo
  /**
   * Over HTTP: text, or bytes if the content type is protobuf. In process: a JSON value. Values are never changed, and
   * stored objects share nothing with them. Absent and '' both mean no body.
   */
  readonly body?: string | Uint8Array | Json | undefined
  /** Aborted when the client disconnects. */
  readonly signal?: AbortSignal | undefined
  /** The turn of the event loop in which the request is handled. Absent: the request may take any time. */
  readonly turn?: RequestTurn | undefined
  /** Set by the audit log. Absent: the request is not recorded. */
  audit?: RequestAudit | undefined
}

/** Requests that take long are continued in later turns, so that other clients are served in between. */
export interface RequestTurn {
  readonly isOver: boolean
  /** Runs `task` in a later turn. */
  later(task: () => void): void
}

export type ApiResponse = ObjectResponse | ListResponse | TextResponse | StreamResponse | WatchResponse

interface ResponseBase {
  readonly status: number
  /**
   * In addition to those of every response. `warning` may hold several values; an empty `cache-control` is not sent.
   */
  readonly headers?: Readonly<Record<string, string | readonly string[]>>
}

/** One JSON value: an object, a Status, a Table, a discovery document. Frozen if it comes from the store. */
export interface ObjectResponse extends ResponseBase {
  readonly type: 'object'
  readonly body: Json
  /** Set if the body is exactly a stored version, whose encoding can be reused. */
  readonly stored?: Stored
  /** The exact JSON text of the body, if it is cached. */
  readonly text?: string
}

/** A list of stored versions; encoded by joining their encodings. */
export interface ListResponse extends ResponseBase {
  readonly type: 'list'
  readonly kind: string
  readonly apiVersion: string
  readonly metadata: { resourceVersion: string; continue?: string; remainingItemCount?: number }
  readonly items: readonly Stored[]
  /** Whether items have kind and apiVersion; items of built-in lists omit them. */
  readonly typedItems: boolean
  /** Set if the list is served in another form: as a Table or as metadata alone. */
  readonly transformed?: TransformedList
}

/** The form is made item by item, so that a long list needs no long turn of the event loop. */
export interface TransformedList {
  /** The fields in front of the items. */
  readonly head: JsonObject
  /** The field of the items. */
  readonly field: 'items' | 'rows'
  convert(stored: Stored): JsonObject
}

export interface TextResponse extends ResponseBase {
  readonly type: 'text'
  readonly contentType: string
  readonly body: string
  /** Sent instead of the body if the content type is binary. In process there is only the body. */
  readonly bytes?: Uint8Array
}

/** Text that arrives in parts: a followed log. The in-process transport reads it to its end. */
export interface StreamResponse extends ResponseBase {
  readonly type: 'stream'
  readonly contentType: string
  /** Starts delivery. `end` is called once, after the last text. After `stop` nothing is called. */
  start(sink: StreamSink): { stop(): void }
}

export interface StreamSink {
  write(text: string): void
  end(): void
}

export interface WatchResponse extends ResponseBase {
  readonly type: 'watch'
  /** Starts delivery. Events arrive in order; `end` is called once, after the last. `stop` ends it early. */
  start(sink: WatchSink): { stop(): void }
}

export interface WatchEvent {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK' | 'ERROR'
  readonly object: Json
  /** Set if the object is exactly a stored version. */
  readonly stored?: Stored
}

export interface WatchSink {
  event(event: WatchEvent): void
  /**
   * Back-pressure: whether the reader keeps up. If false, `resume` is called once, when it does. Used while the initial
   * state is sent, which may exceed the limit of unread data; later events are sent as they happen.
   */
  room(resume: () => void): boolean
  end(): void
}
