/**
 * Expressions with the recorded results of a real server, end to end. `expressions.jsonl`: an expression of type string
 * and its result: `=` a value, `!` a runtime error, `#` a compile error. Recorded from rules `(E) == 'never'` with `E`
 * as their messageExpression, so leading and trailing blanks of values are lost. `costs.jsonl`: an expression of type
 * bool, its estimated maximum cost, its actual cost, and the error, if any.
 */
import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { declarationOf, sizeAt } from '../../../structural/rules/declarations.ts'
import { viewOf } from '../../../structural/rules/views.ts'
import { compileSchema } from '../../../structural/schema.ts'
import { compileExpression, kubernetesEnvironment, PlanError } from '../../expression.ts'
import { CelError, type CelType, type CelValue } from '../../library.ts'
import type { Json } from '../../../api/json.ts'

const text = (maxLength: number) => ({ type: 'string', maxLength })
const formatted = (format: string) => ({ type: 'string', format, ...(format === 'byte' ? { maxLength: 50 } : {}) })
const texts = (maxItems: number, maxLength: number) => ({ type: 'array', maxItems, items: text(maxLength) })
const shared = {
  s: text(50),
  n: { type: 'integer' },
  d: { type: 'number' },
  b: formatted('byte'),
  t: formatted('date-time'),
  dur: formatted('duration'),
  l: texts(10, 20),
  io: { 'x-kubernetes-int-or-string': true },
  m: { type: 'object', maxProperties: 5, additionalProperties: { type: 'integer' } },
}
const sharedValues = {
  s: 'hello',
  n: 7,
  d: 2.5,
  b: 'aGk=',
  t: '2024-02-29T12:34:56.789+02:00',
  dur: '1h30m',
  l: ['b', 'a', 'c'],
  io: 5,
  m: { k: 1, j: 2 },
}

function setUp(properties: Json, values: Json) {
  const schema = compileSchema({ type: 'object', properties })
  const declaration = declarationOf(schema, false)
  if (declaration === undefined) throw new Error('no declaration')
  const variables = new Map<string, CelType>([['self', declaration.type('selfType1')]])
  return { declaration, variables, self: viewOf(values, schema) as CelValue }
}

function read<T>(name: string): T[] {
  const lines = readFileSync(new URL(name, import.meta.url), 'utf8')
    .trimEnd()
    .split('\n')
  return lines.map((line) => JSON.parse(line) as T)
}

describe('what expressions give', () => {
  const { variables, self } = setUp(
    {
      ...shared,
      el: texts(3, 3),
      es: text(3),
      eo: { type: 'object', properties: { a: text(3) } },
      em: { type: 'object', maxProperties: 3, additionalProperties: text(5) },
    },
    { ...sharedValues, el: [], es: '', eo: {}, em: {} },
  )
  const environment = kubernetesEnvironment()

  function outcome(expression: string): string {
    const rule = compileExpression(`(${expression}) == 'never'`, variables, environment)
    if (typeof rule === 'string') return `#compilation failed: ${rule}`
    const compiled = compileExpression(expression, variables, environment)
    if (typeof compiled === 'string') return `#compilation failed: ${compiled}`
    try {
      const { result } = compiled.program()([self], 1e9)
      return result instanceof CelError ? `!${result.message}` : `=${String(result).trim()}`
    } catch (error) {
      if (error instanceof PlanError) return `#program instantiation failed: ${error.message}`
      throw error
    }
  }

  test('what expressions give is what a real server gives', () => {
    const recorded = read<[string, string]>('expressions.jsonl')
    expect(recorded.length).toBeGreaterThan(2000)
    const wrong = recorded
      .map(([expression, expected]) => ({ expression, expected, actual: outcome(expression) }))
      .filter(({ expected, actual }) => actual !== expected)
    expect(wrong).toEqual([])
  })
})

describe('what expressions cost', () => {
  const { declaration, variables, self } = setUp(
    {
      ...shared,
      li: { type: 'array', maxItems: 12, items: { type: 'integer' } },
      u: { type: 'string' },
      ul: { type: 'array', items: { type: 'string' } },
      e: { type: 'string', enum: ['aa', 'bbbb'] },
      ll: { type: 'array', maxItems: 3, items: texts(4, 6) },
    },
    {
      ...sharedValues,
      li: [3, 1],
      u: 'abcdefghijklmnopqrstuvwxyz',
      ul: ['x', 'y'.repeat(30)],
      e: 'aa',
      ll: [['a'], ['b', 'c']],
    },
  )

  test('what expressions cost is what upstream counts, before and when they run', () => {
    const recorded = read<[string, number, number, string?]>('costs.jsonl')
    expect(recorded.length).toBeGreaterThan(700)
    const wrong: unknown[] = []
    for (const [expression, max, cost, failure] of recorded) {
      const compiled = compileExpression(expression, variables, kubernetesEnvironment())
      if (typeof compiled === 'string') throw new Error(compiled)
      const estimate = compiled.estimate((path) => sizeAt(declaration, path)).max
      const { result, cost: actual } = compiled.program()([self], 1e18)
      const failed = result instanceof CelError ? result.message : undefined
      const isClose = Math.abs(estimate - max) <= max * 1e-12
      if (!isClose || actual !== cost || failed !== failure) wrong.push({ expression, estimate, actual, failed })
    }
    expect(wrong).toEqual([])
  })
})
