/** What Go's decoder would say of a text that should be one JSON object. */
import { goQuote } from '../../../api/go-format.ts'
import { isObject, type Json } from '../../../api/json.ts'

/** Undefined when the text is a JSON object or null. */
export function jsonObjectProblem(text: string): string | undefined {
  let value: Json
  try {
    value = JSON.parse(text) as Json
  } catch {
    return syntaxProblem(text)
  }
  if (value === null || isObject(value)) return undefined
  const type = Array.isArray(value) ? 'array' : typeof value === 'boolean' ? 'bool' : typeof value
  return `json: cannot unmarshal ${type} into Go value of type map[string]interface {}`
}

/** The common cases: nothing there, or something else at the start; what is cut off says so. */
function syntaxProblem(text: string): string {
  const start = text.search(/[^ \t\r\n]/)
  if (start < 0) return 'unexpected end of JSON input'
  const first = text[start] as string
  if (!/[{["tfn0-9-]/.test(first)) {
    return `invalid character ${quoteChar(first)} looking for beginning of value`
  }
  return 'unexpected end of JSON input'
}

function quoteChar(char: string): string {
  if (char === "'") return "'\\''"
  if (char === '"') return `'"'`
  return `'${goQuote(char).slice(1, -1)}'`
}
