import { expect, test } from 'vitest'
import { findRegex, findAllRegex, matchesRegex } from './pattern.ts'

test('regex matches do not overlap, and an empty one does not follow another at once', () => {
  expect(findAllRegex('baaac', 'a*')).toEqual(['', 'aaa', ''])
  expect(findAllRegex('abab', 'ab', 1n)).toEqual(['ab'])
  expect(findAllRegex('abab', 'ab', 0n)).toEqual([])
  expect(findRegex('xx12y', '\\d+')).toBe('12')
  expect(findRegex('x', 'y')).toBe('')
  expect(matchesRegex('abc', '^b')).toBe(false)
})

test('what does not compile, in the words of Go', () => {
  expect(() => matchesRegex('a', '(')).toThrow('error parsing regexp: missing closing ): `(`')
  expect(() => findRegex('a', '\\')).toThrow('error parsing regexp: trailing backslash at end of expression: ``')
})

test('a pattern that makes other engines backtrack takes no time', () => {
  expect(matchesRegex(`${'a'.repeat(5000)}!`, '^(a+)+$')).toBe(false)
})
