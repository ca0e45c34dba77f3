/** Logs, metrics and spans. */
export { createLogger } from './log-writer.ts'
export type { LogFields, LogLevel } from './logger.ts'
export { Metrics } from './metrics.ts'
export { tracedTransport } from './traced-transport.ts'
export { silentTracer } from './tracer.ts'
export type { Span, Tracer } from './tracer.ts'
