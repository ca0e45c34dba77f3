import { expect, test } from 'vitest'
import { limitSteps, maxSteps, StepLimitExceeded, takeSteps } from './step-limit.ts'
import { liveBytes } from '../../test/hostile/definitions.ts'
import { compileRegex, findRegex, findAllRegex, matchesRegex, TextTooLongError } from './regex.ts'

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

/** Needs another state of the automaton at each character. */
const wide = 'a(a|b){20}[^ab]'
let state = 1
const letters = Array.from({ length: 100_000 }, () => {
  state = (state * 48_271) % 2_147_483_647
  return (state & 64) === 0 ? 'a' : 'b'
}).join('')

test('a text that is too long for a pattern with a large automaton is refused, not matched', () => {
  expect(matchesRegex(letters.slice(0, 30_000), wide)).toBe(false)
  expect(() => matchesRegex(letters, wide)).toThrow(
    `a text of 100000 characters is too long to be matched with \`${wide}\``,
  )
  expect(() => findRegex(letters, wide)).toThrow(TextTooLongError)
})

test('the automata of patterns are limited in memory', () => {
  const before = liveBytes()
  const regexes = Array.from({ length: 10 }, (_, i) => compileRegex(`a(a|b){3${i}}[^ab]`))
  for (const regex of regexes) expect(regex.test(letters.slice(0, 20_000))).toBe(false)
  expect(liveBytes() - before).toBeLessThan(20 * 1024 * 1024)
})

test('the steps of matches are counted: of the text, of new states, and of each match', () => {
  const stepsOf = (run: () => void): number => {
    let [low, high] = [0, maxSteps]
    while (high - low > 1000) {
      const spare = (low + high) >> 1
      try {
        limitSteps(() => {
          takeSteps(maxSteps - spare)
          run()
        })
        high = spare
      } catch {
        low = spare
      }
    }
    return high
  }
  const small = stepsOf(() => void compileRegex('^(a|b)+c$').test(letters.slice(0, 1000)))
  const large = stepsOf(() => void compileRegex('^(a|b)+c$').test(letters.slice(0, 10_000)))
  expect(large).toBeLessThan(40_000)
  expect(large).toBeGreaterThan(small)
  expect(() => limitSteps(() => findAllRegex('a'.repeat(10_000), 'a.*c|a'))).toThrow(StepLimitExceeded)
})
