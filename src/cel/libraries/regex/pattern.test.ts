import { expect, test } from 'vitest'
import { find, findAll, matches } from './pattern.ts'

test('regex matches do not overlap, and an empty one does not follow another at once', () => {
  expect(findAll('baaac', 'a*')).toEqual(['', 'aaa', ''])
  expect(findAll('abab', 'ab', 1n)).toEqual(['ab'])
  expect(findAll('abab', 'ab', 0n)).toEqual([])
  expect(find('xx12y', '\\d+')).toBe('12')
  expect(find('x', 'y')).toBe('')
  expect(matches('abc', '^b')).toBe(false)
})

test('what does not compile, in the words of Go', () => {
  expect(() => matches('a', '(')).toThrow('error parsing regexp: missing closing ): `(`')
  expect(() => find('a', '\\')).toThrow('error parsing regexp: trailing backslash at end of expression: ``')
})

test('a pattern that makes other engines backtrack takes no time', () => {
  expect(matches(`${'a'.repeat(5000)}!`, '^(a+)+$')).toBe(false)
})
