/** Recursive-descent parser. Expands macros, and continues after errors to collect all of them. */
import { appendAll } from '../api/append.ts'
import { countParts, type Expr } from './ast.ts'
import { after, first, products, relations, sums } from './grammar.ts'
import { codePoints } from './library.ts'
import { tokenize } from './lexer.ts'
import { highest, nowhere, PrimaryParser, type Keep } from './primary-parser.ts'
import type { Issue } from './source.ts'
import { ParsingStopped, TokenStream } from './token-stream.ts'
import { tokenKind, type Expected, type Token } from './tokens.ts'

/** Upstream's limits. */
const maxCodePoints = 100_000
const maxDepth = 250
/** Our own limit: macros can duplicate their arguments, and upstream does not bound that. */
const maxParts = 200_000

const operators: ReadonlyMap<number, string> = new Map([
  [tokenKind.equals, '_==_'],
  [tokenKind.notEquals, '_!=_'],
  [tokenKind.in, '@in'],
  [tokenKind.less, '_<_'],
  [tokenKind.lessEquals, '_<=_'],
  [tokenKind.greaterEquals, '_>=_'],
  [tokenKind.greater, '_>_'],
  [tokenKind.star, '_*_'],
  [tokenKind.slash, '_/_'],
  [tokenKind.percent, '_%_'],
  [tokenKind.plus, '_+_'],
  [tokenKind.minus, '_-_'],
])

export type Parsed = { readonly expr: Expr } | { readonly issues: readonly Issue[] }

export function parseExpression(text: string): Parsed {
  const size = codePoints(text)
  if (size > maxCodePoints) {
    const message = `expression code point size exceeds limit: size: ${size}, limit ${maxCodePoints}`
    return { issues: [{ offset: undefined, message }] }
  }
  const lexed = tokenize(text)
  const { issues } = lexed
  if (lexed.isStopped) return { issues }
  const parser = new Parser(new TokenStream(text, lexed))
  let expr: Expr | undefined
  try {
    expr = parser.start()
  } catch (problem) {
    if (!(problem instanceof ParsingStopped)) throw problem
    return { issues }
  }
  appendAll(issues, parser.later)
  if (expr.height > maxDepth) issues.push({ offset: undefined, message: 'max recursion depth exceeded' })
  else if (issues.length === 0 && countParts(expr) > maxParts) {
    issues.push({ offset: undefined, message: `expression expands to more than ${maxParts} parts` })
  }
  return issues.length > 0 ? { issues } : { expr }
}

class Parser extends PrimaryParser {
  start(): Expr {
    let expr = nowhere
    return this.stream.rule(
      after.nothing,
      'start',
      () => {
        expr = this.expr(after.start)
        this.stream.take(tokenKind.eof, after.nothing)
        return expr
      },
      () => expr,
    )
  }

  protected override expr(follow: Expected): Expr {
    let partial = nowhere
    this.stream.enter(follow, 'expr')
    try {
      const condition = this.alternatives(after.condition)
      if (this.stream.next !== tokenKind.question) return this.stream.leave('expr', condition)
      const { offset } = this.stream.takeAny()
      const ifTrue = this.alternatives(after.ifTrue)
      partial = { form: 'broken', offset, height: 0 }
      this.stream.take(tokenKind.colon, first.expr)
      const args = [condition, ifTrue, this.expr(after.nothing)]
      return this.stream.leave('expr', this.call(offset, '_?_:_', undefined, args, highest(args) + 1))
    } catch (problem) {
      this.stream.recover('expr', problem)
      return partial
    }
  }

  /** Terms joined by `||`. */
  private alternatives(follow: Expected): Expr {
    this.stream.enter(follow, 'or')
    const term = this.conjunction(after.orTerm)
    if (this.stream.next !== tokenKind.or) return this.stream.leave('or', term)
    const terms = [term]
    const offsets: number[] = []
    while (this.stream.next === tokenKind.or) {
      offsets.push(this.stream.takeAny().offset)
      terms.push(this.conjunction(after.orTerm))
    }
    return this.stream.leave('or', balanced('_||_', terms, offsets, 0, offsets.length - 1))
  }

  /** Terms joined by `&&`. */
  private conjunction(follow: Expected): Expr {
    this.stream.enter(follow, 'and')
    const term = this.relation(after.andTerm, 0)
    if (this.stream.next !== tokenKind.and) return this.stream.leave('and', term)
    const terms = [term]
    const offsets: number[] = []
    while (this.stream.next === tokenKind.and) {
      offsets.push(this.stream.takeAny().offset)
      terms.push(this.relation(after.andTerm, 0))
    }
    return this.stream.leave('and', balanced('_&&_', terms, offsets, 0, offsets.length - 1))
  }

  private relation(follow: Expected, precedence: number): Expr {
    this.stream.enter(follow, 'relation')
    let left = this.calculation(after.relation, 0)
    if (precedence > 0) return this.stream.leave('relation', left)
    while (relations.includes(this.stream.next)) {
      const operator = this.stream.takeAny()
      left = this.binary(operator, left, this.relation(after.relation, 1))
    }
    return this.stream.leave('relation', left)
  }

