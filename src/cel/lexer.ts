/** Splits an expression into tokens. Invalid text is reported and skipped, so that parsing can continue. */
import type { Issue } from './source.ts'
import { tokenKind, type Token } from './tokens.ts'

const keywords: ReadonlyMap<string, number> = new Map([
  ['in', tokenKind.in],
  ['true', tokenKind.true],
  ['false', tokenKind.false],
  ['null', tokenKind.null],
])

const punctuation: ReadonlyMap<string, number> = new Map([
  ['==', tokenKind.equals],
  ['!=', tokenKind.notEquals],
  ['<', tokenKind.less],
  ['<=', tokenKind.lessEquals],
  ['>=', tokenKind.greaterEquals],
  ['>', tokenKind.greater],
  ['&&', tokenKind.and],
  ['||', tokenKind.or],
  ['[', tokenKind.leftBracket],
  [']', tokenKind.rightBracket],
  ['{', tokenKind.leftBrace],
  ['}', tokenKind.rightBrace],
  ['(', tokenKind.leftParen],
  [')', tokenKind.rightParen],
  ['.', tokenKind.dot],
  [',', tokenKind.comma],
  ['-', tokenKind.minus],
  ['!', tokenKind.not],
  ['?', tokenKind.question],
  [':', tokenKind.colon],
  ['+', tokenKind.plus],
  ['*', tokenKind.star],
  ['/', tokenKind.slash],
  ['%', tokenKind.percent],
])

const space = /(?:[\t \r\n\f]+|\/\/[^\n]*)+/y
const word = /[A-Za-z_][A-Za-z0-9_]*/y
const escapedWord = /`[A-Za-z0-9_.\-/ ]+`/y
const float = /\d+\.\d+(?:[eE][+-]?\d+)?|\d+[eE][+-]?\d+|\.\d+(?:[eE][+-]?\d+)?/y
const uint = /(?:0x[0-9a-fA-F]+|\d+)[uU]/y
const int = /0x[0-9a-fA-F]+|\d+/y

export interface Lexed {
  readonly tokens: Token[]
  readonly issues: Issue[]
  /** Ranges of invalid text. */
  readonly gaps: readonly (readonly [number, number])[]
  /** Too many errors; the rest of the text was not read. */
  readonly isStopped: boolean
}

/** The maximum number of syntax errors to report; then parsing stops. */
export const maxProblems = 100

export function tokenize(text: string): Lexed {
  const tokens: Token[] = []
  const issues: Issue[] = []
  const gaps: [number, number][] = []
  let at = 0
  while ((at = skipSpace(text, at)) < text.length) {
    const found = tokenAt(text, at)
    if (typeof found === 'number') {
      if (issues.length === maxProblems) {
        issues.push({ offset: at, message: `Syntax error: More than ${maxProblems} syntax errors` })
        return { tokens, issues, gaps, isStopped: true }
      }
      const end = Math.min(found + pointLength(text, found), text.length)
      issues.push({ offset: at, message: `Syntax error: token recognition error at: '${text.slice(at, end)}'` })
      gaps.push([at, end])
      at = end
    } else {
      tokens.push(found)
      at += found.text.length
    }
  }
  tokens.push({ kind: tokenKind.eof, text: '', offset: text.length })
  return { tokens, issues, gaps, isStopped: false }
}

function pointLength(text: string, at: number): number {
  const point = text.codePointAt(at)
  return point !== undefined && point > 0xffff ? 2 : 1
}

function skipSpace(text: string, at: number): number {
  space.lastIndex = at
  return space.test(text) ? space.lastIndex : at
}

function matched(pattern: RegExp, text: string, at: number): string | undefined {
  pattern.lastIndex = at
  return pattern.test(text) ? text.slice(at, pattern.lastIndex) : undefined
}

