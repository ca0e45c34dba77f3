/**
 * Patterns of CRD schemas. They are RE2: matched in time linear in the text, whatever the pattern says, because both
 * pattern and text come from clients. JavaScript's own engine backtracks, so it is never given one of them.
 */
import { createRequire } from 'node:module'
import type { RE2JS as Engine } from 're2js'

export interface Pattern {
  readonly source: string
  /** Whether the pattern is found anywhere in the text; anchors are up to the pattern. */
  test(text: string): boolean
}

export class PatternError extends Error {
  override name = 'PatternError'
}

/** Loaded with the first pattern: most runs never need it, and it costs about 8 ms. */
let engine: typeof Engine | undefined

function loadEngine(): typeof Engine {
  engine ??= (createRequire(import.meta.url)('re2js') as { RE2JS: typeof Engine }).RE2JS
  return engine
}

const compiled = new Map<string, Pattern>()

/** How many compiled patterns are kept; the oldest goes first. */
const cacheSize = 1000

/**
 * Compiles a pattern, or returns the one compiled before.
 * Throws a {@link PatternError} whose message is Go's: ``error parsing regexp: missing closing ): `(` ``.
 */
export function compilePattern(source: string): Pattern {
  const known = compiled.get(source)
  if (known !== undefined) return known
  let expression: Engine
  try {
    expression = loadEngine().compile(source)
  } catch (error) {
    throw new PatternError(error instanceof Error ? error.message : String(error))
  }
  const pattern: Pattern = { source, test: (text) => expression.test(text) }
  if (compiled.size >= cacheSize) compiled.delete(compiled.keys().next().value as string)
  compiled.set(source, pattern)
  return pattern
}

/** Why the pattern does not compile, in Go's words; undefined when it does. */
export function patternProblem(source: string): string | undefined {
  try {
    compilePattern(source)
    return undefined
  } catch (error) {
    if (error instanceof PatternError) return error.message
    throw error
  }
}
