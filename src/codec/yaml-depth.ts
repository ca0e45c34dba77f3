/**
 * Whether a YAML text is nested too deeply, before it is parsed: the parser takes a kilobyte and microseconds for each
 * level, and a level is one or two characters.
 */
import type { Lexer } from 'yaml'

/** Most texts are cleared by a look at their characters; only suspicious ones are split into tokens. */
export function isTooDeep(text: string, limits: DepthLimits, lexer: () => Lexer): boolean {
  return mayBeTooDeep(text, limits.maxDepth) && hasDeepTokens(lexer().lex(text), limits)
}

export interface DepthLimits {
  readonly maxDepth: number
  /** Not looked at beyond these: the parser refuses such a text. */
  readonly maxTokens: number
}

const newline = 10
const blank = 32

/** Counts brackets and indicators, also those within scalars, where they mean nothing. */
function mayBeTooDeep(text: string, maxDepth: number): boolean {
  let open = 0
  let inLine = 0
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    if (code === 91 || code === 123) {
      if (++open > maxDepth) return true
    } else if (code === 93 || code === 125) {
      if (open > 0) open--
    } else if (code === newline) {
      inLine = 0
    } else if ((code === 45 || code === 63 || code === 58) && text.charCodeAt(i + 1) <= blank) {
      if (++inLine > maxDepth) return true
    }
  }
  return false
}

/** What the lexer puts before a scalar. */
const scalarMark = '\u001F'

/** A level is an open bracket, or an indicator (`-`, `?`, `:`) after others of its line, as in `- - a`. */
function hasDeepTokens(tokens: Iterable<string>, { maxDepth, maxTokens }: DepthLimits): boolean {
  let count = 0
  let open = 0
  let inLine = 0
  let isScalar = false
  for (const token of tokens) {
    if (++count > maxTokens) return false
    if (!isScalar) {
      if (token === '[' || token === '{') open++
      else if (token === ']' || token === '}') open--
      else if (open === 0 && (token === '-' || token === '?' || token === ':')) inLine++
      else if (token === '\n' || token === '\r\n') inLine = 0
      if (open > maxDepth || inLine > maxDepth) return true
    }
    isScalar = token === scalarMark
  }
  return false
}
