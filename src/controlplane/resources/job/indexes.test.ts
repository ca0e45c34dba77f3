/** Parsing of index lists, against a set of numbers as the model. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { countIndexes, overlap } from './indexes.ts'

/** `[0, 1, 2, 5]` is `0-2,5`. */
function textOf(numbers: readonly number[]): string {
  const parts: string[] = []
  for (let i = 0; i < numbers.length;) {
    let end = i
    while (numbers[end + 1] === (numbers[end] as number) + 1) end++
    parts.push(end === i ? String(numbers[i]) : `${numbers[i]}-${numbers[end]}`)
    i = end + 1
  }
  return parts.join()
}

const indexes = fc.uniqueArray(fc.nat(30)).map((numbers) => numbers.toSorted((a, b) => a - b))

describe('indexes', () => {
  it('the check of indexes counts what a text means', () => {
    fc.assert(
      fc.property(indexes, (numbers) => {
        expect(countIndexes(textOf(numbers), 31)).toBe(numbers.length)
      }),
    )
  })

  it('the check of indexes finds the first that two texts share', () => {
    fc.assert(
      fc.property(indexes, indexes, (one, other) => {
        expect(overlap(textOf(one), textOf(other), 31)).toBe(one.find((number) => other.includes(number)))
      }),
    )
  })

  it.each([
    ['0-9', 'too large index: "9"'],
    ['a', 'cannot convert string to integer for index: "a"'],
    ['3,2', 'non-increasing order, previous: 3, current: 2'],
    ['2-2', 'non-increasing order, previous: 2, current: 2'],
    [
      '1-2-3',
      'the fragment "1-2-3" violates the requirement that ' +
        "an index interval can have at most two parts separated by '-'",
    ],
  ])('the check of indexes: %s: %s', (text, problem) => {
    expect(countIndexes(text, 5)).toBe(problem)
  })
})
