/**
 * Patterns of CRD schemas. Pattern and text both come from clients, so they are matched by RE2, in time linear in the
 * text, within the limits of `pattern-size.ts`. JavaScript's own engine backtracks and is never used for them.
 */
import { createRequire } from 'node:module'
import type { RE2JS as Engine } from 're2js'
import { maxPatternSteps, PatternCache, patternSize } from '../api/pattern-size.ts'

export interface Pattern {
  readonly source: string
  /** True if the pattern matches anywhere in the text; only the pattern itself can anchor the match. */
  test(text: string): boolean
  /** Whether to match the text would exceed the limit; {@link test} must not be called then. */
  isTooCostly(text: string): boolean
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

const compiled = new PatternCache<Pattern>()

/**
 * Returns the compiled pattern, from the cache if possible.
 * Throws a {@link SchemaPatternError} with Go's message: ``error parsing regexp: missing closing ): `(` ``.
 */
export function compilePattern(source: string): Pattern {
  const known = compiled.get(source)
  if (known !== undefined) return known
  const { size, problem } = patternSize(source)
  if (problem !== undefined) throw new SchemaPatternError(problem)
  let expression: Engine
  try {
    expression = loadEngine().compile(source)
  } catch (error) {
    throw new SchemaPatternError(error instanceof Error ? error.message : String(error))
  }
  const pattern: Pattern = {
    source,
    test: (text) => expression.test(text),
    isTooCostly: (text) => size * text.length > maxPatternSteps(size),
  }
  compiled.add(source, pattern, size)
  return pattern
}

/**
 * A pattern that is compiled when it is first used: schemas keep patterns for as long as their CRD exists. One that
 * does not compile rejects every value, as upstream does; CRDs with such patterns are rejected on create.
 */
export function lazyPattern(source: string): Pattern {
  const compile = (): Pattern => {
    try {
      return compilePattern(source)
    } catch (error) {
      if (!(error instanceof SchemaPatternError)) throw error
      return {
        source: `${source}, but pattern is invalid: ${error.message}`,
        test: () => false,
        isTooCostly: () => false,
      }
    }
  }
  return {
    get source() {
      return compile().source
    },
    test: (text) => compile().test(text),
    isTooCostly: (text) => compile().isTooCostly(text),
  }
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
