/** The result of a run: one type for each row of the result tables in docs/reference/controller.md. */
import { retryAfter } from '../api/error-reasons.ts'
import { ExternalError } from '../external/external-error.ts'
import { classify, RetryableError, type ErrorClass } from './errors.ts'
import type { RunWrite } from './loop-detector.ts'

export type RunResult =
  | { readonly type: 'done' }
  | { readonly type: 'requeueAfter'; readonly delayMs: number }
  | ThrownResult
  /** The process stops, or lost its lease, or the run was ended at an external call: it does not count. */
  | { readonly type: 'aborted'; readonly error: unknown }

export interface ThrownResult {
  readonly type: ErrorClass
  readonly error: unknown
  /**
   * For `retryable`: the delay that the error or the server asked for, in milliseconds. Undefined: the key's backoff.
   */
  readonly delayMs?: number | undefined
}

/** A run that has ended, for those who watch a controller in tests. */
export interface EndedRun {
  readonly controller: string
  readonly kind: string
  readonly key: string
  readonly result: RunResult
  /** Consecutive failed runs of the key, including this one; 0 if it did not fail. */
  readonly failures: number
  readonly writes: readonly RunWrite[]
  /** Defined if the loop detector warns of this run. */
  readonly loop: string | undefined
}

/** `failures`: the number of consecutive failed runs of the key before this one. */
export function thrownResult(error: unknown, failures: number, maxRetries = Infinity): ThrownResult {
  const type = classify(error)
  if (type !== 'retryable' && type !== 'bug') return { type, error }
  if (failures >= maxRetries) return { type: 'permanent', error }
  return { type, error, delayMs: requestedDelay(error) }
}

function requestedDelay(error: unknown): number | undefined {
  if (error instanceof ExternalError) return requestedDelay(error.cause)
  return error instanceof RetryableError ? error.afterMs : retryAfter(error)
}
