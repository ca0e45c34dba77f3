/** The errors that a reconcile may throw, and their classification by the controller. */
import { errorText } from '../api/error-text.ts'
import { isConflict, isNamespaceTerminating } from '../api/error-reasons.ts'
import { PermanentError } from '../api/permanent-error.ts'
import { ApiError } from '../api/status.ts'
import { StaleCacheError } from '../cache/cache.ts'
import { ExternalError } from '../external/external-error.ts'
import { TransportError } from '../client/transport.ts'

export { PermanentError } from '../api/permanent-error.ts'

/** The reconcile is retried: after `afterMs` if it is set, otherwise after the key's backoff. */
export class RetryableError extends Error {
  readonly afterMs: number | undefined

  constructor(message: string, options: { readonly afterMs?: number; readonly cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.name = 'RetryableError'
    this.afterMs = options.afterMs
  }
}

/** An object of that name exists and has another owner. It is neither adopted nor changed. */
export class NotOwnedError extends PermanentError {
  constructor(message: string) {
    super(message)
    this.name = 'NotOwnedError'
  }
}

/**
 * An object that should be changed is being deleted: it is created again when it is gone. This wait is not a failure.
 */
export class BeingDeletedError extends RetryableError {
  constructor(message: string) {
    super(message)
    this.name = 'BeingDeletedError'
  }
}

/** The reconcile took longer than `reconcileTimeoutMs`. */
export class ReconcileTimeoutError extends RetryableError {
  constructor(ms: number) {
    super(`the reconcile took longer than ${ms} ms`)
    this.name = 'ReconcileTimeoutError'
  }
}

/**
 * - `conflict`: another writer was faster (409). Retried soon with fresh objects; neither a failure nor a phase.
 * - `stale`: the cache has not seen our own write yet. Retried soon; not a failure.
 * - `beingDeleted`: an object must be gone before it can be created again. Retried soon; not a failure.
 * - `namespaceTerminating`: the namespace is being deleted, and our object with it. Not retried; not a failure.
 * - `permanent`: a failure that is not retried.
 * - `bug`: a programming error (`TypeError` and the like). Retried, and counted as a panic.
 * - `retryable`: all other failures.
 */
export type ErrorClass =
  | 'conflict'
  | 'stale'
  | 'beingDeleted'
  | 'namespaceTerminating'
  | 'permanent'
  | 'bug'
  | 'retryable'

/** Errors that indicate a bug. */
const bugs = [TypeError, ReferenceError, RangeError]

/** The class of an AggregateError is the first of these among its errors: it is retried if any of them may pass. */
const precedence: readonly ErrorClass[] = [
  'bug',
  'retryable',
  'conflict',
  'stale',
  'beingDeleted',
  'namespaceTerminating',
  'permanent',
]

export function classify(error: unknown): ErrorClass {
  if (error instanceof AggregateError && error.errors.length > 0) {
    const classes = new Set(error.errors.map(classify))
    return precedence.find((each) => classes.has(each)) ?? 'retryable'
  }
  if (error instanceof PermanentError) return 'permanent'
  // Its other causes are the errors of another system: a TypeError of fetch means that there was no connection.
  if (error instanceof ExternalError) return error.cause instanceof PermanentError ? 'permanent' : 'retryable'
  if (error instanceof StaleCacheError) return 'stale'
  if (error instanceof BeingDeletedError) return 'beingDeleted'
  if (isNamespaceTerminating(error)) return 'namespaceTerminating'
  if (isConflict(error) && !isApplyConflict(error)) return 'conflict'
  if (error instanceof ApiError || error instanceof RetryableError || error instanceof TransportError)
    return 'retryable'
  return error instanceof Error && !bugs.some((bug) => error instanceof bug) ? 'retryable' : 'bug'
}

/** A server-side apply without force conflicts with another manager: fresh objects do not help. */
function isApplyConflict(error: ApiError): boolean {
  return error.status.details?.causes?.some(({ reason }) => reason === 'FieldManagerConflict') === true
}

/** For logs, conditions and events: the message of any thrown value, with those of its causes. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? errorText(error) : `a value that is no Error was thrown: ${String(error)}`
}
