/** Converts the text of a literal to its value. Error messages are upstream's. */
import { CelUint, type CelValue } from './library.ts'

/** Why a literal is invalid. */
export class LiteralError {
  readonly message: string

  constructor(message: string) {
    this.message = message
  }
}

const maxUint = 2n ** 64n - 1n
const maxInt = 2n ** 63n - 1n

export function intLiteral(text: string): bigint | LiteralError {
  const negative = text.startsWith('-')
  const value = BigInt(negative ? text.slice(1) : text)
  const signed = negative ? -value : value
  return signed > maxInt || signed < -maxInt - 1n ? new LiteralError('invalid int literal') : signed
}

export function uintLiteral(text: string): CelUint | LiteralError {
  const value = BigInt(text.slice(0, -1))
  return value > maxUint ? new LiteralError('invalid uint literal') : new CelUint(value)
}

export function doubleLiteral(text: string): number | LiteralError {
  const value = Number(text)
  return Number.isFinite(value) ? value : new LiteralError('invalid double literal')
}

export function stringLiteral(text: string): string | LiteralError {
  const body = bodyOf(text)
  if (body instanceof LiteralError) return body
  if (body.raw || !body.text.includes('\\')) return body.text
  let result = ''
  for (let i = 0; i < body.text.length;) {
    const step = unescape(body.text, i, false)
    if (step instanceof LiteralError) return step
    result += step.point === undefined ? (body.text[i] as string) : String.fromCodePoint(step.point)
    i = step.next
  }
  return result
}

export function bytesLiteral(text: string): Uint8Array | LiteralError {
  const body = bodyOf(text.slice(1))
  if (body instanceof LiteralError) return body
  if (body.raw || !body.text.includes('\\')) return new TextEncoder().encode(body.text)
  const bytes: number[] = []
  for (let i = 0; i < body.text.length;) {
    const step = unescape(body.text, i, true)
    if (step instanceof LiteralError) return step
    if (step.point !== undefined) {
      bytes.push(step.point)
      i = step.next
      continue
    }
    const point = String.fromCodePoint(body.text.codePointAt(i) as number)
    bytes.push(...new TextEncoder().encode(point))
    i += point.length
  }
  return Uint8Array.from(bytes)
}

function bodyOf(given: string): { text: string; raw: boolean } | LiteralError {
  let text = given.replaceAll('\r\n', '\n').replaceAll('\r', '\n')
  const raw = /^[rR]/.test(text)
  if (raw) text = text.slice(1)
  const triple = text.length >= 6 && (text.startsWith('"""') || text.startsWith("'''"))
  return { text: triple ? text.slice(3, -3) : text.slice(1, -1), raw }
}

const simple: ReadonlyMap<string, number> = new Map([
  ['a', 7],
  ['b', 8],
  ['f', 12],
  ['n', 10],
  ['r', 13],
  ['t', 9],
  ['v', 11],
  ['\\', 92],
  ["'", 39],
  ['"', 34],
  ['`', 96],
  ['?', 63],
])

/** The code point of the escape at a position; `point` is undefined if it is invalid. */
function unescape(
  text: string,
  at: number,
  isBytes: boolean,
): { point: number | undefined; next: number } | LiteralError {
  if (text[at] !== '\\') return { point: undefined, next: at + 1 }
  const code = text[at + 1] as string
  const known = simple.get(code)
  if (known !== undefined) return { point: known, next: at + 2 }
  if (isBytes && (code === 'u' || code === 'U')) return new LiteralError('unable to unescape string')
  const digits = code === 'x' || code === 'X' ? 2 : code === 'u' ? 4 : code === 'U' ? 8 : 0
  const point = digits > 0 ? parseInt(text.slice(at + 2, at + 2 + digits), 16) : parseInt(text.slice(at + 1, at + 4), 8)
  if (!isBytes && (point > 0x10ffff || (point >= 0xd800 && point <= 0xdfff))) {
    return new LiteralError('invalid unicode code point')
  }
  return { point, next: at + (digits > 0 ? 2 + digits : 4) }
}

export function isLiteralError(value: CelValue | LiteralError): value is LiteralError {
  return value instanceof LiteralError
}
