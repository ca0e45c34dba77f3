import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { JsonSyntaxError, maxDepth, parseJson } from './json-text.ts'

describe('parseJson', () => {
  it('parseJson agrees with JSON.parse on anything that is JSON', () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        expect(parseJson(text).value).toEqual(JSON.parse(text))
      }),
    )
  })

  it('parseJson finds no duplicates in what JSON.stringify writes', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.boolean(), (value, pretty) => {
        expect(parseJson(JSON.stringify(value, null, pretty ? 2 : 0)).duplicates).toEqual([])
      }),
    )
  })

  it.each([
    ['{"a":1,"a":2}', ['a']],
    ['{"spec":{"color":"x","color":"y","n":{"k":1,"k":1}}}', ['spec.color', 'spec.n.k']],
    ['{"ports":[{"name":"a"},{"name":"b","name":"c"}]}', ['ports[1].name']],
    ['{"m":[[{"x":1,"x":2}],[0,{"y":1,"y":2}]]}', ['m[0][0].x', 'm[1][1].y']],
    ['{"a:b":":","a":"{\\"a\\":1}","a":0}', ['a']],
    ['{"__proto__":1,"__proto__":2}', ['__proto__']],
    ['{"k\\u0061":1,"ka":2}', ['ka']],
  ])('parseJson reports duplicates of %s', (text, paths) => {
    expect(parseJson(text).duplicates).toEqual(paths)
  })

  it('parseJson keeps __proto__ as plain data', () => {
    const { value } = parseJson('{"__proto__":{"polluted":true}}')
    expect(Object.hasOwn(value as object, '__proto__')).toBe(true)
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined()
  })

  it.each([
    ['9007199254740991', true],
    ['-9007199254740991', true],
    ['9007199254740992', true],
    ['9007199254740993', false],
    ['-9007199254740993', false],
    ['9223372036854775807', false],
    // Comes back as it was sent.
    ['9223372036854775000', true],
    ['1e400', false],
    ['-1E+999', false],
    ['1e300', true],
    ['0.1234567890123456789', true],
    // Beyond 64 bits it is a float for upstream, too.
    ['123456789012345678901234567890', true],
  ])('parseJson refuses numbers that would not come back: %s is fine: %s', (number, isFine) => {
    for (const text of [
      number,
      `[1,${number}]`,
      `{"a":{"b":${number}},"c":1}`,
      `{"a\\"1":"${number}","b":${number} }`,
    ]) {
      if (isFine) expect(parseJson(text).value).toEqual(JSON.parse(text))
      else expect(() => parseJson(text)).toThrow(JsonSyntaxError)
    }
    expect(parseJson(`{"a":"${number}"}`).value).toEqual({ a: number })
  })

  it('parseJson refuses what is nested too deeply, without recursing', () => {
    const deep = (depth: number) => '['.repeat(depth) + ']'.repeat(depth)
    expect(() => parseJson(deep(maxDepth + 1))).toThrow('exceeded max depth')
    expect(() => parseJson(deep(1_000_000))).toThrow('exceeded max depth')
    expect(parseJson(deep(maxDepth)).duplicates).toEqual([])
  })

  it.each([
    ['{bad', "invalid character 'b' looking for beginning of object key string"],
    ['', 'unexpected end of JSON input'],
    ['{"a":1', 'unexpected end of JSON input'],
    ['{"a" 1}', "invalid character '1' after object key"],
    ['{"a":1 "b":2}', "invalid character '\"' after object key:value pair"],
    ['[1 2]', "invalid character '2' after array element"],
    ['nul1', "invalid character '1' in literal null (expecting 'l')"],
    ['1.x', "invalid character 'x' after decimal point in numeric literal"],
    ['"\\q"', "invalid character 'q' in string escape code"],
    ['"a\nb"', "invalid character '\\n' in string literal"],
    ['{} {}', "invalid character '{' after top-level value"],
    ["'a'", "invalid character '\\'' looking for beginning of value"],
  ])('parseJson says what is wrong with %s', (text, message) => {
    expect(() => parseJson(text)).toThrow(new JsonSyntaxError(message))
  })
})
