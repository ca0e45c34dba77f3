/** Strings as sequences of code points, with Go's rules for splitting, replacing and whitespace. */
import { takeSteps } from '../../../api/step-limit.ts'

const surrogates = /[\ud800-\udbff][\udc00-\udfff]/

/** Access by position. Without surrogate pairs, UTF-16 units are code points. */
interface Positions {
  readonly length: number
  slice(start: number, end?: number): string
  indexOf(part: string, from: number): number
  lastIndexOf(part: string, from: number): number
}

function positions(text: string): Positions {
  return surrogates.test(text) ? new CodePoints(text) : text
}

class CodePoints implements Positions {
  readonly text: string
  /** The offset of every code point, and of the end. */
  readonly starts: number[]

  constructor(text: string) {
    takeSteps(2 * text.length)
    this.text = text
    this.starts = []
    let unit = 0
    for (const char of text) {
      this.starts.push(unit)
      unit += char.length
    }
    this.starts.push(unit)
  }

  get length(): number {
    return this.starts.length - 1
  }

  slice(start: number, end = this.length): string {
    return this.text.slice(this.starts[start], this.starts[end])
  }

  indexOf(part: string, from: number): number {
    return this.position(this.text.indexOf(part, this.starts[from]))
  }

  lastIndexOf(part: string, from: number): number {
    return this.position(this.text.lastIndexOf(part, this.starts[from]))
  }

  position(unit: number): number {
    return unit === -1 ? -1 : this.starts.indexOf(unit)
  }
}

/** A position is out of range; the message is cel-go's. */
export class PositionError extends Error {
  override readonly name = 'PositionError'
}

function outOfRange(index: bigint): PositionError {
  return new PositionError(`index out of range: ${index}`)
}

/** The position as a number. Throws a {@link PositionError} unless 0 ≤ index ≤ length. */
function within(index: bigint, length: number): number {
  if (index < 0n || index > BigInt(length)) throw outOfRange(index)
  return Number(index)
}

/** Empty at the end of the text. Throws {@link PositionError}. */
export function charAt(text: string, index: bigint): string {
  const at = positions(text)
  const start = within(index, at.length)
  return start === at.length ? '' : at.slice(start, start + 1)
}

/** Throws {@link PositionError}. */
export function substring(text: string, start: bigint, end?: bigint): string {
  const at = positions(text)
  if (end === undefined) return at.slice(within(start, at.length))
  if (start > end) throw new PositionError(`invalid substring range. start: ${start}, end: ${end}`)
  return at.slice(within(start, at.length), within(end, at.length))
}

/** An empty part is found at the offset. Throws {@link PositionError}. */
export function indexOf(text: string, part: string, offset = 0n): bigint {
  if (part === '') return offset
  if (offset < 0n) throw outOfRange(offset)
  takeSearchSteps(text, part)
  const at = positions(text)
  return offset >= BigInt(at.length) ? -1n : BigInt(at.indexOf(part, Number(offset)))
}

/** Searches backwards from the offset; by default, from the end. Throws {@link PositionError}. */
export function lastIndexOf(text: string, part: string, offset?: bigint): bigint {
  takeSearchSteps(text, part)
  const at = positions(text)
  if (part === '') return offset ?? BigInt(at.length)
  if (offset === undefined) return at.length === 0 ? -1n : BigInt(at.lastIndexOf(part, at.length - 1))
  if (offset < 0n) throw outOfRange(offset)
  return offset >= BigInt(at.length) ? -1n : BigInt(at.lastIndexOf(part, Number(offset)))
}

/**
 * Replaces the first `count` occurrences; all if it is negative. An empty part is found before and after every
 * character.
 */
export function replace(text: string, part: string, by: string, count = -1n): string {
  if (count === 0n || part === by) return text
  // The result can be as long as the product of both.
  takeSteps(text.length)
  takeSearchSteps(text, part)
  takeSearchSteps(text, part)
  if (by.length > 0) takeSteps(occurrences(text, part) * (4 + (by.length >> 2)))
  if (count < 0n && part !== '') return text.replaceAll(part, () => by)
  const limit = count < 0n ? Infinity : Number(count)
  const pieces: string[] = []
  let from = 0
  for (let i = 0; i < limit; i++) {
    let at = part === '' ? from : text.indexOf(part, from)
    if (part === '' && i > 0) at = from + charLength(text, from)
    if (at === -1 || (i > 0 && part === '' && from === text.length)) break
    pieces.push(text.slice(from, at), by)
    from = at + part.length
  }
  pieces.push(text.slice(from))
  return pieces.join('')
}

/**
 * Counts the work to search a text for a part: JavaScript compares each character of the part at each position if both
 * are repetitive, about 50 characters in a step.
 */
export function takeSearchSteps(text: string, part: string): void {
  takeSteps(10 + (text.length >> 4) + text.length * part.length * 0.02)
}

function occurrences(text: string, part: string): number {
  if (part === '') return text.length + 1
  let count = 0
  for (let at = text.indexOf(part); at !== -1; at = text.indexOf(part, at + part.length)) count++
  return count
}

function charLength(text: string, at: number): number {
  return (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1
}

/** At most `count` parts, the last one being the rest; none for 0, all if negative. */
export function split(text: string, separator: string, count = -1n): string[] {
  if (count === 0n) return []
  takeSteps(4 * text.length)
  takeSearchSteps(text, separator)
  if (separator === '') return splitCharacters(text, count)
  const parts = text.split(separator)
  if (count < 0n || BigInt(parts.length) <= count) return parts
  const kept = Number(count) - 1
  return [...parts.slice(0, kept), parts.slice(kept).join(separator)]
}

function splitCharacters(text: string, count: bigint): string[] {
  const characters = [...text]
  if (count < 0n || BigInt(characters.length) <= count) return characters
  const kept = Number(count) - 1
  return [...characters.slice(0, kept), characters.slice(kept).join('')]
}

const blank = /[\t-\r \u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]/

/** Removes whitespace at both ends. */
export function trim(text: string): string {
  takeSteps(text.length)
  let start = 0
  let end = text.length
  while (start < end && blank.test(text.charAt(start))) start++
  while (end > start && blank.test(text.charAt(end - 1))) end--
  return text.slice(start, end)
}

export function lowerAscii(text: string): string {
  takeSteps(text.length)
  return text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase())
}

export function upperAscii(text: string): string {
  takeSteps(text.length)
  return text.replace(/[a-z]+/g, (letters) => letters.toUpperCase())
}

const escapes: ReadonlyMap<string, string> = new Map([
  ['\x07', '\\a'],
  ['\b', '\\b'],
  ['\f', '\\f'],
  ['\n', '\\n'],
  ['\r', '\\r'],
  ['\t', '\\t'],
  ['\v', '\\v'],
  ['\\', '\\\\'],
  ['"', '\\"'],
])

/** In double quotes, in CEL syntax. */
export function quote(text: string): string {
  takeSteps(2 * text.length)
  let quoted = ''
  for (const char of text) quoted += escapes.get(char) ?? char
  return `"${quoted}"`
}
