/** The metrics of clients, with client-go's names. */
import type { ClientObserver } from '../client/caller.ts'
import type { Metrics } from './metrics.ts'

const seconds = [0.005, 0.025, 0.1, 0.25, 0.5, 1, 2, 4, 8, 15, 30, 60]

export function clientMetrics(metrics: Metrics): ClientObserver {
  const requests = metrics.counter({ name: 'rest_client_requests_total', help: 'Requests by status code, method and host.', labels: ['code', 'method', 'host'] })
  const durations = metrics.histogram({ name: 'rest_client_request_duration_seconds', help: 'How long a request takes.', labels: ['verb', 'host'], buckets: seconds })
  const retries = metrics.counter({ name: 'rest_client_request_retries_total', help: 'Requests that were sent again.', labels: ['code', 'verb', 'host'] })
  const limited = metrics.histogram({ name: 'rest_client_rate_limiter_duration_seconds', help: 'How long a request waits for the own rate limit.', labels: ['verb', 'host'], buckets: seconds })
  return {
    requestDone({ code, method, verb, host, duration, retry }) {
      requests.inc({ code, method, host })
      durations.observe({ verb, host }, duration / 1000)
      if (retry > 0) retries.inc({ code, verb, host })
    },
    limited: ({ verb, host, waited }) => limited.observe({ verb, host }, waited / 1000),
  }
}
