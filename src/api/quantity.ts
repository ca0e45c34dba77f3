/**
 * Resource quantities: `500m`, `1Gi`, `12e6`. Parsing, canonical text, comparison and sums, with exactly the output of
 * kube-apiserver, including its irregularities: a text that upstream's fast path considers canonical is kept unchanged
 * (`1.500`, `+5`, `0001`), and decimals beyond `E` lose their suffix (`1000E` prints `1`).
 *
 * Values are exact: an integer times a power of ten. Fractions finer than a nano are rounded away from zero during
 * parsing.
 */

export type QuantityFormat = 'decimalSI' | 'binarySI' | 'decimalExponent'

/** Immutable. The value is `unscaled` × 10^`scale`. */
export interface Quantity {
  readonly unscaled: bigint
  readonly scale: number
  readonly format: QuantityFormat
  /** The canonical text, if it is already known. */
  readonly text?: string
}

/** The text is not a quantity; the message is upstream's. */
export class QuantityError extends Error {
  override readonly name = 'QuantityError'
}

const wrongFormat = "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"
const wrongNumber = 'unable to parse numeric part of quantity'
const wrongSuffix = "unable to parse quantity's suffix"

const decimalSuffixes: ReadonlyMap<string, number> = new Map([
  ['n', -9],
  ['u', -6],
  ['m', -3],
  ['', 0],
  ['k', 3],
  ['M', 6],
  ['G', 9],
  ['T', 12],
  ['P', 15],
  ['E', 18],
])
const binarySuffixes: ReadonlyMap<string, number> = new Map([
  ['Ki', 10],
  ['Mi', 20],
  ['Gi', 30],
  ['Ti', 40],
  ['Pi', 50],
  ['Ei', 60],
])
const decimalSuffixOf = new Map([...decimalSuffixes].map(([suffix, exponent]) => [exponent, suffix]))
const binarySuffixOf = new Map([...binarySuffixes].map(([suffix, exponent]) => [exponent, suffix]))

const nano = -9
const maxInt64 = 2n ** 63n - 1n
/** Longer texts are rejected (upstream has no limit): exact sums of millions of digits would block the server. */
const maxTextLength = 4096
/** Scales further apart than this are not aligned: the smaller number cannot affect the result. */
const maxScaleDigits = 5000

/** Sign, digits, fraction, suffix. Each may be empty. */
const parts = /^([+-]?)([0-9]*)(?:\.([0-9]*))?((?:[eEinumkKMGTP]+[-+]?[0-9]*|[-+][0-9]*)?)$/
const leadingZeros = /^0+/
const exponentSuffix = /^[eE]([+-]?[0-9]+)$/

/** The common case: a short integer with a suffix, which upstream keeps unchanged. */
const simple = /^[1-9][0-9]{0,11}(?:[numkMGTPE]|([KMGT])i)?$/
const simpleBinaryDigits: Readonly<Record<string, number>> = { K: 11, M: 8, G: 5, T: 3 }

/** The canonical text of a quantity in a request, text or number. Throws {@link QuantityError}. */
export function canonicalQuantity(value: string | number): string {
  const text = typeof value === 'string' ? value.trim() : String(value)
  return isCanonical(text) ? text : quantityText(parseQuantity(text))
}

/**
 * The canonical text in a resource list (limits, requests, capacity, quota), where upstream's defaulting rounds up to
 * thousandths. Throws {@link QuantityError}.
 */
export function resourceQuantity(value: string | number): string {
  const text = typeof value === 'string' ? value.trim() : String(value)
  const fine = text.endsWith('u') || text.endsWith('n')
  return !fine && isCanonical(text) ? text : quantityText(roundUp(parseQuantity(text), -3))
}

/** Rounds to a multiple of 10^scale, away from zero. Returns the same quantity if it is already a multiple. */
export function roundUp(quantity: Quantity, scale: number): Quantity {
  if (quantity.scale >= scale) return quantity
  const unscaled = divideAwayFromZero(quantity.unscaled, scale - quantity.scale)
  return { unscaled, scale, format: quantity.format }
}

function isCanonical(text: string): boolean {
  const found = simple.exec(text)
  if (found === null) return false
  const letter = found[1]
  if (letter !== undefined) {
    const digits = text.slice(0, -2)
    return digits.length <= (simpleBinaryDigits[letter] as number) && Number(digits) % 1024 !== 0
  }
  const end = text.charCodeAt(text.length - 1)
  return !(end >= 48 && end <= 57 ? text : text.slice(0, -1)).endsWith('000')
}

/** Caches short texts: the same few occur again and again, several times in one object. */
const parsed = new Map<string, Quantity>()
const maxParsedCount = 1000
const maxParsedLength = 32

