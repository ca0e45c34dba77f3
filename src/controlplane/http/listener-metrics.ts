/** `/metrics` of the server, in the text format of Prometheus: the longest turn, and what clients use. */
import type { ApiRequest, ApiResponse } from '../contract/request.ts'
import type { MeasuredListener } from './listener.ts'

interface Metric {
  readonly name: string
  readonly type: 'gauge' | 'counter'
  readonly help: string
  readonly value: (listener: MeasuredListener) => number
}

const prefix = 'coxswain_apiserver_'

/** Values of several listeners are added, except the longest turn. */
const metrics: readonly Metric[] = [
  gauge('connections', 'Open connections.', ({ clients }) => clients.counts.connections),
  gauge('requests_in_flight', 'Requests in flight, without watches.', ({ clients }) => clients.counts.requests),
  gauge('watches', 'Open watches and followed logs.', ({ clients }) => clients.counts.watches),
  gauge('buffered_bytes', 'Output that clients have not read yet.', ({ clients }) => clients.counts.bufferedBytes),
  counter('rejected_requests_total', 'Requests answered with 429.', ({ clients }) => clients.counts.rejectedRequests),
  counter(
    'closed_connections_total',
    'Connections that were closed because a client used too much memory or did not read, or for lack of connections.',
    ({ clients }) => clients.counts.closedConnections,
  ),
]

function gauge(name: string, help: string, value: Metric['value']): Metric {
  return { name, type: 'gauge', help, value }
}

function counter(name: string, help: string, value: Metric['value']): Metric {
  return { name, type: 'counter', help, value }
}

/** The response to `GET /metrics`; undefined for other requests. */
export function metricsResponse(
  { method, path }: ApiRequest,
  listeners: ReadonlySet<MeasuredListener>,
): ApiResponse | undefined {
  if (path !== '/metrics' || method !== 'GET') return undefined
  let longestMs = 0
  for (const { turns } of listeners) longestMs = Math.max(longestMs, turns.longestMs)
  const lines = sample(
    'longest_turn_seconds',
    'gauge',
    'The longest time for which the server has handled requests without reading input.',
    longestMs / 1000,
  )
  for (const { name, type, help, value } of metrics) {
    let sum = 0
    for (const listener of listeners) sum += value(listener)
    lines.push(...sample(name, type, help, sum))
  }
  const contentType = 'text/plain; version=0.0.4; charset=utf-8'
  return { type: 'text', status: 200, contentType, body: `${lines.join('\n')}\n` }
}

function sample(name: string, type: string, help: string, value: number): string[] {
  return [`# HELP ${prefix}${name} ${help}`, `# TYPE ${prefix}${name} ${type}`, `${prefix}${name} ${value}`]
}
