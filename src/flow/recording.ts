/**
 * Records a run as a trace. Entries are well nested: an entry ends before its step, even after errors and aborts; calls
 * that a step did not await end with the step and are marked as unfinished.
 */
import { errorText } from '../api/error-text.ts'
import type { ObjectKey } from '../api/live-object.ts'
import type { Env } from '../env/env.ts'
import { truncatedText, traceValues } from './mask.ts'
import type { Outcome } from './outcome.ts'
import type {
  CallTrace,
  ErrorTrace,
  EventTrace,
  StepTrace,
  Trace,
  TraceEntry,
  TransitionTrace,
  TriggerTrace,
} from './trace.ts'
import { traceVersion } from './trace.ts'

/** The maximum of entries of a run; further ones are only counted. */
const maxEntries = 500

type Mutable<T> = { -readonly [Field in keyof T]: T[Field] }

/** The object and the controller of a run. */
export interface RunSubject {
  readonly id: string
  readonly controller?: string | undefined
  readonly kind?: string | undefined
  readonly namespace?: string | undefined
  readonly name?: string | undefined
  readonly attempt?: number | undefined
  readonly triggers?: { readonly first: readonly TriggerTrace[]; readonly count: number } | undefined
}

/** A call in progress. */
export interface OpenCall {
  end(result: Pick<CallTrace, 'outcome'> & Partial<Pick<CallTrace, 'changes' | 'culprit' | 'error'>>): void
}

/** One run. */
export class Recording {
  readonly root: Frame
  /** The objects that this run wrote last, by kind and key: the cache may lag behind. */
  readonly written = new Map<string, object>()
  readonly #env: Env
  readonly #about: RunSubject
  readonly #startedAt: number
  #entryCount = 0
  #droppedCount = 0

  constructor(env: Env, about: RunSubject) {
    this.#env = env
    this.#about = about
    this.#startedAt = env.monotonic()
    this.root = new Frame(this, [])
  }

  /** Milliseconds since the run began. */
  get at(): number {
    return this.#env.monotonic() - this.#startedAt
  }

  /** Whether another entry may be added. Counts it as added or dropped. */
  admits(): boolean {
    const isRoom = this.#entryCount < maxEntries
    if (isRoom) this.#entryCount++
    else this.#droppedCount++
    return isRoom
  }

  /** The trace of the finished run. `after`: the requeue delay in milliseconds. */
  end(result: { readonly after?: number | undefined; readonly error?: unknown }): Trace {
    this.root.close()
    const { id, controller, kind, namespace, name, attempt = 1, triggers = { first: [], count: 0 } } = this.#about
    const failed = 'error' in result
    return {
      version: traceVersion,
      id,
      controller,
      kind,
      namespace,
      name,
      attempt,
      triggers: triggers.first.map((trigger) => ({
        verb: trigger.verb,
        kind: trigger.kind,
        namespace: trigger.namespace,
        name: trigger.name,
        changed: trigger.changed,
      })),
      triggerCount: triggers.count,
      started: this.#startedAt,
      ms: this.at,
      result: failed ? 'error' : result.after === undefined ? 'done' : 'wait',
      after: result.after,
      error: failed ? errorTrace(result.error) : undefined,
      entries: this.root.entries,
      dropped: this.#droppedCount,
    }
  }
}

/** A list of entries: of the run itself, or of a step. */
export class Frame {
  readonly entries: TraceEntry[]
  readonly written: Recording['written']
  readonly #recording: Recording
  readonly #open = new Set<() => void>()
  #closed = false

  constructor(recording: Recording, entries: TraceEntry[]) {
    this.#recording = recording
    this.entries = entries
    this.written = recording.written
  }

