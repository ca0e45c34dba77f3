/**
 * A system outside of Kubernetes that an operator calls: a registry, a cloud API. Declared once as a value, so that the
 * runtime can trace, fence and count its calls, a test can put a model in its place, and a plan does not call it.
 */
import type { Logger } from '../telemetry/logger.ts'

/** Methods that return promises. */
export type ExternalApi<T> = { readonly [Method in keyof T]: (...args: never[]) => Promise<unknown> }

export interface ConnectContext {
  /** Aborts when the reconcile must end. Pass it to the request. */
  readonly signal: AbortSignal
  /** The logger of the reconcile. */
  readonly log: Logger
}

export interface ExternalOptions<T> {
  /**
   * The implementation for one call. It is asked for at each call, so that it has the call's signal: keep connection
   * pools outside of it.
   */
  readonly connect: (context: ConnectContext) => T | Promise<T>
  /** Methods that change nothing. They are called by replicas without the lease, too. Default: none. */
  readonly reads?: readonly (keyof T & string)[] | undefined
}

/** The state of a model is plain JSON: snapshots copy it, and the explorer compares it. */
export type Modelled<T> = T & { state(): unknown }

/** Stands for an external system in tests. `external().model` makes it. */
export interface ExternalModel<Model = object> {
  /** The name of the external system. */
  readonly name: string
  /** Makes the model of one cluster. `state`: undefined, or what `state()` of an earlier model returned. */
  readonly make: (state: unknown) => Model
}

export interface ExternalSystem {
  /** In errors, logs, traces and metrics. */
  readonly name: string
  readonly reads: readonly string[]
  connect(context: ConnectContext): unknown
}

export interface External<T> extends ExternalSystem {
  connect(context: ConnectContext): T | Promise<T>
  /**
   * An implementation in memory for tests. A new one is made for each cluster: empty, or, if the cluster continues from
   * a snapshot, with the state of that time.
   */
  model<Model extends Modelled<T>>(make: (state: ReturnType<Model['state']> | undefined) => Model): ExternalModel<Model>
}

/** One call of an external system by a reconcile, a task or a webhook. */
export interface ExternalCall extends ConnectContext {
  readonly system: ExternalSystem
  readonly method: string
  readonly args: readonly unknown[]
  readonly isRead: boolean
  /** The name of the controller or the task, or the path of the webhook. */
  readonly controller: string
  /** The object that is reconciled or reviewed: `Cache default/c1`. Of a task: its name. */
  readonly object: string
}

/** Carries out a call: by its implementation or, in tests, by a model, with faults. */
export type CarryOut = (call: ExternalCall) => Promise<unknown>

export function external<T extends ExternalApi<T>>(
  name: string,
  { connect, reads = [] }: ExternalOptions<T>,
): External<T> {
  if (!/^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/.test(name) || name.length > 63)
    throw new Error(`"${name}" cannot name an external system: use lower-case letters, digits and dashes, 63 at most`)
  return {
    name,
    reads,
    connect,
    model: (make) => ({ name, make: make as (state: unknown) => ReturnType<typeof make> }),
  }
}

/** Calls the implementation. */
export async function connected({ system, method, args, signal, log }: ExternalCall): Promise<unknown> {
  return invoke(system.name, await system.connect({ signal, log }), method, args)
}

/** Calls a method of an implementation or a model. */
export function invoke(system: string, api: unknown, method: string, args: readonly unknown[]): unknown {
  const found = (api as Readonly<Record<string, unknown>> | undefined)?.[method]
  if (typeof found !== 'function') throw new Error(`the implementation of ${system} has no method ${method}`)
  return found.apply(api, args) as unknown
}
