/**
 * Patterns of CRD schemas. Pattern and text both come from clients, so they are matched by RE2, in time linear in the
 * text. JavaScript's own engine backtracks and is never used for them.
 */
import { createRequire } from 'node:module'
import type { RE2JS as Engine } from 're2js'

export interface Pattern {
  readonly source: string
  /** True if the pattern matches anywhere in the text; only the pattern itself can anchor the match. */
  test(text: string): boolean
}

export class SchemaPatternError extends Error {
  override name = 'PatternError'
}

/** Loaded with the first pattern: most processes never need it, and it costs about 8 ms. */
let engine: typeof Engine | undefined

function loadEngine(): typeof Engine {
  engine ??= (createRequire(import.meta.url)('re2js') as { RE2JS: typeof Engine }).RE2JS
  return engine
}

const compiled = new Map<string, Pattern>()

/** The number of compiled patterns to keep; the oldest is dropped first. */
const maxCachedPatterns = 1000

/**
 * Returns the compiled pattern, from the cache if possible.
 * Throws a {@link SchemaPatternError} with Go's message: ``error parsing regexp: missing closing ): `(` ``.
 */
export function compilePattern(source: string): Pattern {
  const known = compiled.get(source)
  if (known !== undefined) return known
  let expression: Engine
  try {
    expression = loadEngine().compile(source)
  } catch (error) {
    throw new SchemaPatternError(error instanceof Error ? error.message : String(error))
  }
  const pattern: Pattern = { source, test: (text) => expression.test(text) }
  if (compiled.size >= maxCachedPatterns) compiled.delete(compiled.keys().next().value as string)
  compiled.set(source, pattern)
  return pattern
}

/** Go's message on why the pattern does not compile; undefined if it does. */
export function patternProblem(source: string): string | undefined {
  try {
    compilePattern(source)
    return undefined
  } catch (error) {
    if (error instanceof SchemaPatternError) return error.message
    throw error
  }
}
