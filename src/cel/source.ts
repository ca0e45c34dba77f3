/** Source text of an expression, and formatting of issues: position, line and a marker. Offsets are UTF-16 units. */
import { codePoints } from './library.ts'

export interface Issue {
  /** Undefined: the whole expression; negative: a part without a position. */
  readonly offset: number | undefined
  readonly message: string
}

/** Lines longer than this are not shown. */
const maxSnippetBytes = 16384
const maxIssues = 100

interface Place {
  readonly line: number
  /** The number of code points before it in its line. */
  readonly column: number
}

/** The issues sorted by position, in upstream's format; issues at the same position keep their order. */
export function describeIssues(text: string, issues: readonly Issue[]): string {
  const lines = text.split('\n')
  const sorted = issues.toSorted((a, b) => Math.max(a.offset ?? -2, -2) - Math.max(b.offset ?? -2, -2))
  const shown = sorted
    .slice(0, maxIssues)
    .map(({ message, offset }) => describe(lines, placeOf(lines, offset), message))
  if (sorted.length > maxIssues) shown.push(`${sorted.length - maxIssues} more errors were truncated`)
  return shown.join('\n')
}

function placeOf(lines: readonly string[], offset: number | undefined): Place {
  if (offset === undefined) return { line: -1, column: -1 }
  if (offset < 0 || (lines.length === 1 && lines[0] === '')) return { line: 1, column: -1 }
  let start = 0
  for (const [i, line] of lines.entries()) {
    if (offset <= start + line.length) return { line: i + 1, column: codePoints(line.slice(0, offset - start)) }
    start += line.length + 1
  }
  return { line: lines.length, column: codePoints(lines.at(-1) ?? '') }
}

function describe(lines: readonly string[], { line, column }: Place, message: string): string {
  const head = `ERROR: <input>:${line}:${column + 1}: ${message}`
  const text = lines[line - 1]
  if (text === undefined || (lines.length === 1 && text === '') || Buffer.byteLength(text) > maxSnippetBytes)
    return head
  const shown = text.replaceAll('\t', ' ')
  const points = [...shown]
  let marks = ''
  for (let i = 0; i < column && i < points.length; i++) marks += isWide(points[i]) ? '\uff0e' : '.'
  return `${head}\n | ${shown}\n | ${marks}${isWide(points[column]) ? '\uff3e' : '^'}`
}

function isWide(point: string | undefined): boolean {
  return point !== undefined && (point.codePointAt(0) as number) > 0x7f
}
