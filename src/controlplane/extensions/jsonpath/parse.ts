/**
 * Parses JSONPath in the dialect of kubectl and CRD columns: `.spec.ports[0].name`,
 * `.status.conditions[?(@.type=="Ready")].status`.
 */

export type PathNode =
  | { readonly type: 'field'; readonly name: string }
  | { readonly type: 'wildcard' }
  | { readonly type: 'recursive' }
  | {
      readonly type: 'slice'
      readonly start?: number
      readonly end?: number
      readonly step?: number
      readonly single: boolean
    }
  | { readonly type: 'filter'; readonly left: PathNode[]; readonly operator: string; readonly right: PathNode[] }
  | { readonly type: 'union'; readonly members: readonly PathNode[][] }
  | { readonly type: 'literal'; readonly value: string | number | boolean }
  /** `range` and `end`, which have no meaning in a single path. */
  | { readonly type: 'word'; readonly word: string }

/** The path has a syntax error. */
export class JsonPathError extends Error {
  override name = 'JsonPathError'
}

/** The maximum depth of nested filters. */
const maxDepth = 50

/** Parses a path without its braces. Throws {@link JsonPathError}. */
export function parseJsonPath(path: string): PathNode[] {
  return parseAt(path, 0)
}

function parseAt(path: string, depth: number): PathNode[] {
  if (depth > maxDepth) throw new JsonPathError('path is nested too deeply')
  return new Parser(path, depth).parse()
}

const terminators = new Set([' ', '\t', '\r', '\n', '.', ',', '[', ']', '$', '@', '{', '}'])
const asciiWord = /[A-Za-z0-9_]/
let word: RegExp | undefined

/**
 * Compiled on first use: a regular expression with Unicode classes adds half a millisecond to the start of the server.
 */
function isWord(character: string): boolean {
  if (asciiWord.test(character)) return true
  word ??= /[\p{L}\p{Nd}_]/u
  return word.test(character)
}

class Parser {
  private readonly nodes: PathNode[] = []
  private readonly text: string
  private readonly depth: number
  private at = 0

  constructor(text: string, depth: number) {
    this.text = text
    this.depth = depth
  }

  /** Text after a closing brace would be a second expression; only the first one is used. */
  parse(): PathNode[] {
    while (this.at < this.text.length && this.text[this.at] !== '}') this.next()
    return this.nodes
  }

  private next(): void {
    const { text } = this
    const character = text[this.at] as string
    if (text.startsWith('[?(', this.at)) this.filter()
    else if (text.startsWith('..', this.at)) this.recursive()
    else if (character === '\n' || character === '\r') throw new JsonPathError('unclosed action')
    else if (character === ' ' || character === '@' || character === '$') this.at++
    else if (character === '[') this.brackets()
    else if (character === '"' || character === "'") this.quoted(character)
    else if (character === '.') this.field(this.at + 1)
    else if (character === '+' || character === '-' || /\p{Nd}/u.test(character)) this.number()
    else if (isWord(character)) this.word()
    else throw new JsonPathError(`unrecognized character in action: ${character}`)
  }

  private field(start: number): void {
    let end = start
    while (end < this.text.length && !terminators.has(this.text[end] as string)) {
      end += this.text[end] === '\\' ? 2 : 1
    }
    const name = this.text.slice(start, end)
    this.nodes.push(name === '*' ? { type: 'wildcard' } : { type: 'field', name: name.replaceAll('\\', '') })
    this.at = Math.min(end, this.text.length)
  }

  private recursive(): void {
    if (this.nodes[this.nodes.length - 1]?.type === 'recursive') {
      throw new JsonPathError('invalid multiple recursive descent')
    }
    this.nodes.push({ type: 'recursive' })
    this.at += 2
    if (isWord(this.text[this.at] ?? '')) this.field(this.at)
  }

  private word(): void {
    const start = this.at
    while (this.at < this.text.length && !terminators.has(this.text[this.at] as string)) this.at++
    const word = this.text.slice(start, this.at)
    const known = word === 'true' || word === 'false'
    this.nodes.push(known ? { type: 'literal', value: word === 'true' } : { type: 'word', word })
  }

