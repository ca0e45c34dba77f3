/** First and follow sets of the grammar, as listed in messages. */
import { expected, tokenKind } from './tokens.ts'

const literals = [
  tokenKind.true,
  tokenKind.false,
  tokenKind.null,
  tokenKind.float,
  tokenKind.int,
  tokenKind.uint,
  tokenKind.string,
  tokenKind.bytes,
]

export const relations: readonly number[] = [
  tokenKind.equals,
  tokenKind.notEquals,
  tokenKind.in,
  tokenKind.less,
  tokenKind.lessEquals,
  tokenKind.greaterEquals,
  tokenKind.greater,
]
export const products: readonly number[] = [tokenKind.star, tokenKind.slash, tokenKind.percent]
export const sums: readonly number[] = [tokenKind.plus, tokenKind.minus]

const primaryKinds = [
  tokenKind.leftBracket,
  tokenKind.leftBrace,
  tokenKind.leftParen,
  tokenKind.dot,
  tokenKind.minus,
  ...literals,
  tokenKind.identifier,
]
const exprKinds = [...primaryKinds, tokenKind.not]

export const first = {
  expr: expected(exprKinds),
  primary: expected(primaryKinds),
  /** After a `!`: another one, or its operand. */
  negated: expected([...primaryKinds, tokenKind.not]),
  optionalExpr: expected([...exprKinds, tokenKind.question]),
  arguments: expected([...exprKinds, tokenKind.rightParen]),
  list: expected([...exprKinds, tokenKind.question, tokenKind.comma, tokenKind.rightBracket]),
  map: expected([...exprKinds, tokenKind.question, tokenKind.comma, tokenKind.rightBrace]),
  struct: expected([
    tokenKind.question,
    tokenKind.identifier,
    tokenKind.escaped,
    tokenKind.comma,
    tokenKind.rightBrace,
  ]),
  field: expected([tokenKind.question, tokenKind.identifier, tokenKind.escaped]),
  escapedName: expected([tokenKind.identifier, tokenKind.escaped]),
} as const

/** Follow sets within the enclosing rule; `nullable`: the rule may end there. */
export const after = {
  nothing: expected([], true),
  start: expected([tokenKind.eof]),
  condition: expected([tokenKind.question], true),
  ifTrue: expected([tokenKind.colon]),
  orTerm: expected([tokenKind.or], true),
  andTerm: expected([tokenKind.and], true),
  relation: expected(relations, true),
  calculation: expected([...products, ...sums], true),
  member: expected([tokenKind.dot, tokenKind.leftBracket], true),
  inParens: expected([tokenKind.rightParen]),
  inBrackets: expected([tokenKind.rightBracket]),
  listItems: expected([tokenKind.comma, tokenKind.rightBracket]),
  mapEntries: expected([tokenKind.comma, tokenKind.rightBrace]),
  item: expected([tokenKind.comma], true),
  key: expected([tokenKind.colon]),
} as const
