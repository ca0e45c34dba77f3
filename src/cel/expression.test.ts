import { describe, expect, it } from 'vitest'
import { compileExpression, kubernetesEnvironment, PlanError, type Expression } from './expression.ts'
import {
  boolType,
  CelError,
  dynType,
  intType,
  listOf,
  listType,
  stringType,
  type CelResult,
  type CelType,
} from './library.ts'

const variables = new Map<string, CelType>([
  ['n', intType],
  ['s', stringType],
  ['list', listType(stringType)],
  ['any', dynType],
  ['yes', boolType],
])

function compile(text: string): Expression {
  const expression = compileExpression(text, variables, kubernetesEnvironment())
  if (typeof expression === 'string') throw new Error(expression)
  return expression
}

function run(
  text: string,
  values: { n?: bigint; s?: string; list?: string[]; any?: CelResult } = {},
  limit = 1_000_000,
) {
  const { n = 1n, s = 'abc', list = ['a', 'b'], any = 1n } = values
  return compile(text).program()([n, s, listOf(list), any, true], limit)
}

function value(text: string, values?: Parameters<typeof run>[1]): unknown {
  const { result } = run(text, values)
  return result instanceof CelError ? `error: ${result.message}` : result
}

function problems(text: string): string {
  const expression = compileExpression(text, variables, kubernetesEnvironment())
  return typeof expression === 'string' ? expression : 'compiled'
}

describe('an expression', () => {
  it('an expression keeps integers exact and tells their types apart', () => {
    expect(value('9007199254740993 + n')).toBe(9007199254740994n)
    expect(value('9223372036854775807 + n')).toBe('error: integer overflow')
    expect(value('7 / 2')).toBe(3n)
    expect(value('-7 % 2')).toBe(-1n)
    expect(value('7.0 / 2.0')).toBe(3.5)
    expect(value('dyn(1) == 1.0 && dyn(1u) == 1 && 1 < 1.5')).toBe(true)
    expect(problems('1 + 1.0')).toContain("found no matching overload for '_+_' applied to '(int, double)'")
  })

  it('an expression absorbs errors where the other side settles it', () => {
    expect(value('1 / 0 > 0 || yes')).toBe(true)
    expect(value('!yes && 1 / 0 > 0')).toBe(false)
    expect(value('1 / 0 > 0 && yes')).toBe('error: division by zero')
    expect(value('[0, 1].exists(x, 1 / x > 0)')).toBe(true)
    expect(value('[0, 1].all(x, 1 / x > 0)')).toBe('error: division by zero')
  })

  it('an expression shadows names within macros only', () => {
    expect(value('[1, 2].map(n, n * 10).size() == 2 && n == 1')).toBe(true)
    expect(value('[[1], [2, 3]].map(x, x.map(x, x + 1))[1][1]')).toBe(4n)
    expect(problems('list.all(x, true) && x == 1')).toContain("undeclared reference to 'x'")
  })

  it('an expression does not change a list that a macro made', () => {
    expect(value('list.map(x, x).sortBy(x, x) + ["c"] == ["a", "b", "c"]')).toBe(true)
    expect(value("optional.of(list.filter(x, true)).optMap(l, (l + ['z']).size() + l.size()).value()")).toBe(5n)
  })

  it('an expression reports every error at its place', () => {
    expect(problems('unknown1 +\n  unknown2 == 1')).toBe(
      "ERROR: <input>:1:1: undeclared reference to 'unknown1' (in container '')\n | unknown1 +\n | ^\n" +
        "ERROR: <input>:2:3: undeclared reference to 'unknown2' (in container '')\n |   unknown2 == 1\n | ..^",
    )
    expect(problems("'é' + é")).toBe(
      "ERROR: <input>:1:7: Syntax error: token recognition error at: 'é'\n | 'é' + é\n | .．....＾\n" +
        ("ERROR: <input>:1:8: Syntax error: mismatched input '<EOF>' expecting {'[', '{', '(', '.', '-', '!', " +
          "'true', 'false', ") +
        "'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}\n | 'é' + é\n | .．....．^",
    )
  })

  it('an expression refuses what could never run', () => {
    expect(() => compile("int('x') == 1").program()).toThrow(PlanError)
    expect(problems("duration('x') == duration('1s')")).toContain('invalid duration argument')
    expect(problems("s.matches('(')")).toContain('invalid matches argument')
    expect(problems("[1, 'a'].size() == 2")).toContain("expected type 'int' but found 'string'")
    expect(value("'%s and %d'.format([s, n])")).toBe('abc and 1')
  })

  it('an expression finds functions for values whose type is not known before', () => {
    expect(value('any + 1', { any: 2n })).toBe(3n)
    expect(value('any + 1', { any: 'x' })).toBe('error: no such overload')
    expect(value('any + 1', { any: true })).toBe('error: no such overload: _+_')
    expect(value('int(any)', { any: '12' })).toBe(12n)
    expect(value('int(any)', { any: listOf([]) })).toBe('error: no such overload: int(list)')
    expect(value('any.all(x, true)', { any: 'x' })).toBe("error: got 'types.String', expected iterable type")
  })

  it('an expression counts what it costs', () => {
    expect(run("n == 1 && s == 'abc'").cost).toBe(4)
    expect(run('list.all(x, x == "a" || x == "b")').cost).toBe(14)
    expect(run('list.all(x, x.size() > 0)', {}, 5)).toEqual({
      result: new CelError('operation cancelled: actual cost limit exceeded'),
      cost: 6,
      exceeded: true,
    })
    const sizes = () => ({ min: 0, max: 10 })
    expect(compile('list.all(x, x == "a")').estimate(sizes)).toEqual({ min: 2, max: 52 })
  })
})

describe('a hostile expression', () => {
  const open = '('

  it.each([
    ['nests deeply', open.repeat(20_000) + 'yes' + ')'.repeat(20_000), 'expression recursion limit exceeded: 250'],
    ['is never closed', '['.repeat(40_000), 'expression recursion limit exceeded: 250'],
    ['is a long chain', `${Array(20_000).fill('1').join('+')} > 0`, 'max recursion depth exceeded'],
    [
      'is too long',
      `s == '${'x'.repeat(100_001)}'`,
      'expression code point size exceeds limit: size: 100008, limit 100000',
    ],
    ['is no CEL at all', '@#'.repeat(40_000), '1 more errors were truncated'],
    [
      'doubles itself',
      `optional.of(s)${'.optMap(x, x)'.repeat(40)}.hasValue()`,
      'expression expands to more than 200000 parts',
    ],
  ])('a hostile expression is refused when it %s', (_, text, message) => {
    expect(problems(text)).toContain(message)
  })

  it('a hostile expression may be long and flat', () => {
    expect(value(Array(8000).fill('yes').join('&&'))).toBe(true)
    expect(value(`n in [${Array(20_000).fill('2').join(',')}]`)).toBe(false)
  })

  it('a hostile expression ends when it costs too much', () => {
    const many = Array.from({ length: 500 }, () => 'a')
    const nested = 'list.all(a, list.all(b, list.all(c, a == b && b == c)))'
    expect(run(nested, { list: many })).toMatchObject({ exceeded: true, cost: 1_000_001 })
    expect(run(`["a"]${'.map(x, x + x)'.repeat(30)}.size() == 1`).exceeded).toBe(true)
  })

  it('a hostile expression does not fill the memory with lists', () => {
    expect(value(`[[1]]${'.map(x, x + x)'.repeat(40)}[0].size() == 1099511627776`)).toBe(true)
  })
})
