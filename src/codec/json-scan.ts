/** Counts what JSON text consists of, in one pass and without parsing it. The text need not be valid. */
import type { Json } from '../api/json.ts'

const quote = 34
const backslash = 92
const colon = 58
const zero = 48
const nine = 57

/** Numbers with fewer digits and no exponent are always exact. */
const maxExactDigits = 15

export interface JsonScan {
  /** Colons outside strings: one per key. */
  readonly keys: number
  /** Objects and lists. */
  readonly containers: number
  readonly depth: number
  /** Some number may be inexact. */
  readonly hasLongNumber: boolean
}

export function scanJson(text: string): JsonScan {
  let keys = 0
  let containers = 0
  let depth = 0
  let deepest = 0
  let hasLongNumber = false
  const length = text.length
  for (let i = 0; i < length; i++) {
    const code = text.charCodeAt(i)
    if (code === quote) {
      i = closingQuote(text, i + 1)
      if (i < 0) return { keys: -1, containers, depth: deepest, hasLongNumber }
    } else if (code === colon) {
      keys++
    } else if (code === 123 || code === 91) {
      containers++
      if (++depth > deepest) deepest = depth
    } else if (code === 125 || code === 93) {
      depth--
    } else if (code >= zero && code <= nine) {
      const start = i
      let next = text.charCodeAt(i + 1)
      while (next >= zero && next <= nine) next = text.charCodeAt(++i + 1)
      hasLongNumber ||= i - start >= maxExactDigits || next === 101 || next === 69
    }
  }
  return { keys, containers, depth: deepest, hasLongNumber }
}

/** The index of the closing quote of the string that starts at `start`; -1 if there is none. */
export function closingQuote(text: string, start: number): number {
  let end = text.indexOf('"', start)
  while (end >= 0) {
    let slashes = 0
    while (text.charCodeAt(end - 1 - slashes) === backslash && end - 1 - slashes >= start) slashes++
    if (slashes % 2 === 0) return end
    end = text.indexOf('"', end + 1)
  }
  return -1
}

/** The keys of all objects in a value. Stops at `most`: there cannot be more. */
export function countKeys(value: Json, most: number): number {
  if (typeof value !== 'object' || value === null) return 0
  let count = 0
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length && count < most; i++) count += countKeys(value[i] as Json, most - count)
    return count
  }
  const keys = Object.keys(value)
  count = keys.length
  for (let i = 0; i < keys.length && count < most; i++)
    count += countKeys(value[keys[i] as string] as Json, most - count)
  return count
}
