/**
 * The transport to a control plane in the same process: requests and responses are values, without sockets or JSON
 * text. Returned objects are frozen and shared with the server's store.
 */
import type { FrozenJson, Json } from '../api/json.ts'
import { abortError, closedError, LinkedSignal } from './deadline.ts'
import type { Headers, Transport, TransportRequest, TransportResponse, WireEvents } from './transport.ts'

/** The transport function of the embedded control plane; only its shape matters. */
export type InProcessServer = (request: {
  readonly method: string
  readonly path: string
  readonly headers?: Headers
  readonly body?: Json
  readonly signal?: AbortSignal
}) => Promise<{
  readonly status: number
  readonly headers: Headers
  readonly body: FrozenJson
  readonly events?: { batches(): WireEvents }
}>

/** `inProcessTransport(plane.transport())` */
export function inProcessTransport(server: InProcessServer): Transport {
  return new InProcessTransport(server)
}

class InProcessTransport implements Transport {
  readonly prompt = true
  readonly #server: InProcessServer
  readonly #closing = new AbortController()

  constructor(server: InProcessServer) {
    this.#server = server
  }

  async request(request: TransportRequest): Promise<TransportResponse> {
    if (request.stream === true) return this.#stream(request)
    this.#check(request.signal, false)
    const { status, headers, body } = await this.#server(valueOf(request, request.signal))
    this.#check(request.signal, true)
    return { status, headers, body }
  }

  async close(): Promise<void> {
    this.#closing.abort(closedError())
  }

  async #stream(request: TransportRequest): Promise<TransportResponse> {
    const link = new LinkedSignal(request.signal, this.#closing.signal)
    let isOpen = false
    try {
      this.#check(link.signal, false)
      const { events, ...response } = await this.#server(valueOf(request, link.signal))
      this.#check(link.signal, true)
      isOpen = events !== undefined
      return events === undefined ? response : { ...response, events: streamOf(events.batches(), link) }
    } finally {
      if (!isOpen) link.dispose()
    }
  }

  /** The server does not wait for aborted requests, so checking before and after is enough. */
  #check(signal: AbortSignal | undefined, sent: boolean): void {
    if (signal?.aborted === true) throw abortError(signal, sent)
    if (this.#closing.signal.aborted) throw abortError(this.#closing.signal, sent)
  }
}

type ServerRequest = {
  -readonly [Field in keyof Parameters<InProcessServer>[0]]: Parameters<InProcessServer>[0][Field]
}

function valueOf({ method, path, headers, body }: TransportRequest, signal: AbortSignal | undefined): ServerRequest {
  const request: ServerRequest = { method, path }
  if (headers !== undefined) request.headers = headers
  if (body !== undefined) request.body = asOnTheWire(body)
  if (signal !== undefined) request.signal = signal
  return request
}

/** Ends normally if the server ends the watch, with an error if this side does. */
async function* streamOf(batches: WireEvents, link: LinkedSignal): WireEvents {
  try {
    yield* batches
    if (link.signal.aborted) throw abortError(link.signal, true)
  } finally {
    link.dispose()
  }
}

/** The value as JSON would represent it: without undefined fields. Copied only if needed. */
function asOnTheWire(body: Json): Json {
  return isPlain(body) ? body : (JSON.parse(JSON.stringify(body)) as Json)
}

function isPlain(value: unknown): boolean {
  if (typeof value === 'number') return Number.isFinite(value)
  if (typeof value !== 'object' || value === null)
    return typeof value === 'string' || typeof value === 'boolean' || value === null
  if (Array.isArray(value)) return value.every(isPlain)
  const prototype: unknown = Object.getPrototypeOf(value)
  if (prototype !== Object.prototype && prototype !== null) return false
  for (const name in value) if (!isPlain((value as Record<string, unknown>)[name])) return false
  return true
}
