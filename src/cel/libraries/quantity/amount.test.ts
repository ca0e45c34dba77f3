import { expect, test } from 'vitest'
import { addCelAmounts, approximate, integerAmount, integerOf, parseAmount, subtractCelAmounts } from './amount.ts'

test.each([
  ['1', 1n],
  ['1Ki', 1024n],
  ['1e3', 1000n],
  ['5k', 5000n],
  ['123456789012345678', 123456789012345678n],
  ['1.0', undefined],
  ['1500m', undefined],
  ['1.5Ki', undefined],
  ['1234567890123456789', undefined],
  ['1Ei', undefined],
  ['10E', undefined],
  ['1e2000000000', undefined],
])('%s as an integer', (text, value) => {
  expect(integerOf(parseAmount(text))).toBe(value)
})

test.each([
  ['1.5', 1.5],
  ['100m', 0.1],
  ['1Gi', 1073741824],
  ['1000000000000000000', 1.0000000000000001e18],
  ['1e-99', 1e-9],
  ['1e400', Infinity],
])('%s as a double', (text, value) => {
  expect(approximate(parseAmount(text))).toBeCloseTo(value, 9)
})

test('sums that outgrow 64 bits are no integers any more', () => {
  const large = parseAmount('9E')
  expect(integerOf(addCelAmounts(large, integerAmount(1n)))).toBe(9_000_000_000_000_000_001n)
  expect(integerOf(addCelAmounts(large, large))).toBeUndefined()
  const odd = addCelAmounts(large, integerAmount(1n))
  expect(integerOf(subtractCelAmounts(addCelAmounts(odd, large), large))).toBeUndefined()
})
