/** Emits a trace as spans of a tracing system: one for the run, one for each step, one for each API call. */
import type { SpanAttributes, Tracer } from '../telemetry/tracer.ts'
import type { ErrorTrace, Trace, TraceEntry, TraceValue } from './trace.ts'

/** Emits the spans afterwards, with their original times, as children of the tracer's active span. */
export function emitSpans(trace: Trace, tracer: Tracer): void {
  const {
    id,
    controller,
    kind,
    namespace,
    name,
    attempt,
    triggers,
    triggerCount,
    started,
    ms,
    result,
    error,
    entries,
  } = trace
  const attributes = defined({
    reconcileId: id,
    controller,
    'k8s.object.kind': kind,
    'k8s.namespace.name': namespace,
    'k8s.object.name': name,
    attempt,
    result,
    triggers: triggers.map((trigger) => `${trigger.verb} ${trigger.kind} ${trigger.name}`).join(', '),
    triggerCount,
  })
  const emit = (
    span: string,
    at: number,
    durationMs: number,
    facts: SpanAttributes,
    failure?: ErrorTrace,
    children: readonly TraceEntry[] = [],
  ): void => {
    const open = tracer.startSpan(span, facts, started + at)
    open.within(() => children.forEach(emitEntry))
    open.end(failure === undefined ? undefined : asError(failure), started + at + durationMs)
  }
  const emitEntry = (entry: TraceEntry): void => {
    switch (entry.type) {
      case 'step':
        return emit(
          'step',
          entry.at,
          entry.ms,
          defined({
            step: entry.name,
            outcome: entry.outcome,
            why: entry.why,
            to: entry.to,
            after: entry.after,
            ...prefixed('input', entry.inputs),
            ...prefixed('note', entry.notes),
          }),
          entry.error,
          entry.entries,
        )
      case 'call':
        return emit(
          'call',
          entry.at,
          entry.ms,
          defined({
            verb: entry.verb,
            [entry.external === true ? 'peer.service' : 'k8s.object.kind']: entry.kind,
            'k8s.namespace.name': entry.namespace,
            'k8s.object.name': entry.name,
            subresource: entry.subresource,
            sent: entry.sent,
            outcome: entry.outcome,
            culprit: entry.culprit,
            changes: entry.changes.map(({ path }) => path).join(', '),
          }),
          entry.error,
        )
      case 'transition':
        return emit('transition', entry.at, 0, {
          machine: entry.machine,
          from: entry.from,
          to: entry.to,
          why: entry.why,
        })
      case 'event':
        return emit('event', entry.at, 0, { type: entry.eventType, reason: entry.reason, message: entry.message })
    }
  }
  emit('run', 0, ms, attributes, error, entries)
}

function defined(facts: Readonly<Record<string, TraceValue | undefined>>): SpanAttributes {
  return Object.fromEntries(
    Object.entries(facts).filter((entry): entry is [string, TraceValue] => entry[1] !== undefined && entry[1] !== ''),
  )
}

function prefixed(prefix: string, values: Readonly<Record<string, TraceValue>> = {}): Record<string, TraceValue> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [`${prefix}.${name}`, value]))
}

function asError({ name, message }: ErrorTrace): Error {
  return Object.assign(new Error(message), { name })
}
