import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  addQuantities,
  canonicalQuantity,
  compareQuantities,
  integerValue,
  milliValue,
  parseQuantity,
  quantityText,
  QuantityError,
  resourceQuantity,
  roundUp,
  subtractQuantities,
  type Quantity,
} from './quantity.ts'

const wrongFormat = "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"
const wrongSuffix = "unable to parse quantity's suffix"

describe('the canonical text', () => {
  it.each([
    // whole numbers and decimals
    ['0', '0'],
    ['00', '0'],
    ['-0', '0'],
    ['0m', '0'],
    ['0Ki', '0'],
    ['.', '0'],
    ['+', '0'],
    ['500m', '500m'],
    ['0.5', '500m'],
    ['.5', '500m'],
    ['1.0', '1'],
    ['1000', '1k'],
    ['100000', '100k'],
    ['1000k', '1M'],
    ['1000m', '1'],
    ['1023.5', '1023500m'],
    ['-5', '-5'],
    ['-1.5', '-1500m'],
    // powers of two
    ['1Ki', '1Ki'],
    ['1024Ki', '1Mi'],
    ['1024Mi', '1Gi'],
    ['1.5Gi', '1536Mi'],
    ['-1.5Gi', '-1536Mi'],
    ['0.5Ki', '512'],
    ['1.1Ki', '1126400m'],
    ['1025.5Ki', '1050112'],
    ['7Ei', '7Ei'],
    // exponents
    ['1e3', '1e3'],
    ['1E3', '1E3'],
    ['100e1', '1e3'],
    ['1e1', '10'],
    ['1e0', '1e0'],
    ['1E', '1E'],
    ['1e99', '1e99'],
    // rounded up to a nano
    ['0.1n', '1n'],
    ['-0.1n', '-1n'],
    ['1e-10', '1e-9'],
    ['1234567890.123456789123', '1234567890123456790n'],
    // beyond 64 bits
    ['8Ei', '9223372036854775807'],
    ['9223372036854775808', '9223372036854775808'],
    ['1234567890123456789000', '1234567890123456789k'],
    // oddities of upstream
    ['1.500', '1.500'],
    ['+5', '+5'],
    ['0001', '0001'],
    ['5.k', '5.k'],
    ['1000E', '1'],
    ['1e4294967296', '1e4294967296'],
  ])('the canonical text of %s is %s', (text, canonical) => {
    expect(quantityText(parseQuantity(text))).toBe(canonical)
    expect(canonicalQuantity(text)).toBe(canonical)
  })

  it.each([
    ['', wrongFormat],
    ['a', wrongFormat],
    ['1 ', wrongFormat],
    ['1.2.3', wrongFormat],
    ['1'.repeat(5000), wrongFormat],
    ['1e', wrongSuffix],
    ['1K', wrongSuffix],
    ['1ki', wrongSuffix],
    ['1m3', wrongSuffix],
    ['1Ki5', wrongSuffix],
    ['1e99999999999999999999', wrongSuffix],
    ['Pi', 'unable to parse numeric part of quantity'],
  ])('canonicalQuantity refuses %j', (text, message) => {
    expect(() => parseQuantity(text)).toThrow(new QuantityError(message))
  })

  it('canonicalQuantity takes numbers and surrounding blanks from JSON', () => {
    expect(canonicalQuantity(1)).toBe('1')
    expect(canonicalQuantity(0.25)).toBe('250m')
    expect(canonicalQuantity(' 5 ')).toBe('5')
  })

  it('resourceQuantity rounds to thousandths', () => {
    expect(resourceQuantity('100m')).toBe('100m')
    expect(resourceQuantity('862u')).toBe('1m')
    expect(resourceQuantity('-6u')).toBe('-1m')
    expect(resourceQuantity('4.1432353913Mi')).toBe('4344497194m')
    expect(resourceQuantity('597.9325575249E2')).toBe('59793256e-3')
    expect(quantityText(roundUp(parseQuantity('1500m'), 0))).toBe('2')
  })
})

