/**
 * Label selectors in the query syntax: `a=b,c!=d,e in (x,y),f notin (z),g,!h,i>5,j<3`.
 * Parsing, matching and the normal form. Selectors written as objects are in `label-selector-object.ts`.
 */
import { fieldErrorMessage, type FieldError } from './field-error.ts'
import { goQuote } from './go-format.ts'
import { checkLabelValue, checkQualifiedName } from './names.ts'
import { apiError } from './status.ts'

export type Labels = Readonly<Record<string, string>>

export type SelectorOperator = 'in' | 'notin' | '=' | '==' | '!=' | 'gt' | 'lt' | 'exists' | '!'

export interface LabelRequirement {
  readonly key: string
  readonly operator: SelectorOperator
  /** One for `=`, `==`, `!=`, `gt` and `lt`; none for `exists` and `!`. */
  readonly values: readonly string[]
}

/** Says which objects are meant by their labels. Immutable; cheap to ask. */
export interface Selector {
  matches(labels: Labels | undefined): boolean
  /** True when every object matches because nothing is asked. */
  readonly isEmpty: boolean
  /** All must hold. Sorted by key. */
  readonly requirements: readonly LabelRequirement[]
  /** The normal form, which parses back to the same selector. */
  toString(): string
}

export const everything: Selector = {
  matches: () => true,
  isEmpty: true,
  requirements: [],
  toString: () => '',
}

/** Matches no object: what a missing LabelSelector object means. */
export const nothing: Selector = {
  matches: () => false,
  isEmpty: false,
  requirements: [],
  toString: () => '',
}

/** Parses the query syntax; throws a 400 in upstream's words when the text is not a selector. */
export function parseLabelSelector(text: string): Selector {
  return text === '' ? everything : selectorOf(new Parser(tokenize(text)).selector())
}

/** A selector of requirements that are known to be valid. */
export function selectorOf(requirements: readonly LabelRequirement[]): Selector {
  if (requirements.length === 0) return everything
  const sorted = requirements.toSorted((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0))
  const tests = sorted.map(testOf)
  const [first, second] = tests as [Test, Test | undefined]
  return {
    matches: second === undefined ? first : allOf(tests),
    isEmpty: false,
    requirements: sorted,
    toString: () => sorted.map(requirementText).join(','),
  }
}

type Test = (labels: Labels | undefined) => boolean

function allOf(tests: readonly Test[]): Test {
  return (labels) => {
    for (const test of tests) if (!test(labels)) return false
    return true
  }
}

function valueOf(labels: Labels | undefined, key: string): string | undefined {
  return labels !== undefined && Object.hasOwn(labels, key) ? labels[key] : undefined
}

function testOf({ key, operator, values }: LabelRequirement): Test {
  const [single] = values
  switch (operator) {
    case 'exists':
      return (labels) => valueOf(labels, key) !== undefined
    case '!':
      return (labels) => valueOf(labels, key) === undefined
    case 'gt':
    case 'lt':
      return orderTest(key, operator, parseInt64(single ?? ''))
    case 'in':
    case '=':
    case '==':
      if (values.length === 1) return (labels) => valueOf(labels, key) === single
      return (labels) => {
        const value = valueOf(labels, key)
        return value !== undefined && values.includes(value)
      }
    default:
      if (values.length === 1) return (labels) => valueOf(labels, key) !== single
      return (labels) => {
        const value = valueOf(labels, key)
        return value === undefined || !values.includes(value)
      }
  }
}

function orderTest(key: string, operator: 'gt' | 'lt', limit: bigint | undefined): Test {
  return (labels) => {
    const value = parseInt64(valueOf(labels, key) ?? '')
    if (value === undefined || limit === undefined) return false
    return operator === 'gt' ? value > limit : value < limit
  }
}

const decimal = /^[+-]?[0-9]{1,64}$/

/** Undefined when the text is no integer of 64 bits. */
function parseInt64(text: string): bigint | undefined {
  if (!decimal.test(text)) return undefined
  const value = BigInt(text.startsWith('+') ? text.slice(1) : text)
  return BigInt.asIntN(64, value) === value ? value : undefined
}

function requirementText({ key, operator, values }: LabelRequirement): string {
  switch (operator) {
    case 'exists':
      return key
    case '!':
      return `!${key}`
    case 'in':
    case 'notin':
      return `${key} ${operator} (${values.toSorted().join(',')})`
    case 'gt':
      return `${key}>${values[0]}`
    case 'lt':
      return `${key}<${values[0]}`
    default:
      return key + operator + values[0]
  }
}

/** What is wrong with a requirement. The fields are relative: `key`, `values[0][KEY]`. */
export function requirementErrors({ key, operator, values }: LabelRequirement): FieldError[] {
  const errors: FieldError[] = []
  const keyProblems = checkQualifiedName(key)
  if (keyProblems.length > 0) errors.push(invalid('key', goQuote(key), keyProblems.join('; ')))
  if ((operator === 'in' || operator === 'notin') && values.length === 0) {
    errors.push(invalid('values', 'null', "for 'in', 'notin' operators, values set can't be empty"))
  }
  if ((operator === 'exists' || operator === '!') && values.length > 0) {
    const detail = 'values set must be empty for exists and does not exist'
    errors.push(invalid('values', JSON.stringify(values), detail))
  }
  if ((operator === 'gt' || operator === 'lt') && parseInt64(values[0] ?? '') === undefined) {
    const detail = "for 'Gt', 'Lt' operators, the value must be an integer"
    errors.push(invalid('values[0]', goQuote(values[0] ?? ''), detail))
  }
  values.forEach((value, i) => {
    const problems = checkLabelValue(value)
    if (problems.length > 0) errors.push(invalid(`values[${i}][${key}]`, goQuote(value), problems.join('; ')))
  })
  return errors
}

function invalid(field: string, value: string, detail: string): FieldError {
  return { type: 'Invalid', field, summary: `Invalid value: ${value}`, detail }
}

/** One error as it is, several as `[a, b]`. */
export function joinErrors(errors: readonly FieldError[]): string {
  const messages = [...new Set(errors.map(fieldErrorMessage))]
  return messages.length === 1 ? (messages[0] as string) : `[${messages.join(', ')}]`
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
  ['in', 'in'], ['notin', 'notin'], ['=', '='], ['==', '=='], ['!=', '!='], ['>', 'gt'], ['<', 'lt'],
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

  /** `(x,y)`; what is missing between commas is the empty value, and so is `()`. */
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
