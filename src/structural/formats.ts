/**
 * String formats that upstream checks in custom resources. Any other `format` is only documentation.
 */
import { checkLabel, checkSubdomain } from '../api/names.ts'
import { compilePattern } from './patterns.ts'
import { isCidr, isEmail, isIpv4, isIpv6, isRequestUri } from './address-formats.ts'

export type FormatCheck = (text: string) => boolean

const uuid = /^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i
const uuid3 = /^[0-9a-f]{8}-?[0-9a-f]{4}-?3[0-9a-f]{3}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i
const uuid4 = /^[0-9a-f]{8}-?[0-9a-f]{4}-?4[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}$/i
const uuid5 = /^[0-9a-f]{8}-?[0-9a-f]{4}-?5[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}$/i
const rgbPart = '\\s*(0|[1-9]\\d?|1\\d\\d?|2[0-4]\\d|25[0-5])\\s*'
const rgb = new RegExp(`^rgb\\(${rgbPart},${rgbPart},${rgbPart}\\)$`)
const creditCard = new RegExp(
  '^(?:4[0-9]{12}(?:[0-9]{3})?|5[1-5][0-9]{14}|6(?:011|5[0-9][0-9])[0-9]{12}|3[47][0-9]{13}' +
    '|3(?:0[0-5]|[68][0-9])[0-9]{11}|(?:2131|1800|35\\d{3})\\d{11})$',
)

/** Keyed by upstream's name without dashes: `date-time` and `datetime` are the same. */
const checks: ReadonlyMap<string, FormatCheck> = new Map<string, FormatCheck>([
  ['bsonobjectid', (text) => /^[0-9a-fA-F]{24}$/.test(text)],
  ['uri', isRequestUri],
  ['email', isEmail],
  ['hostname', isHostname],
  ['ipv4', (text) => text.includes('.') && (isIpv4(text) || isIpv6(text, true))],
  ['ipv6', (text) => isIpv6(text)],
  ['cidr', isCidr],
  ['mac', isMac],
  ['uuid', (text) => uuid.test(text)],
  ['uuid3', (text) => uuid3.test(text)],
  ['uuid4', (text) => uuid4.test(text)],
  ['uuid5', (text) => uuid5.test(text)],
  ['isbn', (text) => isIsbn10(text) || isIsbn13(text)],
  ['isbn10', isIsbn10],
  ['isbn13', isIsbn13],
  ['creditcard', isCreditCard],
  ['ssn', (text) => text.length === 11 && /^\d{3}[- ]?\d{2}[- ]?\d{4}$/.test(text)],
  ['hexcolor', (text) => /^#?([0-9a-fA-F]{3}|[0-9a-fA-F]{6})$/.test(text)],
  ['rgbcolor', (text) => rgb.test(text)],
  ['byte', isBase64],
  ['password', () => true],
  ['date', isDate],
  ['duration', isDuration],
  ['datetime', isDateTime],
  ['k8sshortname', (text) => checkLabel(text).length === 0],
  ['k8slongname', (text) => checkSubdomain(text).length === 0],
])

/** The check for a format name; undefined for '' and for formats that upstream does not check. */
export function knownFormat(name: string): FormatCheck | undefined {
  return name === '' ? undefined : checks.get(name.replaceAll('-', ''))
}

const host = '[a-zA-Z0-9\\p{S}\\p{L}]'

function isHostname(text: string): boolean {
  if (Buffer.byteLength(text) > 255) return false
  const expression =
    `^(${host}((-?${host}{0,62})?)|(${host}(([a-zA-Z0-9-\\p{S}\\p{L}]{0,61}${host})?)(\\.)){1,}` +
    '([a-zA-Z\\p{L}]){2,63})$'
  return compilePattern(expression).test(text) && text.split('.').every((part) => Buffer.byteLength(part) <= 63)
}

/** 6, 8 or 20 bytes in hex: pairs separated by colons or dashes, groups of four separated by dots, or no separators. */
function isMac(text: string): boolean {
  const separator = text[2] === ':' || text[2] === '-' ? text[2] : text[4] === '.' ? '.' : ''
  const width = separator === '.' ? 4 : separator === '' ? text.length : 2
  const parts = separator === '' ? [text] : text.split(separator)
  const bytes = (parts.length * width) / 2
  if (bytes !== 6 && bytes !== 8 && bytes !== 20) return false
  return parts.every((part) => part.length === width && /^[0-9a-fA-F]+$/.test(part))
}

function digitAt(text: string, i: number): number {
  return text.charCodeAt(i) - 48
}

function isIsbn10(text: string): boolean {
  const digits = text.replace(/[\s-]+/g, '')
  if (!/^(?:[0-9]{9}X|[0-9]{10})$/.test(digits)) return false
  let sum = digits[9] === 'X' ? 100 : 10 * digitAt(digits, 9)
  for (let i = 0; i < 9; i++) sum += (i + 1) * digitAt(digits, i)
  return sum % 11 === 0
}

function isIsbn13(text: string): boolean {
  const digits = text.replace(/[\s-]+/g, '')
  if (!/^[0-9]{13}$/.test(digits)) return false
  let sum = 0
  for (let i = 0; i < 12; i++) sum += (i % 2 === 0 ? 1 : 3) * digitAt(digits, i)
  return digitAt(digits, 12) === (10 - (sum % 10)) % 10
}

function isCreditCard(text: string): boolean {
  const digits = text.replace(/[^0-9]+/g, '')
  if (!creditCard.test(digits)) return false
  let sum = 0
  for (let i = digits.length - 1, double = false; i >= 0; i--, double = !double) {
    const digit = digitAt(digits, i) * (double ? 2 : 1)
    sum += digit >= 10 ? (digit % 10) + 1 : digit
  }
  return sum % 10 === 0
}

/** Not a single regular expression: a repeated group over megabytes would exhaust the matcher's stack. */
function isBase64(text: string): boolean {
  if (text.length === 0 || text.length % 4 !== 0) return false
  const padding = text.endsWith('==') ? 2 : text.endsWith('=') ? 1 : 0
  return /^[A-Za-z0-9+/]+$/.test(padding === 0 ? text : text.slice(0, -padding))
}

function isDate(text: string): boolean {
  const match = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text)
  if (match === null) return false
  const [year, month, day] = [Number(match[1]), Number(match[2]), Number(match[3])]
  if (month < 1 || month > 12 || day < 1) return false
  const leap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0)
  const lengths = [31, leap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
  return day <= (lengths[month - 1] as number)
}

