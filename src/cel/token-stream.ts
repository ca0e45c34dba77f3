/**
 * Reads tokens with upstream's error recovery (that of ANTLR): an extra token is dropped, a missing one is inserted,
 * any other error ends the rule and skips to a token that may follow it. The messages are upstream's.
 */
import { maxProblems, type Lexed } from './lexer.ts'
import type { Issue } from './source.ts'
import { describeKinds, describeToken, expected, tokenKind, quoteInput, type Expected, type Token } from './tokens.ts'

/** The grammar rules that can fail or nest. */
export type Rule =
  | 'start'
  | 'expr'
  | 'or'
  | 'and'
  | 'relation'
  | 'calc'
  | 'unary'
  | 'member'
  | 'primary'
  | 'name'
  | 'arguments'
  | 'items'
  | 'entries'
  | 'fields'
  | 'field'
  | 'optional'

/** Ends the current rule. */
export class SyntaxProblem extends Error {
  override name = 'SyntaxProblem'
  readonly token: Token

  constructor(token: Token, message: string) {
    super(message)
    this.token = token
  }
}

/** Ends parsing; the errors so far are reported. */
export class ParsingStopped extends Error {
  override name = 'ParsingStopped'
}

const maxRecoveries = 30
const maxSkippedTokens = 256
const maxDepth = 250

export class TokenStream {
  readonly issues: Issue[]
  private readonly text: string
  private readonly tokens: readonly Token[]
  private readonly gaps: Lexed['gaps']
  private at = 0
  /** The follow sets of all open rules, outermost first. */
  private readonly follow: Expected[] = []
  private recovering = false
  private recoveries = 0
  private lastProblem = -1
  private readonly lastStates = new Set<Rule>()
  private reported: number
  /** The recursion depth of each rule. */
  private readonly depths: Record<Rule, number> = {
    start: 0,
    expr: 0,
    or: 0,
    and: 0,
    relation: 0,
    calc: 0,
    unary: 0,
    member: 0,
    primary: 0,
    name: 0,
    arguments: 0,
    items: 0,
    entries: 0,
    fields: 0,
    field: 0,
    optional: 0,
  }

  constructor(text: string, { tokens, issues, gaps }: Lexed) {
    this.text = text
    this.tokens = tokens
    this.issues = issues
    this.gaps = gaps
    this.reported = issues.length
  }

  get token(): Token {
    return this.tokens[this.at] as Token
  }

  get next(): number {
    return this.token.kind
  }

  peek(distance: number): Token {
    return this.tokens[Math.min(this.at + distance, this.tokens.length - 1)] as Token
  }

  /**
   * Parses a rule that is followed by `follow`. If it fails, the stream skips to a token of `follow`, and `partial`
   * returns the part that was parsed.
   */
  rule<T>(follow: Expected, state: Rule, read: () => T, partial: () => T): T {
    this.enter(follow, state)
    try {
      return this.leave(state, read())
    } catch (problem) {
      this.recover(state, problem)
      return partial()
    }
  }

  /**
   * Starts a rule. Recursive rules use this in place of {@link rule}, to save stack space, and end with {@link leave}
   * or, after an exception, with {@link recover}.
   */
  enter(follow: Expected, state: Rule): void {
    if (++this.depths[state] > maxDepth) this.stop(`expression recursion limit exceeded: ${maxDepth}`)
    this.follow.push(follow)
  }

  leave<T>(state: Rule, value: T): T {
    this.follow.pop()
    this.depths[state]--
    return value
  }

  /**
   * Ends a failed rule: reports the error and skips to a token that may follow. Rethrows anything but syntax errors.
   */
  recover(state: Rule, problem: unknown): void {
    if (!(problem instanceof SyntaxProblem)) throw problem
    this.report(problem.token, problem.message)
    this.skip(state)
    this.leave(state, undefined)
  }

  /** Stops parsing the whole expression. */
  private stop(message: string): never {
    this.issues.push({ offset: undefined, message })
    throw new ParsingStopped()
  }

  /** Takes a token of a kind. `after`: what the rest of the rule expects next. */
  take(wanted: number, after: Expected): Token | undefined {
    const { token } = this
    if (token.kind === wanted) {
      this.matched()
      return token
    }
    this.countRecovery()
    const only = expected([wanted])
    const kept = this.dropOne(only)
    if (kept !== undefined) {
      this.consume()
      return kept
    }
    if (!this.inContext(after).has(token.kind)) throw this.mismatch(only)
    this.report(token, `missing ${describeKinds(only.kinds)} at ${describeToken(token)}`)
    return undefined
  }

