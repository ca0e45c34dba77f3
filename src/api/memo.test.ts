import { describe, expect, it } from 'vitest'
import { Memo, memoCounters, MemoKind } from './memo.ts'

interface Square {
  readonly root: number
  readonly square: number
}

describe('a memo', () => {
  const kind = new MemoKind<Square, number>('squares of the test', 2, ({ root }, key) => root === key)
  const counter = () => memoCounters().find(({ name }) => name === 'squares of the test')

  it('keeps the most recently used entries and counts hits and misses', () => {
    const memo = new Memo(kind)
    const other = new Memo(kind)
    expect(memo.find(2)).toBeUndefined()
    const two = { root: 2, square: 4 }
    memo.add(two)
    memo.add({ root: 3, square: 9 })
    expect(memo.find(2)).toBe(two)
    // 3 is now the least recently used one.
    memo.add({ root: 4, square: 16 })
    expect(memo.size).toBe(2)
    expect(memo.find(3)).toBeUndefined()
    expect(memo.find(2)).toBe(two)
    expect(memo.find(4)?.square).toBe(16)
    expect(other.find(2)).toBeUndefined()
    expect(counter()).toEqual({ name: 'squares of the test', capacity: 2, instances: 2, hits: 3, misses: 3 })
  })

  it('has a name of its own', () => {
    expect(() => new MemoKind('squares of the test', 1, () => true)).toThrow('there is a memo called')
  })
})