  /** Precedence 2 is for products, 1 for sums; the right operand is parsed with one more than its operator. */
  private calculation(follow: Expected, precedence: number): Expr {
    this.stream.enter(follow, 'calc')
    let left = this.unary()
    for (;;) {
      const level = products.includes(this.stream.next) ? 2 : sums.includes(this.stream.next) ? 1 : 0
      if (level === 0 || level < precedence) return this.stream.leave('calc', left)
      const operator = this.stream.takeAny()
      left = this.binary(operator, left, this.calculation(after.calculation, level + 1))
    }
  }

  private binary(operator: Token, left: Expr, right: Expr): Expr {
    const args = [left, right]
    return this.call(operator.offset, operators.get(operator.kind) as string, undefined, args, highest(args) + 1)
  }

  private unary(): Expr {
    const start = this.stream.token
    this.stream.enter(after.calculation, 'unary')
    try {
      this.stream.sync(first.expr)
      const { token } = this.stream
      if (!first.expr.kinds.has(token.kind)) throw this.stream.noAlternative(token, token)
      const isMinus = token.kind === tokenKind.minus && !this.startsNumber()
      const expr = token.kind === tokenKind.not ? this.negated() : isMinus ? this.minus() : this.member(after.nothing)
      return this.stream.leave('unary', expr)
    } catch (problem) {
      this.stream.recover('unary', problem)
      return { form: 'literal', offset: start.offset, height: 0, value: '' }
    }
  }

  private negated(): Expr {
    const { offset } = this.stream.token
    let count = 0
    do {
      this.stream.takeAny()
      count++
      this.stream.syncLoop(first.negated)
    } while (this.stream.next === tokenKind.not)
    const operand = this.member(after.nothing)
    return count % 2 === 0 ? operand : this.call(offset, '!_', undefined, [operand], operand.height)
  }

  private minus(): Expr {
    const start = this.stream.token
    let count = 0
    while (this.stream.next === tokenKind.minus) {
      const second = this.stream.peek(1)
      if (!first.primary.kinds.has(second.kind)) throw this.stream.noAlternative(this.stream.token, second)
      this.stream.takeAny()
      count++
      this.stream.syncLoop(first.primary)
    }
    const operand = this.member(after.nothing)
    return count % 2 === 0 ? operand : this.call(start.offset, '-_', undefined, [operand], operand.height)
  }

  private member(follow: Expected): Expr {
    let partial: () => Expr = () => nowhere
    const keep: Keep = (made) => {
      partial = made
    }
    this.stream.enter(follow, 'member')
    try {
      let expr = this.primary()
      for (;;) {
        const { next } = this.stream
        if (next !== tokenKind.leftBracket && next !== tokenKind.dot) return this.stream.leave('member', expr)
        const before = expr
        partial = () => before
        expr = next === tokenKind.leftBracket ? this.index(expr, keep) : this.dotted(expr, keep)
      }
    } catch (problem) {
      this.stream.recover('member', problem)
      return partial()
    }
  }

  private index(target: Expr, keep: Keep): Expr {
    const { offset } = this.stream.takeAny()
    this.stream.sync(first.optionalExpr)
    const optional = this.optionalMark()
    const args = [target, this.expr(after.inBrackets)]
    const made = () => this.call(offset, optional ? '_[?_]' : '_[_]', undefined, args, highest(args) + 1)
    keep(made)
    this.stream.take(tokenKind.rightBracket, after.member)
    return made()
  }

  private dotted(target: Expr, keep: Keep): Expr {
    const dot = this.stream.token
    const second = this.stream.peek(1)
    if (!first.field.kinds.has(second.kind)) throw this.stream.noAlternative(dot, second)
    this.stream.takeAny()
    if (second.kind === tokenKind.identifier && this.stream.peek(1).kind === tokenKind.leftParen) {
      const { text } = this.stream.takeAny()
      return this.callOf(after.member, keep, (offset, args) =>
        this.call(offset, text, target, args, highest([target, ...args]) + 1),
      )
    }
    const optional = this.optionalMark()
    const { offset } = this.stream.token
    const name = this.fieldName(after.member)
    const height = target.height + 1
    if (name === undefined) {
      this.later.push({ offset, message: 'unsupported ident kind' })
      return { form: 'broken', offset: dot.offset, height }
    }
    if (!optional)
      return { form: 'select', offset: dot.offset, height, operand: target, field: name.text, testOnly: false }
    const field: Expr = { form: 'literal', offset: name.offset, height: 0, value: name.text }
    return { form: 'call', offset: dot.offset, height, name: '_?._', target: undefined, args: [target, field] }
  }
}

/** `&&` and `||` as a balanced tree: half of the terms on each side. */
function balanced(name: string, terms: readonly Expr[], offsets: readonly number[], low: number, high: number): Expr {
  const middle = (low + high + 1) >> 1
  const left = middle === low ? (terms[middle] as Expr) : balanced(name, terms, offsets, low, middle - 1)
  const right = middle === high ? (terms[middle + 1] as Expr) : balanced(name, terms, offsets, middle + 1, high)
  const args = [left, right]
  return { form: 'call', offset: offsets[middle] as number, height: highest(args), name, target: undefined, args }
}