  /** Takes the current token; the caller has checked it. */
  takeAny(): Token {
    const { token } = this
    this.matched()
    return token
  }

  /** At the start of a choice: requires a token of `wanted`. */
  sync(wanted: Expected): void {
    if (this.recovering || wanted.nullable || wanted.kinds.has(this.next)) return
    if (this.dropOne(wanted) === undefined) throw this.mismatch(wanted)
  }

  /** After an iteration of a loop that must continue. */
  syncLoop(wanted: Expected): void {
    if (this.recovering || wanted.kinds.has(this.next)) return
    this.report(this.token, `extraneous input ${describeToken(this.token)} expecting ${describeKinds(wanted.kinds)}`)
    this.skipTo(new Set([...wanted.kinds, ...this.recoverySet()]))
  }

  /** No alternative matches the tokens from `start` to `offending`. */
  noAlternative(start: Token, offending: Token): SyntaxProblem {
    const end = offending.kind === tokenKind.eof ? this.text.length : offending.offset + offending.text.length
    const input = start.kind === tokenKind.eof ? '<EOF>' : this.between(start.offset, end)
    const word = /^.(true|false|null)$/.exec(input)
    if (word !== null) return new SyntaxProblem(offending, `mismatched input '${word[1]}' expecting IDENTIFIER`)
    return new SyntaxProblem(offending, `no viable alternative at input ${quoteInput(input)}`)
  }

  /** The text between two offsets, without invalid characters. */
  private between(from: number, to: number): string {
    let text = ''
    let at = from
    for (const [start, end] of this.gaps) {
      if (end <= from || start >= to) continue
      text += this.text.slice(at, start)
      at = end
    }
    return text + this.text.slice(at, to)
  }

  private matched(): void {
    this.recovering = false
    this.lastStates.clear()
    this.lastProblem = -1
    this.consume()
  }

  private consume(): void {
    if (this.at < this.tokens.length - 1) this.at++
  }

  private mismatch(wanted: Expected): SyntaxProblem {
    const listed = describeKinds(this.inContext(wanted))
    return new SyntaxProblem(this.token, `mismatched input ${describeToken(this.token)} expecting ${listed}`)
  }

  private report(token: Token, message: string): void {
    if (this.recovering) return
    this.recovering = true
    if (this.reported < maxProblems) {
      this.reported++
      this.issues.push({ offset: token.offset, message: `Syntax error: ${message}` })
      return
    }
    this.issues.push({ offset: token.offset, message: `Syntax error: More than ${maxProblems} syntax errors` })
    throw new ParsingStopped()
  }

  /** Drops the current token if the next one is wanted. */
  private dropOne(wanted: Expected): Token | undefined {
    const kinds = this.inContext(wanted)
    if (!kinds.has(this.peek(1).kind)) return undefined
    this.report(this.token, `extraneous input ${describeToken(this.token)} expecting ${describeKinds(kinds)}`)
    this.consume()
    this.recovering = false
    this.lastStates.clear()
    this.lastProblem = -1
    return this.token
  }

  /** The expected tokens, plus those that may follow the enclosing rules if all of these may be absent. */
  private inContext(wanted: Expected): ReadonlySet<number> {
    if (!wanted.nullable) return wanted.kinds
    const kinds = new Set(wanted.kinds)
    for (let i = this.follow.length - 1; i >= 0; i--) {
      const outer = this.follow[i] as Expected
      for (const one of outer.kinds) kinds.add(one)
      if (!outer.nullable) return kinds
    }
    return kinds.add(tokenKind.eof)
  }

  private skip(state: Rule): void {
    this.countRecovery()
    let skipped = 0
    if (this.lastProblem === this.at && this.lastStates.has(state)) {
      this.consume()
      skipped = 1
    }
    this.lastProblem = this.at
    this.lastStates.add(state)
    this.skipTo(this.recoverySet(), skipped)
  }

  private recoverySet(): Set<number> {
    const kinds = new Set<number>()
    for (const outer of this.follow) for (const one of outer.kinds) kinds.add(one)
    return kinds
  }

  private skipTo(kinds: ReadonlySet<number>, skipped = 0): void {
    let count = skipped
    while (this.next !== tokenKind.eof && !kinds.has(this.next)) {
      if (count++ >= maxSkippedTokens) this.stop(`error recovery token lookahead limit exceeded: ${maxSkippedTokens}`)
      this.consume()
    }
  }

  private countRecovery(): void {
    if (this.recoveries++ < maxRecoveries) return
    this.recovering = false
    this.report(this.token, `error recovery attempt limit exceeded: ${maxRecoveries}`)
    throw new ParsingStopped()
  }
}
