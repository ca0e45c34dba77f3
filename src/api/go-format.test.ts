import { describe, expect, it } from 'vitest'
import { goQuote, goString, goType, goValue, jsonTypeName } from './go-format.ts'
import { goStructJson } from './go-json.ts'

describe('goQuote', () => {
  it.each([
    ['plain text', '"plain text"'],
    ['say "hi" \\ bye', '"say \\"hi\\" \\\\ bye"'],
    ['\x00\x07\b\f\n\r\t\v\x7f', '"\\x00\\a\\b\\f\\n\\r\\t\\v\\x7f"'],
    ['é😀', '"é😀"'],
    ['\u00a0\u200b\ue000', '"\\u00a0\\u200b\\ue000"'],
    ['\u{e0001}', '"\\U000e0001"'],
  ])('goQuote: %j', (text, quoted) => {
    expect(goQuote(text)).toBe(quoted)
  })
})

describe('goValue', () => {
  it.each([
    [{ b: [1, null, true, 'x'], a: {} }, 'map[a:map[] b:[1 <nil> true x]]'],
    [1.5, '1.5'],
    [1234567.5, '1.2345675e+06'],
    [0.0001, '0.0001'],
    [0.000012, '1.2e-05'],
    [-1.25e-7, '-1.25e-07'],
    [1e21, '1e+21'],
    [-9007199254740992, '-9007199254740992'],
    [{ image: 'q' }, 'map[image:q]'],
  ])('goValue: %j', (value, text) => {
    expect(goValue(value)).toBe(text)
  })
})

describe('goString', () => {
  it('goString shows the type of what is no string', () => {
    expect(goString('replace')).toBe('replace')
    expect(goString(3)).toBe('%!s(int64=3)')
    expect(goString(null)).toBe('%!s(<nil>)')
    expect(goString({ a: true })).toBe('map[a:%!s(bool=true)]')
  })
})

describe('types', () => {
  it('goType names them as Go and as the JSON decoder do', () => {
    const values = [{}, [], 'x', 1, 1.5, true, null]
    expect(values.map(goType)).toEqual([
      'map[string]interface {}',
      '[]interface {}',
      'string',
      'int64',
      'float64',
      'bool',
      '<nil>',
    ])
    expect(values.map(jsonTypeName)).toEqual(['object', 'array', 'string', 'number', 'number', 'bool', 'null'])
  })
})

describe('goStructJson', () => {
  it('goStructJson escapes what is dangerous in HTML', () => {
    expect(goStructJson({ h: '<a>&\u2028' })).toBe('{"h":"\\u003ca\\u003e\\u0026\\u2028"}')
  })
})
