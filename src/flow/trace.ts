/**
 * The trace of one run of a flow, as data: readable, safe to store and to send. Values are truncated, secrets are
 * masked, and surplus entries of a long run are dropped and counted.
 */

/** The version of the file format, in each trace. */
export const traceVersion = 'coxswain.dev/trace/v1'

export type TraceValue = string | number | boolean

/** Times `at` are milliseconds since the start of the run, `ms` are durations. */
export interface Trace {
  readonly version: typeof traceVersion
  /** For a reconcile, its reconcileID. */
  readonly id: string
  readonly controller?: string | undefined
  readonly kind?: string | undefined
  readonly namespace?: string | undefined
  readonly name?: string | undefined
  /** 1 for the first attempt, higher after failures. */
  readonly attempt: number
  /** The first triggers of the run, and their number. */
  readonly triggers: readonly TriggerTrace[]
  readonly triggerCount: number
  /** Milliseconds since the epoch. */
  readonly started: number
  readonly ms: number
  readonly result: 'done' | 'wait' | 'error'
  /** For a wait: the requeue delay, in milliseconds. */
  readonly after?: number | undefined
  readonly error?: ErrorTrace | undefined
  readonly entries: readonly TraceEntry[]
  /** The number of entries that were dropped, because there were too many. */
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
  /** For a wait: milliseconds. */
  readonly after?: number | undefined
  /** For a goto: the next phase. */
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

/** A call of the API or an external system, or one that was skipped because nothing had to change. */
export interface CallTrace {
  readonly type: 'call'
  /** For an external system: the method. */
  readonly verb: string
  /** For an external system: its name. */
  readonly kind: string
  readonly external?: true | undefined
  readonly subresource?: string | undefined
  readonly namespace?: string | undefined
  readonly name?: string | undefined
  readonly at: number
  readonly ms: number
  /** False: nothing was sent. */
  readonly sent: boolean
  /**
   * For example `created`, `updated`, `unchanged`, `drift`, `deleted`, `read`, `called`; `error`; `unfinished`:
   * the step did not await it.
   */
  readonly outcome: string
  /** For a drift: the field manager that caused it. */
  readonly culprit?: string | undefined
  readonly changes: readonly FieldChange[]
  readonly error?: ErrorTrace | undefined
}

/** JSON, truncated. Absent: the field did not, or does not, exist. */
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

/** Stores or sends traces. Must not throw. */
export interface TraceSink {
  add(trace: Trace): void
}
