/** Values as upstream's field errors show them: Go's `%v`, `%q` and JSON. */
import { escapeHtml, goQuote } from '../../api/go-format.ts'
import { isObject, type Json } from '../../api/json.ts'

export { goQuote }

/** Whether upstream's decoder holds this number as int64; others are float64. */
export function isInteger(value: number): boolean {
  return Number.isInteger(value) && value >= -(2 ** 63) && value < 2 ** 63
}

/** `%v` of a float64: with an exponent, of at least two digits, when it is below -4 or above 5. */
export function goFloat(value: number): string {
  const [digits, exponent] = value.toExponential().split('e') as [string, string]
  const power = Number(exponent)
  if (power >= -4 && power < 6) return String(value)
  return `${digits}e${power < 0 ? '-' : '+'}${String(Math.abs(power)).padStart(2, '0')}`
}

/** `%v` of a number as upstream holds it. */
export function goNumber(value: number): string {
  return isInteger(value) ? BigInt(value).toString() : goFloat(value)
}

/** Go's JSON: keys sorted, markup escaped. */
export function goJson(value: Json): string {
  return escapeHtml(JSON.stringify(sorted(value)))
}

function sorted(value: Json): Json {
  if (Array.isArray(value)) return value.map(sorted)
  if (!isObject(value)) return value
  const copy = Object.create(null) as { [key: string]: Json }
  for (const key of Object.keys(value).sort()) copy[key] = sorted(value[key] as Json)
  return copy
}

/** Strings quoted, numbers plain, the rest as compact JSON. */
export function goValue(value: Json): string {
  if (typeof value === 'string') return goQuote(value)
  if (typeof value === 'number') return goNumber(value)
  return goJson(value)
}
