/**
 * Parses JSON text as upstream does: reports duplicate keys, bounds nesting, and uses the error messages of Go's
 * decoder. The fast path is JSON.parse plus one scan of the text; a second pass runs only for invalid text or possible
 * duplicates.
 */
import type { Json } from '../api/json.ts'
import { describeJsonError } from './json-error.ts'
import { mergeRepeatedKeys } from './repeated-keys.ts'

/** Deeper bodies are rejected: no real object comes near this depth, and all later code recurses. */
export const maxDepth = 1000

export class JsonSyntaxError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'JsonSyntaxError'
  }
}

export interface ParsedJson {
  readonly value: Json
  /** Paths such as `spec.color` and `spec.ports[0].name`, in the order of their second occurrence. */
  readonly duplicates: readonly string[]
  /** With duplicate keys: the value as a typed decoder reads it. `value` has the last value of each key. */
  readonly merged?: Json
  /** All keys of the text in order; only present if there are duplicates. */
  readonly keys?: readonly KeyUse[]
  /** Duplicate keys as a YAML parser reports them, by line; such text has no `duplicates`. */
  readonly repeats?: readonly string[]
}

export interface KeyUse {
  readonly path: string
  readonly repeated: boolean
}

/** Throws {@link JsonSyntaxError}. */
export function parseJson(text: string): ParsedJson {
  const { keys, depth, hasLongNumber } = scan(text)
  if (depth > maxDepth) throw new JsonSyntaxError('exceeded max depth')
  let value: Json
  try {
    value = JSON.parse(text) as Json
  } catch {
    throw new JsonSyntaxError(describeJsonError(text))
  }
  if (hasLongNumber) checkNumbers(text)
  if (keys === countKeys(value, keys)) return { value, duplicates: [] }
  const used = keysOf(text)
  const duplicates = used.filter(({ repeated }) => repeated).map(({ path }) => path)
  return { value, duplicates, keys: used, merged: mergeRepeatedKeys(text) }
}

const quote = 34
const backslash = 92
const colon = 58
const zero = 48
const nine = 57

/** Numbers with fewer digits and no exponent are always exact. */
const maxExactDigits = 15

/** Counts colons outside strings (one per key) and the maximum nesting, and looks for numbers that may be inexact. */
function scan(text: string): { keys: number; depth: number; hasLongNumber: boolean } {
  let keys = 0
  let depth = 0
  let deepest = 0
  let hasLongNumber = false
  const length = text.length
  for (let i = 0; i < length; i++) {
    const code = text.charCodeAt(i)
    if (code === quote) {
      i = closingQuote(text, i + 1)
      if (i < 0) return { keys: -1, depth: deepest, hasLongNumber }
    } else if (code === colon) {
      keys++
    } else if (code === 123 || code === 91) {
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
  return { keys, depth: deepest, hasLongNumber }
}

const numberToken = /-?\d+(\.\d+)?([eE][-+]?\d+)?/y

/**
 * Refuses numbers that would not come back as they were sent: integers of 64 bits that a double cannot hold, and
 * numbers beyond all doubles. Upstream keeps the former. The text must be valid JSON.
 */
function checkNumbers(text: string): void {
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    if (code === quote) i = closingQuote(text, i + 1)
    if (code !== 45 && (code < zero || code > nine)) continue
    numberToken.lastIndex = i
    const [token, fraction, exponent] = numberToken.exec(text) as RegExpExecArray
    i += token.length - 1
    const value = Number(token)
    if (!Number.isFinite(value))
      throw new JsonSyntaxError(`json: cannot unmarshal number ${token.slice(0, 64)} into Go value of type float64`)
    if (fraction === undefined && exponent === undefined) checkInteger(token)
  }
}

/** Throws a {@link JsonSyntaxError} for an integer of 64 bits that a double cannot hold. */
export function checkInteger(token: string): void {
  if (token.length > 20 || String(Number(token)) === token.replace(/^\+/, '')) return
  if (BigInt.asIntN(64, BigInt(token)) === BigInt(token) && Math.abs(Number(token)) > Number.MAX_SAFE_INTEGER)
    throw new JsonSyntaxError(`the number ${token} cannot be kept exactly: it is beyond 2^53`)
}

/** The index of the closing quote of the string that starts at `start`; -1 if there is none. */
function closingQuote(text: string, start: number): number {
  let end = text.indexOf('"', start)
  while (end >= 0) {
    let slashes = 0
    while (text.charCodeAt(end - 1 - slashes) === backslash && end - 1 - slashes >= start) slashes++
    if (slashes % 2 === 0) return end
    end = text.indexOf('"', end + 1)
  }
  return -1
}

/** Stops at `most`: there cannot be more. */
function countKeys(value: Json, most: number): number {
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

/** A second pass that tracks the keys of every open object. The text must be valid JSON. */
function keysOf(text: string): KeyUse[] {
  const found: KeyUse[] = []
  const stack: { keys: Set<string> | undefined; path: string; index: number }[] = []
  let path = ''
  for (let i = 0; i < text.length; i++) {
    const char = text[i]
    const open = stack[stack.length - 1]
    if (char === '{' || char === '[') {
      const base = open?.keys === undefined && open !== undefined ? `${open.path}[${open.index}]` : path
      stack.push({ keys: char === '{' ? new Set() : undefined, path: base, index: 0 })
      path = base
    } else if (char === '}' || char === ']') {
      stack.pop()
    } else if (char === ',' && open !== undefined) {
      open.index++
    } else if (char === '"') {
      const end = closingQuote(text, i + 1)
      if (open?.keys !== undefined && nextChar(text, end + 1) === ':') {
        const key = JSON.parse(text.slice(i, end + 1)) as string
        path = open.path === '' ? key : `${open.path}.${key}`
        found.push({ path, repeated: open.keys.has(key) })
        open.keys.add(key)
      }
      i = end
    }
  }
  return found
}

function nextChar(text: string, from: number): string | undefined {
  for (let i = from; i < text.length; i++) {
    const char = text[i] as string
    if (char !== ' ' && char !== '\n' && char !== '\r' && char !== '\t') return char
  }
  return undefined
}
