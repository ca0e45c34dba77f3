import { createRequire } from 'node:module'
import type { RE2JS as Engine } from 're2js'
import { describe, expect, it } from 'vitest'
import { maxPatternInstructions, PatternCache, patternSize } from './pattern-size.ts'

const { RE2JS } = createRequire(import.meta.url)('re2js') as { RE2JS: typeof Engine }

const sources = [
  '',
  'abc',
  '^[a-z0-9]([-a-z0-9]*[a-z0-9])?$',
  '.{999}',
  '(a|b){50}',
  '(?i)abc',
  '\\pL{100}',
  '[^a]{3,5}',
  'a{2,}',
  '(?:ab){10}c',
  'x*y+z?',
  '\\Qa.b{9}\\E',
  '(a{10}){10}',
  '^(.{0,99}){2}$',
  '\\d{1,3}(\\.\\d{1,3}){3}',
  '[[:alpha:]]{20}',
  '[]a-]{7}',
  '(?P<n>a){4}',
  'a{0}',
  '\\x{61}{7}',
  '(a?){1000}',
  '((a|b)?c){200}',
  'a{b}{,3}',
]

describe('the size of a pattern', () => {
  it.each(sources)('%s: at least its instructions, and not many times as much', (source) => {
    const { size, problem } = patternSize(source)
    const instructions = RE2JS.compile(source).programSize()
    expect(problem).toBeUndefined()
    expect(size + 4).toBeGreaterThanOrEqual(instructions)
    expect(size).toBeLessThanOrEqual(8 * instructions)
  })

  it('is limited, with the message of Go', () => {
    expect(patternSize('(.{0,999})'.repeat(50)).problem).toContain('error parsing regexp: expression too large: `')
    expect(patternSize('((a{100}){100}){100}').problem).toBe('error parsing regexp: invalid repeat count: `{100}`')
    expect(patternSize('a'.repeat(maxPatternInstructions)).problem).toBeUndefined()
    expect(patternSize('a'.repeat(maxPatternInstructions + 1)).problem).toContain('expression too large')
  })
})

describe('the cache of patterns', () => {
  it('drops the oldest beyond a number, a size, or the memory that they report', () => {
    const cache = new PatternCache<number>()
    for (let i = 0; i <= 1000; i++) cache.add(`p${i}`, i, 1)
    expect([cache.get('p0'), cache.get('p1'), cache.get('p1000')]).toEqual([undefined, 1, 1000])
    cache.grow('p1000', 17 * 1024 * 1024)
    expect([cache.get('p999'), cache.get('p1000')]).toEqual([undefined, undefined])
    cache.add('q', 1, 20 * maxPatternInstructions)
    cache.add('r', 2, 1)
    expect([cache.get('q'), cache.get('r')]).toEqual([undefined, 2])
    cache.drop('r')
    expect(cache.get('r')).toBeUndefined()
  })
})
