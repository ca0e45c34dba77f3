/** Token kinds in upstream's order, which is also their order in messages. */

export const tokenKind = {
  eof: 0,
  equals: 1,
  notEquals: 2,
  in: 3,
  less: 4,
  lessEquals: 5,
  greaterEquals: 6,
  greater: 7,
  and: 8,
  or: 9,
  leftBracket: 10,
  rightBracket: 11,
  leftBrace: 12,
  rightBrace: 13,
  leftParen: 14,
  rightParen: 15,
  dot: 16,
  comma: 17,
  minus: 18,
  not: 19,
  question: 20,
  colon: 21,
  plus: 22,
  star: 23,
  slash: 24,
  percent: 25,
  true: 26,
  false: 27,
  null: 28,
  float: 31,
  int: 32,
  uint: 33,
  string: 34,
  bytes: 35,
  identifier: 36,
  escaped: 37,
} as const

export interface Token {
  readonly kind: number
  /** '' at the end of the input. */
  readonly text: string
  readonly offset: number
}

const names: ReadonlyMap<number, string> = new Map([
  [tokenKind.eof, '<EOF>'],
  [tokenKind.equals, "'=='"],
  [tokenKind.notEquals, "'!='"],
  [tokenKind.in, "'in'"],
  [tokenKind.less, "'<'"],
  [tokenKind.lessEquals, "'<='"],
  [tokenKind.greaterEquals, "'>='"],
  [tokenKind.greater, "'>'"],
  [tokenKind.and, "'&&'"],
  [tokenKind.or, "'||'"],
  [tokenKind.leftBracket, "'['"],
  [tokenKind.rightBracket, "']'"],
  [tokenKind.leftBrace, "'{'"],
  [tokenKind.rightBrace, "'}'"],
  [tokenKind.leftParen, "'('"],
  [tokenKind.rightParen, "')'"],
  [tokenKind.dot, "'.'"],
  [tokenKind.comma, "','"],
  [tokenKind.minus, "'-'"],
  [tokenKind.not, "'!'"],
  [tokenKind.question, "'?'"],
  [tokenKind.colon, "':'"],
  [tokenKind.plus, "'+'"],
  [tokenKind.star, "'*'"],
  [tokenKind.slash, "'/'"],
  [tokenKind.percent, "'%'"],
  [tokenKind.true, "'true'"],
  [tokenKind.false, "'false'"],
  [tokenKind.null, "'null'"],
  [tokenKind.float, 'NUM_FLOAT'],
  [tokenKind.int, 'NUM_INT'],
  [tokenKind.uint, 'NUM_UINT'],
  [tokenKind.string, 'STRING'],
  [tokenKind.bytes, 'BYTES'],
  [tokenKind.identifier, 'IDENTIFIER'],
  [tokenKind.escaped, 'ESC_IDENTIFIER'],
])

/** A set of token kinds. `nullable`: the construct may be empty, so any token that follows it is accepted. */
export interface Expected {
  readonly kinds: ReadonlySet<number>
  readonly nullable: boolean
}

export function expected(kinds: Iterable<number>, nullable = false): Expected {
  return { kinds: new Set(kinds), nullable }
}

/** A set as messages list it: one name, or all names in braces. */
export function describeKinds(kinds: ReadonlySet<number>): string {
  const listed = [...kinds].sort((a, b) => a - b).map((one) => names.get(one) ?? '')
  return listed.length === 1 ? (listed[0] as string) : `{${listed.join(', ')}}`
}

export function quoteInput(text: string): string {
  return `'${text.replaceAll('\t', '\\t').replaceAll('\n', '\\n').replaceAll('\r', '\\r')}'`
}

export function describeToken(token: Token): string {
  return quoteInput(token.kind === tokenKind.eof ? '<EOF>' : token.text)
}
