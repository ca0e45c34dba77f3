/** The lines of a source around a place, with a caret below it. */

/** Lines before and after the place. */
const contextLines = 3
/** Of longer lines, only this much around the place is shown: they are not written by hand. */
const maxColumns = 100

/** No lines if the source has no such place: it is not the source that runs. */
export function codeFrame(source: string, line: number, column: number): readonly string[] {
  const lines = source.split(/\r?\n/)
  const text = lines[line - 1]
  if (text === undefined || column > text.length + 1) return []
  const first = Math.max(1, line - contextLines)
  const last = Math.min(lines.at(-1) === '' ? lines.length - 1 : lines.length, line + contextLines)
  const width = String(last).length
  const start = column <= maxColumns ? 0 : column - maxColumns / 2
  const caret = expanded(text.slice(start, column - 1)).length
  const shown = (number: number): string => {
    const code = expanded((lines[number - 1] as string).slice(start, start + maxColumns))
    const mark = number === line ? '>' : ' '
    return `${mark} ${String(number).padStart(width)} | ${code}`.trimEnd()
  }
  const numbers = Array.from({ length: last - first + 1 }, (_, index) => first + index)
  return numbers.flatMap((number) =>
    number === line ? [shown(number), `  ${' '.repeat(width)} | ${' '.repeat(caret)}^`] : [shown(number)],
  )
}

function expanded(text: string): string {
  return text.replaceAll('\t', '  ')
}
