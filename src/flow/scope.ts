/**
 * The surroundings of a running step: its clock, its signal and its trace. API calls find them without a parameter: the
 * scope follows the step through everything that it awaits. That makes every promise of the process more expensive, so
 * it is used only for traces and for steps with their own timeout.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import type { Env } from '../env/env.ts'
import { checkedOutcome, type Outcome } from './outcome.ts'
import type { Frame, StepFrame } from './recording.ts'
import { stepOf, type StepLike } from './step.ts'

/** Its functions may be taken out of it: `(context, { note }) => …`. */
export interface Scope {
  readonly env: Env
  /** Aborts when the run must end, and in a timed step when its time is over. */
  readonly signal: AbortSignal
  /** Facts for the trace of this step: `note({ ready: 2, wanted: 3 })`. Long ones are cut, secret ones masked. */
  note(this: void, facts: Readonly<Record<string, unknown>>): void
  /** Like {@link note}, for the inputs of the step. */
  inputs(this: void, facts: Readonly<Record<string, unknown>>): void
  /** Runs a step within this one. Throws the signal's reason instead when it has aborted. */
  run<Context, Phase extends string = never>(
    this: void,
    step: StepLike<Context, Phase>,
    context: Context,
  ): Promise<Outcome<Phase>>
  /** The same scope under another signal. */
  under(this: void, signal: AbortSignal): Scope
}

const scopes = new AsyncLocalStorage<RunningScope>()

/** Undefined if there is no trace. */
export class RunningScope implements Scope {
  readonly env: Env
  readonly signal: AbortSignal
  readonly frame: Frame | StepFrame | undefined
  readonly #isFollowed: boolean

  constructor(env: Env, signal: AbortSignal, frame: Frame | StepFrame | undefined, isFollowed = frame !== undefined) {
    this.env = env
    this.signal = signal
    this.frame = frame
    this.#isFollowed = isFollowed
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
    const scope = new RunningScope(this.env, this.signal, frame, this.#isFollowed)
    try {
      const outcome = checkedOutcome(step.name, await scope.within(() => step.run(context, scope)))
      frame?.returned(outcome)
      return outcome
    } catch (error) {
      frame?.threw(error)
      throw error
    }
  }

  readonly under = (signal: AbortSignal): RunningScope => new RunningScope(this.env, signal, this.frame, true)

  /** Runs `work` in this scope itself. */
  within<Result>(work: () => Result): Result {
    return this.#isFollowed ? scopes.run(this, work) : work()
  }
}

/** Of the step that runs now, where it is followed; undefined outside of any run. */
export function currentScope(): RunningScope | undefined {
  return scopes.getStore()
}
