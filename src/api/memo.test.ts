import { describe, expect, it } from 'vitest'
import { Memo, memoCounter, memoCounters } from './memo.ts'

interface Square {
  readonly root: number
  readonly square: number
}

describe('a memo', () => {
  const squares = memoCounter('squares of the test', 2)
  const counter = () => memoCounters().find(({ name }) => name === 'squares of the test')

  function find(memo: Memo<Square>, root: number): Square | undefined {
    const place = memo.entries.findIndex((entry) => entry.root === root)
    return place < 0 ? memo.miss() : memo.hit(place)
  }

  it('a memo keeps the most recently used entries and counts hits and misses', () => {
    const memo = new Memo<Square>(squares)
    const other = new Memo<Square>(squares)
    expect(find(memo, 2)).toBeUndefined()
    const two = { root: 2, square: 4 }
    memo.add(two)
    memo.add({ root: 3, square: 9 })
    expect(find(memo, 2)).toBe(two)
    // 3 is now the least recently used one.
    memo.add({ root: 4, square: 16 })
    expect(memo.entries.map(({ root }) => root)).toEqual([4, 2])
    expect(find(memo, 3)).toBeUndefined()
    expect(find(memo, 2)).toBe(two)
    expect(memo.entries.map(({ root }) => root)).toEqual([2, 4])
    expect(find(memo, 4)?.square).toBe(16)
    expect(find(other, 2)).toBeUndefined()
    expect(counter()).toEqual({ name: 'squares of the test', capacity: 2, instances: 2, hits: 3, misses: 3 })
  })

  it('a memo has a name of its own', () => {
    expect(() => memoCounter('squares of the test', 1)).toThrow('there is a memo called')
  })
})
