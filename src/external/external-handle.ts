/**
 * The handle of an external system for one reconcile, task or review. Each call is traced, logged and counted, ends
 * with the signal of the work, and its error names the system and the method.
 */
import type { Env } from '../env/env.ts'
import { errorTrace } from '../flow/recording.ts'
import { currentScope } from '../flow/scope.ts'
import type { ControllerMetrics } from '../telemetry/controller-metrics.ts'
import { ExternalError, RunEnded } from './external-error.ts'
import type { CarryOut, External, ExternalCall } from './external.ts'

export interface ExternalServices {
  readonly env: Env
  readonly metrics: Pick<ControllerMetrics, 'externalCalls' | 'externalSeconds'>
  readonly carryOut: CarryOut
}

/** The run that makes the calls. Its signal may be that of a step, and differ from call to call. */
export interface CallingRun extends Pick<ExternalCall, 'controller' | 'object' | 'signal' | 'log'> {
  /** The run ends here, whatever its code waits for. */
  readonly end: (error: RunEnded) => void
}

export function externalHandle<T>(system: External<T>, services: ExternalServices, run: CallingRun): T {
  const get = (_: object, method: string | symbol): unknown => {
    // A handle that is awaited must not look like a promise.
    if (typeof method === 'symbol' || method === 'then') return undefined
    return (...args: unknown[]) => {
      const { controller, object, signal, log } = run
      const isRead = system.reads.includes(method)
      return called({ system, method, args, isRead, controller, object, signal, log }, services, run)
    }
  }
  return new Proxy({}, { get }) as T
}

async function called(call: ExternalCall, services: ExternalServices, run: CallingRun): Promise<unknown> {
  const { signal, log, method, isRead } = call
  const { env, metrics, carryOut } = services
  const system = call.system.name
  signal.throwIfAborted()
  const traced = currentScope()?.frame?.call({ verb: method, kind: system, external: true })
  const startedAt = env.monotonic()
  const count = (result: 'success' | 'error'): number => {
    const ms = env.monotonic() - startedAt
    metrics.externalCalls.inc({ system, method, result })
    metrics.externalSeconds.observe({ system, method }, ms / 1000)
    return ms
  }
  try {
    const answer = await untilAborted(carryOut(call), signal)
    traced?.end({ outcome: isRead ? 'read' : 'called' })
    log.debug('external call', { system, method, ms: count('success') })
    return answer
  } catch (thrown) {
    if (thrown instanceof RunEnded) {
      run.end(thrown)
      return new Promise(() => undefined)
    }
    const error = signal.aborted ? (signal.reason as unknown) : new ExternalError(system, method, thrown)
    traced?.end({ outcome: 'error', error: errorTrace(error) })
    log.debug('external call failed', { system, method, ms: count('error'), error })
    throw error
  }
}

/** An implementation may ignore the signal: then its result is ignored. */
async function untilAborted<Result>(result: Promise<Result>, signal: AbortSignal): Promise<Result> {
  let abort: () => void = () => undefined
  const aborted = new Promise<never>((_, reject) => {
    abort = () => reject(signal.reason as Error)
  })
  signal.addEventListener('abort', abort)
  try {
    return await Promise.race([result, aborted])
  } finally {
    signal.removeEventListener('abort', abort)
  }
}
