/**
 * The scope of a running step: its clock, its signal and its trace. API calls find it without a parameter, by async
 * context. That makes every promise of the process more expensive, so async context is used only for traces and for
 * steps with their own timeout.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import type { Env } from '../env/env.ts'
import { checkedOutcome, type Outcome } from './outcome.ts'
import type { Frame, StepFrame } from './recording.ts'
import { stepOf, type StepLike } from './step.ts'

/** Its functions can be destructured: `(context, { note }) => …`. */
export interface Scope {
  readonly env: Env
  /** Aborts when the run must end; in a timed step also at its timeout. */
  readonly signal: AbortSignal
  /** Values for the trace of this step: `note({ ready: 2, wanted: 3 })`. Long values are truncated, secrets masked. */
  note(this: void, facts: Readonly<Record<string, unknown>>): void
  /** Like {@link note}, for the inputs of the step. */
  inputs(this: void, facts: Readonly<Record<string, unknown>>): void
  /** Runs a step within this one. Throws the signal's reason if it has aborted. */
  run<Context, Phase extends string = never>(
    this: void,
    step: StepLike<Context, Phase>,
    context: Context,
  ): Promise<Outcome<Phase>>
  /** The same scope with another signal. */
  under(this: void, signal: AbortSignal): Scope
}

/** Has the signal of a run. Reading it may create it: most runs of a controller need none. */
export interface SignalSource {
  readonly signal: AbortSignal
}

const scopes = new AsyncLocalStorage<RunningScope>()

/** `frame` is undefined if no trace is recorded. */
export class RunningScope implements Scope {
  readonly env: Env
  readonly frame: Frame | StepFrame | undefined
  readonly #source: SignalSource
  readonly #isFollowed: boolean

  constructor(env: Env, source: SignalSource, frame: Frame | StepFrame | undefined, isFollowed = frame !== undefined) {
    this.env = env
    this.#source = source
    this.frame = frame
    this.#isFollowed = isFollowed
  }

  get signal(): AbortSignal {
    return this.#source.signal
  }

  readonly note = (facts: Readonly<Record<string, unknown>>): void => {
    if (this.frame !== undefined && 'note' in this.frame) this.frame.note(facts)
  }

  readonly inputs = (facts: Readonly<Record<string, unknown>>): void => {
    if (this.frame !== undefined && 'inputs' in this.frame) this.frame.inputs(facts)
  }

  readonly run = async <Context, Phase extends string = never>(
    like: StepLike<Context, Phase>,
    context: Context,
  ): Promise<Outcome<Phase>> => {
    this.signal.throwIfAborted()
    const step = stepOf(like)
    const frame = this.frame?.step(step.name)
    const scope = new RunningScope(this.env, this.#source, frame, this.#isFollowed)
    try {
      const outcome = checkedOutcome(step.name, await scope.within(() => step.run(context, scope)))
      frame?.returned(outcome)
      return outcome
    } catch (error) {
      frame?.threw(error)
      throw error
    }
  }

  readonly under = (signal: AbortSignal): RunningScope => new RunningScope(this.env, { signal }, this.frame, true)

  /** Runs `work` with this scope in its async context. */
  within<Result>(work: () => Result): Result {
    return this.#isFollowed ? scopes.run(this, work) : work()
  }
}

/** The scope of the running step, if it is in the async context; undefined outside of any run. */
export function currentScope(): RunningScope | undefined {
  return scopes.getStore()
}
