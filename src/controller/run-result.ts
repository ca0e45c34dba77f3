/** The result of a run: one type for each row of the result tables in docs/reference/controller.md. */
import { retryAfter } from '../api/error-reasons.ts'
import { classify, RetryableError, type ErrorClass } from './errors.ts'

export type RunResult =
  | { readonly type: 'done' }
  | { readonly type: 'requeueAfter'; readonly delayMs: number }
  | ThrownResult
  /** The process stops, or lost its lease: the run does not count. */
  | { readonly type: 'aborted'; readonly error: unknown }

export interface ThrownResult {
  readonly type: ErrorClass
  readonly error: unknown
  /**
   * For `retryable`: the delay that the error or the server asked for, in milliseconds. Undefined: the key's backoff.
   */
  readonly delayMs?: number | undefined
}

/** `failures`: the number of consecutive failed runs of the key before this one. */
export function thrownResult(error: unknown, failures: number, maxRetries = Infinity): ThrownResult {
  const type = classify(error)
  if (type !== 'retryable' && type !== 'bug') return { type, error }
  if (failures >= maxRetries) return { type: 'permanent', error }
  return { type, error, delayMs: error instanceof RetryableError ? error.afterMs : retryAfter(error) }
}
