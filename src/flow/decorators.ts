/** Decorators of steps. The step is the last argument, so that nested decorators read from the outside in. */
import { isConflict } from '../api/error-reasons.ts'
import { PermanentError } from '../api/permanent-error.ts'
import { StaleCacheError } from '../cache/cache-error.ts'
import { pause } from '../env/pause.ts'
import type { Outcome } from './outcome.ts'
import { stepOf, type Step, type StepLike } from './step.ts'

/**
 * Records the inputs of the step in the trace: `traced(({ object }) => ({ image: object.spec.image }),
 * applyDeployment)`.
 */
export function traced<Context, Phase extends string = never>(
  inputs: (context: Context) => Readonly<Record<string, unknown>>,
  like: StepLike<Context, Phase>,
): Step<Context, Phase> {
  const { name, run } = stepOf(like)
  return {
    name,
    run: (context, scope) => {
      scope.inputs(inputs(context))
      return run(context, scope)
    },
  }
}

export interface RetryOptions {
  /** The maximum of attempts, including the first. Default 3. */
  readonly maxAttempts?: number | undefined
  /**
   * The delay before the second attempt, doubled for each further one, up to `maxMs`, with a jitter of a fifth. Default
   * 100 ms and 5000 ms.
   */
  readonly backoff?: { readonly baseMs?: number | undefined; readonly maxMs?: number | undefined } | undefined
  /**
   * Which errors to retry. Default: all except permanent errors, and conflicts and stale reads, which need a new run
   * with fresh data.
   */
  readonly retry?: ((error: unknown) => boolean) | undefined
}

/**
 * Retries within the run, which holds its key and a worker meanwhile: for short interruptions. For longer ones throw
 * the error, so that the controller's backoff applies.
 */
export function retried<Context, Phase extends string = never>(
  options: RetryOptions,
  like: StepLike<Context, Phase>,
): Step<Context, Phase> {
  const { maxAttempts = 3, backoff: { baseMs = 100, maxMs = 5000 } = {}, retry = isWorthAnotherTry } = options
  if (!Number.isInteger(maxAttempts) || maxAttempts < 1)
    throw new RangeError(`attempts is ${maxAttempts}: give a whole number of at least 1`)
  const inner = stepOf(like)
  return {
    name: `${inner.name} (up to ${maxAttempts} times)`,
    run: async (context, scope): Promise<Outcome<Phase>> => {
      for (let attempt = 1; ; attempt++) {
        try {
          return await scope.run(inner, context)
        } catch (error) {
          if (attempt >= maxAttempts || scope.signal.aborted || !retry(error)) throw error
          const spread = 0.8 + 0.4 * scope.env.random()
          await pause(scope.env, Math.min(maxMs, baseMs * 2 ** (attempt - 1)) * spread, scope.signal)
          scope.signal.throwIfAborted()
        }
      }
    },
  }
}

function isWorthAnotherTry(error: unknown): boolean {
  return !(error instanceof PermanentError || error instanceof StaleCacheError || isConflict(error))
}

/** The step timed out. */
export class StepTimeoutError extends Error {
  constructor(step: string, ms: number, options?: ErrorOptions) {
    super(`the step ${step} took longer than ${ms} ms`, options)
    this.name = 'StepTimeoutError'
  }
}

/**
 * Aborts the step's signal and its API calls after this many milliseconds. The run waits for the step: work that
 * continued in the background could overlap with the next run. What the step throws then becomes a {@link
 * StepTimeoutError}; if it succeeds, it has succeeded.
 */
export function timed<Context, Phase extends string = never>(
  ms: number,
  like: StepLike<Context, Phase>,
): Step<Context, Phase> {
  if (!(ms > 0 && ms < Infinity)) throw new RangeError(`timed(${String(ms)}): give a number of milliseconds above 0`)
  const inner = stepOf(like)
  return {
    name: `${inner.name} (within ${ms} ms)`,
    run: async (context, scope): Promise<Outcome<Phase>> => {
      const late = new AbortController()
      const timer = scope.env.after(ms, () => late.abort(new StepTimeoutError(inner.name, ms)))
      try {
        return await scope.under(AbortSignal.any([scope.signal, late.signal])).run(inner, context)
      } catch (error) {
        if (!late.signal.aborted || scope.signal.aborted) throw error
        throw new StepTimeoutError(inner.name, ms, { cause: error })
      } finally {
        timer.cancel()
      }
    },
  }
}