function isDateTime(text: string): boolean {
  const parts = text.toLowerCase().split('t')
  if (parts.length < 2 || !isDate(parts[0] as string)) return false
  const match = /^(\d{2}):(\d{2}):(\d{2})(?:.\d+)?(?:z|[+-]\d{2}:\d{2})$/su.exec(parts[1] as string)
  return match !== null && (match[1] as string) <= '23' && (match[2] as string) <= '59' && (match[3] as string) <= '59'
}

const nanoseconds: ReadonlyMap<string, number> = new Map([
  ['ns', 1],
  ['us', 1e3],
  ['µs', 1e3],
  ['μs', 1e3],
  ['ms', 1e6],
  ['s', 1e9],
  ['m', 60e9],
  ['h', 3600e9],
])
const looseUnits = new Set(['ns', 'us', 'µs', 'ms', 's', 'm', 'h', 'hr', 'd', 'w', 'wk'])
const looseUnitPrefixes = ['nano', 'micro', 'milli', 'sec', 'min', 'hour', 'day', 'week']

/** Go durations, and also `3 days`: any text with a number before a unit. */
function isDuration(text: string): boolean {
  return isGoDuration(text) || isLooseDuration(text)
}

/** A sequence of numbers with units, within Go's range of 292 years. */
function isGoDuration(text: string): boolean {
  const start = /^[-+]/.test(text) ? 1 : 0
  if (text.slice(start) === '0') return true
  const step = /(\d+(?:\.\d*)?|\.\d+)(ns|us|µs|μs|ms|s|m|h)/y
  step.lastIndex = start
  let sum = 0
  let end = start
  for (let match = step.exec(text); match !== null; match = step.exec(text)) {
    sum += Number(match[1]) * (nanoseconds.get(match[2] as string) as number)
    end = step.lastIndex
  }
  return end > start && end === text.length && sum < 2 ** 63
}

function isLooseDuration(text: string): boolean {
  const digits = /\d+/g
  const unit = /\s*([A-Za-zµ]+)/y
  let found = false
  for (let match = digits.exec(text); match !== null; match = digits.exec(text)) {
    unit.lastIndex = digits.lastIndex
    const name = unit.exec(text)?.[1]?.toLowerCase()
    if (name === undefined) continue
    if (match[0].length > 19 && match[0].replace(/^0+/, '').length > 19) return false
    if (BigInt(match[0]) > 9223372036854775807n) return false
    if (looseUnits.has(name) || looseUnitPrefixes.some((prefix) => name.startsWith(prefix))) found = true
  }
  return found
}
