/**
 * Patterns in CEL. Pattern and text both come from clients, so they are matched by RE2, in time linear in the text.
 * JavaScript's own engine backtracks and is never used for them.
 */
import { createRequire } from 'node:module'
import type { RE2JS as Engine } from 're2js'
import { maxPatternInstructions, maxPatternSteps, PatternCache, patternSize } from '../../../api/pattern-size.ts'

/** The pattern does not compile; the message is Go's: ``error parsing regexp: missing closing ): `(` ``. */
export class RegexError extends Error {
  override readonly name = 'PatternError'
}

/** Loaded with the first pattern: most processes never need it. */
let engine: typeof Engine | undefined
const compiled = new PatternCache<Engine>()

/** Returns the compiled pattern, from the cache if possible. Throws {@link RegexError}. */
export function compileRegex(source: string): Engine {
  const known = compiled.get(source)
  if (known !== undefined) return known
  const { size, problem: tooLarge } = patternSize(source)
  if (tooLarge !== undefined) throw new RegexError(tooLarge)
  engine ??= (createRequire(import.meta.url)('re2js') as { RE2JS: typeof Engine }).RE2JS
  let pattern: Engine
  try {
    pattern = engine.compile(source)
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error)
    // Go quotes the offending part even if it is empty.
    throw new RegexError(problem.endsWith('`') ? problem : `${problem}: \`\``)
  }
  compiled.add(source, pattern, size)
  return pattern
}

/** The compiled pattern, if it can be matched with the text within the limits. Throws {@link RegexError}. */
function compileFor(text: string, source: string): Engine {
  const pattern = compileRegex(source)
  // A short text is within the limit of the largest program.
  const size =
    text.length * maxPatternInstructions <= maxPatternSteps(maxPatternInstructions) ? 0 : patternSize(source).size
  if (size * text.length > maxPatternSteps(size)) {
    throw new RegexError(`a text of ${text.length} characters is too long to be matched with \`${source}\``)
  }
  return pattern
}

/** True if the pattern matches anywhere in the text. Throws {@link RegexError}. */
export function matchesRegex(text: string, source: string): boolean {
  return compileFor(text, source).test(text)
}

/** The first match; empty if there is none. Throws {@link RegexError}. */
export function findRegex(text: string, source: string): string {
  const matcher = compileFor(text, source).matcher(text)
  return matcher.find() ? (matcher.group() ?? '') : ''
}

/** The first `limit` matches that do not overlap; all if it is negative. Throws {@link RegexError}. */
export function findAllRegex(text: string, source: string, limit = -1n): string[] {
  const matcher = compileFor(text, source).matcher(text)
  const found: string[] = []
  const wanted = limit < 0n ? Infinity : Number(limit)
  let end = -1
  while (found.length < wanted && matcher.find()) {
    // Go ignores an empty match directly after another match.
    if (matcher.start() === matcher.end() && matcher.start() === end) continue
    end = matcher.end()
    found.push(matcher.group() ?? '')
  }
  return found
}
