import { describe, expect, test } from 'vitest'
import fc from 'fast-check'
import { CelDuration, CelError, CelTimestamp, CelUint } from '../../library.ts'
import { add, divide, modulo, multiply, negate, subtract } from './arithmetic.ts'
import { toInt, toText, toUint } from './conversions.ts'
import { durationText, parseGoDuration } from './duration.ts'
import { fixedText, floatText, maxInt64, minInt64, parseFloat64, parseInt64, decimalText } from './go-numbers.ts'
import { compareCelTexts, compareValues } from './ordering.ts'
import { dateParts, parseTimestamp, timestampText } from './timestamp.ts'
import { zoneOffset } from './time-zone.ts'

describe('arithmetic does not wrap', () => {
  const overflow = new CelError('integer overflow')
  test('arithmetic of integers does not wrap', () => {
    expect(add(maxInt64, 1n)).toEqual(overflow)
    expect(subtract(minInt64, 1n)).toEqual(overflow)
    expect(multiply(minInt64, -1n)).toEqual(overflow)
    expect(divide(minInt64, -1n)).toEqual(overflow)
    expect(modulo(minInt64, -1n)).toEqual(overflow)
    expect(negate(minInt64)).toEqual(overflow)
    expect(divide(-7n, 2n)).toBe(-3n)
    expect(modulo(-7n, 2n)).toBe(-1n)
    expect(divide(1n, 0n)).toEqual(new CelError('division by zero'))
    expect(modulo(new CelUint(1n), new CelUint(0n))).toEqual(new CelError('modulus by zero'))
    expect(subtract(new CelUint(1n), new CelUint(2n))).toEqual(new CelError('unsigned integer overflow'))
    expect(add(1n, 1.5)).toEqual(new CelError('no such overload'))
  })

  test('arithmetic of time does not wrap', () => {
    const last = new CelTimestamp(253402300799n * 1_000_000_000n, 3600)
    expect(add(last, new CelDuration(999_999_999n))).toEqual(new CelTimestamp(last.nanos + 999_999_999n, 3600))
    expect(add(last, new CelDuration(1_000_000_000n))).toEqual(new CelError('timestamp overflow'))
    expect(subtract(last, new CelTimestamp(-62135596800n * 1_000_000_000n))).toEqual(overflow)
  })
})

describe('numbers', () => {
  test.each([
    [123456, '123456'],
    [1234567, '1.234567e+06'],
    [0.0001, '0.0001'],
    [0.00001, '1e-05'],
    [-0, '-0'],
    [NaN, 'NaN'],
    [-Infinity, '-Inf'],
    [1e21, '1e+21'],
  ])('numbers: %d is printed as %s', (value, text) => {
    expect(floatText(value)).toBe(text)
  })

  test.each([
    ['1_000', 1000],
    ['0x1.8p1', 3],
    ['0x1p-1074', 5e-324],
    ['.5', 0.5],
    ['5.', 5],
    ['inf', Infinity],
    ['1e400', undefined],
    ['_1', undefined],
    ['1__0', undefined],
    ['0x1p1024', undefined],
    ['', undefined],
    [' 1', undefined],
  ])('numbers: %s is read as %d', (text, value) => {
    expect(parseFloat64(text)).toBe(value)
  })

  test('what is printed reads back the same', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => {
        expect(parseFloat64(floatText(value))).toBe(value)
        expect(Number(decimalText(value))).toBe(value)
      }),
    )
  })

  test('fixed digits are exact, ties to even', () => {
    expect(fixedText(0.125, 2)).toBe('0.12')
    expect(fixedText(0.375, 2)).toBe('0.38')
    expect(fixedText(1e21, 1)).toBe('1000000000000000000000.0')
    expect(fixedText(-2.5, 0)).toBe('-2')
  })

  test.each([`${'1'.repeat(1e6)}x`, `0x${'e'.repeat(1e6)}`, `1${'e'.repeat(1e6)}_`, `0x_${'e'.repeat(1e6)}_!`])(
    'long nonsense is refused at once',
    (text) => {
      expect(parseFloat64(text)).toBeUndefined()
    },
  )

  test('integers end at 64 bits', () => {
    expect(parseInt64('9223372036854775808')).toBeUndefined()
    expect(parseInt64(`${'0'.repeat(100)}5`)).toBe(5n)
    expect(parseInt64('9'.repeat(1_000_000))).toBeUndefined()
    expect(toInt(2 ** 63)).toEqual(new CelError('integer overflow'))
    expect(toUint(-1n)).toEqual(new CelError('unsigned integer overflow'))
  })

  test('order across types and beyond the basic plane', () => {
    expect(compareValues(1n, 1.5)).toBe(-1)
    expect(compareValues(-1n, new CelUint(2n ** 64n - 1n))).toBe(-1)
    expect(compareValues(NaN, 1)).toEqual(new CelError('NaN values cannot be ordered'))
    expect(compareCelTexts('\uffff', '😀')).toBe(-1)
  })
})

