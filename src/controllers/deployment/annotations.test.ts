import { describe, expect, it } from 'vitest'
import type { LiveObject } from '../../index.ts'
import { historyAnnotation, revisionAnnotation, revisionAnnotations, revisionOf } from './annotations.ts'

const set = (revision?: string, history?: string): LiveObject =>
  ({
    metadata: {
      name: 'web',
      annotations: {
        ...(revision === undefined ? {} : { [revisionAnnotation]: revision }),
        ...(history === undefined ? {} : { [historyAnnotation]: history }),
      },
    },
  }) as unknown as LiveObject

const maxInt64 = 2n ** 63n - 1n

describe('the revision of a ReplicaSet', () => {
  it.each([
    [undefined, 0n],
    ['7', 7n],
    ['+7', 7n],
    ['-7', -7n],
    [String(maxInt64), maxInt64],
    [String(maxInt64 + 1n), 0n],
    ['', 0n],
    ['1e3', 0n],
    ['0x10', 0n],
    [' 1', 0n],
  ])('the revision of a ReplicaSet is read as a 64-bit number: %s', (text, revision) => {
    expect(revisionOf(set(text))).toBe(revision)
  })

  it.each<[string | undefined, string | undefined, string | undefined, string | undefined]>([
    [undefined, undefined, '9', undefined],
    ['8', undefined, '9', '8'],
    ['8', '2,5', '9', '2,5,8'],
    ['9', '2', '9', undefined],
    ['10', '2', '10', undefined],
    ['not a number', '2', 'not a number', undefined],
  ])('the revision of a ReplicaSet only rises: %s, %s', (revision, history, expected, expectedHistory) => {
    const annotations = revisionAnnotations(set(revision, history), 9n)
    expect([annotations[revisionAnnotation], annotations[historyAnnotation]]).toEqual([expected, expectedHistory])
  })

  it('the revision of a ReplicaSet leaves its history when that gets too long', () => {
    const history = Array.from({ length: 500 }, (_, i) => String(i + 100)).join(',')
    expect(history).toHaveLength(1_999)
    expect(revisionAnnotations(set('700', history), 701n)[historyAnnotation]).toBe(`${history.slice(4)},700`)
  })
})
