/**
 * Patterns of clients, in CEL and in schemas. Pattern and text both come from clients, so they are matched by RE2, in
 * time linear in the text, times the size of the pattern. JavaScript's own engine backtracks and is never used for
 * them.
 *
 * RE2 makes states of an automaton while it matches, and takes one step for each character as long as they fit into its
 * memory. Beyond, it looks at each instruction for each character. All of this is counted, and the latter is refused
 * for long texts.
 */
import { createRequire } from 'node:module'
import type { RE2JS as Engine } from 're2js'
import { PatternCache, patternSize } from './pattern-size.ts'
import { takeSteps } from './step-limit.ts'

/** The pattern does not compile; the message is Go's: ``error parsing regexp: missing closing ): `(` ``. */
export class RegexError extends Error {
  override readonly name: string = 'PatternError'
}

/** The pattern compiles, but the text is too long for it. */
export class TextTooLongError extends RegexError {
  override readonly name = 'TextTooLongError'
}

/** The limit for the instructions of a pattern times the characters of a text, for texts that no automaton matches. */
const maxMatchSteps = 4 * 1024 * 1024

/** Of one automaton, as the engine counts it. To fill it takes about 10 ms. */
const maxAutomatonBytes = 512 * 1024

/** To make states, for each byte of them. */
const stepsPerStateByte = 2
/** To match without an automaton, for each instruction and character. */
const stepsPerInstruction = 1.5

/** Loaded with the first pattern: most processes never need it, and it costs about 8 ms. */
let engine: typeof Engine | undefined
const compiled = new PatternCache<Regex>()

/** A compiled pattern. */
export class Regex {
  readonly source: string
  readonly #engine: Engine
  readonly #size: number
  /** Matched in one pass, or literal text: needs no automaton. */
  readonly #isSimple: boolean
  #isPrepared = false

  constructor(source: string, compiledPattern: Engine) {
    this.source = source
    this.#engine = compiledPattern
    this.#size = compiledPattern.programSize()
    const re2 = compiledPattern.re2()
    this.#isSimple = re2.prefixComplete || re2.onepass !== null
    const matchInstructions = re2.doExecuteNFA.bind(re2)
    re2.doExecuteNFA = (input, position, ...more) => {
      const characters = (input as { endPos(): number }).endPos() - Number(position)
      if (this.#size * characters > maxMatchSteps) {
        throw new TextTooLongError(`a text of ${characters} characters is too long to be matched with \`${source}\``)
      }
      takeSteps(stepsPerInstruction * this.#size * characters)
      return matchInstructions(input, position, ...more) as unknown
    }
  }

  /**
   * True if the pattern matches anywhere in the text; only the pattern itself can anchor the match.
   * Throws {@link TextTooLongError}.
   */
  test(text: string): boolean {
    takeSteps(10 + 2 * text.length)
    if (this.#isSimple) return this.#engine.test(text)
    if (!this.#isPrepared) this.#prepare()
    const { dfa } = this.#engine.re2()
    const freeBytes = dfa.memBudget
    try {
      return this.#engine.test(text)
    } finally {
      const madeBytes = freeBytes - dfa.memBudget
      if (madeBytes !== 0) {
        compiled.grow(this.source, madeBytes)
        if (madeBytes > 0) takeSteps(stepsPerStateByte * madeBytes)
      }
    }
  }

  /** Matches that do not overlap, without empty ones directly after another, which Go ignores. */
  *matches(text: string): Generator<string> {
    takeSteps(2 * text.length)
    const matcher = this.#engine.matcher(text)
    let end = -1
    for (;;) {
      // Any match may have to look at the whole rest of the text.
      const rest = this.#isSimple ? 0 : text.length - Math.max(end, 0)
      takeSteps(20 + stepsPerInstruction * this.#size * rest)
      if (!matcher.find()) return
      if (matcher.start() === matcher.end() && matcher.start() === end) continue
      end = matcher.end()
      yield matcher.group() ?? ''
    }
  }

  /** Limits the memory of the automaton, and counts the work each time that it is full and all states are dropped. */
  #prepare(): void {
    this.#isPrepared = true
    const { dfa } = this.#engine.re2()
    dfa.stateBudget = dfa.memBudget = maxAutomatonBytes
    const clear = dfa.clearCache.bind(dfa)
    dfa.clearCache = () => {
      takeSteps(stepsPerStateByte * maxAutomatonBytes)
      clear()
    }
  }
}

/** Returns the compiled pattern, from the cache if possible. Throws {@link RegexError}. */
export function compileRegex(source: string): Regex {
  const known = compiled.get(source)
  if (known !== undefined) return known
  const { size, problem: tooLarge } = patternSize(source)
  if (tooLarge !== undefined) throw new RegexError(tooLarge)
  takeSteps(200 * size)
  engine ??= (createRequire(import.meta.url)('re2js') as { RE2JS: typeof Engine }).RE2JS
  let regex: Regex
  try {
    regex = new Regex(source, engine.compile(source))
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error)
    // Go quotes the offending part even if it is empty.
    throw new RegexError(problem.endsWith('`') ? problem : `${problem}: \`\``)
  }
  compiled.add(source, regex, size)
  return regex
}

/** True if the pattern matches anywhere in the text. Throws {@link RegexError}. */
export function matchesRegex(text: string, source: string): boolean {
  return compileRegex(source).test(text)
}

/** The first match; empty if there is none. Throws {@link RegexError}. */
export function findRegex(text: string, source: string): string {
  for (const found of compileRegex(source).matches(text)) return found
  return ''
}

/** The first `limit` matches that do not overlap; all if it is negative. Throws {@link RegexError}. */
export function findAllRegex(text: string, source: string, limit = -1n): string[] {
  const found: string[] = []
  const wanted = limit < 0n ? Infinity : Number(limit)
  if (wanted === 0) return found
  for (const match of compileRegex(source).matches(text)) {
    found.push(match)
    if (found.length === wanted) break
  }
  return found
}
