/** Steps that are composed of other steps. */
import { errorText } from '../api/error-text.ts'
import { next, type Outcome } from './outcome.ts'
import { step, stepOf, type Step, type StepLike } from './step.ts'

/** Runs the steps in order. The first outcome other than `next` ends the pipeline and becomes its outcome. */
export function pipeline<Context, Phase extends string = never>(
  name: string,
  ...likes: readonly StepLike<Context, Phase>[]
): Step<Context, Phase> {
  const steps = likes.map((like) => stepOf(like))
  return step(name, async (context, scope) => {
    for (const each of steps) {
      const outcome = await scope.run(each, context)
      if (outcome.type !== 'next') return outcome
    }
    return next()
  })
}

/**
 * Runs the steps concurrently and ends when all have ended. An error is thrown; several errors become an
 * AggregateError. Otherwise the first outcome other than `next`, in order of declaration, becomes its outcome.
 */
export function parallel<Context, Phase extends string = never>(
  name: string,
  ...likes: readonly StepLike<Context, Phase>[]
): Step<Context, Phase> {
  const steps = likes.map((like) => stepOf(like))
  return step(name, async (context, scope) => {
    const results = await Promise.allSettled(steps.map((each) => scope.run(each, context)))
    const errors = results.flatMap((result) => (result.status === 'rejected' ? [result.reason as unknown] : []))
    if (errors.length === 1) throw errors[0]
    if (errors.length > 1)
      throw new AggregateError(errors, `${errors.length} steps of ${name} failed: ${errors.map(errorText).join('; ')}`)
    const outcomes = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []))
    return outcomes.find(({ type }) => type !== 'next') ?? next()
  })
}

export type StepCondition<Context> = (context: Context) => boolean | Promise<boolean>

/**
 * Runs the step if the condition is true, otherwise `otherwise` if given. The default name is that of the condition.
 */
export function when<Context, Phase extends string = never>(
  condition: StepCondition<Context>,
  then: StepLike<Context, Phase>,
  otherwise?: StepLike<Context, Phase>,
): Step<Context, Phase>
export function when<Context, Phase extends string = never>(
  name: string,
  condition: StepCondition<Context>,
  then: StepLike<Context, Phase>,
  otherwise?: StepLike<Context, Phase>,
): Step<Context, Phase>
export function when<Context, Phase extends string>(
  ...given: readonly (string | StepCondition<Context> | StepLike<Context, Phase> | undefined)[]
): Step<Context, Phase> {
  const [name, condition, then, otherwise] = (typeof given[0] === 'string' ? given : [undefined, ...given]) as [
    string | undefined,
    StepCondition<Context>,
    StepLike<Context, Phase>,
    StepLike<Context, Phase>?,
  ]
  return step(name ?? `when ${condition.name}`.trim(), async (context, scope) => {
    const holds = await condition(context)
    scope.note({ holds })
    if (holds) return scope.run(then, context)
    return otherwise === undefined ? next() : scope.run(otherwise, context)
  })
}

/** The phases that a step may go to. */
type PhaseOf<Like> = Like extends StepLike<never, infer Phase> ? Phase : never

/** Runs the step whose name `choose` returns. There must be a step for each name. */
export function branch<Context, Cases extends Readonly<Record<string, StepLike<Context, string>>>>(
  name: string,
  choose: (context: Context) => NoInfer<keyof Cases & string> | Promise<NoInfer<keyof Cases & string>>,
  cases: Cases,
): Step<Context, PhaseOf<Cases[keyof Cases]>> {
  return step(name, async (context, scope) => {
    const chosen = await choose(context)
    scope.note({ case: chosen })
    const then = Object.hasOwn(cases, chosen) ? cases[chosen] : undefined
    if (then === undefined)
      throw new TypeError(`${name} has no case for "${chosen}": it has ${Object.keys(cases).join(', ')}`)
    return scope.run(then, context) as Promise<Outcome<PhaseOf<Cases[keyof Cases]>>>
  })
}
