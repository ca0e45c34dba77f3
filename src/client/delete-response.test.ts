import { describe, expect, it } from 'vitest'
import { deleteBody, isStillPresent } from './delete-response.ts'

describe('after a delete the object is still there', () => {
  const deletionTimestamp = '2026-01-01T00:00:00Z'
  it.each([
    ['a Status says that it is gone', { kind: 'Status', status: 'Success' }, false],
    ['an object that was not even marked', { kind: 'ServiceAccount', metadata: { name: 'a' } }, false],
    [
      'a pod within its grace period',
      { kind: 'Pod', metadata: { deletionTimestamp, deletionGracePeriodSeconds: 30 } },
      true,
    ],
    ['a pod that had none', { kind: 'Pod', metadata: { deletionTimestamp, deletionGracePeriodSeconds: 0 } }, false],
    [
      'a pod that had none, but a finalizer',
      { kind: 'Pod', metadata: { deletionTimestamp, deletionGracePeriodSeconds: 0, finalizers: ['x/y'] } },
      true,
    ],
    [
      'a namespace, whose finalizers are in its spec',
      { kind: 'Namespace', metadata: { deletionTimestamp }, spec: { finalizers: ['kubernetes'] } },
      true,
    ],
    ['nothing', null, false],
  ])('the object is still there after a delete: %s', (_name, answer, there) =>
    expect(isStillPresent(answer)).toBe(there),
  )
})

it('the body of a delete has only the options that were given', () => {
  const type = { apiVersion: 'v1', kind: 'DeleteOptions' }
  expect(deleteBody({ timeoutMs: 5 })).toEqual(type)
  expect(
    deleteBody({ uid: 'u', resourceVersion: '5', propagationPolicy: 'Orphan', gracePeriodSeconds: 0, dryRun: true }),
  ).toEqual({
    ...type,
    preconditions: { uid: 'u', resourceVersion: '5' },
    propagationPolicy: 'Orphan',
    gracePeriodSeconds: 0,
    dryRun: ['All'],
  })
})
