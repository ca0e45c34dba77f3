import { describe, expect, test } from 'vitest'
import { CelDuration, CelTimestamp, CelUint, type CelValue, listOf } from '../../library.ts'
import { formatText } from './format.ts'

const format = (text: string, ...args: CelValue[]) => formatText(text, listOf(args))

describe('format', () => {
  test.each<[string, CelValue, string]>([
    ['%s', 1.5, '1.5'],
    ['%s', new CelDuration(1_500_000_000n), '1.5s'],
    [
      '%s',
      listOf([1n, 'a', null, 2.5, new CelTimestamp(0n)]),
      '[1, "a", null, 2.500000, timestamp("1970-01-01T00:00:00Z")]',
    ],
    ['%d', new CelUint(7n), '7'],
    ['%.2f', -1234567.125, '-1,234,567.12'],
    ['%f', Infinity, '∞'],
    ['%e', 12345665, '1.234566×10⁰⁷'],
    ['%b', -5n, '-101'],
    ['%X', 'hi', '6869'],
    ['%o', 8n, '10'],
    ['100%% %s', 'a', '100% a'],
  ])('%s of %s', (text, value, expected) => {
    expect(format(text, value)).toBe(expected)
  })

  test.each<[string, CelValue[], string]>([
    ['%s %s', ['a'], 'index 1 out of range'],
    ['%', ['a'], 'unexpected end of string'],
    ['%q', ['a'], 'could not parse formatting clause: unrecognized formatting clause "q"'],
    ['%.', ['a'], 'could not parse formatting clause: error while parsing precision: could not find end of'],
    ['%d', ['a'], 'error during formatting: decimal clause can only be used on integers, was given string'],
  ])('%s is refused', (text, args, message) => {
    expect(() => format(text, ...args)).toThrow(message)
  })

  test('an absurd precision does not fill the memory', () => {
    expect(format('%.999999999999f', 0.1).length).toBeLessThan(400)
  })
})
