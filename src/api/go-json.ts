/** JSON text in the format of Go's encoder: HTML characters and line separators escaped and, for maps, sorted keys. */
import { goNumber, goQuote } from './go-format.ts'
import { isObject, type Json } from './json.ts'

const unsafeInHtml = /[<>&\u2028\u2029]/g

/** Escapes in JSON text the characters that Go's encoder escapes in addition to JSON's rules. */
export function escapeHtml(json: string): string {
  return json.replace(unsafeInHtml, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

/** Characters that are not escaped in either language's JSON: most names consist of them. */
const plain = /^[\w .:/@+=,;()[\]{}*?!#$%|~^-]*$/
const escapedByGo = /[<>&\u2028\u2029]|\\[bf]/g

/** A string: as JavaScript writes it, with HTML characters and rare control characters as numeric escapes. */
export function goJsonString(text: string): string {
  if (plain.test(text)) return `"${text}"`
  return JSON.stringify(text).replace(escapedByGo, (found) => {
    const code = found === '\\b' ? 8 : found === '\\f' ? 12 : found.charCodeAt(0)
    return `\\u${code.toString(16).padStart(4, '0')}`
  })
}

/** A value whose objects are structs: fields keep their order. */
export function goStructJson(value: Json): string {
  return escapeHtml(JSON.stringify(value))
}

/** A value whose objects are maps: keys sorted, no spaces. */
export function goJson(value: Json): string {
  if (typeof value === 'string') return goJsonString(value)
  if (Array.isArray(value)) return `[${value.map(goJson).join(',')}]`
  if (!isObject(value)) return JSON.stringify(value)
  const fields = Object.keys(value)
    .sort()
    .map((key) => `${goJsonString(key)}:${goJson(value[key] as Json)}`)
  return `{${fields.join(',')}}`
}

/** A value in a field error: strings quoted, numbers plain, other values as JSON. */
export function goFieldValue(value: Json): string {
  if (typeof value === 'string') return goQuote(value)
  return typeof value === 'number' ? goNumber(value) : goJson(value)
}
