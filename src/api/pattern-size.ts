/**
 * The cost of a regular expression. RE2 matches in time linear in the text, times the size of its program, and counted
 * repeats make programs large: `.{999}` has a thousand instructions. So the size is limited before a pattern is
 * compiled; the product of size and text is limited where it is matched.
 */

/** The limit for the instructions of a program. Patterns of real schemas have some hundreds. */
export const maxPatternInstructions = 10_000

/** RE2's limit for a count, and for the product of nested counts. */
const maxRepeats = 1000

const counted = /\{(\d{1,9})(,?)(\d{0,9})\}/y

export interface PatternSize {
  /** About how many instructions RE2 makes of the pattern. Patterns with wrong syntax have any size. */
  readonly size: number
  /** Go's message, if the size exceeds the limit. */
  readonly problem: string | undefined
}

interface Group {
  /** The size of what precedes the last atom. */
  sum: number
  /** The size of the last atom, which a repeat multiplies. */
  atom: number
  /** The product of nested counts, in the last atom and in the whole group. */
  atomRepeats: number
  repeats: number
}

export function patternSize(source: string): PatternSize {
  const open: Group[] = []
  let group: Group = { sum: 0, atom: 0, atomRepeats: 1, repeats: 1 }
  let wrongCount: string | undefined
  for (let at = 0; at < source.length; at++) {
    const char = source[at]
    if (char === '(') {
      open.push(group)
      group = { sum: 2, atom: 0, atomRepeats: 1, repeats: 1 }
    } else if (char === ')' && open.length > 0) {
      const outer = open.pop() as Group
      next(outer, group.sum + group.atom, group.repeats)
      group = outer
    } else if (char === '{') {
      counted.lastIndex = at
      const found = counted.exec(source)
      if (found === null) continue
      const count = Math.max(1, Number(found[1]), Number(found[3]))
      group.atom = (group.atom + 1) * count
      group.atomRepeats *= count
      group.repeats = Math.max(group.repeats, group.atomRepeats)
      if (group.atomRepeats > maxRepeats) wrongCount ??= found[0]
      at += found[0].length - 1
    } else if (char === '*' || char === '+' || char === '?') {
      group.atom++
    } else {
      next(group, 1, 1)
      if (char === '[') at = endOfClass(source, at)
      else if (char === '\\') {
        const end = endOfEscape(source, at)
        // Quoted text has an instruction for each character.
        if (source[at + 1] === 'Q') group.sum += end - at
        at = end
      }
    }
  }
  let size = group.sum + group.atom
  for (const { sum, atom } of open) size += sum + atom
  return { size, problem: size > maxPatternInstructions ? problemOf(source, wrongCount) : undefined }
}

function next(group: Group, size: number, repeats: number): void {
  group.sum += group.atom
  group.atom = size
  group.atomRepeats = repeats
  group.repeats = Math.max(group.repeats, repeats)
}

function problemOf(source: string, wrongCount: string | undefined): string {
  const what = wrongCount === undefined ? 'expression too large' : 'invalid repeat count'
  return `error parsing regexp: ${what}: \`${wrongCount ?? source}\``
}

/** The index of the last character of an escape: `\d`, `\x{2028}`, `\p{Greek}`, `\Qtext\E`. */
function endOfEscape(source: string, start: number): number {
  if (source[start + 1] === 'Q') {
    const end = source.indexOf('\\E', start)
    return end < 0 ? source.length - 1 : end + 1
  }
  const isBraced = 'xpP'.includes(source[start + 1] ?? ' ') && source[start + 2] === '{'
  const end = isBraced ? source.indexOf('}', start) : -1
  return end < 0 ? start + 1 : end
}

/** The index of the bracket that closes a class, or of the last character. */
function endOfClass(source: string, start: number): number {
  let at = start + 1
  if (source[at] === '^') at++
  if (source[at] === ']') at++
  for (; at < source.length; at++) {
    if (source[at] === ']') return at
    if (source[at] === '\\') at++
    else if (source[at] === '[' && source[at + 1] === ':') at = Math.max(at, source.indexOf(':]', at) + 1)
  }
  return source.length - 1
}

/**
 * Compiled patterns, kept up to a number, a total size of their programs, and the memory of what they learn while they
 * match; the oldest are dropped first.
 */
export class PatternCache<Compiled> {
  readonly #kept = new Map<string, { readonly compiled: Compiled; readonly size: number; bytes: number }>()
  #size = 0
  #bytes = 0

  get(source: string): Compiled | undefined {
    return this.#kept.get(source)?.compiled
  }

  add(source: string, compiled: Compiled, size: number): void {
    this.#kept.set(source, { compiled, size, bytes: 0 })
    this.#size += size
    this.#shrink()
  }

  /** The memory of a pattern has grown by so many bytes. */
  grow(source: string, bytes: number): void {
    const kept = this.#kept.get(source)
    if (kept === undefined) return
    kept.bytes += bytes
    this.#bytes += bytes
    this.#shrink()
  }

  drop(source: string): void {
    const kept = this.#kept.get(source)
    if (kept === undefined) return
    this.#kept.delete(source)
    this.#size -= kept.size
    this.#bytes -= kept.bytes
  }

  #shrink(): void {
    for (const oldest of this.#kept.keys()) {
      const isSmall = this.#size <= maxCachedInstructions && this.#bytes <= maxCachedBytes
      if (isSmall && this.#kept.size <= maxCachedPatterns) break
      this.drop(oldest)
    }
  }
}

const maxCachedPatterns = 1000
const maxCachedInstructions = 20 * maxPatternInstructions
/** As the engine counts it; about half of what it is. */
const maxCachedBytes = 16 * 1024 * 1024
