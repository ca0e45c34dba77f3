/** Semantic versions 2.0.0, with the error messages that Kubernetes returns. */
import { takeSteps } from '../../../api/step-limit.ts'
import { goQuote } from '../../../api/go-format.ts'
import { isUint64 } from '../standard/go-numbers.ts'
import { compareCelTexts, type Order } from '../standard/ordering.ts'

export interface SemanticVersion {
  readonly major: bigint
  readonly minor: bigint
  readonly patch: bigint
  /** Numbers sort before texts. */
  readonly prerelease: readonly (bigint | string)[]
}

/** The text is not a version. */
export class SemanticVersionError extends Error {
  override readonly name = 'VersionError'
}

const digits = /^[0-9]*$/
const identifier = /^[0-9A-Za-z-]*$/

/** Throws {@link SemanticVersionError}. */
export function parseSemanticVersion(text: string): SemanticVersion {
  takeSteps(40 + 2 * text.length)
  if (text === '') throw new SemanticVersionError('Version string empty')
  const [major, minor, rest] = splitThree(text)
  if (minor === undefined || rest === undefined) throw new SemanticVersionError('No Major.Minor.Patch elements found')
  const first = readNumber('major', major)
  const second = readNumber('minor', minor)
  const plus = rest.indexOf('+')
  const beforeBuild = plus === -1 ? rest : rest.slice(0, plus)
  const dash = beforeBuild.indexOf('-')
  const patch = readNumber('patch', dash === -1 ? beforeBuild : beforeBuild.slice(0, dash))
  const prerelease =
    dash === -1
      ? []
      : beforeBuild
          .slice(dash + 1)
          .split('.')
          .map(readPrerelease)
  if (plus !== -1) for (const part of rest.slice(plus + 1).split('.')) checkBuild(part)
  return { major: first, minor: second, patch, prerelease }
}

function splitThree(text: string): [string, string?, string?] {
  const one = text.indexOf('.')
  const two = one === -1 ? -1 : text.indexOf('.', one + 1)
  if (one === -1) return [text]
  if (two === -1) return [text.slice(0, one), text.slice(one + 1)]
  return [text.slice(0, one), text.slice(one + 1, two), text.slice(two + 1)]
}

function readNumber(name: string, text: string): bigint {
  if (!digits.test(text)) {
    throw new SemanticVersionError(`Invalid character(s) found in ${name} number ${goQuote(text)}`)
  }
  if (text.length > 1 && text.startsWith('0')) {
    const title = name.charAt(0).toUpperCase() + name.slice(1)
    throw new SemanticVersionError(`${title} number must not contain leading zeroes ${goQuote(text)}`)
  }
  return readUint(text)
}

function readUint(text: string): bigint {
  const parsing = `strconv.ParseUint: parsing ${goQuote(text)}`
  if (text === '') throw new SemanticVersionError(`${parsing}: invalid syntax`)
  const value = text.length > 20 ? undefined : BigInt(text)
  if (value === undefined || !isUint64(value)) throw new SemanticVersionError(`${parsing}: value out of range`)
  return value
}

function readPrerelease(text: string): bigint | string {
  if (text === '') throw new SemanticVersionError('Prerelease is empty')
  if (!digits.test(text)) {
    if (identifier.test(text)) return text
    throw new SemanticVersionError(`Invalid character(s) found in prerelease ${goQuote(text)}`)
  }
  if (text.length > 1 && text.startsWith('0')) {
    throw new SemanticVersionError(`Numeric PreRelease version must not contain leading zeroes ${goQuote(text)}`)
  }
  return readUint(text)
}

function checkBuild(text: string): void {
  if (text === '') throw new SemanticVersionError('Build meta data is empty')
  if (identifier.test(text)) return
  throw new SemanticVersionError(`Invalid character(s) found in build meta data ${goQuote(text)}`)
}

/** Accepts a leading `v`, leading zeros, and absent minor and patch numbers. Throws {@link SemanticVersionError}. */
export function parseLooseVersion(text: string): SemanticVersion {
  const parts = splitThree(text.startsWith('v') ? text.slice(1) : text)
    .filter((part) => part !== undefined)
    .map(withoutLeadingZeros)
  if (parts.length < 3 && /[+-]/.test(parts[parts.length - 1] as string)) {
    throw new SemanticVersionError('short version cannot contain PreRelease/Build meta data')
  }
  while (parts.length < 3) parts.push('0')
  return parseSemanticVersion(parts.join('.'))
}

function withoutLeadingZeros(part: string): string {
  if (Buffer.byteLength(part) <= 1) return part
  const rest = part.replace(/^0+/, '')
  return /^[0-9]/.test(rest) ? rest : `0${rest}`
}

/** Ignores build metadata. */
export function compareSemanticVersions(a: SemanticVersion, b: SemanticVersion): Order {
  const release = compareAt(a.major, b.major) || compareAt(a.minor, b.minor) || compareAt(a.patch, b.patch)
  if (release !== 0) return release
  const [x, y] = [a.prerelease, b.prerelease]
  if (x.length === 0 || y.length === 0) return compareAt(Math.min(y.length, 1), Math.min(x.length, 1))
  for (let i = 0; i < x.length && i < y.length; i++) {
    const order = comparePrerelease(x[i] as bigint | string, y[i] as bigint | string)
    if (order !== 0) return order
  }
  return compareAt(x.length, y.length)
}

function comparePrerelease(a: bigint | string, b: bigint | string): Order {
  if (typeof a === 'string') return typeof b === 'string' ? compareCelTexts(a, b) : 1
  return typeof b === 'string' ? -1 : compareAt(a, b)
}

function compareAt<T extends number | bigint>(a: T, b: T): Order {
  return a < b ? -1 : a > b ? 1 : 0
}
