/**
 * Spans around reconciles and API calls. Nothing is traced unless a tracer is given, and none is a dependency: a few
 * lines make one from any tracing library, as docs/reference/controller.md shows for OpenTelemetry.
 */

export type SpanAttributes = Readonly<Record<string, string | number | boolean>>

export interface Span {
  /** Runs `work` so that spans started in it are children of this one. What has no notion of that just runs it. */
  within<T>(work: () => T): T
  /** Once. With what was thrown, if anything was, and when it was, in milliseconds since the epoch. Default: now. */
  end(error?: unknown, at?: number): void
}

export interface Tracer {
  /**
   * A constant `name`, what is particular in `attributes`, and when it began, in milliseconds since the epoch. Default:
   * now. Must not throw.
   */
  startSpan(name: string, attributes: SpanAttributes, at?: number): Span
}

const silentSpan: Span = { within: (work) => work(), end: () => undefined }

/** Traces nothing. */
export const silentTracer: Tracer = { startSpan: () => silentSpan }
