/** Parses index lists of a Job, such as `1,3-5`. */

export type Interval = readonly [first: number, last: number]

/** One interval, or the error. */
function parseInterval(text: string, completions: number): Interval | string {
  const parts = text.split('-')
  if (parts.length > 2) {
    const rule = "an index interval can have at most two parts separated by '-'"
    return `the fragment ${JSON.stringify(text)} violates the requirement that ${rule}`
  }
  const limits: number[] = []
  for (const part of parts) {
    if (!/^[+-]?[0-9]{1,18}$/.test(part)) {
      return `cannot convert string to integer for index: ${JSON.stringify(part)}`
    }
    if (Number(part) >= completions) return `too large index: ${JSON.stringify(part)}`
    limits.push(Number(part))
  }
  const [first = 0, last = first] = limits
  return limits.length > 1 && first >= last ? notIncreasing(first, last) : [first, last]
}

function notIncreasing(previous: number, current: number): string {
  return `non-increasing order, previous: ${previous}, current: ${current}`
}

/** The number of indexes in a list, or the error. */
export function countIndexes(text: string, completions: number): number | string {
  if (text === '') return 0
  let total = 0
  let previous: number | undefined
  for (const part of text.split(',')) {
    const interval = parseInterval(part, completions)
    if (typeof interval === 'string') return interval
    const [first, last] = interval
    if (previous !== undefined && previous >= first) return notIncreasing(previous, first)
    total += last - first + 1
    previous = last
  }
  return total
}

/** The first index that is in both lists; invalid intervals are ignored. */
export function overlap(one: string, other: string, completions: number): number | undefined {
  const parse = (text: string) =>
    text
      .split(',')
      .map((part) => parseInterval(part, completions))
      .filter((i) => typeof i !== 'string')
  if (one === '' || other === '') return undefined
  const [left, right] = [parse(one), parse(other)]
  for (let i = 0, j = 0; i < left.length && j < right.length;) {
    const [a, b] = left[i] as Interval
    const [c, d] = right[j] as Interval
    if (a <= d && c <= b) return Math.max(a, c)
    if (a <= c) i++
    else j++
  }
  return undefined
}
