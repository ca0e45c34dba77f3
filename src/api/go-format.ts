/**
 * Text as Go prints it. Messages of the API carry values in Go's notation (`%q`, `%v`, `%T`), and
 * clients compare them, so the notation is part of the wire format.
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
 * `%q` of a string. Differs from JSON in control characters (`\x00`, `\a`) and in what counts as printable.
 */
export function goQuote(text: string): string {
  if (plain.test(text)) return `"${text}"`
  let quoted = '"'
  for (const char of text) quoted += quoteChar(char)
  return `${quoted}"`
}

/**
 * Whether Go counts every character as printable. ASCII is looked at apart: an expression with classes of Unicode takes
 * a millisecond to make and another to compile, which the server's start would pay.
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

/** `%s` of a decoded JSON value that is expected to be a string: anything else shows its type. */
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

/** Whether upstream's decoder holds this number as int64; others are float64. */
export function isInt64(value: number): boolean {
  return Number.isInteger(value) && value >= -(2 ** 63) && value < 2 ** 63
}

/** `%v` of a number as upstream's decoder holds it. */
export function goNumber(value: number): string {
  return isInt64(value) ? BigInt(value).toString() : goFloat(value)
}

/** `%v` of a float64: with an exponent, of at least two digits, when it is below -4 or above 5. */
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

/** What a JSON value is called in decoding errors: `object`, `array`, `number`, `string`, `bool`. */
export function jsonTypeName(value: Json): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'array'
  return typeof value === 'boolean' ? 'bool' : typeof value
}
