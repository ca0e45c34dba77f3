/** What becomes of a key whose run threw: whether it failed, and when it runs again. */
import { retryAfter } from '../api/error-reasons.ts'
import type { ReconcileOutcome } from '../telemetry/controller-metrics.ts'
import { classify, RetryableError, type ErrorClass } from './errors.ts'

export interface Verdict {
  readonly type: ErrorClass
  readonly outcome: ReconcileOutcome
  /** Counted, logged as an error and told in an event. The others are what happens among many writers. */
  readonly isFailure: boolean
  /**
   * - `backoff`: after the key's backoff, which grows with each failure.
   * - `soon`: within milliseconds, and within a second when that does not help.
   * - a number: after so many milliseconds.
   * - `never`: when something changes.
   */
  readonly retry: 'backoff' | 'soon' | 'never' | number
}

/** `failures`: how often the key has failed before, in a row. */
export function judge(error: unknown, failures: number, maxRetries = Infinity): Verdict {
  const type = classify(error)
  switch (type) {
    case 'conflict':
    case 'stale':
      return { type, outcome: type, isFailure: false, retry: 'soon' }
    case 'waiting':
      return { type, outcome: 'requeue_after', isFailure: false, retry: 'soon' }
    case 'ending':
      return { type, outcome: 'success', isFailure: false, retry: 'never' }
    case 'permanent':
      return { type, outcome: 'error', isFailure: true, retry: 'never' }
    default:
      return {
        type,
        outcome: 'error',
        isFailure: true,
        retry: failures >= maxRetries ? 'never' : (wishedDelay(error) ?? 'backoff'),
      }
  }
}

function wishedDelay(error: unknown): number | undefined {
  return error instanceof RetryableError ? error.after : retryAfter(error)
}