/** The token at a position, or the position where it becomes invalid. */
function tokenAt(text: string, at: number): Token | number {
  const literal = stringAt(text, at)
  if (literal !== undefined && typeof literal !== 'number') return literal
  const name = matched(word, text, at)
  if (name !== undefined) return { kind: keywords.get(name) ?? tokenKind.identifier, text: name, offset: at }
  const number = numberAt(text, at)
  if (number !== undefined) return number
  if (literal !== undefined) return literal
  const two = text.slice(at, at + 2)
  const known = punctuation.get(two)
  if (known !== undefined && two.length === 2) return { kind: known, text: two, offset: at }
  const one = punctuation.get(text[at] as string)
  if (one !== undefined) return { kind: one, text: text[at] as string, offset: at }
  if (text[at] === '`') {
    const quoted = matched(escapedWord, text, at)
    if (quoted !== undefined) return { kind: tokenKind.escaped, text: quoted, offset: at }
    let end = at + 1
    while (end < text.length && /[A-Za-z0-9_.\-/ ]/.test(text[end] as string)) end++
    return end
  }
  return two[0] === '=' || two[0] === '&' || two[0] === '|' ? at + 1 : at
}

function numberAt(text: string, at: number): Token | undefined {
  for (const [pattern, found] of [
    [float, tokenKind.float],
    [uint, tokenKind.uint],
    [int, tokenKind.int],
  ] as const) {
    const digits = matched(pattern, text, at)
    if (digits !== undefined) return { kind: found, text: digits, offset: at }
  }
  return undefined
}

/** A string or bytes token; the position where it becomes invalid; or undefined if no string starts here. */
function stringAt(text: string, at: number): Token | number | undefined {
  let quote = at
  const isBytes = /[bB]/.test(text[quote] as string)
  if (isBytes) quote++
  const isRaw = /[rR]/.test(text[quote] ?? '')
  if (isRaw) quote++
  const mark = text[quote]
  if (mark !== '"' && mark !== "'") return undefined
  const triple = text.startsWith(mark.repeat(3), quote) ? endOfTriple(text, quote, isRaw) : undefined
  const end = triple ?? endOfSingle(text, quote, isRaw)
  if (end < 0) return ~end
  return { kind: isBytes ? tokenKind.bytes : tokenKind.string, text: text.slice(at, end), offset: at }
}

/** The position after the closing quotes, or undefined: then the first two quotes are an empty string. */
function endOfTriple(text: string, start: number, isRaw: boolean): number | undefined {
  const close = text.slice(start, start + 3)
  for (let i = start + 3; i < text.length;) {
    if (text.startsWith(close, i)) return i + 3
    if (text[i] !== '\\' || isRaw) {
      i++
      continue
    }
    const next = afterEscape(text, i)
    if (next < 0) return undefined
    i = next
  }
  return undefined
}

/** The position after the closing quote, or the bitwise complement of the position where it becomes invalid. */
function endOfSingle(text: string, start: number, isRaw: boolean): number {
  const close = text[start]
  for (let i = start + 1; i < text.length;) {
    const unit = text[i]
    if (unit === close) return i + 1
    if (unit === '\n' || unit === '\r') return ~i
    if (unit !== '\\' || isRaw) {
      i++
      continue
    }
    const next = afterEscape(text, i)
    if (next < 0) return next
    i = next
  }
  return ~text.length
}

const digitsOfEscape: ReadonlyMap<string, number> = new Map([
  ['x', 2],
  ['X', 2],
  ['u', 4],
  ['U', 8],
])

function afterEscape(text: string, at: number): number {
  const code = text[at + 1]
  if (code === undefined) return ~(at + 1)
  if ('abfnrtv"\'\\?`'.includes(code)) return at + 2
  const digits = digitsOfEscape.get(code)
  if (digits !== undefined) {
    for (let i = 0; i < digits; i++) if (!/[0-9a-fA-F]/.test(text[at + 2 + i] ?? '')) return ~(at + 2 + i)
    return at + 2 + digits
  }
  if (code < '0' || code > '3') return ~(at + 1)
  for (let i = 0; i < 2; i++) if (!/[0-7]/.test(text[at + 2 + i] ?? '')) return ~(at + 2 + i)
  return at + 4
}
