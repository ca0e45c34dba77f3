/** A transport that injects faults of networks and servers. */
import type { ApiError, Status } from '../../api/status.ts'
import {
  TransportError,
  type Transport,
  type TransportRequest,
  type TransportResponse,
  type WireEvent,
  type WireEvents,
} from '../../client/transport.ts'

/** Replaces the response to a request; undefined: the request is sent. */
export type Fault = (request: TransportRequest) => TransportResponse | TransportError | undefined

export class FaultyTransport implements Transport {
  /** Can be replaced: another server at the same address. */
  inner: Transport
  readonly streams = new Set<FaultyStream>()
  /** Called for each request. */
  fault: Fault = () => undefined
  /** Changes the events of watches. */
  rewrite: (path: string, batch: readonly WireEvent[]) => readonly WireEvent[] = (_path, batch) => batch
  /** Called with each watch that the server accepts, before it is read. */
  onStream: (stream: FaultyStream) => void = () => undefined

  constructor(inner: Transport) {
    this.inner = inner
  }

  async request(request: TransportRequest): Promise<TransportResponse> {
    const fault = this.fault(request)
    if (fault instanceof TransportError) throw fault
    if (fault !== undefined) return fault
    const connection = new AbortController()
    const close = (): void => connection.abort()
    request.signal?.addEventListener('abort', close, { once: true })
    const response = await this.inner.request({ ...request, signal: connection.signal })
    if (response.events === undefined) {
      request.signal?.removeEventListener('abort', close)
      return response
    }
    const rewrite = (batch: readonly WireEvent[]): readonly WireEvent[] => this.rewrite(request.path, batch)
    const stream = new FaultyStream(response.events, request.path, rewrite, () => {
      this.streams.delete(stream)
      request.signal?.removeEventListener('abort', close)
      close()
    })
    this.streams.add(stream)
    this.onStream(stream)
    return { ...response, events: stream.read(request.signal) }
  }

  close(): Promise<void> {
    return this.inner.close()
  }
}

type Command = 'end' | 'cut' | 'stall' | 'repeat' | 'tear'

export class FaultyStream {
  readonly path: string
  readonly #events: WireEvents
  readonly #rewrite: (batch: readonly WireEvent[]) => readonly WireEvent[]
  readonly #onEnd: () => void
  readonly #commands: (Command | readonly WireEvent[])[] = []
  readonly #held: WireEvent[] = []
  #isHeld = false
  #wake: () => void = () => undefined

  constructor(
    events: WireEvents,
    path: string,
    rewrite: (batch: readonly WireEvent[]) => readonly WireEvent[],
    onEnd: () => void,
  ) {
    this.#events = events
    this.#rewrite = rewrite
    this.path = path
    this.#onEnd = onEnd
  }

  /**
   * `end`: the server ends the watch. `cut`: the connection is reset. `stall`: no more data arrives. `repeat`: the last
   * event is repeated. `tear`: only the first half of the next batch arrives, then the connection is reset.
   */
  report(command: Command): void {
    this.#commands.push(command)
    this.#wake()
  }

  /** Holds events back, as a slow network does. */
  hold(): void {
    this.#isHeld = true
  }

  /** Releases the held events; only the first `count` if given. */
  release(count = Infinity): void {
    const events = this.#held.splice(0, count)
    this.#isHeld = count < Infinity
    if (events.length > 0) this.inject(...events)
  }

  /** Adds events that the server did not send. */
  inject(...events: readonly WireEvent[]): void {
    this.#commands.push(events)
    this.#wake()
  }

  async *read(signal: AbortSignal | undefined): WireEvents {
    const iterator = this.#events[Symbol.asyncIterator]()
    let coming = iterator.next()
    let last: WireEvent | undefined
    let isTorn = false
    try {
      for (;;) {
        const reported = new Promise<'told'>((resolve) => {
          this.#wake = () => resolve('told')
        })
        const command = this.#commands.shift()
        if (command === 'end') return
        if (command === 'cut') throw reset()
        if (command === 'tear') isTorn = true
        else if (command === 'stall') await aborted(signal)
        else if (command === 'repeat') {
          if (last !== undefined) yield [last]
        } else if (command !== undefined) {
          yield command
        }
        if (command !== undefined) continue
        const next = await Promise.race([coming, reported])
        if (next === 'told') continue
        if (next.done === true) return
        const batch = this.#rewrite(next.value)
        if (this.#isHeld) {
          this.#held.push(...batch)
          coming = iterator.next()
          continue
        }
        if (isTorn) {
          if (batch.length > 1) yield batch.slice(0, Math.floor(batch.length / 2))
          throw reset()
        }
        last = batch.at(-1) ?? last
        yield batch
        coming = iterator.next()
      }
    } finally {
      this.#onEnd()
      coming.catch(() => undefined)
    }
  }
}

function reset(): TransportError {
  return new TransportError('ECONNRESET', 'read ECONNRESET', true)
}

/** Never resolves: a dead connection shows nothing until it is aborted. */
function aborted(signal: AbortSignal | undefined): Promise<never> {
  return new Promise((_resolve, reject) => {
    const fail = (): void => reject(new TransportError('ABORTED', 'aborted', true))
    if (signal?.aborted === true) fail()
    else signal?.addEventListener('abort', fail, { once: true })
  })
}

export const connectionRefused = (): TransportError => new TransportError('ECONNREFUSED', 'connect ECONNREFUSED', false)

export function rejection(
  code: number,
  reason: string,
  more: Partial<Status> = {},
  headers: Record<string, string> = {},
): TransportResponse {
  const status: Status = {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message: reason,
    reason,
    code,
    ...more,
  }
  return { status: code, headers, body: status }
}

export function answerOf(error: ApiError): TransportResponse {
  return { status: error.code, headers: {}, body: error.status }
}