/** Throws {@link QuantityError}. */
export function parseQuantity(text: string): Quantity {
  const known = parsed.get(text)
  if (known !== undefined) return known
  const quantity = parse(text)
  if (text.length <= maxParsedLength) {
    if (parsed.size >= maxParsedCount) parsed.clear()
    parsed.set(text, quantity)
  }
  return quantity
}

function parse(text: string): Quantity {
  const found = text === '' || text.length > maxTextLength ? null : parts.exec(text)
  if (found === null) throw new QuantityError(wrongFormat)
  const sign = found[1] as string
  const integer = found[2] as string
  const fraction = found[3] ?? ''
  const { exponent, format } = parseSuffix(found[4] as string)
  const numeral: Numeral = {
    text,
    negative: sign === '-',
    integer: integer.replace(leadingZeros, '') || '0',
    fraction,
    isEmpty: integer === '' && fraction === '',
  }
  return format === 'binarySI' ? parseBinary(numeral, exponent) : parseDecimal(numeral, exponent, format)
}

/** The number before the suffix. */
interface Numeral {
  /** The whole text, suffix included. */
  readonly text: string
  readonly negative: boolean
  /** Without leading zeros, at least one digit. */
  readonly integer: string
  readonly fraction: string
  /** No digit at all: zero for small suffixes, an error for others. */
  readonly isEmpty: boolean
}

function parseSuffix(suffix: string): { exponent: number; format: QuantityFormat } {
  const decimal = decimalSuffixes.get(suffix)
  if (decimal !== undefined) return { exponent: decimal, format: 'decimalSI' }
  const binary = binarySuffixes.get(suffix)
  if (binary !== undefined) return { exponent: binary, format: 'binarySI' }
  const found = exponentSuffix.exec(suffix)
  if (found === null) throw new QuantityError(wrongSuffix)
  const exponent = (found[1] as string).replace('+', '')
  if (exponent.length > 20) throw new QuantityError(wrongSuffix)
  const wide = BigInt(exponent)
  if (BigInt.asIntN(64, wide) !== wide) throw new QuantityError(wrongSuffix)
  return { exponent: Number(BigInt.asIntN(32, wide)), format: 'decimalExponent' }
}

function parseDecimal(numeral: Numeral, exponent: number, format: QuantityFormat): Quantity {
  const digits = numeral.integer + numeral.fraction
  const scale = exponent - numeral.fraction.length
  const unscaled = signed(BigInt(digits), numeral.negative)
  if (digits.length <= 18 && scale >= nano) {
    const keepsText = scale % 3 === 0 && !digits.endsWith('000') && !digits.startsWith('0')
    return keepsText ? { unscaled, scale, format, text: numeral.text } : { unscaled, scale, format }
  }
  return roundToNano(numeral, unscaled, scale, format)
}

function parseBinary(numeral: Numeral, exponent: number): Quantity {
  const { text, negative, integer, fraction } = numeral
  const format = 'binarySI'
  const size = 1n << BigInt(exponent)
  if (fraction === '' && 14 - integer.length - Math.floor((exponent * 3) / 10) >= 0) {
    const value = BigInt(integer)
    const unscaled = signed(value * size, negative)
    return (value & 7n) === 0n ? { unscaled, scale: 0, format } : { unscaled, scale: 0, format, text }
  }
  const amount = roundToNano(numeral, BigInt(integer + fraction) * size, -fraction.length, format)
  const one = 10n ** BigInt(-amount.scale)
  if (amount.unscaled > maxInt64 * one) return { unscaled: signed(maxInt64, negative), scale: 0, format }
  const tiny = amount.unscaled > 0n && amount.unscaled < one
  const unscaled = signed(amount.unscaled, negative)
  return { unscaled, scale: amount.scale, format: tiny ? 'decimalSI' : format }
}

function signed(value: bigint, negative: boolean): bigint {
  return negative ? -value : value
}

/** Drops digits below 10^-9, rounding away from zero, so that no quantity is rounded to zero. */
function roundToNano(numeral: Numeral, unscaled: bigint, scale: number, format: QuantityFormat): Quantity {
  if (numeral.isEmpty) throw new QuantityError(wrongNumber)
  if (scale >= nano) return { unscaled, scale, format }
  return { unscaled: divideAwayFromZero(unscaled, nano - scale), scale: nano, format }
}

/** unscaled ÷ 10^power, rounded away from zero. */
function divideAwayFromZero(unscaled: bigint, power: number): bigint {
  if (unscaled === 0n) return 0n
  const step = unscaled < 0n ? -1n : 1n
  if (power > digitCount(unscaled)) return step
  const divisor = 10n ** BigInt(power)
  const quotient = unscaled / divisor
  return quotient * divisor === unscaled ? quotient : quotient + step
}

