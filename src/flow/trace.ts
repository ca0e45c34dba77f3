/**
 * What one run of a flow did, as data: readable by people, safe to keep and to send. Values are cut short, secrets are
 * masked, and a run that does too much is cut off and says by how much.
 */

/** Of the file format, and in each trace. */
export const traceVersion = 'coxswain.dev/trace/v1'

export type TraceValue = string | number | boolean

/** Times `at` are milliseconds since the run began, `ms` are durations. */
export interface Trace {
  readonly version: typeof traceVersion
  /** Of a reconcile: its reconcileID. */
  readonly id: string
  readonly controller?: string | undefined
  readonly kind?: string | undefined
  readonly namespace?: string | undefined
  readonly name?: string | undefined
  /** 1 for a first try, higher after failures. */
  readonly attempt: number
  /** The first reasons for the run, and how many there were. */
  readonly triggers: readonly TriggerTrace[]
  readonly triggerCount: number
  /** Milliseconds since the epoch. */
  readonly started: number
  readonly ms: number
  readonly result: 'done' | 'wait' | 'error'
  /** Of a wait: when it comes again, in milliseconds. */
  readonly after?: number | undefined
  readonly error?: ErrorTrace | undefined
  readonly entries: readonly TraceEntry[]
  /** Entries that were left out, because there were too many. */
  readonly dropped: number
}

export interface TriggerTrace {
  readonly verb: string
  readonly kind: string
  readonly namespace?: string | undefined
  readonly name: string
  readonly changed: readonly string[]
}

export interface ErrorTrace {
  readonly name: string
  readonly message: string
}

export type TraceEntry = StepTrace | TransitionTrace | CallTrace | EventTrace

export interface StepTrace {
  readonly type: 'step'
  readonly name: string
  readonly at: number
  readonly ms: number
  readonly inputs?: Readonly<Record<string, TraceValue>> | undefined
  /** Notes of the step. */
  readonly notes?: Readonly<Record<string, TraceValue>> | undefined
  readonly outcome: 'next' | 'done' | 'wait' | 'goto' | 'error'
  readonly why?: string | undefined
  /** Of a wait: milliseconds. */
  readonly after?: number | undefined
  /** Of a goto. */
  readonly to?: string | undefined
  readonly error?: ErrorTrace | undefined
  readonly entries: readonly TraceEntry[]
}

export interface TransitionTrace {
  readonly type: 'transition'
  readonly machine: string
  readonly from: string
  readonly to: string
  readonly why: string
  readonly at: number
}

/** A call to the API, or one that was saved because all was as wanted. */
export interface CallTrace {
  readonly type: 'call'
  readonly verb: string
  readonly kind: string
  readonly subresource?: string | undefined
  readonly namespace?: string | undefined
  readonly name?: string | undefined
  readonly at: number
  readonly ms: number
  /** False: nothing was sent. */
  readonly sent: boolean
  /**
   * As `created`, `updated`, `unchanged`, `drift`, `deleted`, `read`; `error`; `unfinished`: the step did not wait for
   * it.
   */
  readonly outcome: string
  /** Of a drift: the field manager that caused it. */
  readonly culprit?: string | undefined
  readonly changes: readonly FieldChange[]
  readonly error?: ErrorTrace | undefined
}

/** JSON, cut short. Absent: there was, or is, no such field. */
export interface FieldChange {
  readonly path: string
  readonly before?: string | undefined
  readonly after?: string | undefined
}

export interface EventTrace {
  readonly type: 'event'
  readonly eventType: string
  readonly reason: string
  readonly message: string
  readonly at: number
}

/** Keeps traces, or sends them on. Must not throw. */
export interface TraceSink {
  add(trace: Trace): void
}
