/** Every class of error: its classification, and the reaction of the controller. */
import { describe, expect, it } from 'vitest'
import { ApiError, apiError } from '../api/status.ts'
import { StaleCacheError } from '../cache/cache.ts'
import { TransportError } from '../client/transport.ts'
import {
  BeingDeletedError,
  classify,
  messageOf,
  NotOwnedError,
  PermanentError,
  ReconcileTimeoutError,
  RetryableError,
  type ErrorClass,
} from './errors.ts'
import { thrownResult } from './run-result.ts'
import { stopAfterEach } from './testdata/app.ts'
import { endingOf } from './testdata/ending.ts'

stopAfterEach()

const of = { group: '', resource: 'configmaps' }
const status = (code: number, reason: string, details: object = {}) =>
  new ApiError({
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    code,
    reason,
    message: reason,
    details,
  })

describe('an error is', () => {
  it.each<[string, unknown, ErrorClass, 'backoff' | 'soon' | 'never' | number]>([
    ['what asks for a retry', new RetryableError('x'), 'retryable', 'backoff'],
    ['what asks for one later', new RetryableError('x', { afterMs: 500 }), 'retryable', 500],
    ['a timeout', new ReconcileTimeoutError(5), 'retryable', 'backoff'],
    ['permanent', new PermanentError('x'), 'permanent', 'never'],
    ['about what is not ours', new NotOwnedError('x'), 'permanent', 'never'],
    ['a lost race', apiError.modified(of, 'a'), 'conflict', 'soon'],
    ['a conflict of a server that gives no reason', status(409, ''), 'conflict', 'soon'],
    ['a name that is taken', status(409, 'AlreadyExists'), 'retryable', 'backoff'],
    [
      'a field that others own',
      apiError.applyConflict('x', [{ reason: 'FieldManagerConflict', field: '.a' }]),
      'retryable',
      'backoff',
    ],
    ['a cache behind', new StaleCacheError('x'), 'stale', 'soon'],
    ['an object that must go first', new BeingDeletedError('x'), 'beingDeleted', 'soon'],
    [
      'a namespace that ends',
      status(403, 'Forbidden', { causes: [{ reason: 'NamespaceTerminating' }] }),
      'namespaceTerminating',
      'never',
    ],
    ['a refusal', status(403, 'Forbidden'), 'retryable', 'backoff'],
    ['a server that is busy', status(429, 'TooManyRequests', { retryAfterSeconds: 7 }), 'retryable', 7000],
    ['an object that is invalid', status(422, 'Invalid'), 'retryable', 'backoff'],
    ['no answer', new TransportError('ECONNRESET', 'x', true), 'retryable', 'backoff'],
    ['any other error', new Error('x'), 'retryable', 'backoff'],
    ['a mistake', new TypeError('x'), 'bug', 'backoff'],
    ['a typing mistake', new ReferenceError('x'), 'bug', 'backoff'],
    ['endless recursion', new RangeError('x'), 'bug', 'backoff'],
    ['no error at all', 'a text', 'bug', 'backoff'],
    ['nothing', undefined, 'bug', 'backoff'],
  ])('an error is %s', async (_, error, type, retry) => {
    expect(classify(error)).toBe(type)
    const isFailure = ['retryable', 'permanent', 'bug'].includes(type)
    const { retriedAfterMs, result, isError, isTerminal, isPanic, event } = await endingOf(error)
    if (retry === 'never') expect(retriedAfterMs).toBeUndefined()
    else if (typeof retry === 'number') expect(retriedAfterMs).toBe(retry)
    else expect(retriedAfterMs).toBeLessThanOrEqual(6)
    expect(isError).toBe(isFailure)
    expect(result === 'error').toBe(isFailure)
    expect(isTerminal).toBe(isFailure && retry === 'never')
    expect(isPanic).toBe(type === 'bug')
    expect(event).toBe(isFailure ? (isTerminal ? 'ReconcileFailed' : 'ReconcileRetried') : undefined)
    expect(thrownResult(error, 0)).toEqual({
      type,
      error,
      ...(isFailure && retry !== 'never' ? { delayMs: typeof retry === 'number' ? retry : undefined } : {}),
    })
  })
})

describe('maxRetries', () => {
  it('maxRetries makes a failure permanent once it is exceeded, but never a lost race', () => {
    expect(thrownResult(new RetryableError('x'), 2, 3).type).toBe('retryable')
    expect(thrownResult(new RetryableError('x', { afterMs: 5 }), 3, 3).type).toBe('permanent')
    expect(thrownResult(new TypeError('x'), 3, 3).type).toBe('permanent')
    expect(thrownResult(apiError.modified(of, 'a'), 1000, 3).type).toBe('conflict')
  })
})

it('messageOf has a message for any thrown value', () => {
  expect(messageOf(new Error('x'))).toBe('x')
  expect(messageOf(7)).toBe('a value that is no Error was thrown: 7')
  expect(new PermanentError('x', { cause: 1 }).cause).toBe(1)
})
