/** A step: a name and a function. Flows are composed of steps, and are steps themselves. */
import type { StepResult } from './outcome.ts'
import type { Scope } from './scope.ts'

/** `Context`: its argument. `Phase`: the phases of a machine that it may go to; usually none. */
export interface Step<in Context, out Phase extends string = never> {
  readonly name: string
  /** Do not call it: `scope.run(step, context)` runs a step and records it in the trace. */
  readonly run: StepFunction<Context, Phase>
}

export type StepFunction<in Context, out Phase extends string = never> = (
  context: Context,
  scope: Scope,
) => StepResult<Phase> | Promise<StepResult<Phase>>

/** A step, or a named function in its place. */
export type StepLike<Context, Phase extends string = never> = Step<Context, Phase> | StepFunction<Context, Phase>

export function step<Context, Phase extends string = never>(
  name: string,
  run: StepFunction<Context, Phase>,
): Step<Context, Phase> {
  if (name.trim() === '') throw new TypeError('a step needs a name: its trace is read by people')
  return { name, run }
}

/** The step with another name. */
export function named<Context, Phase extends string = never>(
  name: string,
  of: StepLike<Context, Phase>,
): Step<Context, Phase> {
  return step(name, stepOf(of).run)
}

export function stepOf<Context, Phase extends string>(like: StepLike<Context, Phase>): Step<Context, Phase> {
  if (typeof like !== 'function') return like
  if (like.name === '') throw new TypeError('a step needs a name: use step(name, function)')
  return { name: like.name, run: like }
}
