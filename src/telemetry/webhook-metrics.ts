/** The metrics of webhooks: controller-runtime's names and labels. */
import type { Counter, Gauge, Histogram, Metrics } from './metrics.ts'

export interface WebhookMetrics {
  readonly seconds: Histogram<'webhook'>
  readonly requests: Counter<'webhook' | 'code'>
  readonly inFlight: Gauge<'webhook'>
  readonly panics: Counter<never>
  readonly conversionPanics: Counter<never>
}

export function webhookMetrics(metrics: Metrics): WebhookMetrics {
  const webhook = ['webhook'] as const
  const panics = metrics.counter<never>({
    name: 'controller_runtime_webhook_panics_total',
    help: 'Admission handlers that threw.',
  })
  const conversionPanics = metrics.counter<never>({
    name: 'controller_runtime_conversion_webhook_panics_total',
    help: 'Conversions that threw.',
  })
  panics.inc({}, 0)
  conversionPanics.inc({}, 0)
  return {
    seconds: metrics.histogram({
      name: 'controller_runtime_webhook_latency_seconds',
      help: 'How long an answer takes.',
      labels: webhook,
      buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    }),
    requests: metrics.counter({
      name: 'controller_runtime_webhook_requests_total',
      help: 'Reviews by the code of their answer.',
      labels: ['webhook', 'code'],
    }),
    inFlight: metrics.gauge({
      name: 'controller_runtime_webhook_requests_in_flight',
      help: 'Reviews that are being answered.',
      labels: webhook,
    }),
    panics,
    conversionPanics,
  }
}
