/**
 * Parses expressions without operators: names, calls, literals, lists, maps, objects. Keeps the valid part of a broken
 * expression, because upstream also reports errors in it.
 */
import { noOptional, type CallExpr, type Expr, type MapEntry, type StructField } from './ast.ts'
import { after, first } from './grammar.ts'
import type { CelValue } from './library.ts'
import { bytesLiteral, doubleLiteral, intLiteral, LiteralError, stringLiteral, uintLiteral } from './literals.ts'
import { expandMacro } from './macros.ts'
import type { Issue } from './source.ts'
import type { TokenStream } from './token-stream.ts'
import { tokenKind, type Expected, type Token } from './tokens.ts'

const reserved = new Set([
  'as',
  'break',
  'const',
  'continue',
  'else',
  'false',
  'for',
  'function',
  'if',
  'import',
  'in',
  'let',
  'loop',
  'package',
  'namespace',
  'null',
  'return',
  'true',
  'var',
  'void',
  'while',
])

/** Placeholder for a part that could not be parsed at all. */
export const nowhere: Expr = { form: 'broken', offset: -1, height: 0 }

export function highest(exprs: readonly Expr[]): number {
  let height = 0
  for (const expr of exprs) if (expr.height > height) height = expr.height
  return height
}

/** Receives the partial result to use if the rule fails from here on. */
export type Keep = (partial: () => Expr) => void

export abstract class PrimaryParser {
  /** Semantic errors; upstream reports them after all syntax errors. */
  readonly later: Issue[] = []
  protected readonly stream: TokenStream

  constructor(stream: TokenStream) {
    this.stream = stream
  }

  protected abstract expr(follow: Expected): Expr

  protected refuse(offset: number, message: string): Expr {
    this.later.push({ offset, message })
    return { form: 'broken', offset, height: 0 }
  }

  protected call(offset: number, name: string, target: Expr | undefined, args: readonly Expr[], height: number): Expr {
    const call: CallExpr = { form: 'call', offset, height, name, target, args }
    const expanded = expandMacro(call)
    if (expanded === undefined) return call
    return 'message' in expanded ? this.refuse(expanded.offset ?? offset, expanded.message) : expanded
  }

  protected optionalMark(): boolean {
    if (this.stream.next !== tokenKind.question) return false
    this.stream.takeAny()
    return true
  }

  protected startsNumber(): boolean {
    const { kind: second } = this.stream.peek(1)
    return second === tokenKind.int || second === tokenKind.float
  }

  protected fieldName(follow: Expected): Token | undefined {
    return this.stream.rule<Token | undefined>(
      follow,
      'name',
      () => {
        this.stream.sync(first.escapedName)
        const { token } = this.stream
        if (!first.escapedName.kinds.has(token.kind)) throw this.stream.noAlternative(token, token)
        this.stream.takeAny()
        if (token.kind === tokenKind.escaped)
          this.later.push({ offset: token.offset, message: "unsupported syntax: '`'" })
        return token
      },
      () => undefined,
    )
  }

  /** Parses arguments in parentheses and creates the call. */
  protected callOf(follow: Expected, keep: Keep, make: (offset: number, args: readonly Expr[]) => Expr): Expr {
    const { offset } = this.stream.token
    const args: Expr[] = []
    keep(() => make(offset, args))
    this.stream.take(tokenKind.leftParen, first.arguments)
    this.stream.sync(first.arguments)
    if (first.expr.kinds.has(this.stream.next)) {
      this.stream.rule(
        after.inParens,
        'arguments',
        () => {
          args.push(this.expr(after.item))
          while (this.stream.next === tokenKind.comma) {
            this.stream.takeAny()
            args.push(this.expr(after.item))
          }
        },
        () => undefined,
      )
    }
    this.stream.take(tokenKind.rightParen, follow)
    return make(offset, args)
  }

  protected primary(): Expr {
    let partial: () => Expr = () => nowhere
    const keep: Keep = (made) => {
      partial = made
    }
    this.stream.enter(after.member, 'primary')
    try {
      this.stream.sync(first.primary)
      const { token } = this.stream
      if (!first.primary.kinds.has(token.kind)) throw this.stream.noAlternative(token, token)
      return this.stream.leave('primary', this.alternative(token, keep))
    } catch (problem) {
      this.stream.recover('primary', problem)
      return partial()
    }
  }

  private alternative(token: Token, keep: Keep): Expr {
    switch (token.kind) {
      case tokenKind.dot:
      case tokenKind.identifier:
        return this.named(keep)
      case tokenKind.leftParen:
        return this.nested(keep)
      case tokenKind.leftBracket:
        return this.list(keep)
      case tokenKind.leftBrace:
        return this.map(keep)
      default:
        return this.literal(token)
    }
  }

  private nested(keep: Keep): Expr {
    this.stream.takeAny()
    const expr = this.expr(after.inParens)
    keep(() => expr)
    this.stream.take(tokenKind.rightParen, after.nothing)
    return expr
  }

  private named(keep: Keep): Expr {
    const start = this.stream.token
    const hasDot = start.kind === tokenKind.dot
    const name = hasDot ? this.stream.peek(1) : start
    if (name.kind !== tokenKind.identifier) throw this.stream.noAlternative(start, name)
    if (this.startsStruct(hasDot ? 2 : 1)) return this.struct(keep)
    if (hasDot) this.stream.takeAny()
    this.stream.takeAny()
    const text = hasDot ? `.${name.text}` : name.text
    const refused = () => this.refuse(start.offset, `reserved identifier: ${name.text}`)
    if (this.stream.next !== tokenKind.leftParen) {
      return reserved.has(name.text) ? refused() : { form: 'ident', offset: name.offset, height: 0, name: text }
    }
    return this.callOf(after.nothing, keep, (offset, args) =>
      reserved.has(name.text) ? refused() : this.call(offset, text, undefined, args, highest(args)),
    )
  }

