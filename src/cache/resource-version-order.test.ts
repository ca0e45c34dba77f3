import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { compareResourceVersions } from './resource-version-order.ts'

describe('resource versions', () => {
  it('resource versions are ordered as numbers of any size', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }), fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }), (a, b) => {
        expect(Math.sign(compareResourceVersions(String(a), String(b)))).toBe(a < b ? -1 : a > b ? 1 : 0)
      }),
    )
    // JavaScript numbers would be equal.
    expect(compareResourceVersions('9007199254740993', '9007199254740992')).toBeGreaterThan(0)
    expect(compareResourceVersions('9', '10')).toBeLessThan(0)
    expect(compareResourceVersions('', '1')).toBeLessThan(0)
  })
})
