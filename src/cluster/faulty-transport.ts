/**
 * A transport with injected faults: a plan decides for each request. A fault includes whether the server has processed
 * the request, which the client cannot know.
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
import { abortError } from '../client/deadline.ts'
import type { Instance } from './embedded-handle.ts'
import { expiredWatch, FaultyWatches, type FramePlan } from './faulty-watches.ts'

export type Fault =
  /** Connection refused: the request did not arrive. */
  | { readonly type: 'refuse' }
  /** Arrives this many milliseconds later. */
  | { readonly type: 'delay'; readonly ms: number }
  /** Connection reset before the server reads the request; the client cannot know. */
  | { readonly type: 'drop-before' }
  /** Processed by the server; the answer is lost. */
  | { readonly type: 'drop-after' }
  /** Sent twice, as by a retrying proxy; the client gets the second answer. */
  | { readonly type: 'duplicate' }
  /** The server answers with this status and does nothing. */
  | { readonly type: 'answer'; readonly status: number; readonly reason?: string; readonly retryAfter?: number }
  /** A get or list answers with an older version. */
  | { readonly type: 'stale'; readonly resourceVersion: string }
  /** A watch ends after this many events: cleanly, or with a reset. */
  | { readonly type: 'cut-watch'; readonly after: number; readonly clean?: boolean }
  /**
   * Answered normally, but events of watches (`of`: those of this resource, for example `apps/deployments`) are held
   * back and then delivered at once.
   */
  | { readonly type: 'hold-watches'; readonly ms: number; readonly of?: string | undefined }
  /** The program dies, before the server reads the request or after it has processed it. Only in `embedded`. */
  | { readonly type: 'crash'; readonly when: 'before' | 'after' }
  /** Neither processed nor answered. `ended` is called when the client has given up. */
  | { readonly type: 'stall'; readonly ended: () => void }
  /** The program dies, and its request is on the way until `send` is called. Only in `embedded`. */
  | { readonly type: 'late'; readonly onTheWay: (send: () => Promise<unknown>) => void }
  /** Something happens before the request is sent. */
  | { readonly type: 'meanwhile'; readonly act: () => Promise<void> | void }
  /** Another server responds. Its watches break when `until` is aborted. */
  | { readonly type: 'elsewhere'; readonly to: Pick<Transport, 'request'>; readonly until: AbortSignal }
  /** A watch: its only event is the error 410, and it ends. */
  | { readonly type: 'expired' }
  /** Faults at the events of this watch. */
  | { readonly type: 'frames'; readonly plan: FramePlan }

/**
 * Called once for each request, in order. `index` counts from 0. `sender`: which instance of the program sends it, in
 * `embedded` only.
 */
export type FaultPlan = (request: TransportRequest, index: number, sender?: Instance) => Fault | undefined

/** `die` implements the fault `crash`. */
export function faultyTransport(inner: Transport, env: Env, plan: FaultPlan, die: () => void = noProgram): Transport {
  const watches = new FaultyWatches(env)
  let count = 0
  return {
    request: async (request) => {
      const fault = plan(request, count++)
      if (fault?.type === 'hold-watches') watches.hold(fault.ms, fault.of)
      const frames = fault?.type === 'frames' ? fault.plan : undefined
      return watches.through(request, await withFault(inner, env, request, fault, die), frames)
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
    case 'frames':
      return inner.request(request)
    case 'crash':
      if (fault.when === 'after') await served(inner, request)
      die()
      throw new TransportError('CLOSED', 'the program has died (injected fault)', fault.when === 'after')
    case 'late':
      fault.onTheWay(() => inner.request({ ...request, signal: undefined, guard: undefined }))
      die()
      throw new TransportError('CLOSED', 'the program has died (injected fault)', true)
    case 'elsewhere':
      return elsewhere(fault.to, fault.until, request)
    case 'stall':
      return stalled(request, fault.ended)
    case 'meanwhile':
      await fault.act()
      request.guard?.()
      return inner.request(request)
    case 'expired':
      return { status: 200, headers: { 'content-type': 'application/json' }, body: null, events: expiredWatch() }
    case 'refuse':
      throw new TransportError('ECONNREFUSED', 'connection refused (injected fault)', false)
    case 'drop-before':
      throw new TransportError('ECONNRESET', 'connection reset (injected fault)', true)
    case 'delay':
      await pause(env, fault.ms, request.signal)
      return inner.request(request)
    case 'drop-after':
      await served(inner, request)
      throw new TransportError('ECONNRESET', 'connection reset after the request was served (injected fault)', true)
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
    message: `injected fault: ${reason}`,
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

/** The server processes the request; the response is not read, and a watch ends. */
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

function stalled({ signal }: TransportRequest, ended: () => void): Promise<never> {
  return new Promise((_, reject) => {
    const give = (): void => {
      ended()
      reject(abortError(signal, true))
    }
    if (signal?.aborted === true) give()
    else signal?.addEventListener('abort', give, { once: true })
  })
}

/** The request at another server, whose watches break when `until` is aborted. */
export async function elsewhere(
  to: Pick<Transport, 'request'>,
  until: AbortSignal,
  request: TransportRequest,
): Promise<TransportResponse> {
  const signal = request.signal === undefined ? until : AbortSignal.any([request.signal, until])
  const response = await to.request({ ...request, signal })
  const { events } = response
  return events === undefined ? response : { ...response, events: brokenEvents(events, until) }
}

async function* brokenEvents(events: WireEvents, broken: AbortSignal): WireEvents {
  try {
    yield* events
  } catch (error) {
    if (!broken.aborted) throw error
  }
  if (broken.aborted) throw new TransportError('ECONNRESET', 'the connection is gone (injected fault)', true)
}

/** The same request with a signal of its own. */
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
  if (!clean) throw new TransportError('ECONNRESET', 'the watch was cut (injected fault)', true)
}
