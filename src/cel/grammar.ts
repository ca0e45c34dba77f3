/** First and follow sets of the grammar, as listed in messages. */
import { expected, kind } from './tokens.ts'

const literals = [kind.true, kind.false, kind.null, kind.float, kind.int, kind.uint, kind.string, kind.bytes]

export const relations: readonly number[] = [
  kind.equals,
  kind.notEquals,
  kind.in,
  kind.less,
  kind.lessEquals,
  kind.greaterEquals,
  kind.greater,
]
export const products: readonly number[] = [kind.star, kind.slash, kind.percent]
export const sums: readonly number[] = [kind.plus, kind.minus]

const primaryKinds = [
  kind.leftBracket,
  kind.leftBrace,
  kind.leftParen,
  kind.dot,
  kind.minus,
  ...literals,
  kind.identifier,
]
const exprKinds = [...primaryKinds, kind.not]

export const first = {
  expr: expected(exprKinds),
  primary: expected(primaryKinds),
  /** After a `!`: another one, or its operand. */
  negated: expected([...primaryKinds, kind.not]),
  optionalExpr: expected([...exprKinds, kind.question]),
  arguments: expected([...exprKinds, kind.rightParen]),
  list: expected([...exprKinds, kind.question, kind.comma, kind.rightBracket]),
  map: expected([...exprKinds, kind.question, kind.comma, kind.rightBrace]),
  struct: expected([kind.question, kind.identifier, kind.escaped, kind.comma, kind.rightBrace]),
  field: expected([kind.question, kind.identifier, kind.escaped]),
  escapedName: expected([kind.identifier, kind.escaped]),
} as const

/** Follow sets within the enclosing rule; `nullable`: the rule may end there. */
export const after = {
  nothing: expected([], true),
  start: expected([kind.eof]),
  condition: expected([kind.question], true),
  ifTrue: expected([kind.colon]),
  orTerm: expected([kind.or], true),
  andTerm: expected([kind.and], true),
  relation: expected(relations, true),
  calculation: expected([...products, ...sums], true),
  member: expected([kind.dot, kind.leftBracket], true),
  inParens: expected([kind.rightParen]),
  inBrackets: expected([kind.rightBracket]),
  listItems: expected([kind.comma, kind.rightBracket]),
  mapEntries: expected([kind.comma, kind.rightBrace]),
  item: expected([kind.comma], true),
  key: expected([kind.colon]),
} as const
