/** Work that calls external systems: a reconcile, a task, an admission webhook. It declares them. */
import type { Env } from '../env/env.ts'
import { UndeclaredExternalError, type RunEnded } from './external-error.ts'
import { externalHandle, type CallingRun, type ExternalServices } from './external-handle.ts'
import { connected, type CarryOut, type External, type ExternalSystem } from './external.ts'

/** An external system, which must be declared. */
export type Use = <T>(this: void, system: External<T>) => T

export interface ExternalUser extends CallingRun {
  readonly declared: readonly ExternalSystem[]
  /** As a sentence names it: `the controller app`. */
  readonly who: string
  /** How it declares a system: `add .uses(registry) to the controller`. */
  readonly remedy: (system: string) => string
}

/** Throws for a system that it does not declare. */
export function use<T>(system: External<T>, user: ExternalUser, services: ExternalServices): T {
  if (!user.declared.some(({ name }) => name === system.name))
    throw new UndeclaredExternalError(system.name, user.who, user.remedy(system.name))
  return externalHandle(system, services, user)
}

/** Work that ends, by a rejection with `RunEnded`, at a call that is not made. Its code does not continue. */
export function usingExternals<Result>(
  user: Omit<ExternalUser, 'end'>,
  services: ExternalServices,
  work: (use: Use) => Promise<Result>,
): Promise<Result> {
  let end: (error: RunEnded) => void = () => undefined
  const using: Use = (system) => use(system, { ...user, end }, services)
  if (user.declared.length === 0) return work(using)
  const ended = new Promise<never>((_, reject) => {
    end = reject
  })
  return Promise.race([ended, work(using)])
}

const uncounted: ExternalServices['metrics'] = {
  externalCalls: { inc: () => undefined },
  externalSeconds: { observe: () => undefined },
}

/** Services that call the implementations, by default without metrics. */
export function externalServices(
  env: Env,
  carryOut: CarryOut = connected,
  metrics: ExternalServices['metrics'] = uncounted,
): ExternalServices {
  return { env, metrics, carryOut }
}
