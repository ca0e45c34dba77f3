/**
 * Parses JSON text as upstream does: reports duplicate keys, bounds nesting, and uses the error messages of Go's
 * decoder. The fast path is JSON.parse plus one scan of the text; a second pass runs only for invalid text or possible
 * duplicates.
 */
import type { Json } from '../api/json.ts'
import { describeJsonError } from './json-error.ts'
import { parsePieces } from './json-pieces.ts'
import { closingQuote, countKeys, scanJson, type JsonScan } from './json-scan.ts'
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
  /** The first integer of 64 bits that a double cannot hold, if the caller allows it. `value` has the nearest one. */
  readonly rounded?: string
  /** Duplicate keys as a YAML parser reports them, by line; such text has no `duplicates`. */
  readonly repeats?: readonly string[]
}

export interface KeyUse {
  readonly path: string
  readonly repeated: boolean
}

/** Throws {@link JsonSyntaxError}; also, unless `mayRound`, for integers of 64 bits that a double cannot hold. */
export function parseJson(text: string, mayRound = false): ParsedJson {
  const scan = checkedScan(text)
  let value: Json
  try {
    value = JSON.parse(text) as Json
  } catch {
    throw new JsonSyntaxError(describeJsonError(text))
  }
  return checked(text, value, scan, countKeys(value, scan.keys), mayRound)
}

/** Text with more objects and lists than this takes JSON.parse too long: 3 MB of nested lists half a second. */
const maxContainers = 100_000

/** As {@link parseJson}, in steps. */
export function* parseJsonInSteps(text: string, mayRound = false): Generator<void, ParsedJson> {
  if (text.length < 2 * maxContainers) return parseJson(text, mayRound)
  const scan = checkedScan(text)
  if (scan.containers <= maxContainers) return parseJson(text, mayRound)
  yield
  try {
    const { value, keys } = yield* parsePieces(text, scan.keys)
    return checked(text, value, scan, keys, mayRound)
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    throw new JsonSyntaxError(describeJsonError(text))
  }
}

function checkedScan(text: string): JsonScan {
  const scan = scanJson(text)
  if (scan.depth > maxDepth) throw new JsonSyntaxError('exceeded max depth')
  return scan
}

/** `keys`: how many of the keys of the text are in the value. */
function checked(text: string, value: Json, scan: JsonScan, keys: number, mayRound: boolean): ParsedJson {
  const rounded = scan.hasLongNumber ? roundedInteger(text) : undefined
  if (rounded !== undefined && !mayRound) throw roundingError(rounded)
  if (scan.keys === keys) return rounded === undefined ? { value, duplicates: [] } : { value, duplicates: [], rounded }
  const used = keysOf(text)
  const duplicates = used.filter(({ repeated }) => repeated).map(({ path }) => path)
  return {
    value,
    duplicates,
    keys: used,
    merged: mergeRepeatedKeys(text),
    ...(rounded === undefined ? {} : { rounded }),
  }
}

const quote = 34
const zero = 48
const nine = 57

const numberToken = /-?\d+(\.\d+)?([eE][-+]?\d+)?/y

/**
 * The first integer of 64 bits that a double cannot hold, which upstream keeps. Throws a {@link JsonSyntaxError} for
 * numbers beyond all doubles. The text must be valid JSON.
 */
function roundedInteger(text: string): string | undefined {
  let first: string | undefined
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
    if (fraction === undefined && exponent === undefined && isRounded(token)) first ??= token
  }
  return first
}

/** Whether `token` is an integer of 64 bits that a double cannot hold. */
export function isRounded(token: string): boolean {
  if (token.length > 20 || String(Number(token)) === token.replace(/^\+/, '')) return false
  return BigInt.asIntN(64, BigInt(token)) === BigInt(token) && Math.abs(Number(token)) > Number.MAX_SAFE_INTEGER
}

export function roundingError(token: string): JsonSyntaxError {
  return new JsonSyntaxError(`the number ${token} cannot be kept exactly: it is beyond 2^53`)
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
