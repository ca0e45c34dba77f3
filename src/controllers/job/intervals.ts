/** Sets of completion indexes as ordered intervals, in the text form of the status: `0,2-4`. */

export interface Interval {
  readonly first: number
  readonly last: number
}

/** Ordered, and neither overlapping nor adjacent. */
export type Intervals = readonly Interval[]

/** Leaves out indexes from `completions` on: an elastic Job may have had more. Invalid parts are ignored. */
export function parseIntervals(text: string | undefined, completions: number): Intervals {
  const found: Interval[] = []
  for (const part of (text ?? '').split(',')) {
    const match = /^(\d+)(?:-(\d+))?$/.exec(part)
    if (match === null) continue
    const first = Number(match[1])
    if (first >= completions) break
    found.push({ first, last: Math.min(Number(match[2] ?? first), completions - 1) })
  }
  return merged(found, [])
}

/** Two neighbours are written as `1,2`, three and more as `1-3`. */
export function intervalText(intervals: Intervals): string {
  return intervals
    .map(({ first, last }) => (last === first ? `${first}` : `${first}${last === first + 1 ? ',' : '-'}${last}`))
    .join(',')
}

export function total(intervals: Intervals): number {
  let count = 0
  for (const { first, last } of intervals) count += last - first + 1
  return count
}

export function includes(intervals: Intervals, index: number): boolean {
  return intervals.some(({ first, last }) => first <= index && index <= last)
}

export function withIndexes(intervals: Intervals, indexes: Iterable<number>): Intervals {
  const added = [...indexes].sort((a, b) => a - b).map((index) => ({ first: index, last: index }))
  return added.length === 0 ? intervals : merged(intervals, added)
}

export function merged(a: Intervals, b: Intervals): Intervals {
  const all = [...a, ...b].sort((left, right) => left.first - right.first)
  const result: Interval[] = []
  for (const next of all) {
    const before = result.at(-1)
    if (before === undefined || next.first > before.last + 1) result.push(next)
    else if (next.last > before.last) result[result.length - 1] = { first: before.first, last: next.last }
  }
  return result
}

/** How many indexes both have. */
export function overlap(a: Intervals, b: Intervals): number {
  let count = 0
  for (let i = 0, j = 0; i < a.length && j < b.length;) {
    const [left, right] = [a[i] as Interval, b[j] as Interval]
    count += Math.max(0, Math.min(left.last, right.last) - Math.max(left.first, right.first) + 1)
    if (left.last <= right.last) i++
    if (right.last <= left.last) j++
  }
  return count
}

/** The lowest `count` indexes below `completions` that are not in `taken`. The cost follows the size of both lists. */
export function firstMissing(taken: Intervals, count: number, completions: number): number[] {
  const found: number[] = []
  let candidate = 0
  for (const { first, last } of [...taken, { first: completions, last: completions }]) {
    for (; candidate < Math.min(first, completions) && found.length < count; candidate++) found.push(candidate)
    candidate = Math.max(candidate, last + 1)
  }
  return found
}
