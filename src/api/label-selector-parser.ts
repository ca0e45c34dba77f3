/** The parser of label selectors in the query syntax. Tokens and messages are upstream's. */
import { goQuote } from './go-format.ts'
import { joinErrors, requirementErrors, type LabelRequirement, type SelectorOperator } from './label-requirement.ts'
import { checkQualifiedName } from './names.ts'
import { apiError } from './status.ts'

/** The requirements in the order of the text. Throws a 400 if the text is not a selector. */
export function parseRequirements(text: string): LabelRequirement[] {
  return new Parser(tokenize(text)).selector()
}

interface Token {
  readonly type: 'end' | 'word' | 'symbol'
  readonly text: string
}

const end: Token = { type: 'end', text: '' }
const blank = /[ \t\r\n]/
const symbol = /[=!(),<>]/
const wordEnd = /[ \t\r\n=!(),<>\0]/g

function tokenize(text: string): Token[] {
  const tokens: Token[] = []
  let at = 0
  while (at < text.length) {
    const char = text[at] as string
    if (char === '\0') break
    if (blank.test(char)) {
      at++
    } else if (symbol.test(char)) {
      const double = (char === '=' || char === '!') && text[at + 1] === '='
      tokens.push({ type: 'symbol', text: double ? `${char}=` : char })
      at += double ? 2 : 1
    } else {
      wordEnd.lastIndex = at
      const stop = wordEnd.exec(text)?.index ?? text.length
      tokens.push({ type: 'word', text: text.slice(at, stop) })
      at = text[stop] === '\0' ? stop + 1 : stop
    }
  }
  tokens.push(end)
  return tokens
}

const binaryOperators: ReadonlyMap<string, SelectorOperator> = new Map([
  ['in', 'in'],
  ['notin', 'notin'],
  ['=', '='],
  ['==', '=='],
  ['!=', '!='],
  ['>', 'gt'],
  ['<', 'lt'],
])

class Parser {
  readonly #tokens: readonly Token[]
  #at = 0

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens
  }

  selector(): LabelRequirement[] {
    const found: LabelRequirement[] = []
    while (this.#peek().type !== 'end') {
      if (!this.#startsRequirement()) throw expected(this.#peek(), "!, identifier, or 'end of string'")
      found.push(this.#requirement())
      const next = this.#next()
      if (next.type === 'end') break
      if (next.text !== ',') throw expected(next, "',' or 'end of string'")
      if (!this.#startsRequirement()) throw expected(this.#peek(), "identifier after ','")
    }
    return found
  }

  #peek(): Token {
    return this.#tokens[this.#at] ?? end
  }

  #next(): Token {
    return this.#tokens[this.#at++] ?? end
  }

  #startsRequirement(): boolean {
    const token = this.#peek()
    return token.type === 'word' || token.text === '!'
  }

  #requirement(): LabelRequirement {
    let token = this.#next()
    const absent = token.text === '!' && token.type === 'symbol'
    if (absent) token = this.#next()
    if (token.type !== 'word') throw inRequirement(expected(token, 'identifier'))
    const key = token.text
    const problems = checkQualifiedName(key)
    if (problems.length > 0) throw unparsable(`<nil>: Invalid value: ${goQuote(key)}: ${problems.join('; ')}`)
    if (absent) return { key, operator: '!', values: [] }
    const after = this.#peek()
    if (after.type === 'end' || after.text === ',') return { key, operator: 'exists', values: [] }
    return this.#comparison(key)
  }

  #comparison(key: string): LabelRequirement {
    const token = this.#next()
    const operator = binaryOperators.get(token.text)
    if (operator === undefined) throw inRequirement(expected(token, 'in, notin, =, ==, !=, gt, lt'))
    const values = operator === 'in' || operator === 'notin' ? this.#set() : [this.#exactValue()]
    const requirement: LabelRequirement = { key, operator, values }
    const errors = requirementErrors(requirement)
    if (errors.length > 0) throw unparsable(joinErrors(errors))
    return requirement
  }

  #exactValue(): string {
    const token = this.#peek()
    if (token.type === 'end' || token.text === ',') return ''
    this.#at++
    if (token.type !== 'word') throw inRequirement(expected(token, 'identifier'))
    return token.text
  }

  /** `(x,y)`; an empty place between commas is the empty value, and so is `()`. */
  #set(): string[] {
    const open = this.#next()
    if (open.text !== '(') throw unparsable(`found '${open.text}' expected: '('`)
    const first = this.#peek()
    const values = new Set<string>()
    if (first.type !== 'word' && first.text !== ',' && first.text !== ')') {
      throw inRequirement(expected(first, "',', ')' or identifier"))
    }
    for (let token = this.#next(); ; token = this.#next()) {
      if (token.text === ')' || token.text === ',') {
        values.add('')
      } else if (token.type === 'word') {
        values.add(token.text)
        token = this.#next()
        if (token.text !== ',' && token.text !== ')') throw inRequirement(expected(token, "',' or ')'"))
      } else {
        throw inRequirement(expected(token, "',', or identifier"))
      }
      if (token.text === ')') return [...values].sort()
    }
  }
}

function expected(token: Token, what: string): Error {
  return apiError.badRequest(`found '${token.text}', expected: ${what}`)
}

function inRequirement(error: Error): Error {
  return unparsable(error.message)
}

function unparsable(why: string): Error {
  return apiError.badRequest(`unable to parse requirement: ${why}`)
}
