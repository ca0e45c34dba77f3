import { describe, expect, test } from 'vitest'
import { charAt, indexOf, lastIndexOf, lowerAscii, quote, replace, split, substring, trim } from './text.ts'

describe('strings count in code points', () => {
  test('strings count in code points: positions', () => {
    expect(charAt('a😀b', 1n)).toBe('😀')
    expect(charAt('a😀b', 3n)).toBe('')
    expect(() => charAt('a😀b', 4n)).toThrow('index out of range: 4')
    expect(substring('a😀b', 2n)).toBe('b')
    expect(substring('a😀b', 1n, 2n)).toBe('😀')
    expect(() => substring('abc', 2n, 1n)).toThrow('invalid substring range. start: 2, end: 1')
    expect(indexOf('😀a😀a', 'a', 2n)).toBe(3n)
    expect(lastIndexOf('😀a😀a', '😀')).toBe(2n)
    expect(lastIndexOf('😀a😀a', '😀', 1n)).toBe(0n)
    expect(indexOf('abc', '', -5n)).toBe(-5n)
    expect(() => indexOf('abc', 'a', -1n)).toThrow('index out of range: -1')
  })

  test('replace: empty parts around every character, patterns of JavaScript without meaning', () => {
    expect(replace('a😀', '', '-')).toBe('-a-😀-')
    expect(replace('a😀', '', '-', 2n)).toBe('-a-😀')
    expect(replace('aaa', 'a', '$&', 2n)).toBe('$&$&a')
    expect(replace('aaa', 'a', '$&')).toBe('$&$&$&')
    expect(replace('aaa', 'a', 'b', 0n)).toBe('aaa')
    expect(replace('', '', 'x')).toBe('x')
  })

  test('strings count in code points: split', () => {
    expect(split('a,b,c', ',', 2n)).toEqual(['a', 'b,c'])
    expect(split('a😀b', '')).toEqual(['a', '😀', 'b'])
    expect(split('a😀b', '', 2n)).toEqual(['a', '😀b'])
    expect(split('', ',')).toEqual([''])
    expect(split('', '')).toEqual([])
    expect(split('a', ',', 0n)).toEqual([])
  })

  test('blanks, letters, quotes', () => {
    expect(trim('\u0085\u2003 x\u00a0\n')).toBe('x')
    expect(trim('\ufeffx')).toBe('\ufeffx')
    expect(lowerAscii('ÀB')).toBe('Àb')
    expect(quote('a"\n\u0007😀')).toBe('"a\\"\\n\\a😀"')
  })
})
