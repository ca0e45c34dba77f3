/**
 * Faults of watches: events that are held back, for all watches or for one resource, and faults at single events. Their
 * order never changes, and nothing is left out unless the connection ends: so does a real server.
 */
import type { Env } from '../env/env.ts'
import { pause } from '../env/pause.ts'
import {
  TransportError,
  type TransportRequest,
  type TransportResponse,
  type WireEvent,
  type WireEvents,
} from '../client/transport.ts'

export type FrameFault =
  /** The connection is reset before the event arrives. */
  | { readonly type: 'cut' }
  /** This event and all that follow it arrive this many milliseconds later. */
  | { readonly type: 'delay'; readonly ms: number }
  /** The event arrives twice. */
  | { readonly type: 'duplicate' }
  /** An ERROR event with code 410 comes instead of the event, and the server ends the watch. */
  | { readonly type: 'expire' }
  /** Half-open: nothing arrives any more. `ended` is called when the client has given up the watch. */
  | { readonly type: 'silence'; readonly ended: () => void }
  /** A bookmark of the version right before the event arrives instead of it, and the server ends the watch. */
  | { readonly type: 'bookmark' }
  /** From this event on, each arrives when this many later ones have come, or after `ms`. */
  | { readonly type: 'lag'; readonly events: number; readonly ms: number }

/** Called once for each event of a watch except bookmarks, in order. `resource`: for example `apps/deployments`. */
export type FramePlan = (resource: string, event: WireEvent) => FrameFault | undefined

/** All watches of a transport. */
export class FaultyWatches {
  readonly #env: Env
  #until = 0
  #of: string | undefined

  constructor(env: Env) {
    this.#env = env
  }

  /** Holds back events of all watches, or of those of a resource. */
  hold(ms: number, of: string | undefined): void {
    this.#until = this.#env.monotonic() + ms
    this.#of = of
  }

  through({ path, signal }: TransportRequest, response: TransportResponse, plan?: FramePlan): TransportResponse {
    const { events } = response
    if (events === undefined) return response
    const resource = faultedResource(path)
    const faulty = plan === undefined ? events : this.#faulty(events, (event) => plan(resource, event), signal)
    return { ...response, events: this.#held(faulty, resource, signal) }
  }

  async *#held(events: WireEvents, resource: string, signal: AbortSignal | undefined): WireEvents {
    for await (const batch of events) {
      const left = (this.#of ?? resource) === resource ? this.#until - this.#env.monotonic() : 0
      if (left > 0) await pause(this.#env, left, signal)
      yield batch
    }
  }

  async *#faulty(
    events: WireEvents,
    plan: (event: WireEvent) => FrameFault | undefined,
    signal: AbortSignal | undefined,
  ): WireEvents {
    const lag = new Lag(this.#env, events)
    try {
      for (let batch = await lag.next(); batch !== undefined; batch = await lag.next()) {
        let passed: WireEvent[] = []
        for (const event of batch) {
          const fault = event.type === 'BOOKMARK' ? undefined : plan(event)
          if (fault?.type === 'lag') lag.begin(fault.events, fault.ms)
          if (fault === undefined || fault.type === 'lag') {
            passed.push(event)
            continue
          }
          if (passed.length > 0) yield lag.pass(passed)
          passed = []
          switch (fault.type) {
            case 'cut':
              throw new TransportError('ECONNRESET', 'the watch was cut (injected fault)', true)
            case 'delay':
              await pause(this.#env, fault.ms, signal)
              passed.push(event)
              break
            case 'duplicate':
              passed.push(event, event)
              break
            case 'expire':
              return yield [expired]
            case 'bookmark':
              return yield [bookmarkBefore(event)]
            case 'silence':
              await aborted(signal)
              fault.ended()
              return
          }
        }
        const due = lag.pass(passed)
        if (due.length > 0) yield due
      }
    } finally {
      lag.close()
    }
  }
}

/** Events that have come, and are passed on later. */
class Lag {
  readonly #env: Env
  readonly #iterator: AsyncIterator<readonly WireEvent[]>
  #coming: Promise<readonly WireEvent[] | undefined> | undefined
  readonly #kept: { readonly event: WireEvent; readonly until: number }[] = []
  #events = 0
  #ms = 0

  constructor(env: Env, events: WireEvents) {
    this.#env = env
    this.#iterator = events[Symbol.asyncIterator]()
  }

  begin(events: number, ms: number): void {
    this.#events = events
    this.#ms = ms
  }

  /** The next events; none if it is time to pass on what is kept; undefined at the end. */
  async next(): Promise<readonly WireEvent[] | undefined> {
    this.#coming ??= this.#iterator.next().then(({ done, value }) => (done === true ? undefined : value))
    const [oldest] = this.#kept
    if (oldest !== undefined) {
      const given = new AbortController()
      const came = this.#coming.then(
        () => given.abort(),
        () => given.abort(),
      )
      await Promise.race([came, pause(this.#env, oldest.until - this.#env.monotonic(), given.signal)])
      if (!given.signal.aborted) return []
    }
    const coming = this.#coming
    this.#coming = undefined
    return coming
  }

  /** What may be passed on, now that these have come. */
  pass(events: readonly WireEvent[]): readonly WireEvent[] {
    if (this.#events === 0) return events
    const until = this.#env.monotonic() + this.#ms
    for (const event of events) this.#kept.push({ event, until })
    const isReal = ({ event }: { readonly event: WireEvent }): boolean => event.type !== 'BOOKMARK'
    let more = this.#kept.filter(isReal).length - this.#events
    const due = this.#kept.findIndex((each) => isReal(each) && more-- <= 0 && each.until > this.#env.monotonic())
    return this.#kept.splice(0, due < 0 ? this.#kept.length : due).map(({ event }) => event)
  }

  close(): void {
    this.#iterator.return?.().then(undefined, () => undefined)
  }
}

/** A watch at a version that the server does not have any more: it says so in an event, and ends. */
export async function* expiredWatch(): WireEvents {
  yield [expired]
}

const expired: WireEvent = {
  type: 'ERROR',
  object: {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message: 'too old resource version (injected fault)',
    reason: 'Expired',
    code: 410,
  },
}

/** A server sends bookmarks up to the version that its watch cache has seen, whatever was changed. */
function bookmarkBefore({ object }: WireEvent): WireEvent {
  const { kind, apiVersion, metadata } = object as {
    readonly kind: string
    readonly apiVersion: string
    readonly metadata: { readonly resourceVersion: string }
  }
  const resourceVersion = String(Number(metadata.resourceVersion) - 1)
  return { type: 'BOOKMARK', object: { kind, apiVersion, metadata: { resourceVersion } } }
}

function aborted(signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted === true) resolve()
    else signal?.addEventListener('abort', () => resolve(), { once: true })
  })
}

/**
 * The resource of a path: `configmaps` for the core group, `apps/deployments`; subresources count as their resource.
 */
export function faultedResource(path: string): string {
  const [root, ...rest] = path
    .replace(/\?.*/, '')
    .split('/')
    .filter((part) => part !== '')
  const group = root === 'apis' ? `${rest.shift() ?? ''}/` : ''
  const [, first = '', , inNamespace] = rest
  return `${group}${first === 'namespaces' && inNamespace !== undefined ? inNamespace : first}`
}
