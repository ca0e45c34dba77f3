/** Predicates on errors: each accepts any caught value and checks the reason of its Status, as apimachinery does. */
import { ApiError } from './status.ts'

/** True for an ApiError with this reason, or with this code if its reason is unknown. */
function isReason(error: unknown, reason: string, code?: number): error is ApiError {
  if (!(error instanceof ApiError)) return false
  return error.reason === reason || (code !== undefined && error.code === code && !knownReasons.has(error.reason))
}

const knownReasons = new Set([
  'Unauthorized',
  'Forbidden',
  'NotFound',
  'AlreadyExists',
  'Conflict',
  'Gone',
  'Invalid',
  'ServerTimeout',
  'StoreReadError',
  'Timeout',
  'TooManyRequests',
  'BadRequest',
  'MethodNotAllowed',
  'NotAcceptable',
  'RequestEntityTooLarge',
  'UnsupportedMediaType',
  'InternalError',
  'Expired',
  'ServiceUnavailable',
])

/** The object, or its kind, does not exist. All predicates are in `coxswain/api`, the usual ones in `coxswain` too. */
export const isNotFound = (error: unknown): error is ApiError => isReason(error, 'NotFound', 404)
export const isAlreadyExists = (error: unknown): error is ApiError => isReason(error, 'AlreadyExists')
/** The object has changed since it was read, or other managers own fields of an apply. */
export const isConflict = (error: unknown): error is ApiError => isReason(error, 'Conflict', 409)
export const isInvalid = (error: unknown): error is ApiError => isReason(error, 'Invalid', 422)
/** The resourceVersion or continue token is too old. */
export const isExpired = (error: unknown): error is ApiError => isReason(error, 'Expired')
/** {@link isExpired}, or the watch event for it: list again. */
export const isGone = (error: unknown): error is ApiError => isExpired(error) || isReason(error, 'Gone', 410)
export const isBadRequest = (error: unknown): error is ApiError => isReason(error, 'BadRequest', 400)
export const isUnauthorized = (error: unknown): error is ApiError => isReason(error, 'Unauthorized', 401)
export const isForbidden = (error: unknown): error is ApiError => isReason(error, 'Forbidden', 403)
export const isMethodNotSupported = (error: unknown): error is ApiError => isReason(error, 'MethodNotAllowed', 405)
export const isNotAcceptable = (error: unknown): error is ApiError => isReason(error, 'NotAcceptable', 406)
export const isUnsupportedMediaType = (error: unknown): error is ApiError =>
  isReason(error, 'UnsupportedMediaType', 415)
export const isRequestEntityTooLarge = (error: unknown): error is ApiError =>
  isReason(error, 'RequestEntityTooLarge', 413)
/** The request timed out; it may or may not have taken effect. */
export const isTimeout = (error: unknown): error is ApiError => isReason(error, 'Timeout', 504)
/** The server could not complete the request in time, and did not execute it. */
export const isServerTimeout = (error: unknown): error is ApiError => isReason(error, 'ServerTimeout')
export const isServiceUnavailable = (error: unknown): error is ApiError => isReason(error, 'ServiceUnavailable', 503)
export const isInternalError = (error: unknown): error is ApiError => isReason(error, 'InternalError', 500)
export const isTooManyRequests = (error: unknown): error is ApiError => isReason(error, 'TooManyRequests', 429)
/** The namespace is being deleted and accepts no new objects. */
export const isNamespaceTerminating = (error: unknown): error is ApiError => hasCause(error, 'NamespaceTerminating')
/** The server has not reached the requested resourceVersion yet. */
export const isTooLargeResourceVersion = (error: unknown): error is ApiError =>
  isTimeout(error) && (/too large resource version/i.test(error.message) || hasCause(error, 'ResourceVersionTooLarge'))

function hasCause(error: unknown, reason: string): error is ApiError {
  return error instanceof ApiError && (error.status.details?.causes?.some((cause) => cause.reason === reason) ?? false)
}

/** The longest delay that a server can request: one wrong response must not stop a client for good. */
export const maxRetryAfterMs = 30_000

/** The milliseconds that the server requests to wait before a retry, at most `maxMs`; undefined if it requests none. */
export function retryAfter(error: unknown, maxMs: number = maxRetryAfterMs): number | undefined {
  // The body comes from a server, which may send anything.
  const seconds: unknown = error instanceof ApiError ? error.status.details?.retryAfterSeconds : undefined
  return typeof seconds === 'number' && seconds > 0 ? Math.min(seconds * 1000, maxMs) : undefined
}
