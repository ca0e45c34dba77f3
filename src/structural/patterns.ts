/**
 * Patterns of CRD schemas: RE2, within the limits of `src/api/regex.ts`.
 */
import { compileRegex, RegexError } from '../api/regex.ts'

export interface Pattern {
  readonly source: string
  /**
   * True if the pattern matches anywhere in the text; only the pattern itself can anchor the match.
   * Throws a `TextTooLongError` if it could take too long to find out.
   */
  test(text: string): boolean
}

/**
 * Returns the compiled pattern, from the cache if possible.
 * Throws a {@link RegexError} with Go's message: ``error parsing regexp: missing closing ): `(` ``.
 */
export function compilePattern(source: string): Pattern {
  return compileRegex(source)
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
      if (!(error instanceof RegexError)) throw error
      return { source: `${source}, but pattern is invalid: ${error.message}`, test: () => false }
    }
  }
  return {
    get source() {
      return compile().source
    },
    test: (text) => compile().test(text),
  }
}

/** Go's message on why the pattern does not compile; undefined if it does. */
export function patternProblem(source: string): string | undefined {
  try {
    compilePattern(source)
    return undefined
  } catch (error) {
    if (error instanceof RegexError) return error.message
    throw error
  }
}
