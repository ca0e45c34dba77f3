/** Turns a flow of steps into a reconcile function. */
import type { ApiObject } from '../api/live-object.ts'
import { currentScope, type RunningScope } from '../flow/scope.ts'
import { stepOf, type StepLike } from '../flow/step.ts'
import type { ReconcileContext } from './context.ts'
import type { Reconcile } from './definition.ts'
import { requeueAfter } from './result.ts'

/** The key under which a context carries the scope of its run: not every scope is in the async context. */
export const scopeOfRun = Symbol('the scope of the run')

export interface InScope {
  readonly [scopeOfRun]: RunningScope | undefined
}

/**
 * For `reconcile`, `deleting` and `finalizer` of a controller. `wait` requeues after its time; any other outcome is an
 * end, which removes a finalizer.
 */
export function flow<T extends ApiObject>(step: StepLike<ReconcileContext<T>>): Reconcile<T>
/** `prepare` creates the context of the steps, if they need more than the controller's. It is called once per run. */
export function flow<T extends ApiObject, Context>(
  step: StepLike<Context>,
  prepare: (context: ReconcileContext<T>) => Context | Promise<Context>,
): Reconcile<T>
export function flow<T extends ApiObject, Context>(
  like: StepLike<Context>,
  prepare = (context: ReconcileContext<T>): Context | Promise<Context> => context as Context,
): Reconcile<T> {
  const step = stepOf(like)
  return async (context) => {
    const scope = currentScope() ?? (context as Partial<InScope>)[scopeOfRun]
    if (scope === undefined)
      throw new TypeError(`the flow ${step.name} runs in a controller, or by execute(): it was called by itself`)
    const outcome = await scope.run(step, await prepare(context))
    return outcome.type === 'wait' ? requeueAfter(outcome.ms) : undefined
  }
}
