import { describe, expect, it } from 'vitest'
import {
  isAlreadyExists,
  isBadRequest,
  isConflict,
  isExpired,
  isForbidden,
  isGone,
  isInternalError,
  isInvalid,
  isMethodNotSupported,
  isNamespaceTerminating,
  isNotAcceptable,
  isNotFound,
  isRequestEntityTooLarge,
  isServerTimeout,
  isServiceUnavailable,
  isTimeout,
  isTooLargeResourceVersion,
  isTooManyRequests,
  isUnauthorized,
  isUnsupportedMediaType,
  retryAfter,
} from './error-reasons.ts'
import { ApiError, apiError, type StatusDetails } from './status.ts'

const all = {
  isAlreadyExists,
  isBadRequest,
  isConflict,
  isExpired,
  isForbidden,
  isGone,
  isInternalError,
  isInvalid,
  isMethodNotSupported,
  isNamespaceTerminating,
  isNotAcceptable,
  isNotFound,
  isRequestEntityTooLarge,
  isServerTimeout,
  isServiceUnavailable,
  isTimeout,
  isTooLargeResourceVersion,
  isTooManyRequests,
  isUnauthorized,
  isUnsupportedMediaType,
}

function error(code: number, reason?: string, details?: StatusDetails, message = 'no'): ApiError {
  return new ApiError({
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    code,
    message,
    ...(reason === undefined ? {} : { reason }),
    ...(details === undefined ? {} : { details }),
  })
}

const fitting = (value: unknown): string[] =>
  Object.entries(all)
    .filter(([, is]) => is(value))
    .map(([name]) => name)

describe('what an error is', () => {
  const pods = { group: '', resource: 'pods' }
  it.each([
    [apiError.notFound(pods, 'a'), ['isNotFound']],
    [apiError.alreadyExists(pods, 'a'), ['isAlreadyExists']],
    [apiError.modified(pods, 'a'), ['isConflict']],
    [apiError.applyConflict('no', []), ['isConflict']],
    [apiError.expired('old'), ['isExpired', 'isGone']],
    [error(410, 'Gone'), ['isGone']],
    [error(410), ['isGone']],
    [apiError.badRequest('no'), ['isBadRequest']],
    [apiError.unauthorized(), ['isUnauthorized']],
    [apiError.forbidden(pods, 'a', 'no'), ['isForbidden']],
    [
      apiError.forbidden(pods, 'a', 'no', [{ reason: 'NamespaceTerminating' }]),
      ['isForbidden', 'isNamespaceTerminating'],
    ],
    [apiError.methodNotAllowed(), ['isMethodNotSupported']],
    [apiError.notAcceptable('no'), ['isNotAcceptable']],
    [apiError.unsupportedMediaType('no'), ['isUnsupportedMediaType']],
    [apiError.tooLarge('no'), ['isRequestEntityTooLarge']],
    [apiError.invalid('', 'Pod', 'a', []), ['isInvalid']],
    [apiError.timeout('no', 1), ['isTimeout']],
    [
      apiError.timeout('Timeout: Too large resource version: 5, current: 4', 1),
      ['isTimeout', 'isTooLargeResourceVersion'],
    ],
    [error(504, 'ServerTimeout'), ['isServerTimeout']],
    [error(504), ['isTimeout']],
    [error(500), ['isInternalError']],
    [apiError.internalError('no'), ['isInternalError']],
    [error(503), ['isServiceUnavailable']],
    [error(429), ['isTooManyRequests']],
    // The code decides if the reason is unknown; a known reason takes precedence over the code.
    [error(429, 'Busy'), ['isTooManyRequests']],
    [error(409, 'AlreadyExists'), ['isAlreadyExists']],
    [error(500, 'NotFound'), ['isNotFound']],
    [error(418), []],
  ])('error predicate %s', (value, names) => expect(fitting(value)).toEqual(names))

  it('error predicates match no other error', () => {
    for (const value of [
      undefined,
      null,
      'NotFound',
      new Error('NotFound'),
      { status: { reason: 'NotFound' }, code: 404 },
    ])
      expect(fitting(value)).toEqual([])
  })

  it('retryAfter reads how long to wait', () => {
    expect(retryAfter(apiError.timeout('no', 2))).toBe(2000)
    expect(retryAfter(error(429, undefined, { retryAfterSeconds: 0 }))).toBeUndefined()
    expect(retryAfter(apiError.badRequest('no'))).toBeUndefined()
    expect(retryAfter(new Error('no'))).toBeUndefined()
  })
})
