/**
 * How Go prints values: upstream's apply errors show them with `%v`, `%#v`, `%T` and `%q`,
 * and its path elements are written by Go's JSON encoder.
 */
import { isObject, type Json } from '../../api/json.ts'

/** Whether upstream's decoder holds this number as int64; others are float64. */
function isInt64(value: number): boolean {
  return Number.isInteger(value) && value >= -(2 ** 63) && value < 2 ** 63
}

/** `%v` of a float64: an exponent of at least two digits when it is below -4 or above 5. */
export function goFloat(value: number): string {
  const [digits, exponent] = value.toExponential().split('e') as [string, string]
  const power = Number(exponent)
  if (value === 0 || (power >= -4 && power < 6)) return String(value)
  const size = Math.abs(power)
  return `${digits}e${power < 0 ? '-' : '+'}${size < 10 ? '0' : ''}${size}`
}

/** `%v` of a number as upstream's decoder holds it. */
export function goNumber(value: number): string {
  return isInt64(value) ? BigInt(value).toString() : goFloat(value)
}

/** Printable ASCII but the quote and the backslash. */
const plain = /^[ !#-[\]-~]*$/
const printable = /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]$/u
const shortEscapes = new Map([
  ['\u0007', '\\a'], ['\b', '\\b'], ['\f', '\\f'], ['\n', '\\n'], ['\r', '\\r'], ['\t', '\\t'], ['\v', '\\v'],
  ['"', '\\"'], ['\\', '\\\\'],
])

/** `%q` of a string. */
export function goQuote(text: string): string {
  if (plain.test(text)) return `"${text}"`
  let quoted = '"'
  for (const character of text) {
    const short = shortEscapes.get(character)
    if (short !== undefined) quoted += short
    else if (printable.test(character)) quoted += character
    else quoted += escapeCode(character.codePointAt(0) as number)
  }
  return `${quoted}"`
}

function escapeCode(code: number): string {
  if (code < 0x80) return `\\x${code.toString(16).padStart(2, '0')}`
  if (code < 0x10000) return `\\u${code.toString(16).padStart(4, '0')}`
  return `\\U${code.toString(16).padStart(8, '0')}`
}

/** `%v` of a decoded value. */
export function goPlain(value: Json): string {
  if (value === null) return '<nil>'
  if (typeof value === 'string') return value
  if (typeof value === 'number') return goNumber(value)
  if (typeof value === 'boolean') return String(value)
  if (Array.isArray(value)) return `[${value.map(goPlain).join(' ')}]`
  return `map[${sortedKeys(value).map((key) => `${key}:${goPlain(value[key] as Json)}`).join(' ')}]`
}

/** `%#v` of a decoded value. */
export function goSyntax(value: Json): string {
  if (value === null) return 'interface {}(nil)'
  if (typeof value === 'string') return goQuote(value)
  if (typeof value === 'number') return goNumber(value)
  if (typeof value === 'boolean') return String(value)
  if (Array.isArray(value)) return `[]interface {}{${value.map(goSyntax).join(', ')}}`
  const fields = sortedKeys(value).map((key) => `${goQuote(key)}:${goSyntax(value[key] as Json)}`)
  return `map[string]interface {}{${fields.join(', ')}}`
}

/** `%T` of a decoded value. */
export function goType(value: Json): string {
  if (value === null) return '<nil>'
  if (typeof value === 'string') return 'string'
  if (typeof value === 'boolean') return 'bool'
  if (typeof value === 'number') return isInt64(value) ? 'int64' : 'float64'
  return Array.isArray(value) ? '[]interface {}' : 'map[string]interface {}'
}

/** Characters that need no escape in either language's JSON; the usual content of names. */
const plainJson = /^[\w .:/@+=,;()[\]{}*?!#$%|~^-]*$/
const escapedByGo = /[<>&\u2028\u2029]|\\[bf]/g

/** Go's JSON of a string: as JavaScript's, with markup and rare control characters escaped by number. */
export function goJsonString(text: string): string {
  if (plainJson.test(text)) return `"${text}"`
  return JSON.stringify(text).replace(escapedByGo, (found) => {
    const code = found === '\\b' ? 8 : found === '\\f' ? 12 : found.charCodeAt(0)
    return `\\u${code.toString(16).padStart(4, '0')}`
  })
}

/** Go's JSON of a value: keys sorted, no spaces. */
export function goJson(value: Json): string {
  if (typeof value === 'string') return goJsonString(value)
  if (Array.isArray(value)) return `[${value.map(goJson).join(',')}]`
  if (isObject(value)) {
    const fields = sortedKeys(value).map((key) => `${goJsonString(key)}:${goJson(value[key] as Json)}`)
    return `{${fields.join(',')}}`
  }
  return JSON.stringify(value)
}

function sortedKeys(value: object): string[] {
  return Object.keys(value).sort()
}
