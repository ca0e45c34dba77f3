/** Values of query parameters, as upstream parses them. */
import { apiError } from '../../api/status.ts'

/** Present, and neither `false` nor `0`. */
export function isTrue(value: string | null): boolean {
  return value !== null && value !== '0' && value.toLowerCase() !== 'false'
}

/** Undefined if it is absent or empty. Throws 400 if it is not an integer. */
export function queryNumber(query: URLSearchParams, name: string): number | undefined {
  const text = query.get(name)
  if (text === null || text === '') return undefined
  if (!/^[+-]?\d{1,19}$/.test(text)) {
    const why = /^[+-]?\d+$/.test(text) ? 'value out of range' : 'invalid syntax'
    throw apiError.badRequest(`strconv.ParseInt: parsing ${JSON.stringify(text)}: ${why}`)
  }
  return Number(text)
}
