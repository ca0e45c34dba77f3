/**
 * Spans for reconciles and API calls. Nothing is traced without a tracer, and no tracing library is a dependency: a few
 * lines adapt any library, as docs/reference/controller.md shows for OpenTelemetry.
 */

export type SpanAttributes = Readonly<Record<string, string | number | boolean>>

export interface Span {
  /**
   * Runs `work` so that spans started in it are children of this one. A tracer without such a context just calls
   * `work`.
   */
  within<T>(work: () => T): T
  /** Call once, with the error if there was one, and the end time in milliseconds since the epoch. Default: now. */
  end(error?: unknown, at?: number): void
}

export interface Tracer {
  /**
   * `name` is constant, details are in `attributes`. `at`: the start in milliseconds since the epoch. Default: now.
   * Must not throw.
   */
  startSpan(name: string, attributes: SpanAttributes, at?: number): Span
}

const silentSpan: Span = { within: (work) => work(), end: () => undefined }

/** Traces nothing. */
export const silentTracer: Tracer = { startSpan: () => silentSpan }
