/** The metrics of clients, with client-go's names. */
import type { ClientObserver } from '../client/caller.ts'
import type { Metrics } from './metrics.ts'

const seconds = [0.005, 0.025, 0.1, 0.25, 0.5, 1, 2, 4, 8, 15, 30, 60]

export function clientMetrics(metrics: Metrics): ClientObserver {
  const counter = <Name extends string>(name: string, labels: readonly Name[], help: string) =>
    metrics.counter({ name, help, labels })
  const time = <Name extends string>(name: string, labels: readonly Name[], help: string) =>
    metrics.histogram({ name, help, labels, buckets: seconds })
  const requests = counter(
    'rest_client_requests_total',
    ['code', 'method', 'host'],
    'Requests by status code, method and host.',
  )
  const durations = time('rest_client_request_duration_seconds', ['verb', 'host'], 'How long a request takes.')
  const retries = counter(
    'rest_client_request_retries_total',
    ['code', 'verb', 'host'],
    'Requests that were sent again.',
  )
  const limited = time(
    'rest_client_rate_limiter_duration_seconds',
    ['verb', 'host'],
    'How long a request waits for the own rate limit.',
  )
  return {
    requestDone({ code, method, verb, host, durationMs, retry }) {
      requests.inc({ code, method, host })
      durations.observe({ verb, host }, durationMs / 1000)
      if (retry > 0) retries.inc({ code, verb, host })
    },
    limited: ({ verb, host, waitedMs }) => limited.observe({ verb, host }, waitedMs / 1000),
  }
}