describe('values', () => {
  it('a quantity rounds away from zero', () => {
    expect(integerValue(parseQuantity('1.1Ki'))).toBe(1127n)
    expect(integerValue(parseQuantity('-1500m'))).toBe(-2n)
    expect(milliValue(parseQuantity('1.5'))).toBe(1500n)
    expect(milliValue(parseQuantity('1n'))).toBe(1n)
  })

  it('a quantity keeps the format of the first number, or of the second when the first is zero', () => {
    const sum = (a: string, b: string) => quantityText(addQuantities(parseQuantity(a), parseQuantity(b)))
    expect(sum('1Gi', '1G')).toBe('2073741824')
    expect(sum('512Mi', '512Mi')).toBe('1Gi')
    expect(sum('0', '1Ki')).toBe('1Ki')
    expect(sum('1e3', '1')).toBe('1001')
    expect(quantityText(subtractQuantities(parseQuantity('1'), parseQuantity('1100m')))).toBe('-100m')
  })

  it('a quantity survives monstrous exponents', () => {
    const huge = parseQuantity('1234567890123456789e2147483646')
    expect(compareQuantities(huge, parseQuantity('1'))).toBe(1)
    expect(quantityText(addQuantities(huge, parseQuantity('1')))).toBe(quantityText(huge))
    expect(quantityText(parseQuantity('1e-2147483647'))).toBe('1e-9')
  })
})

const suffix = fc.constantFrom('', 'm', 'k', 'M', 'G', 'T', 'n', 'u', 'Ki', 'Mi', 'Gi', 'Ti', 'e3', 'E-3', 'e1')
const fraction = fc.oneof(
  fc.constant(''),
  fc.string({ unit: fc.constantFrom('0', '5', '9'), maxLength: 12 }).map((f) => `.${f}`),
)
const quantity = fc
  .tuple(fc.constantFrom('', '-'), fc.nat({ max: 10 ** 6 }), fraction, suffix)
  .map((parts) => parts.join(''))

/** The value as numerator and denominator: a reference implementation. */
function rational(text: string): [bigint, bigint] {
  const [, sign, integer, decimals = '', unit] = /^(-?)(\d+)(?:\.(\d*))?(.*)$/.exec(text) as unknown as string[]
  let top = BigInt((integer as string) + decimals)
  let bottom = 10n ** BigInt(decimals.length)
  const power =
    { n: -9, u: -6, m: -3, '': 0, k: 3, M: 6, G: 9, T: 12 }[unit as string] ??
    Number(/^[eE](.*)$/.exec(unit as string)?.[1] ?? NaN)
  if (Number.isNaN(power)) top *= 1024n ** BigInt('KMGT'.indexOf((unit as string)[0] as string) + 1)
  else if (power >= 0) top *= 10n ** BigInt(power)
  else bottom *= 10n ** BigInt(-power)
  // Finer than a nano: round up.
  const nanos = (top * 10n ** 9n + bottom - 1n) / bottom
  return [sign === '-' ? -nanos : nanos, 10n ** 9n]
}

function value({ unscaled, scale }: Quantity): [bigint, bigint] {
  return scale >= 0 ? [unscaled * 10n ** BigInt(scale), 1n] : [unscaled, 10n ** BigInt(-scale)]
}

const compare = ([a, b]: [bigint, bigint], [c, d]: [bigint, bigint]) => Math.sign(Number(a * d - c * b))

describe('laws', () => {
  it('a quantity has the value that the text says', () => {
    fc.assert(
      fc.property(quantity, (text) => {
        expect(compare(value(parseQuantity(text)), rational(text))).toBe(0)
      }),
      { numRuns: 1000 },
    )
  })

  it('a quantity prints a fixed point with the same value', () => {
    fc.assert(
      fc.property(quantity, (text) => {
        const canonical = canonicalQuantity(text)
        // A fraction of a binary unit, as 659812.5Ki, prints without a unit, and that is decimal: then 675648k.
        const again = canonicalQuantity(canonical)
        expect(/^-?\d+\.\d+[KMGT]i$/.test(text) ? canonicalQuantity(again) : canonical).toBe(again)
        expect(compareQuantities(parseQuantity(canonical), parseQuantity(text))).toBe(0)
      }),
      { numRuns: 1000 },
    )
  })

  it('a quantity compares, adds and subtracts as rationals do', () => {
    fc.assert(
      fc.property(quantity, quantity, (a, b) => {
        const [x, y] = [rational(a), rational(b)]
        const [p, q] = [parseQuantity(a), parseQuantity(b)]
        expect(compareQuantities(p, q)).toBe(compare(x, y))
        expect(compare(value(addQuantities(p, q)), [x[0] + y[0], x[1]])).toBe(0)
        expect(compare(value(subtractQuantities(p, q)), [x[0] - y[0], x[1]])).toBe(0)
      }),
      { numRuns: 1000 },
    )
  })
})
