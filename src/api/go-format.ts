/**
 * Values in Go's format. API messages contain values formatted with `%q`, `%v` and `%T`, and clients compare them, so
 * the format is part of the wire format.
 */
import { isObject, type Json } from './json.ts'

const plain = /^[ !#-[\]-~]*$/
const printableAscii = /^[ -~]*$/
let printable: RegExp | undefined
const shortEscapes: Readonly<Record<string, string>> = {
  '"': '\\"',
  '\\': '\\\\',
  '\x07': '\\a',
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\v': '\\v',
}

/**
 * `%q` of a string. Differs from JSON in control characters (`\x00`, `\a`) and in which characters are printable.
 */
export function goQuote(text: string): string {
  if (plain.test(text)) return `"${text}"`
  let quoted = '"'
  for (const char of text) quoted += quoteChar(char)
  return `${quoted}"`
}

/**
 * True if Go considers every character printable. ASCII is checked separately: a regular expression with Unicode
 * classes takes two milliseconds to create and compile, at server startup.
 */
export function isPrintable(text: string): boolean {
  if (printableAscii.test(text)) return true
  printable ??= /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]*$/u
  return printable.test(text)
}

function quoteChar(char: string): string {
  const short = shortEscapes[char]
  if (short !== undefined) return short
  if (isPrintable(char)) return char
  const code = char.codePointAt(0) as number
  const hex = code.toString(16)
  if (code < 0x80) return `\\x${hex.padStart(2, '0')}`
  if (code >= 0xd800 && code < 0xe000) return '\ufffd'
  return code < 0x10000 ? `\\u${hex.padStart(4, '0')}` : `\\U${hex.padStart(8, '0')}`
}

/** `%v` of a decoded JSON value: `map[a:1 b:[x <nil>]]`, keys sorted, strings bare. */
export function goValue(value: Json): string {
  if (value === null) return '<nil>'
  if (typeof value === 'number') return goNumber(value)
  if (typeof value !== 'object') return String(value)
  if (Array.isArray(value)) return `[${value.map(goValue).join(' ')}]`
  const pairs = Object.keys(value)
    .sort()
    .map((key) => `${key}:${goValue(value[key] as Json)}`)
  return `map[${pairs.join(' ')}]`
}

/** `%s` of a decoded JSON value that should be a string; for other values, Go shows the type. */
export function goString(value: Json): string {
  if (typeof value === 'string') return value
  if (value === null) return '%!s(<nil>)'
  if (Array.isArray(value)) return `[${value.map(goString).join(' ')}]`
  if (isObject(value)) {
    const pairs = Object.keys(value)
      .sort()
      .map((key) => `${key}:${goString(value[key] as Json)}`)
    return `map[${pairs.join(' ')}]`
  }
  return `%!s(${goType(value)}=${goValue(value)})`
}

/** True if upstream's decoder reads this number as int64; otherwise as float64. */
export function isInt64(value: number): boolean {
  return Number.isInteger(value) && value >= -(2 ** 63) && value < 2 ** 63
}

/** `%v` of a number as upstream's decoder reads it. */
export function goNumber(value: number): string {
  return isInt64(value) ? BigInt(value).toString() : goFloat(value)
}

/** `%v` of a float64: with an exponent (at least two digits) below -4 and above 5. */
export function goFloat(value: number): string {
  const [digits, exponent] = value.toExponential().split('e') as [string, string]
  const power = Number(exponent)
  if (value === 0 || (power >= -4 && power < 6)) return String(value)
  return `${digits}e${power < 0 ? '-' : '+'}${String(Math.abs(power)).padStart(2, '0')}`
}

/** `%#v` of a decoded JSON value. */
export function goSyntax(value: Json): string {
  if (value === null) return 'interface {}(nil)'
  if (typeof value === 'string') return goQuote(value)
  if (typeof value === 'number') return goNumber(value)
  if (typeof value === 'boolean') return String(value)
  if (Array.isArray(value)) return `[]interface {}{${value.map(goSyntax).join(', ')}}`
  const fields = Object.keys(value)
    .sort()
    .map((key) => `${goQuote(key)}:${goSyntax(value[key] as Json)}`)
  return `map[string]interface {}{${fields.join(', ')}}`
}

/** The Go type that holds a decoded JSON value. */
export function goType(value: Json): string {
  if (value === null) return '<nil>'
  if (Array.isArray(value)) return '[]interface {}'
  switch (typeof value) {
    case 'object':
      return 'map[string]interface {}'
    case 'number':
      return isInt64(value) ? 'int64' : 'float64'
    case 'boolean':
      return 'bool'
    default:
      return 'string'
  }
}

/** The name of a JSON value's type in decoding errors: `object`, `array`, `number`, `string`, `bool`. */
export function jsonTypeName(value: Json): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'array'
  return typeof value === 'boolean' ? 'bool' : typeof value
}
