/** The table of a comparison. */
import { columns, shortNumber } from '../table.ts'
import { spread } from '../statistics.ts'
import type { Line } from './comparison.ts'

export function comparisonTable(title: string, lines: readonly Line[]): string {
  const head = [title, 'baseline', 'current', 'ratio', 'lowest to highest', 'verdict']
  return columns([head, ...lines.map(cells)])
}

function cells(line: Line): string[] {
  const { baseline, current } = line.values
  const verdict = line.verdict()
  const start = [line.title, amount(baseline, line.unit), amount(current, line.unit)]
  if (verdict === 'not measured') return [...start, '', '', verdict]
  const { median, min, max } = line.ratio()
  return [...start, median.toFixed(3), `${min.toFixed(2)} to ${max.toFixed(2)}`, verdict]
}

function amount(values: readonly number[], unit: string): string {
  const text = shortNumber(spread(values).median)
  return unit === '' || text === '' ? text : `${text} ${unit}`
}

export const notes = `baseline, current: medians of the rounds; times are processor time, user and system
ratio: median of the ratios current / baseline of each round; lowest to highest: of all rounds
within the spread: more than 5 % apart, but the middle half of the rounds includes 1
SLOWER, LARGER, MORE: more than 5 % above (a count: above), and outside the spread; the exit code is then 1`
