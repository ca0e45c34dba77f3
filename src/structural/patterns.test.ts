import { describe, expect, it } from 'vitest'
import { compilePattern, patternProblem } from './patterns.ts'

describe('patterns', () => {
  it('a pattern finds the pattern anywhere unless it is anchored', () => {
    expect(compilePattern('b').test('abc')).toBe(true)
    expect(compilePattern('^b').test('abc')).toBe(false)
    expect(compilePattern('^[a-z]+$').test('abc\n')).toBe(false)
  })

  it('a pattern speaks RE2, not JavaScript', () => {
    expect(compilePattern('(?i)abc').test('xABCx')).toBe(true)
    expect(compilePattern('^[[:alpha:]]+\\z').test('abc')).toBe(true)
    expect(patternProblem('(?=a)')).toBe('error parsing regexp: invalid or unsupported Perl syntax: `(?=`')
    expect(patternProblem('\\1')).toBe('error parsing regexp: invalid escape sequence: `\\1`')
    expect(patternProblem('a{1001}')).toBe('error parsing regexp: invalid repeat count: `{1001}`')
    expect(patternProblem('(')).toBe('error parsing regexp: missing closing ): `(`')
    expect(patternProblem('a')).toBeUndefined()
  })

  it('a pattern stays linear where backtracking would take for ever', () => {
    const text = `${'a'.repeat(50_000)}!`
    for (const source of ['^(a+)+$', '^(a|aa)+$', '^(a|a?)+$', '(x+x+)+y', '^(.*a){20}$']) {
      expect(compilePattern(source).test(text)).toBe(false)
    }
  }, 5_000)

  it('a pattern compiles each pattern once', () => {
    expect(compilePattern('^once$')).toBe(compilePattern('^once$'))
  })
})
