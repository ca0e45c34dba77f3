/**
 * Marks the code of the program under test while it runs, with all that it calls, waits for, or leaves to a timer: what
 * it opens, or asks the machine for, is then known to be its own and not the test's.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import type { ApiObject } from '../api/live-object.ts'
import type { ControllerDefinition, Reconcile } from '../controller/definition.ts'
import type { SimulatedEnv } from '../env/simulated.ts'

export interface UserCodeOptions {
  readonly env: SimulatedEnv
  readonly allowSockets: boolean
}

export interface UserCode extends UserCodeOptions {
  /** `the controller app` */
  readonly who: string
}

const running = new AsyncLocalStorage<UserCode | undefined>()

/** Undefined: the test, the control plane, or the implementation of a declared system. */
export function runningCode(): UserCode | undefined {
  return running.getStore()
}

/** Does something for the program that is not its own code. */
export function unguarded<Result>(work: () => Result): Result {
  return running.getStore() === undefined ? work() : running.run(undefined, work)
}

/** The same controllers, with their code marked. */
export function guarded(
  definitions: readonly ControllerDefinition[],
  options: UserCodeOptions,
): readonly ControllerDefinition[] {
  return definitions.map((definition) => {
    const code = { ...options, who: `the controller ${definition.name}` }
    const marked = <T extends ApiObject>(run: Reconcile<T>): Reconcile<T> => {
      return (context) => running.run(code, () => run(context))
    }
    const { reconcile, deleting, finalizers } = definition
    return {
      ...definition,
      reconcile: marked(reconcile),
      deleting: deleting === undefined ? undefined : marked(deleting),
      finalizers: finalizers.map((each) => ({ ...each, cleanup: marked(each.cleanup) })),
    }
  })
}
