/**
 * Diffs as upstream's messages show them: a unified diff with three lines of context and no header, made from longest
 * matching blocks, as in Python's difflib.
 */

/** A range of lines that is equal in both texts, or differs. */
interface Step {
  readonly same: boolean
  readonly fromA: number
  readonly toA: number
  readonly fromB: number
  readonly toB: number
}

const context = 3
/** In texts of at least this many lines, very frequent lines are ignored when blocks are matched. */
const minPopularLines = 200

export function unifiedDiff(a: string, b: string): string {
  const from = splitLines(a)
  const to = splitLines(b)
  let text = ''
  for (const group of groupSteps(steps(from, to))) {
    const first = group[0] as Step
    const last = group[group.length - 1] as Step
    text += `@@ -${range(first.fromA, last.toA)} +${range(first.fromB, last.toB)} @@\n`
    for (const step of group) {
      if (step.same) {
        for (const line of from.slice(step.fromA, step.toA)) text += ` ${line}`
        continue
      }
      for (const line of from.slice(step.fromA, step.toA)) text += `-${line}`
      for (const line of to.slice(step.fromB, step.toB)) text += `+${line}`
    }
  }
  return text
}

function splitLines(text: string): string[] {
  return text.split('\n').map((line) => `${line}\n`)
}

function range(start: number, stop: number): string {
  const length = stop - start
  if (length === 1) return String(start + 1)
  return `${length === 0 ? start : start + 1},${length}`
}

function steps(a: readonly string[], b: readonly string[]): Step[] {
  const found: Step[] = []
  let i = 0
  let j = 0
  for (const block of [...matchingBlocks(a, b), { a: a.length, b: b.length, size: 0 }]) {
    if (i < block.a || j < block.b) {
      found.push({ same: false, fromA: i, toA: block.a, fromB: j, toB: block.b })
    }
    i = block.a + block.size
    j = block.b + block.size
    if (block.size > 0) found.push({ same: true, fromA: block.a, toA: i, fromB: block.b, toB: j })
  }
  return found
}

interface Block {
  readonly a: number
  readonly b: number
  readonly size: number
}

/** The lines of longer texts are not aligned, since that takes quadratic time: only their ends are compared. */
const maxAlignedLines = 2000

function matchingEnds(a: readonly string[], b: readonly string[]): Block[] {
  const shorter = Math.min(a.length, b.length)
  let start = 0
  while (start < shorter && a[start] === b[start]) start++
  let end = 0
  while (end < shorter - start && a[a.length - 1 - end] === b[b.length - 1 - end]) end++
  return [
    { a: 0, b: 0, size: start },
    { a: a.length - end, b: b.length - end, size: end },
  ].filter(({ size }) => size > 0)
}

function matchingBlocks(a: readonly string[], b: readonly string[]): Block[] {
  if (a.length + b.length > 2 * maxAlignedLines) return matchingEnds(a, b)
  const places = placesOf(b)
  const blocks: Block[] = []
  const open: [number, number, number, number][] = [[0, a.length, 0, b.length]]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const [fromA, toA, fromB, toB] = next
    const match = longestMatch(a, b, places, fromA, toA, fromB, toB)
    if (match.size === 0) continue
    blocks.push(match)
    if (fromA < match.a && fromB < match.b) open.push([fromA, match.a, fromB, match.b])
    if (match.a + match.size < toA && match.b + match.size < toB) {
      open.push([match.a + match.size, toA, match.b + match.size, toB])
    }
  }
  blocks.sort((x, y) => x.a - y.a || x.b - y.b)
  return joinAdjacent(blocks)
}

function joinAdjacent(blocks: readonly Block[]): Block[] {
  const joined: Block[] = []
  for (const block of blocks) {
    const last = joined[joined.length - 1]
    if (last !== undefined && last.a + last.size === block.a && last.b + last.size === block.b) {
      joined[joined.length - 1] = { a: last.a, b: last.b, size: last.size + block.size }
    } else {
      joined.push(block)
    }
  }
  return joined
}

/** The positions of each line, without very frequent lines. */
function placesOf(lines: readonly string[]): Map<string, number[]> {
  const places = new Map<string, number[]>()
  for (const [i, line] of lines.entries()) {
    const known = places.get(line)
    if (known === undefined) places.set(line, [i])
    else known.push(i)
  }
  if (lines.length < minPopularLines) return places
  const limit = Math.floor(lines.length / 100) + 1
  for (const [line, at] of places) if (at.length > limit) places.delete(line)
  return places
}

function longestMatch(
  a: readonly string[],
  b: readonly string[],
  places: ReadonlyMap<string, readonly number[]>,
  fromA: number,
  toA: number,
  fromB: number,
  toB: number,
): Block {
  let best = { a: fromA, b: fromB, size: 0 }
  /** For a line of `b`: the length of the match that ends there. */
  let lengths = new Map<number, number>()
  for (let i = fromA; i < toA; i++) {
    const next = new Map<number, number>()
    for (const j of places.get(a[i] as string) ?? []) {
      if (j < fromB) continue
      if (j >= toB) break
      const size = (lengths.get(j - 1) ?? 0) + 1
      next.set(j, size)
      if (size > best.size) best = { a: i - size + 1, b: j - size + 1, size }
    }
    lengths = next
  }
  // Extends the match by frequent lines at both ends.
  while (best.a > fromA && best.b > fromB && a[best.a - 1] === b[best.b - 1]) {
    best = { a: best.a - 1, b: best.b - 1, size: best.size + 1 }
  }
  while (best.a + best.size < toA && best.b + best.size < toB && a[best.a + best.size] === b[best.b + best.size]) {
    best = { a: best.a, b: best.b, size: best.size + 1 }
  }
  return best
}

/** Groups of steps that are far apart, each with its context. */
function groupSteps(all: readonly Step[]): Step[][] {
  const groups: Step[][] = []
  let group: Step[] = []
  for (const [i, step] of all.entries()) {
    if (!step.same) {
      group.push(step)
      continue
    }
    const length = step.toA - step.fromA
    const isFirst = i === 0
    const isLast = i === all.length - 1
    const lead = isFirst ? Math.max(0, length - context) : 0
    if (isFirst) {
      group.push({ ...step, fromA: step.fromA + lead, fromB: step.fromB + lead })
    } else if (isLast) {
      const kept = Math.min(length, context)
      group.push({ ...step, toA: step.fromA + kept, toB: step.fromB + kept })
    } else if (length > 2 * context) {
      groups.push([...group, { ...step, toA: step.fromA + context, toB: step.fromB + context }])
      group = [{ ...step, fromA: step.toA - context, fromB: step.toB - context }]
    } else {
      group.push(step)
    }
  }
  if (group.length > 0 && !(group.length === 1 && (group[0] as Step).same)) groups.push(group)
  return groups
}
