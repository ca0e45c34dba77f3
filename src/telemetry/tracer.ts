/**
 * Spans around reconciles and API calls. Nothing is traced unless a tracer is given, and none is a dependency: a few lines
 * make one from any tracing library, as docs/controller.md shows for OpenTelemetry.
 */

export type SpanAttributes = Readonly<Record<string, string | number | boolean>>

export interface Span {
  /** Runs `work` so that spans started in it are children of this one. What has no notion of that just runs it. */
  within<T>(work: () => T): T
  /** Once. With what was thrown, if anything was. */
  end(error?: unknown): void
}

export interface Tracer {
  /** A constant `name`, and what is particular in `attributes`. Must not throw. */
  startSpan(name: string, attributes: SpanAttributes): Span
}

const silentSpan: Span = { within: (work) => work(), end: () => undefined }

/** Traces nothing. */
export const silentTracer: Tracer = { startSpan: () => silentSpan }
