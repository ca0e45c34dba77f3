/** Numbers as Go's strconv parses and prints them. Parsers return undefined where Go returns an error. */

export const minInt64 = -(2n ** 63n)
export const maxInt64 = 2n ** 63n - 1n
export const maxUint64 = 2n ** 64n - 1n

const signedDigits = /^[+-]?[0-9]+$/
const digits = /^[0-9]+$/
const decimalFloat = /^[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?$/
const hexFloat = /^([+-]?)0[xX]([0-9a-fA-F]*)(?:\.([0-9a-fA-F]*))?[pP]([+-]?[0-9]+)$/
const infinity = /^([+-]?)inf(?:inity)?$/i
/** The maximum length of a 64-bit number without leading zeros; keeps BigInt from parsing megabytes. */
const maxDigits = 20

export function isInt64Range(value: bigint): boolean {
  return value >= minInt64 && value <= maxInt64
}

export function isUint64(value: bigint): boolean {
  return value >= 0n && value <= maxUint64
}

export function parseInt64(text: string): bigint | undefined {
  if (!signedDigits.test(text)) return undefined
  const negative = text.startsWith('-')
  const value = parseDigits(negative || text.startsWith('+') ? text.slice(1) : text)
  if (value === undefined) return undefined
  const signed = negative ? -value : value
  return isInt64Range(signed) ? signed : undefined
}

export function parseUint64(text: string): bigint | undefined {
  if (!digits.test(text)) return undefined
  const value = parseDigits(text)
  return value !== undefined && isUint64(value) ? value : undefined
}

function parseDigits(text: string): bigint | undefined {
  let start = 0
  while (start < text.length - 1 && text.charCodeAt(start) === 48) start++
  return text.length - start > maxDigits ? undefined : BigInt(text.slice(start))
}

/** The error of strconv.Atoi; undefined if the text is a 64-bit number. */
export function atoiProblem(text: string): 'invalid syntax' | 'value out of range' | undefined {
  if (!signedDigits.test(text)) return 'invalid syntax'
  return parseInt64(text) === undefined ? 'value out of range' : undefined
}

/** Undefined for numbers that are too large for a double. */
export function parseFloat64(text: string): number | undefined {
  if (decimalFloat.test(text)) return finite(Number(text))
  if (text.includes('_')) {
    return isWellSeparated(text) ? parseFloat64(text.replaceAll('_', '')) : undefined
  }
  const infinite = infinity.exec(text)
  if (infinite !== null) return infinite[1] === '-' ? -Infinity : Infinity
  if (text.toLowerCase() === 'nan') return NaN
  const hex = hexFloat.exec(text)
  return hex === null ? undefined : parseHexFloat(hex)
}

const hexPrefix = /^[+-]?0[xX]/
const decimalDigit = /[0-9]/
const hexDigit = /[0-9a-fA-F]/

/** True if every underscore is between two digits, or directly after `0x`. */
function isWellSeparated(text: string): boolean {
  const prefix = hexPrefix.exec(text)?.[0].length ?? 0
  const digit = prefix > 0 ? hexDigit : decimalDigit
  for (let at = text.indexOf('_'); at !== -1; at = text.indexOf('_', at + 1)) {
    const follows = at === prefix ? prefix > 0 : digit.test(text.charAt(at - 1))
    if (!follows || !digit.test(text.charAt(at + 1))) return false
  }
  return true
}

function finite(value: number): number | undefined {
  return Number.isFinite(value) ? value : undefined
}

function parseHexFloat(parts: RegExpExecArray): number | undefined {
  const [, sign, integer = '', fraction = '', power] = parts
  const mantissa = integer + fraction
  if (mantissa === '' || mantissa.length > 400) return undefined
  let value = BigInt(`0x${mantissa}`)
  let exponent = Math.max(-1e6, Math.min(1e6, Number(power))) - 4 * fraction.length
  // Keep 64 significant bits, the last one sticky, so that Number() does the only rounding.
  const excess = value.toString(2).length - 64
  if (excess > 0) {
    const cut = value >> BigInt(excess)
    value = cut << BigInt(excess) === value ? cut : cut | 1n
    exponent += excess
  }
  const magnitude = scaleByPowerOfTwo(value, exponent)
  return finite(sign === '-' ? -magnitude : magnitude)
}

function scaleByPowerOfTwo(value: bigint, exponent: number): number {
  if (value === 0n) return 0
  const bits = value.toString(2).length
  if (bits + exponent > 1024) return Infinity
  if (bits + exponent < -1080) return 0
  if (exponent >= 0) return Number(value << BigInt(exponent))
  // Subnormal numbers have fewer bits: round once, to even, at the last bit that fits.
  const kept = Math.min(53, bits + exponent + 1074)
  const drop = BigInt(bits - Math.max(kept, 0))
  if (drop <= 0n) return Number(value) * 2 ** exponent
  const half = 1n << (drop - 1n)
  let top = value >> drop
  const rest = value - (top << drop)
  if (rest > half || (rest === half && (top & 1n) === 1n)) top += 1n
  const power = exponent + Number(drop)
  return Number(top) * 2 ** Math.max(power, -1074)
}

const trueTexts: ReadonlySet<string> = new Set(['1', 't', 'T', 'TRUE', 'true', 'True'])
const falseTexts: ReadonlySet<string> = new Set(['0', 'f', 'F', 'FALSE', 'false', 'False'])

export function parseBool(text: string): boolean | undefined {
  if (trueTexts.has(text)) return true
  return falseTexts.has(text) ? false : undefined
}

/** `%g`: the shortest text that parses to the same value; with an exponent below -4 and from 6 on. */
export function floatText(value: number): string {
  if (Number.isNaN(value)) return 'NaN'
  if (!Number.isFinite(value)) return value > 0 ? '+Inf' : '-Inf'
  if (value === 0) return Object.is(value, -0) ? '-0' : '0'
  const [mantissa, exponent] = value.toExponential().split('e') as [string, string]
  const power = Number(exponent)
  if (power >= -4 && power < 6) return decimalText(value)
  return `${mantissa}e${power < 0 ? '-' : '+'}${String(Math.abs(power)).padStart(2, '0')}`
}

/** `%f` with as many digits as needed: never an exponent. The value is finite. */
export function decimalText(value: number): string {
  const text = String(value)
  if (!text.includes('e')) return Object.is(value, -0) ? '-0' : text
  const [mantissa, exponent] = text.split('e') as [string, string]
  const negative = mantissa.startsWith('-')
  const [integer, fraction = ''] = (negative ? mantissa.slice(1) : mantissa).split('.') as [string, string?]
  const all = integer + fraction
  const point = integer.length + Number(exponent)
  const sign = negative ? '-' : ''
  if (point <= 0) return `${sign}0.${'0'.repeat(-point)}${all}`
  return sign + all.padEnd(point, '0')
}

/** `%.Nf`: exact digits, ties to even. The value is finite; no sign unless it is below zero. */
export function fixedText(value: number, precision: number): string {
  const [mantissa, exponent] = decompose(Math.abs(value))
  const scale = 10n ** BigInt(precision)
  let scaled: bigint
  if (exponent >= 0) {
    scaled = (mantissa << BigInt(exponent)) * scale
  } else {
    const shift = BigInt(-exponent)
    const product = mantissa * scale
    scaled = product >> shift
    const rest = product - (scaled << shift)
    const half = 1n << (shift - 1n)
    if (rest > half || (rest === half && (scaled & 1n) === 1n)) scaled += 1n
  }
  const text = scaled.toString().padStart(precision + 1, '0')
  const sign = value < 0 ? '-' : ''
  if (precision === 0) return sign + text
  return `${sign}${text.slice(0, -precision)}.${text.slice(-precision)}`
}

const bits = new DataView(new ArrayBuffer(8))

/** The value as an integer times a power of two. */
function decompose(value: number): [bigint, number] {
  bits.setFloat64(0, value)
  const word = bits.getBigUint64(0)
  const exponent = Number((word >> 52n) & 0x7ffn)
  const fraction = word & 0xfffffffffffffn
  return exponent === 0 ? [fraction, -1074] : [fraction | (1n << 52n), exponent - 1075]
}
