/** Formatting of the tables that benchmarks print. */

/** Aligns columns: the first one left, the others right. */
export function columns(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, i) => Math.max(...rows.map((cells) => (cells[i] ?? '').length)))
  const pad = (text: string, i: number): string => {
    const width = widths[i] as number
    return i === 0 ? text.padEnd(width) : text.padStart(width)
  }
  return rows.map((cells) => cells.map(pad).join('  ').trimEnd()).join('\n')
}

/** Three significant digits. Empty for NaN. */
export function shortNumber(n: number): string {
  if (Number.isNaN(n)) return ''
  if (n >= 100) return String(Math.round(n))
  return n >= 10 ? n.toFixed(1) : n.toFixed(2)
}