  step(name: string): StepFrame {
    const entry: Mutable<StepTrace> = {
      type: 'step',
      name,
      at: this.#recording.at,
      ms: 0,
      outcome: 'error',
      entries: [],
    }
    return new StepFrame(this.#recording, entry, this.#opened(entry))
  }

  call(
    call: Pick<CallTrace, 'verb' | 'kind' | 'external' | 'subresource' | 'namespace' | 'name'>,
    sent = true,
  ): OpenCall {
    const entry: Mutable<CallTrace> = {
      type: 'call',
      ...call,
      at: this.#recording.at,
      ms: 0,
      sent,
      outcome: 'unfinished',
      changes: [],
    }
    const close = this.#opened(entry)
    return { end: (result) => close(() => Object.assign(entry, result)) }
  }

  /**
   * Called before an apply: returns a function that records its outcome, in the entry of its call or, if it sent none,
   * in a separate entry.
   */
  apply(
    kind: string,
  ): (key: ObjectKey, assessment: { readonly outcome: string; readonly culprit?: string | undefined }) => void {
    const before = this.entries.length
    return ({ namespace, name }, { outcome, culprit }) => {
      if (this.#closed) return
      const made = this.entries
        .slice(before)
        .findLast(
          (entry): entry is CallTrace =>
            entry.type === 'call' &&
            entry.verb === 'apply' &&
            entry.kind === kind &&
            entry.namespace === namespace &&
            entry.name === name,
        )
      if (made === undefined) this.call({ verb: 'apply', kind, namespace, name }, false).end({ outcome })
      else Object.assign(made, { outcome }, culprit === undefined ? {} : { culprit })
    }
  }

  transition(transition: Omit<TransitionTrace, 'type' | 'at'>): void {
    this.#opened({ type: 'transition', ...transition, at: this.#recording.at })()
  }

  event(event: Omit<EventTrace, 'type' | 'at'>): void {
    this.#opened({ type: 'event', ...event, message: truncatedText(event.message, 400), at: this.#recording.at })()
  }

  /** Later entries are ignored. */
  get isClosed(): boolean {
    return this.#closed
  }

  /** Ends all open entries. */
  close(): void {
    for (const end of this.#open) end()
    this.#closed = true
  }

  /** Adds an entry, unless there are too many. Returns a function that ends it once; later calls are ignored. */
  #opened(entry: TraceEntry): (apply?: () => void) => void {
    if (this.#closed || !this.#recording.admits()) return () => undefined
    this.entries.push(entry)
    const end = (apply?: () => void): void => {
      if (!this.#open.delete(end)) return
      if ('ms' in entry) (entry as Mutable<StepTrace | CallTrace>).ms = this.#recording.at - entry.at
      apply?.()
    }
    this.#open.add(end)
    return end
  }
}

export class StepFrame extends Frame {
  readonly #entry: Mutable<StepTrace>
  readonly #end: (apply?: () => void) => void

  constructor(recording: Recording, entry: Mutable<StepTrace>, end: (apply?: () => void) => void) {
    super(recording, entry.entries as TraceEntry[])
    this.#entry = entry
    this.#end = end
  }

  note(values: Readonly<Record<string, unknown>>): void {
    if (!this.isClosed) this.#entry.notes = { ...this.#entry.notes, ...traceValues(values) }
  }

  inputs(values: Readonly<Record<string, unknown>>): void {
    if (!this.isClosed) this.#entry.inputs = { ...this.#entry.inputs, ...traceValues(values) }
  }

  returned(outcome: Outcome<string>): void {
    this.#finish({
      outcome: outcome.type,
      why: 'why' in outcome ? outcome.why : undefined,
      after: outcome.type === 'wait' ? outcome.ms : undefined,
      to: outcome.type === 'goto' ? outcome.phase : undefined,
    })
  }

  threw(error: unknown): void {
    this.#finish({ outcome: 'error', error: errorTrace(error) })
  }

  #finish(result: Partial<StepTrace>): void {
    this.close()
    this.#end(() => Object.assign(this.#entry, result))
  }
}

export function errorTrace(error: unknown): ErrorTrace {
  if (error instanceof Error) return { name: error.name, message: truncatedText(errorText(error), 400) }
  return { name: typeof error, message: truncatedText(String(error), 400) }
}