  /** True if names and dots are followed by a brace: an object literal with its type name. */
  private startsStruct(distance: number): boolean {
    let ahead = distance
    while (this.stream.peek(ahead).kind === tokenKind.dot && this.stream.peek(ahead + 1).kind === tokenKind.identifier)
      ahead += 2
    return this.stream.peek(ahead).kind === tokenKind.leftBrace
  }

  private struct(keep: Keep): Expr {
    let name = ''
    while (this.stream.next !== tokenKind.leftBrace) name += this.stream.takeAny().text
    const { offset } = this.stream.takeAny()
    const fields: StructField[] = []
    const made = (): Expr => ({
      form: 'struct',
      offset,
      height: highest(fields.map((field) => field.value)),
      name,
      fields,
    })
    keep(made)
    this.stream.sync(first.struct)
    if (first.field.kinds.has(this.stream.next)) {
      const start = this.stream.token
      this.stream.rule(
        after.mapEntries,
        'fields',
        () => {
          this.separated(first.field, () => this.structField(fields, start))
        },
        () => undefined,
      )
    }
    this.close(after.mapEntries, tokenKind.rightBrace)
    return made()
  }

  private structField(fields: StructField[], start: Token): void {
    let optional = false
    const name = this.stream.rule<Token | undefined>(
      after.key,
      'field',
      () => {
        this.stream.sync(first.field)
        optional = this.optionalMark()
        return this.fieldName(after.nothing)
      },
      () => undefined,
    )
    const colon = this.stream.take(tokenKind.colon, first.expr)
    const value = this.expr(after.item)
    if (name === undefined) this.later.push({ offset: start.offset, message: 'unsupported ident kind' })
    else fields.push({ offset: colon?.offset ?? name.offset, name: name.text, value, optional })
  }

  /** Items separated by commas; a trailing comma is left to the caller. */
  private separated(start: Expected, read: () => void): void {
    read()
    while (this.stream.next === tokenKind.comma && start.kinds.has(this.stream.peek(1).kind)) {
      this.stream.takeAny()
      read()
    }
  }

  private close(wanted: Expected, bracket: number): void {
    this.stream.sync(wanted)
    if (this.stream.next === tokenKind.comma) this.stream.takeAny()
    this.stream.take(bracket, after.nothing)
  }

  private list(keep: Keep): Expr {
    const { offset } = this.stream.takeAny()
    const items: Expr[] = []
    const optional = new Set<number>()
    const made = (): Expr => ({
      form: 'list',
      offset,
      height: highest(items),
      items,
      optional: optional.size === 0 ? noOptional : optional,
    })
    keep(made)
    this.stream.sync(first.list)
    if (first.optionalExpr.kinds.has(this.stream.next)) {
      this.stream.rule(
        after.listItems,
        'items',
        () =>
          this.separated(first.optionalExpr, () => {
            const item = this.optionalExpr(after.item)
            if (item.optional) optional.add(items.length)
            items.push(item.expr)
          }),
        () => undefined,
      )
    }
    this.close(after.listItems, tokenKind.rightBracket)
    return made()
  }

  private optionalExpr(follow: Expected): { expr: Expr; optional: boolean } {
    let optional = false
    const expr = this.stream.rule(
      follow,
      'optional',
      () => {
        this.stream.sync(first.optionalExpr)
        optional = this.optionalMark()
        return this.expr(after.nothing)
      },
      () => nowhere,
    )
    return { expr, optional }
  }

  private map(keep: Keep): Expr {
    const { offset } = this.stream.takeAny()
    const entries: MapEntry[] = []
    const made = (): Expr => ({
      form: 'map',
      offset,
      height: highest(entries.flatMap((entry) => [entry.key, entry.value])),
      entries,
    })
    keep(made)
    this.stream.sync(first.map)
    if (first.optionalExpr.kinds.has(this.stream.next)) {
      this.stream.rule(
        after.mapEntries,
        'entries',
        () =>
          this.separated(first.optionalExpr, () => {
            const { expr: key, optional } = this.optionalExpr(after.key)
            const colon = this.stream.take(tokenKind.colon, first.expr)
            const value = this.expr(after.item)
            entries.push({ offset: colon?.offset ?? key.offset, key, value, optional })
          }),
        () => undefined,
      )
    }
    this.close(after.mapEntries, tokenKind.rightBrace)
    return made()
  }

  private literal(start: Token): Expr {
    let sign = ''
    if (start.kind === tokenKind.minus) {
      if (!this.startsNumber()) throw this.stream.noAlternative(start, this.stream.peek(1))
      sign = '-'
      this.stream.takeAny()
    }
    const value = literalValue(this.stream.takeAny(), sign)
    if (value instanceof LiteralError) return this.refuse(start.offset, value.message)
    return { form: 'literal', offset: start.offset, height: 0, value }
  }
}

function literalValue(token: Token, sign: string): CelValue | LiteralError {
  switch (token.kind) {
    case tokenKind.int:
      return intLiteral(sign + token.text)
    case tokenKind.float:
      return doubleLiteral(sign + token.text)
    case tokenKind.uint:
      return uintLiteral(token.text)
    case tokenKind.string:
      return stringLiteral(token.text)
    case tokenKind.bytes:
      return bytesLiteral(token.text)
    case tokenKind.true:
      return true
    case tokenKind.false:
      return false
    default:
      return null
  }
}
