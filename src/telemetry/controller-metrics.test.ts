/**
 * The names, labels and buckets that dashboards for controller-runtime and client-go expect, and the five plain names.
 */
import { describe, expect, it } from 'vitest'
import { clientMetrics } from './client-metrics.ts'
import { controllerMetrics } from './controller-metrics.ts'
import { Metrics } from './metrics.ts'

function everything(): string {
  const metrics = new Metrics()
  const all = controllerMetrics(metrics)
  const labels = {
    controller: 'c',
    name: 'c',
    result: 'success',
    priority: '0',
    kind: 'K',
    verb: 'add',
    why: 'spam',
    role: 'leader',
  }
  for (const metric of [...Object.values(all), ...Object.values(all.plain)]) {
    if ('inc' in metric) metric.inc(labels, 1)
    else if ('set' in metric) metric.set(labels, 1)
    else if ('observe' in metric) metric.observe(labels, 0.2)
  }
  const client = clientMetrics(metrics)
  client.requestDone?.({ code: '200', method: 'GET', verb: 'get', host: 'h', durationMs: 5, retry: 1 })
  client.limited?.({ verb: 'get', host: 'h', waitedMs: 5 })
  return metrics.text()
}

const text = everything()
const labelsOf = (name: string): string[] => {
  const line = text.split('\n').find((each) => each.startsWith(`${name}{`) || each.startsWith(`${name}_count{`))
  return [.../(\w+)="/g[Symbol.matchAll](line ?? '')].map(([, label]) => label as string)
}

describe('metrics', () => {
  it.each([
    ['controller_runtime_reconcile_total', 'counter', ['controller', 'result']],
    ['controller_runtime_reconcile_errors_total', 'counter', ['controller']],
    ['controller_runtime_terminal_reconcile_errors_total', 'counter', ['controller']],
    ['controller_runtime_reconcile_panics_total', 'counter', ['controller']],
    ['controller_runtime_reconcile_timeouts_total', 'counter', ['controller']],
    ['controller_runtime_max_concurrent_reconciles', 'gauge', ['controller']],
    ['controller_runtime_active_workers', 'gauge', ['controller']],
    ['controller_runtime_reconcile_time_seconds', 'histogram', ['controller']],
    ['workqueue_depth', 'gauge', ['name', 'controller', 'priority', 'role']],
    ['workqueue_adds_total', 'counter', ['name', 'controller']],
    ['workqueue_retries_total', 'counter', ['name', 'controller']],
    ['workqueue_queue_duration_seconds', 'histogram', ['name', 'controller']],
    ['workqueue_work_duration_seconds', 'histogram', ['name', 'controller']],
    ['workqueue_unfinished_work_seconds', 'gauge', ['name', 'controller']],
    ['workqueue_longest_running_processor_seconds', 'gauge', ['name', 'controller']],
    ['rest_client_requests_total', 'counter', ['code', 'method', 'host']],
    ['rest_client_request_duration_seconds', 'histogram', ['verb', 'host']],
    ['rest_client_request_retries_total', 'counter', ['code', 'verb', 'host']],
    ['rest_client_rate_limiter_duration_seconds', 'histogram', ['verb', 'host']],
    ['controller_workqueue_depth', 'gauge', ['controller', 'role']],
    ['controller_workqueue_adds_total', 'counter', ['controller']],
    ['controller_workqueue_retries_total', 'counter', ['controller']],
    ['controller_reconcile_errors_total', 'counter', ['controller']],
    ['controller_reconcile_time_seconds', 'histogram', ['controller']],
  ])('the metric %s is a %s by %s', (name, type, labels) => {
    expect(text).toContain(`# TYPE ${name} ${type}\n`)
    expect(labelsOf(name)).toEqual(labels)
  })

  it('the metric have the buckets of controller-runtime and of its queues', () => {
    const bounds = (name: string) =>
      [...text.matchAll(new RegExp(`^${name}_bucket\\{.*le="([^"]+)"`, 'gm'))].map(([, bound]) => bound)
    expect(bounds('controller_runtime_reconcile_time_seconds').join(' ')).toBe(
      '0.005 0.01 0.025 0.05 0.1 0.15 0.2 0.25 0.3 0.35 0.4 0.45 0.5 0.6 0.7 0.8 0.9 1 1.25 1.5 1.75 2 2.5 3 ' +
        '3.5 4 4.5 5 6 7 8 9 10 15 20 25 30 40 50 60 +Inf',
    )
    expect(bounds('workqueue_queue_duration_seconds').map(Number)).toEqual([
      1e-8,
      1e-7,
      1e-6,
      1e-5,
      1e-4,
      1e-3,
      0.01,
      0.1,
      1,
      10,
      100,
      1000,
      Number.NaN,
    ])
  })
})
