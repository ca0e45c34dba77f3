/** JSON text as Go's encoder writes it: markup and line separators escaped, and, for maps, keys sorted. */
import { goNumber, goQuote } from './go-format.ts'
import { isObject, type Json } from './json.ts'

const unsafeInHtml = /[<>&\u2028\u2029]/g

/** Escapes in ready JSON text what Go's encoder escapes beyond JSON's rules. */
export function escapeHtml(json: string): string {
  return json.replace(unsafeInHtml, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

/** Characters that need no escape in either language's JSON; the usual content of names. */
const plain = /^[\w .:/@+=,;()[\]{}*?!#$%|~^-]*$/
const escapedByGo = /[<>&\u2028\u2029]|\\[bf]/g

/** A string: as JavaScript's, with markup and rare control characters escaped by number. */
export function goJsonString(text: string): string {
  if (plain.test(text)) return `"${text}"`
  return JSON.stringify(text).replace(escapedByGo, (found) => {
    const code = found === '\\b' ? 8 : found === '\\f' ? 12 : found.charCodeAt(0)
    return `\\u${code.toString(16).padStart(4, '0')}`
  })
}

/** A value whose objects are structs: fields stay in their order. */
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

/** A value in a field error: strings quoted, numbers plain, the rest as JSON. */
export function goFieldValue(value: Json): string {
  if (typeof value === 'string') return goQuote(value)
  return typeof value === 'number' ? goNumber(value) : goJson(value)
}
