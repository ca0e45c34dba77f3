import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { mergeRepeatedKeys } from './repeated-keys.ts'

describe('keys that stand there twice', () => {
  test.each([
    ['{"a":1,"a":2}', { a: 2 }],
    ['{"a":{"x":1},"a":{"y":2}}', { a: { x: 1, y: 2 } }],
    ['{"a":{"x":{"p":1}},"a":{"x":{"q":2}},"a":{"x":{"p":3}}}', { a: { x: { p: 3, q: 2 } } }],
    ['{"a":[{"x":1},{"x":2}],"a":[{"y":3}]}', { a: [{ x: 1, y: 3 }] }],
    ['{"a":[{"x":1}],"a":[{"y":3},{"y":4}]}', { a: [{ x: 1, y: 3 }, { y: 4 }] }],
    ['{"a":{"x":1},"a":5}', { a: 5 }],
    ['{"a":5,"a":{"x":1}}', { a: { x: 1 } }],
    ['{"data":{"x":1},"data":null}', { data: null }],
    ['{"metadata":{"name":"a"},"metadata":null}', { metadata: { name: 'a' } }],
    ['{"a":{"metadata":{"name":"a"},"metadata":null}}', { a: { metadata: null } }],
    ['{"metadata":null}', { metadata: null }],
    [
      ' { "a\\"" : [ 1 , -2.5e3 , true , null , "\\u00e4\\\\" ] , "b" : { } , "c" : [ ] } ',
      { 'a"': [1, -2500, true, null, 'ä\\'], b: {}, c: [] },
    ],
  ])('keys that stand there twice: %s', (text, value) => {
    expect(mergeRepeatedKeys(text)).toEqual(value)
  })

  test('keys that stand there twice may be hostile', () => {
    const value = mergeRepeatedKeys('{"__proto__":{"x":1},"__proto__":{"y":2}}')
    expect(JSON.stringify(value)).toBe('{"__proto__":{"x":1,"y":2}}')
    expect(({} as { x?: unknown }).x).toBeUndefined()
  })

  test('keys that stand there twice are all that tells it from JSON.parse', () => {
    fc.assert(
      fc.property(fc.json(), fc.constantFrom(undefined, 1), (text, indent) => {
        const value: unknown = JSON.parse(text)
        expect(JSON.stringify(mergeRepeatedKeys(JSON.stringify(value, undefined, indent)))).toBe(JSON.stringify(value))
      }),
    )
  })
})