describe('time', () => {
  test.each([
    ['1h30m', '5400s'],
    ['-1.5s', '-1.5s'],
    ['1ns', '0.000000001s'],
    ['1µs', '0.000001s'],
    ['0', '0s'],
    ['2562047h47m16.854775807s', '9223372036.854776s'],
  ])('duration %s is %s', (text, shown) => {
    expect(durationText(parseGoDuration(text) as bigint)).toBe(shown)
  })

  test.each(['', '1', 's', '1d', '1h-1m', '2562047h47m16.854775808s', '.s', '9'.repeat(100_000)])(
    'duration %s is none',
    (text) => {
      expect(parseGoDuration(text)).toBeUndefined()
    },
  )

  test('timestamps keep their offset and nothing else of their text', () => {
    const shown = (text: string) => timestampText(parseTimestamp(text) as { nanos: bigint; offset: number })
    expect(shown('2020-01-01T1:02:03,5+01:30')).toBe('2020-01-01T01:02:03.5+01:30')
    expect(shown('1969-12-31T23:59:59.999999999Z')).toBe('1969-12-31T23:59:59.999999999Z')
    expect(shown('0000-12-31T23:30:00-01:00')).toBe('0000-12-31T23:30:00-01:00')
    expect(parseTimestamp('2021-02-29T00:00:00Z')).toBeUndefined()
    expect(parseTimestamp('2020-01-01T00:00:60Z')).toBeUndefined()
  })

  test('time: zones', () => {
    const winter = parseTimestamp('2023-03-12T06:59:59Z')?.nanos as bigint
    expect(zoneOffset('America/New_York', winter)).toBe(-5 * 3600)
    expect(zoneOffset('America/New_York', winter + 1_000_000_000n)).toBe(-4 * 3600)
    expect(zoneOffset('-08:30', winter)).toBe(-8.5 * 3600)
    expect(() => zoneOffset('america/new_york', winter)).toThrow('unknown time zone america/new_york')
    expect(() => zoneOffset('a:b', winter)).toThrow('strconv.Atoi: parsing "a": invalid syntax')
    expect(() => zoneOffset('../etc/passwd', winter)).toThrow('time: invalid location name')
  })

  test('the parts of a date', () => {
    const leap = parseTimestamp('2024-12-31T23:59:59.987Z')?.nanos as bigint
    expect(dateParts(leap, 0)).toMatchObject({ fullYear: 2024, month: 11, dayOfYear: 365, date: 31, dayOfWeek: 2 })
    expect(dateParts(leap, 3600)).toMatchObject({ fullYear: 2025, month: 0, dayOfYear: 0, date: 1, hours: 0 })
  })

  test('text of bytes must be UTF-8', () => {
    expect(toText(Buffer.from('é'))).toBe('é')
    expect(toText(new Uint8Array([0xff]))).toEqual(new CelError('invalid UTF-8 in bytes, cannot convert to string'))
  })
})
