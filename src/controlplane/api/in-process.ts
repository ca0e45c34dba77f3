/**
 * The in-process transport: the same requests and responses as over HTTP, as values without sockets or JSON. Returned
 * objects are frozen and shared with the store.
 */
import type { FrozenJson, Json } from '../../api/json.ts'
import { listValue } from './list-encoder.ts'
import {
  parseQuery,
  type ApiRequest,
  type ApiResponse,
  type StreamResponse,
  type WatchEvent,
  type WatchResponse,
} from '../contract/request.ts'
import type { UserInfo } from '../contract/resource.ts'

export interface InProcessRequest {
  readonly method: string
  /** With its query: `/api/v1/pods?limit=10`. */
  readonly path: string
  /** Lower-case names. A list stands for a repeated header. */
  readonly headers?: Readonly<Record<string, string | readonly string[]>>
  /** A JSON value, or text that is decoded according to the content-type. */
  readonly body?: Json | string
  readonly signal?: AbortSignal
}

export interface InProcessResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, string | readonly string[]>>
  /** The object, list or Status; a string if the response is text; null for a watch. */
  readonly body: FrozenJson
  /** Present for a watch. Ends when the watch ends or the reader stops. */
  readonly events?: WatchStream
}

export type InProcessTransport = (request: InProcessRequest) => Promise<InProcessResponse>

const noQuery = new URLSearchParams()
const noHeaders: Readonly<Record<string, string>> = {}
const jsonHeaders: Readonly<Record<string, string>> = { 'content-type': 'application/json' }

export function inProcess(
  handle: (request: ApiRequest) => ApiResponse | Promise<ApiResponse>,
  user: UserInfo,
): InProcessTransport {
  return async ({ method, path, headers = noHeaders, body, signal }) => {
    const mark = path.indexOf('?')
    const request: ApiRequest = {
      method,
      path: mark < 0 ? path : path.slice(0, mark),
      query: mark < 0 ? noQuery : parseQuery(path.slice(mark + 1)),
      headers: joined(headers),
      user,
      body,
      signal,
      headerValues: (name) => [headers[name] ?? []].flat(),
    }
    return answer(await handle(request), signal)
  }
}

function joined(headers: Readonly<Record<string, string | readonly string[]>>): Readonly<Record<string, string>> {
  let copy: Record<string, string> | undefined
  for (const name in headers) {
    const value = headers[name]
    if (typeof value !== 'string') (copy ??= { ...(headers as Record<string, string>) })[name] = value?.join(', ') ?? ''
  }
  return copy ?? (headers as Readonly<Record<string, string>>)
}

function answer(
  response: ApiResponse,
  signal: AbortSignal | undefined,
): InProcessResponse | Promise<InProcessResponse> {
  const { status } = response
  const headers = response.headers === undefined ? jsonHeaders : { ...jsonHeaders, ...response.headers }
  switch (response.type) {
    case 'object':
      return { status, headers, body: response.body }
    case 'list':
      return { status, headers, body: listValue(response) }
    case 'text':
      return { status, headers: { ...headers, 'content-type': response.contentType }, body: response.body }
    case 'stream':
      return wholeText(response, signal).then((body) => ({
        status,
        headers: { ...headers, 'content-type': response.contentType },
        body,
      }))
    case 'watch':
      return { status, headers, body: null, events: new WatchStream(response, signal) }
  }
}

/** The whole text, or what had arrived when the reader aborted. */
function wholeText(response: StreamResponse, signal: AbortSignal | undefined): Promise<string> {
  return new Promise((resolve) => {
    let text = ''
    const source = response.start({ write: (more) => (text += more), end: () => resolve(text) })
    signal?.addEventListener(
      'abort',
      () => {
        source.stop()
        resolve(text)
      },
      { once: true },
    )
  })
}

/** A watch with more unread events is ended, as for a slow HTTP client. */
const maxUnreadEvents = 100_000
/** While this many events are unread, the initial state is not sent on (back-pressure). */
const maxEagerEvents = 10_000

/** The events of one watch, in order. One reader only. */
export class WatchStream implements AsyncIterable<WatchEvent> {
  readonly #waiting: WatchEvent[] = []
  #ended = false
  #wake: (() => void) | undefined
  #resume: (() => void) | undefined
  readonly #watch: { stop(): void }
  readonly #signal: AbortSignal | undefined

  constructor(response: WatchResponse, signal: AbortSignal | undefined) {
    this.#watch = response.start({
      event: (event) => {
        if (this.#ended) return
        if (this.#waiting.length >= maxUnreadEvents) {
          this.stop()
          return
        }
        this.#waiting.push(event)
        this.#wake?.()
      },
      room: (resume) => {
        if (this.#waiting.length < maxEagerEvents) return true
        this.#resume = resume
        return false
      },
      end: () => {
        this.#ended = true
        this.#wake?.()
      },
    })
    if (signal?.aborted === true) this.stop()
    else signal?.addEventListener('abort', this.#abort)
    this.#signal = signal
  }

  readonly #abort = (): void => this.stop()

  /** The events that have arrived and were not read yet. Never waits. */
  drain(): WatchEvent[] {
    const events = this.#waiting.splice(0)
    const resume = this.#resume
    this.#resume = undefined
    resume?.()
    return events
  }

  get ended(): boolean {
    return this.#ended
  }

  stop(): void {
    if (this.#ended) return
    this.#ended = true
    this.#watch.stop()
    this.#wake?.()
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<WatchEvent, void, undefined> {
    for await (const events of this.batches()) yield* events
  }

  /** All events that have arrived, in one batch. */
  async *batches(): AsyncGenerator<readonly WatchEvent[], void, undefined> {
    try {
      for (;;) {
        if (this.#waiting.length > 0) {
          yield this.drain()
          continue
        }
        if (this.#ended) return
        await new Promise<void>((resolve) => {
          this.#wake = resolve
        })
        this.#wake = undefined
      }
    } finally {
      this.stop()
      this.#signal?.removeEventListener('abort', this.#abort)
    }
  }
}