  private number(): void {
    const start = this.at
    if (/[+-]/.test(this.text[this.at] as string)) this.at++
    while (/[\d.]/.test(this.text[this.at] ?? '')) this.at++
    const digits = this.text.slice(start, this.at)
    if (!/^[+-]?(?:\d+(?:\.\d*)?|\.\d+)$/.test(digits)) throw new JsonPathError(`cannot parse number ${digits}`)
    this.nodes.push({ type: 'literal', value: Number(digits) })
  }

  private quoted(quote: string): void {
    let end = this.at + 1
    while (this.text[end] !== quote || this.text[end - 1] === '\\') {
      if (end >= this.text.length || this.text[end] === '\n') throw new JsonPathError('unterminated quoted string')
      end++
    }
    const inner = this.text.slice(this.at + 1, end)
    this.nodes.push({ type: 'literal', value: inner.replace(/\\(.)/g, '$1') })
    this.at = end + 1
  }

  private brackets(): void {
    const end = this.text.indexOf(']', this.at)
    const line = this.text.indexOf('\n', this.at)
    if (end < 0 || (line >= 0 && line < end)) throw new JsonPathError('unterminated array')
    const inner = this.text.slice(this.at + 1, end)
    this.at = end + 1
    const parts = inner.split(',')
    if (parts.length > 1) {
      const members = parts.map((part) => parseAt(`[${part.replace(/^ +| +$/g, '')}]`, this.depth + 1))
      this.nodes.push({ type: 'union', members })
      return
    }
    const key = /^'([^']*)'$/.exec(inner)
    if (key !== null) this.nodes.push(...parseAt(`.${key[1]}`, this.depth + 1))
    else this.nodes.push(slice(inner === '*' ? ':' : inner))
  }

  private filter(): void {
    const start = this.at + 3
    const end = this.filterEnd(start)
    if (this.text[end + 1] !== ']') throw new JsonPathError('unclosed array expect ]')
    const inner = this.text.slice(start, end)
    this.at = end + 2
    const parts = comparisonIn(inner)
    if (parts === undefined) {
      this.nodes.push({ type: 'filter', left: parseAt(inner, this.depth + 1), operator: 'exists', right: [] })
    } else {
      this.nodes.push({
        type: 'filter',
        left: parseAt(parts[0], this.depth + 1),
        operator: parts[1],
        right: parseAt(parts[2], this.depth + 1),
      })
    }
  }

  /** The index of the closing parenthesis. A filter may have one quoted text, in which parentheses do not count. */
  private filterEnd(start: number): number {
    let quote: string | undefined
    let closed = true
    for (let i = start; i < this.text.length && this.text[i] !== '\n'; i++) {
      const character = this.text[i] as string
      if (character === '"' || character === "'") {
        if (quote === undefined) {
          quote = character
          closed = false
        } else if (character === quote && this.text[i - 1] !== '\\') {
          closed = true
        }
      } else if (character === ')' && closed) {
        return i
      }
    }
    throw new JsonPathError('unterminated filter')
  }
}

/** `3`, `-1`, `1:3`, `::2`. */
function slice(text: string): PathNode {
  const match = /^(-?\d*)(:-?\d*)?(:-?\d*)?$/.exec(text)
  if (match === null) throw new JsonPathError(`invalid array index ${text}`)
  const [start, end, step] = [match[1], match[2]?.slice(1), match[3]?.slice(1)].map(index)
  const known = {
    ...(start === undefined ? {} : { start }),
    ...(end === undefined ? {} : { end }),
    ...(step === undefined ? {} : { step }),
  }
  return { type: 'slice', ...known, single: match[2] === undefined }
}

function index(text: string | undefined): number | undefined {
  if (text === undefined || text === '') return undefined
  if (text === '-') throw new JsonPathError('array index - is not a number')
  return Number(text)
}

/** `@.type=="Ready"` in its three parts, none of them empty. No regular expression: backtracking would be quadratic. */
function comparisonIn(text: string): readonly [left: string, operator: string, right: string] | undefined {
  const start = text.search(/[!<>=]/)
  let end = start
  while (end >= 0 && /[!<>=]/.test(text[end] ?? '')) end++
  // What follows the operator is its last character if there is nothing else.
  if (end === text.length) end--
  if (start < 1 || end <= start || /[\n\r\u2028\u2029]/.test(text.slice(end))) return undefined
  return [text.slice(0, start), text.slice(start, end), text.slice(end)]
}
