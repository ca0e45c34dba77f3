import fc from 'fast-check'
import { expect, it } from 'vitest'
import {
  firstMissing,
  includes,
  intervalText,
  merged,
  overlap,
  parseIntervals,
  total,
  withIndexes,
} from './intervals.ts'

const indexes = fc.uniqueArray(fc.nat({ max: 30 }))
const sorted = (list: Iterable<number>): number[] => [...list].sort((a, b) => a - b)
const listed = (set: ReturnType<typeof parseIntervals>): number[] =>
  Array.from({ length: 40 }, (_, index) => index).filter((index) => includes(set, index))

it('intervals behave like sets of numbers', () => {
  fc.assert(
    fc.property(indexes, indexes, fc.nat({ max: 35 }), fc.nat({ max: 10 }), (a, b, completions, count) => {
      const [left, right] = [withIndexes([], a), withIndexes([], b)]
      const both = new Set([...a, ...b])
      expect(listed(merged(left, right))).toEqual(sorted(both))
      expect(total(left)).toBe(a.length)
      expect(overlap(left, right)).toBe(a.filter((index) => b.includes(index)).length)
      expect(listed(parseIntervals(intervalText(left), completions))).toEqual(
        sorted(a.filter((index) => index < completions)),
      )
      const missing = Array.from({ length: completions }, (_, index) => index).filter((index) => !a.includes(index))
      expect(firstMissing(left, count, completions)).toEqual(missing.slice(0, count))
    }),
  )
})

it('two neighbours are a list, three an interval', () => {
  expect(intervalText(withIndexes([], [5, 4, 1, 7, 8, 9]))).toBe('1,4,5,7-9')
  expect(intervalText(parseIntervals('0,x,2-3,4', 10))).toBe('0,2-4')
})
