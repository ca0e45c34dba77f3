/**
 * A transport that goes wrong on purpose: each request is shown to a plan, which may answer with a fault. What the
 * server has done by then is part of the fault: that is what makes it worth testing.
 */
import { pause } from '../env/pause.ts'
import type { Env } from '../env/env.ts'
import {
  TransportError,
  type Transport,
  type TransportRequest,
  type TransportResponse,
  type WireEvents,
} from '../client/transport.ts'

export type Fault =
  /** Nobody listens: the request surely did not arrive. */
  | { readonly type: 'refuse' }
  /** Reaches the server so many milliseconds later. */
  | { readonly type: 'delay'; readonly ms: number }
  /** The connection breaks before the server reads the request; the client cannot know. */
  | { readonly type: 'drop-before' }
  /** The server has done it; the answer is lost. */
  | { readonly type: 'drop-after' }
  /** Arrives twice, as a proxy that retries would send it; the second answer is what the client sees. */
  | { readonly type: 'duplicate' }
  /** The server answers with this status and does nothing. */
  | { readonly type: 'answer'; readonly status: number; readonly reason?: string; readonly retryAfter?: number }
  /** A list or a get is answered as of an older version. */
  | { readonly type: 'stale'; readonly resourceVersion: string }
  /** A watch ends after so many events: cleanly, or broken. */
  | { readonly type: 'cut-watch'; readonly after: number; readonly clean?: boolean }
  /**
   * Answered as always; but what watches (`of`: those of this resource, as `apps/deployments`) tell from now on arrives
   * later, all at once.
   */
  | { readonly type: 'hold-watches'; readonly ms: number; readonly of?: string | undefined }
  /**
   * The program dies, before the server reads the request or after it has done it. Where there is a program: in
   * `embedded`.
   */
  | { readonly type: 'crash'; readonly when: 'before' | 'after' }

/** Called once per request, in order. `index` counts them from 0. */
export type FaultPlan = (request: TransportRequest, index: number) => Fault | undefined

/** `die` is what the fault `crash` calls. */
export function faultyTransport(inner: Transport, env: Env, plan: FaultPlan, die: () => void = noProgram): Transport {
  const watches = new HeldWatches(env)
  let count = 0
  return {
    request: async (request) => {
      const fault = plan(request, count++)
      if (fault?.type === 'hold-watches') watches.hold(fault.ms, fault.of)
      return watches.through(request, await withFault(inner, env, request, fault, die))
    },
    close: () => inner.close(),
  }
}

async function withFault(
  inner: Transport,
  env: Env,
  request: TransportRequest,
  fault: Fault | undefined,
  die: () => void,
): Promise<TransportResponse> {
  switch (fault?.type) {
    case undefined:
    case 'hold-watches':
      return inner.request(request)
    case 'crash':
      if (fault.when === 'after') await served(inner, request)
      die()
      throw new TransportError('CLOSED', 'the program has died (a fault that was asked for)', fault.when === 'after')
    case 'refuse':
      throw new TransportError('ECONNREFUSED', 'connection refused (a fault that was asked for)', false)
    case 'drop-before':
      throw new TransportError('ECONNRESET', 'connection reset (a fault that was asked for)', true)
    case 'delay':
      await pause(env, fault.ms, request.signal)
      return inner.request(request)
    case 'drop-after':
      await served(inner, request)
      throw new TransportError(
        'ECONNRESET',
        'connection reset after the request was served (a fault that was asked for)',
        true,
      )
    case 'duplicate':
      await served(inner, request)
      return inner.request(request)
    case 'answer':
      return statusAnswer(fault.status, fault.reason, fault.retryAfter)
    case 'stale':
      return inner.request({ ...request, path: asOf(request.path, fault.resourceVersion) })
    case 'cut-watch':
      return cut(inner, request, fault.after, fault.clean ?? false)
  }
}

const reasons: Readonly<Record<number, string>> = {
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'NotFound',
  409: 'Conflict',
  410: 'Expired',
  429: 'TooManyRequests',
  500: 'InternalError',
  503: 'ServiceUnavailable',
  504: 'Timeout',
}

function statusAnswer(code: number, reason: string = reasons[code] ?? '', retryAfter?: number): TransportResponse {
  const details = retryAfter === undefined ? {} : { details: { retryAfterSeconds: retryAfter } }
  const body = {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message: `a fault that was asked for: ${reason}`,
    reason,
    code,
    ...details,
  }
  const headers = retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) }
  return { status: code, headers: { 'content-type': 'application/json', ...headers }, body }
}

function asOf(path: string, resourceVersion: string): string {
  const url = new URL(path, 'http://local')
  url.searchParams.set('resourceVersion', resourceVersion)
  if (!url.searchParams.has('watch')) url.searchParams.set('resourceVersionMatch', 'Exact')
  return `${url.pathname}${url.search}`
}

/** The server does it; nobody reads the answer, and a watch ends. */
async function served(inner: Transport, request: TransportRequest): Promise<void> {
  const { request: own, end } = endable(request)
  await inner.request(own)
  end()
}

async function cut(
  inner: Transport,
  request: TransportRequest,
  after: number,
  clean: boolean,
): Promise<TransportResponse> {
  const { request: own, end } = endable(request)
  const response = await inner.request(own)
  const { events } = response
  return events === undefined ? response : { ...response, events: cutEvents(events, after, clean, end) }
}

function noProgram(): never {
  throw new Error('the fault crash needs a program that can die: use embedded()')
}

/** All watches of a transport, which can be made to wait. */
class HeldWatches {
  readonly #env: Env
  #until = 0
  #of: string | undefined

  constructor(env: Env) {
    this.#env = env
  }

  hold(ms: number, of: string | undefined): void {
    this.#until = this.#env.now() + ms
    this.#of = of
  }

  through({ path, signal }: TransportRequest, response: TransportResponse): TransportResponse {
    return response.events === undefined
      ? response
      : { ...response, events: this.#held(response.events, resourceOf(path), signal) }
  }

  async *#held(events: WireEvents, resource: string, signal: AbortSignal | undefined): WireEvents {
    for await (const batch of events) {
      const left = (this.#of ?? resource) === resource ? this.#until - this.#env.now() : 0
      if (left > 0) await pause(this.#env, left, signal)
      yield batch
    }
  }
}

/**
 * Which resource a path is about: `configmaps` of the core group, `apps/deployments`; subresources belong to their
 * resource.
 */
export function resourceOf(path: string): string {
  const [root, ...rest] = path
    .replace(/\?.*/, '')
    .split('/')
    .filter((part) => part !== '')
  const group = root === 'apis' ? `${rest.shift() ?? ''}/` : ''
  const [, first = '', , inNamespace] = rest
  return `${group}${first === 'namespaces' && inNamespace !== undefined ? inNamespace : first}`
}

/** The same request, which can be ended without the caller's doing. */
function endable(request: TransportRequest): { readonly request: TransportRequest; readonly end: () => void } {
  const own = new AbortController()
  const signal = request.signal === undefined ? own.signal : AbortSignal.any([request.signal, own.signal])
  return { request: { ...request, signal }, end: () => own.abort() }
}

async function* cutEvents(events: WireEvents, after: number, clean: boolean, end: () => void): WireEvents {
  let left = after
  try {
    for await (const batch of left > 0 ? events : []) {
      yield batch.slice(0, left)
      left -= batch.length
      if (left <= 0) break
    }
  } finally {
    end()
  }
  if (!clean) throw new TransportError('ECONNRESET', 'the watch was cut (a fault that was asked for)', true)
}
