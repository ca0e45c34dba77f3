import { describe, expect, test } from 'vitest'
import { compareSemanticVersions, parseLooseVersion, parseSemanticVersion } from './semantic-version.ts'

describe('semantic versions', () => {
  test('the order of the specification', () => {
    const ordered = [
      '1.0.0-alpha',
      '1.0.0-alpha.1',
      '1.0.0-alpha.beta',
      '1.0.0-beta',
      '1.0.0-beta.2',
      '1.0.0-beta.11',
      '1.0.0-rc.1',
      '1.0.0',
      '1.0.1',
      '1.1.0',
      '2.0.0',
    ].map(parseSemanticVersion)
    for (const [i, a] of ordered.entries()) {
      for (const [j, b] of ordered.entries()) expect(compareSemanticVersions(a, b)).toBe(Math.sign(i - j))
    }
    expect(compareSemanticVersions(parseSemanticVersion('1.0.0+a'), parseSemanticVersion('1.0.0+b'))).toBe(0)
  })

  test.each([
    ['', 'Version string empty'],
    ['1.2', 'No Major.Minor.Patch elements found'],
    ['01.2.3', 'Major number must not contain leading zeroes "01"'],
    ['1.2.x', 'Invalid character(s) found in patch number "x"'],
    ['1.2.3-01', 'Numeric PreRelease version must not contain leading zeroes "01"'],
    ['1.2.3-', 'Prerelease is empty'],
    [`${'9'.repeat(100_000)}.0.0`, 'value out of range'],
  ])('semantic versions: %s is refused', (text, message) => {
    expect(() => parseSemanticVersion(text)).toThrow(message)
  })

  test('loose versions', () => {
    expect(parseLooseVersion('v1')).toMatchObject({ major: 1n, minor: 0n, patch: 0n })
    expect(parseLooseVersion('01.02.03-x')).toMatchObject({ major: 1n, minor: 2n, patch: 3n, prerelease: ['x'] })
    expect(() => parseLooseVersion('1.2-rc')).toThrow('short version cannot contain PreRelease/Build meta data')
  })
})
