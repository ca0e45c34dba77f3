/**
 * One API call: its deadline, rate limit, retries, warnings and observer.
 *
 * Retried at most ten times: responses 429 and 5xx with Retry-After, after that time but at most 30 s, and GETs whose
 * connection was reset before a response, after a second. If the wait would exceed the deadline, the error is thrown
 * at once.
 */
import { maxRetryAfterMs } from '../api/error-reasons.ts'
import type { Json } from '../api/json.ts'
import type { Env } from '../env/env.ts'
import { responseError, retryAfterSeconds } from './response-error.ts'
import type { CallOptions } from './client.ts'
import { Deadline, sleep } from './deadline.ts'
import type { TokenBucket } from './rate-limit.ts'
import type { ServerWarnings } from './server-warnings.ts'
import { TransportError, type Headers, type Transport, type TransportResponse } from './transport.ts'

export type ClientVerb =
  | 'get'
  | 'list'
  | 'watch'
  | 'create'
  | 'update'
  | 'patch'
  | 'apply'
  | 'delete'
  | 'deletecollection'
  | 'raw'

/** Observes a client, for metrics. All methods are optional. Times are milliseconds. */
export interface ClientObserver {
  requestDone?(info: RequestSummary): void
  /** A request waited for the client's own rate limit. */
  limited?(info: { readonly verb: ClientVerb; readonly host: string; readonly waitedMs: number }): void
}

export interface RequestSummary {
  readonly method: string
  readonly verb: ClientVerb
  /** Host and port; `in-process` for the embedded control plane. */
  readonly host: string
  /** The HTTP status, or `<error>` without a response. */
  readonly code: string
  /** For a watch: until it was accepted. */
  readonly durationMs: number
  /** 0 for the first attempt. */
  readonly retry: number
}

export interface CallerOptions {
  readonly env: Env
  readonly transport: Transport
  readonly timeoutMs: number
  readonly userAgent: string
  readonly rateLimit: TokenBucket | undefined
  readonly warnings: ServerWarnings | undefined
  readonly observer: ClientObserver
}

export interface ClientCall {
  readonly verb: ClientVerb
  readonly method: string
  readonly path: string
  readonly headers?: Headers | undefined
  readonly body?: Json | undefined
  readonly stream?: boolean | undefined
  readonly idleTimeoutMs?: number | undefined
}

export interface Accepted {
  readonly response: TransportResponse
  /** Must be called when the stream has ended. */
  readonly release: () => void
}

/** The time limit of a call. */
interface Limit {
  readonly signal: AbortSignal | undefined
  /** Milliseconds. */
  readonly leftMs: number
}

const maxRetries = 10
const resetDelayMs = 1000
/** For one object, as for one event of a watch. */
const maxObjectBytes = 64 * 1024 * 1024

export class Caller {
  readonly #options: CallerOptions
  readonly #host: string
  readonly #headers: Headers

  constructor(options: CallerOptions) {
    this.#options = options
    this.#headers = { 'user-agent': options.userAgent }
    this.#host = options.transport.host ?? 'in-process'
  }

  /** The response, if it is a success. */
  async call(call: ClientCall, { signal, timeoutMs }: CallOptions = {}): Promise<TransportResponse> {
    const isPrompt = timeoutMs === undefined && this.#options.transport.prompt === true && call.method !== 'GET'
    if (isPrompt) return this.#tries(call, { signal, leftMs: Infinity })
    const deadline = this.#deadline(call, timeoutMs ?? this.#options.timeoutMs, signal)
    try {
      return await this.#tries(call, deadline)
    } finally {
      deadline.dispose()
    }
  }

  /** The deadline is for the acceptance; the stream then lasts until the signal aborts. */
  async stream(call: ClientCall, signal: AbortSignal | undefined): Promise<Accepted> {
    const deadline = this.#deadline(call, this.#options.timeoutMs, signal)
    try {
      const response = await this.#tries({ ...call, stream: true }, deadline)
      deadline.lift()
      return { response, release: () => deadline.dispose() }
    } catch (error) {
      deadline.dispose()
      throw error
    }
  }

  #deadline({ method, path }: ClientCall, timeoutMs: number, signal: AbortSignal | undefined): Deadline {
    return new Deadline(this.#options.env, timeoutMs, `${method} ${path} of ${this.#host}`, signal)
  }

  async #tries(call: ClientCall, deadline: Limit): Promise<TransportResponse> {
    for (let retry = 0; ; retry++) {
      const wait = await this.#try(call, deadline, retry)
      if (typeof wait !== 'number') return wait
      await sleep(this.#options.env, wait, deadline.signal)
    }
  }

  /** The response, or the milliseconds to wait before the next attempt. */
  async #try(call: ClientCall, deadline: Limit, retry: number): Promise<TransportResponse | number> {
    const { env, transport, warnings, rateLimit } = this.#options
    const { signal } = deadline
    if (rateLimit !== undefined) this.#limited(call, await rateLimit.take(signal))
    const { method, path, headers, body, stream, idleTimeoutMs } = call
    const start = env.monotonic()
    const mayRetry = (wait: number): boolean => retry < maxRetries && wait < deadline.leftMs
    let response: TransportResponse
    try {
      response = await transport.request({
        method,
        path,
        body,
        stream,
        idleTimeoutMs,
        maxResponseBytes: call.verb === 'list' || call.verb === 'raw' ? undefined : maxObjectBytes,
        signal,
        headers: headers === undefined ? this.#headers : { ...this.#headers, ...headers },
      })
    } catch (error) {
      this.#done(call, '<error>', start, retry)
      if (isReset(error) && call.method === 'GET' && mayRetry(resetDelayMs)) return resetDelayMs
      throw error
    }
    const { status } = response
    this.#done(call, String(status), start, retry)
    warnings?.read(response.headers)
    if (status >= 200 && status < 300) return response
    const seconds = status === 429 || status >= 500 ? retryAfterSeconds(response.headers) : undefined
    const waitMs = seconds === undefined ? undefined : Math.min(seconds * 1000, maxRetryAfterMs)
    if (waitMs !== undefined && mayRetry(waitMs)) return waitMs
    throw responseError(response, call.method)
  }

  #done({ method, verb }: ClientCall, code: string, start: number, retry: number): void {
    this.#options.observer.requestDone?.({
      method,
      verb,
      host: this.#host,
      code,
      durationMs: this.#options.env.monotonic() - start,
      retry,
    })
  }

  #limited({ verb }: ClientCall, waitedMs: number): void {
    this.#options.observer.limited?.({ verb, host: this.#host, waitedMs })
  }
}

/** The connection broke before a response. */
function isReset(error: unknown): boolean {
  return error instanceof TransportError && (error.code === 'ECONNRESET' || error.code === 'EPIPE')
}