function digitCount(value: bigint): number {
  return (value < 0n ? -value : value).toString().length
}

/** The canonical text: no fraction, the largest suffix that does not need one. */
export function quantityText(quantity: Quantity): string {
  if (quantity.text !== undefined) return quantity.text
  if (quantity.unscaled === 0n) return '0'
  const format = quantity.format === 'binarySI' && !showsAsBinary(quantity) ? 'decimalSI' : quantity.format
  if (format === 'binarySI') return binaryText(integerValue(quantity))
  const digits = quantity.unscaled.toString()
  const significant = digits.replace(/0+$/, '')
  let exponent = quantity.scale + digits.length - significant.length
  const excess = ((exponent % 3) + 3) % 3
  exponent -= excess
  return significant + '0'.repeat(excess) + decimalSuffixText(exponent, format)
}

function decimalSuffixText(exponent: number, format: QuantityFormat): string {
  if (format === 'decimalSI') return decimalSuffixOf.get(exponent) ?? ''
  return exponent === 0 ? '' : `e${exponent}`
}

/** Binary suffixes are used for integers of at least 1024; other values use decimal suffixes. */
function showsAsBinary(quantity: Quantity): boolean {
  if (quantity.scale > maxScaleDigits) return false
  const whole = integerValue(quantity)
  return (whole >= 1024n || whole <= -1024n) && compareAmounts(quantity, { unscaled: whole, scale: 0 }) === 0
}

function binaryText(whole: bigint): string {
  let exponent = 0
  let rest = whole
  while (rest % 1024n === 0n) {
    rest /= 1024n
    exponent += 10
  }
  return rest.toString() + (binarySuffixOf.get(exponent) ?? '')
}

/** The value in units, rounded away from zero. */
export function integerValue(quantity: Quantity): bigint {
  return scaledValue(quantity, 0)
}

/** The value in thousandths (such as millicores), rounded away from zero. */
export function milliValue(quantity: Quantity): bigint {
  return scaledValue(quantity, -3)
}

function scaledValue({ unscaled, scale }: Amount, to: number): bigint {
  const power = scale - to
  if (power < 0) return divideAwayFromZero(unscaled, -power)
  return unscaled * 10n ** BigInt(Math.min(power, maxScaleDigits))
}

type Amount = Pick<Quantity, 'unscaled' | 'scale'>

/** Negative, zero or positive if `a` is less than, equal to or greater than `b`. */
export function compareQuantities(a: Quantity, b: Quantity): number {
  return compareAmounts(a, b)
}

function compareAmounts(a: Amount, b: Amount): number {
  const signs = sign(a.unscaled) - sign(b.unscaled)
  if (signs !== 0 || a.unscaled === 0n) return Math.sign(signs)
  const magnitudes = digitCount(a.unscaled) + a.scale - (digitCount(b.unscaled) + b.scale)
  if (magnitudes !== 0) return Math.sign(magnitudes) * sign(a.unscaled)
  const [x, y] = atCommonScale(a, b)
  return x < y ? -1 : x > y ? 1 : 0
}

function sign(value: bigint): number {
  return value === 0n ? 0 : value < 0n ? -1 : 1
}

/** The sum, in the format of `a`, or of `b` if `a` is zero. */
export function addQuantities(a: Quantity, b: Quantity): Quantity {
  return sum(a, b, b.unscaled)
}

/** `a` − `b`, in the format of `a`, or of `b` if `a` is zero. */
export function subtractQuantities(a: Quantity, b: Quantity): Quantity {
  return sum(a, b, -b.unscaled)
}

function sum(a: Quantity, b: Quantity, addend: bigint): Quantity {
  const format = a.unscaled === 0n ? b.format : a.format
  if (a.unscaled === 0n) return { unscaled: addend, scale: b.scale, format }
  if (addend === 0n) return { unscaled: a.unscaled, scale: a.scale, format }
  if (Math.abs(a.scale - b.scale) > maxScaleDigits) {
    const [unscaled, scale] = a.scale > b.scale ? [a.unscaled, a.scale] : [addend, b.scale]
    return { unscaled, scale, format }
  }
  const [x, y] = atCommonScale(a, { unscaled: addend, scale: b.scale })
  return { unscaled: x + y, scale: Math.min(a.scale, b.scale), format }
}

function atCommonScale(a: Amount, b: Amount): [bigint, bigint] {
  const power = a.scale - b.scale
  if (power === 0) return [a.unscaled, b.unscaled]
  const factor = 10n ** BigInt(Math.abs(power))
  return power > 0 ? [a.unscaled * factor, b.unscaled] : [a.unscaled, b.unscaled * factor]
}
