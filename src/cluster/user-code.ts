/**
 * Marks the code of the program under test while it runs, with all that it calls, waits for, or leaves to a timer: what
 * it opens, or asks the machine for, is then known to be its own and not the test's.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import type { ApiObject } from '../api/live-object.ts'
import type { ControllerDefinition, Reconcile } from '../controller/definition.ts'
import type { Env } from '../env/env.ts'
import type { SimulatedEnv } from '../env/simulated.ts'
import type { Task } from '../manager/manager-options.ts'

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

/** Runs code of the program. */
export function marked<Result>(code: UserCode, work: () => Result): Result {
  return running.run(code, work)
}

/** The same controllers, with their code marked. */
export function guarded(
  definitions: readonly ControllerDefinition[],
  options: UserCodeOptions,
): readonly ControllerDefinition[] {
  return definitions.map((definition) => {
    const code = { ...options, who: `the controller ${definition.name}` }
    const markedRun = <T extends ApiObject>(run: Reconcile<T>): Reconcile<T> => {
      return (context) => marked(code, () => run(context))
    }
    const { reconcile, deleting, finalizers, gone } = definition
    return {
      ...definition,
      reconcile: markedRun(reconcile),
      deleting: deleting === undefined ? undefined : markedRun(deleting),
      finalizers: finalizers.map((each) => ({ ...each, cleanup: markedRun(each.cleanup) })),
      gone: gone === undefined ? undefined : (...args) => marked(code, () => gone(...args)),
    }
  })
}

/** The same tasks, with their code marked, also that of their timers. */
export function guardedTasks(tasks: readonly Task[], options: UserCodeOptions): readonly Task[] {
  return tasks.map((task) => {
    const code = { ...options, who: `the task ${task.name}` }
    const timed = (env: Env): Env => ({
      now: () => env.now(),
      monotonic: () => env.monotonic(),
      random: () => env.random(),
      uuid: () => env.uuid(),
      after: (ms, work) => env.after(ms, () => marked(code, work)),
    })
    return {
      ...task,
      start: (signal, services) => marked(code, () => task.start(signal, { ...services, env: timed(services.env) })),
    }
  })
}
