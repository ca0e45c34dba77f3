/** Checks after type inference: literals that can never be valid, and lists and maps of mixed types. */
import { childrenOf, visitExpr, type CallExpr, type Expr, type ListExpr, type MapExpr } from './ast.ts'
import { CelError, type CelType, type CelValue } from './library.ts'
import { FormatError } from './libraries/strings/format-clauses.ts'
import { readFormat, type ClauseLetter } from './libraries/strings/format.ts'
import { compileRegex, RegexError } from '../api/regex.ts'
import type { Issue } from './source.ts'
import { typeText, isDyn, optionalOf } from './types.ts'

export function validateExpression(expr: Expr): Issue[] {
  const calls: CallExpr[] = []
  visitExpr(expr, (part) => {
    if (part.form === 'call') calls.push(part)
  })
  const issues: Issue[] = []
  for (const name of ['duration', 'timestamp', 'matches']) {
    for (const call of calls) if (call.name === name) checkLiteral(call, issues)
  }
  checkMixed(expr, false, 'list', issues)
  checkMixed(expr, false, 'map', issues)
  for (const call of calls) checkFormat(call, issues)
  return issues
}

function checkLiteral(call: CallExpr, issues: Issue[]): void {
  const [arg] = call.args
  if (arg?.form !== 'literal') return
  const works = call.name === 'matches' ? isPattern(arg.value) : converts(call, arg.value)
  if (!works) issues.push({ offset: arg.offset, message: `invalid ${call.name} argument` })
}

function isPattern(value: CelValue): boolean {
  if (typeof value !== 'string') return true
  try {
    compileRegex(value)
    return true
  } catch (error) {
    if (error instanceof RegexError) return false
    throw error
  }
}

function converts(call: CallExpr, value: CelValue): boolean {
  return !(call.overloads?.[0]?.call(value) instanceof CelError)
}

/** The arguments of `format` may have mixed types. */
function checkMixed(expr: Expr, isExempt: boolean, form: 'list' | 'map', issues: Issue[]): void {
  if (!isExempt && expr.form === form) {
    if (expr.form === 'list') checkItems(expr, issues)
    else checkEntries(expr, issues)
  }
  const below = isExempt || (expr.form === 'call' && expr.name === 'format')
  for (const child of childrenOf(expr)) checkMixed(child, below, form, issues)
}

function mismatch(at: Expr, wanted: CelType, found: CelType): Issue {
  return { offset: at.offset, message: `expected type '${typeText(wanted)}' but found '${typeText(found)}'` }
}

function typeOf(expr: Expr, optional: boolean): CelType {
  const type = expr.type as CelType
  return optional ? (optionalOf(type) ?? type) : type
}

/** Stricter than assignability: an unknown type does not match a known one. */
function isSame(a: CelType, b: CelType): boolean {
  return typeText(a) === typeText(b)
}

function checkItems(expr: ListExpr, issues: Issue[]): void {
  let first: CelType | undefined
  for (const [i, item] of expr.items.entries()) {
    const type = typeOf(item, expr.optional.has(i))
    first ??= type
    if (isSame(first, type)) continue
    issues.push(mismatch(item, first, type))
    return
  }
}

function checkEntries(expr: MapExpr, issues: Issue[]): void {
  const [first] = expr.entries
  if (first === undefined) return
  const key = typeOf(first.key, false)
  const value = typeOf(first.value, first.optional)
  for (const entry of expr.entries) {
    const [ownKey, ownValue] = [typeOf(entry.key, false), typeOf(entry.value, entry.optional)]
    if (!isSame(key, ownKey)) issues.push(mismatch(entry.key, key, ownKey))
    if (!isSame(value, ownValue)) issues.push(mismatch(entry.value, value, ownValue))
  }
}

const texts = [
  'list',
  'map',
  'int',
  'uint',
  'double',
  'bool',
  'string',
  'timestamp',
  'bytes',
  'duration',
  'type',
  'null_type',
]

const clauses: Readonly<Record<ClauseLetter, { readonly kinds: readonly string[]; readonly words: string }>> = {
  s: {
    kinds: texts,
    words:
      'string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, types, durations, ' +
      'and timestamps',
  },
  d: { kinds: ['int', 'uint'], words: 'decimal clause can only be used on integers' },
  f: { kinds: ['double', 'string'], words: 'fixed-point clause can only be used on doubles' },
  e: { kinds: ['double', 'string'], words: 'scientific clause can only be used on doubles' },
  b: { kinds: ['int', 'uint', 'bool'], words: 'only integers and bools can be formatted as binary' },
  x: hex(),
  X: hex(),
  o: { kinds: ['int', 'uint'], words: 'octal clause can only be used on integers' },
}

function hex(): { kinds: readonly string[]; words: string } {
  return {
    kinds: ['int', 'uint', 'string', 'bytes'],
    words: 'only integers, byte buffers, and strings can be formatted as hex',
  }
}

/** Checks a literal format with a literal list of arguments. */
function checkFormat(call: CallExpr, issues: Issue[]): void {
  const {
    target,
    args: [list],
  } = call
  if (call.name !== 'format' || target?.form !== 'literal' || list?.form !== 'list') return
  if (typeof target.value !== 'string') return
  let at: Expr = call
  let used = 0
  try {
    readFormat(target.value, list.items.length, (letter, _, index) => {
      used++
      const arg = list.items[index] as Expr
      const wrong = letter === 's' ? unprintable(arg) : fits(arg, clauses[letter].kinds) ? undefined : arg
      if (wrong === undefined) return ''
      at = wrong
      throw new FormatError(`${clauses[letter].words}, was given ${runtimeName(wrong.type as CelType)}`)
    })
  } catch (error) {
    if (!(error instanceof FormatError)) throw error
    issues.push({ offset: at.offset, message: error.message })
    return
  }
  const given = list.items.length
  if (given <= used) return
  issues.push({
    offset: call.offset,
    message: `too many arguments supplied to string.format (expected ${used}, got ${given})`,
  })
}

function fits(expr: Expr, kinds: readonly string[]): boolean {
  const type = expr.type as CelType
  return isDyn(type) || kinds.includes(type.kind)
}

function unprintable(expr: Expr): Expr | undefined {
  if (!fits(expr, texts)) return expr
  if (expr.form !== 'list' && expr.form !== 'map') return undefined
  for (const child of childrenOf(expr)) {
    const found = unprintable(child)
    if (found !== undefined) return found
  }
  return undefined
}

function runtimeName(type: CelType): string {
  switch (type.kind) {
    case 'object':
    case 'opaque':
      return type.name
    case 'timestamp':
      return 'google.protobuf.Timestamp'
    case 'duration':
      return 'google.protobuf.Duration'
    default:
      return type.kind
  }
}
