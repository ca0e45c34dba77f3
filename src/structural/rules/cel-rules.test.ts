import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import type { Json, JsonObject } from '../../api/json.ts'
import { compileSchema, type ValidationRule } from '../schema.ts'
import { compileCelRule } from './cel-rules.ts'
import { RuleCompileError, RuleFailure, type CompiledRule } from './rule-engine.ts'

interface Recorded {
  schema: JsonObject
  values: Json[]
  old: (Json | null)[]
  /** `cost`: the static estimate. One character per value: 1 true, 0 false, a letter is an index into `errors`. */
  evaluated: { rule: string; cost: string; results: string; errors?: string[] }[]
  refused: { rule: string; error: string }[]
}

const recorded = JSON.parse(
  readFileSync(new URL('../../controlplane/extensions/recorded/expressions.json', import.meta.url), 'utf8'),
) as Recorded
const schema = compileSchema(recorded.schema)

function ruleOf(rule: string, more: Partial<ValidationRule> = {}): ValidationRule {
  return { rule, message: '', messageExpression: '', reason: '', fieldPath: '', optionalOldSelf: undefined, ...more }
}

function outcome(rule: CompiledRule, self: Json, oldSelf: Json | undefined): string {
  try {
    return rule.holds({ self, oldSelf }, { remaining: 10_000_000 }) ? 'true' : 'false'
  } catch (error) {
    if (error instanceof RuleFailure) return error.message
    throw error
  }
}

function compileError(of: () => unknown): string {
  try {
    of()
  } catch (error) {
    if (error instanceof RuleCompileError) return error.message
    throw error
  }
  return 'compiled'
}

describe('recorded expressions', () => {
  it.each(recorded.evaluated)('recorded expressions: $rule', ({ rule, cost, results, errors = [] }) => {
    const compiled = compileCelRule(ruleOf(rule), schema, false)
    const estimate = compiled.cost?.rule ?? 0
    if (cost === 'max') expect(estimate).toBeGreaterThanOrEqual(2 ** 64)
    else expect(estimate / Math.max(Number(cost), 1)).toBeCloseTo(Math.min(Number(cost), 1), 9)
    for (const [i, value] of recorded.values.entries()) {
      const letter = results[i] as string
      const wanted = letter === '1' ? 'true' : letter === '0' ? 'false' : errors[letter.charCodeAt(0) - 97]
      expect(`${i}: ${outcome(compiled, value, recorded.old[i] ?? undefined)}`).toBe(`${i}: ${wanted}`)
    }
  })

  it.each(recorded.refused)('refused: $rule', ({ rule, error }) => {
    expect(compileError(() => compileCelRule(ruleOf(rule), schema, false))).toBe(error)
  })
})

describe('a rule', () => {
  const of = (source: JsonObject) => compileSchema(source)
  const whole = { type: 'object', properties: { a: { type: 'integer' } } }

  it('a rule must give a bool, and its message a string', () => {
    expect(compileError(() => compileCelRule(ruleOf('self.a'), of(whole), false))).toBe(
      'cel expression must evaluate to a bool',
    )
    const compiled = compileCelRule(ruleOf('self.a > 0', { messageExpression: 'self.a' }), of(whole), false)
    expect(compiled.messageProblem).toBe('messageExpression must evaluate to a string')
  })

  it('a rule sees the name and the kind of a resource whatever its schema says', () => {
    const rule = ruleOf("self.kind == 'Thing' && self.metadata.name.startsWith('a')")
    const self = { kind: 'Thing', metadata: { name: 'abc', labels: { x: 'y' } } }
    expect(outcome(compileCelRule(rule, of(whole), true), self, undefined)).toBe('true')
    expect(compileError(() => compileCelRule(rule, of(whole), false))).toContain("undefined field 'kind'")
    expect(compileError(() => compileCelRule(ruleOf('has(self.metadata.labels)'), of(whole), true))).toContain(
      "undefined field 'labels'",
    )
  })

  it('a rule may have an old value or none', () => {
    const rule = ruleOf('oldSelf.hasValue() ? self.a > oldSelf.value().a : self.a == 0', { optionalOldSelf: true })
    const compiled = compileCelRule(rule, of(whole), false)
    expect(compiled.usesOldSelf).toBe(true)
    expect([
      outcome(compiled, { a: 0 }, undefined),
      outcome(compiled, { a: 2 }, { a: 1 }),
      outcome(compiled, { a: 1 }, { a: 1 }),
    ]).toEqual(['true', 'true', 'false'])
  })

  it('a rule makes its own message, and falls back where that is none', () => {
    const source = of({ type: 'object', properties: { s: { type: 'string' } } })
    const message = (expression: string, self: Json) =>
      compileCelRule(ruleOf('false', { messageExpression: expression }), source, false).message(
        { self, oldSelf: undefined },
        { remaining: 1000 },
      )
    expect(message("'  got ' + self.s + '  '", { s: 'x' })).toBe('got x')
    for (const [expression, self] of [
      ['self.s', {}],
      ["''", {}],
      ["'a\\nb'", {}],
      ['self.s', { s: 'x'.repeat(6000) }],
    ] as const) {
      expect(message(expression, self)).toBeUndefined()
    }
    expect(() => message('self.s + self.s', { s: 'x'.repeat(60_000) })).toThrow('running out of cost budget')
  })

  it('a rule takes from the budget of the object, and ends when it costs too much', () => {
    const list = of({ type: 'array', items: { type: 'integer' } })
    const compiled = compileCelRule(ruleOf('self.all(x, self.all(y, x + y >= 0))'), list, false)
    const budget = { remaining: 100 }
    expect(compiled.holds({ self: [1, 2], oldSelf: undefined }, budget)).toBe(true)
    expect(budget.remaining).toBeLessThan(100)
    const failure = (self: Json, remaining: number) => {
      try {
        return String(compiled.holds({ self, oldSelf: undefined }, { remaining }))
      } catch (error) {
        return error instanceof RuleFailure ? `${error.kind} ${error.message}` : String(error)
      }
    }
    expect(failure([1, 2, 3], 5)).toBe('budget ')
    const many = Array.from({ length: 5000 }, () => 1)
    expect(failure(many, 10_000_000)).toBe('call operation cancelled: actual cost limit exceeded')
  })

  it('a rule cannot stand where expressions see nothing', () => {
    expect(() => compileCelRule(ruleOf('true'), of({ 'x-kubernetes-preserve-unknown-fields': true }), false)).toThrow(
      'unable to convert structural schema to CEL declarations',
    )
  })

  it('a rule treats keys of any name as data', () => {
    const map = of({ type: 'object', additionalProperties: { type: 'string' } })
    const self = JSON.parse('{"__proto__":"p","constructor":"c"}') as Json
    const holds = (rule: string, of: Json) => outcome(compileCelRule(ruleOf(rule), map, false), of, undefined)
    expect(holds("self['__proto__'] == 'p' && self.constructor == 'c' && self.size() == 2", self)).toBe('true')
    expect(holds("'toString' in self || has(self.constructor)", {})).toBe('false')
    expect(holds("self['hasOwnProperty'] == ''", {})).toBe('no such key: hasOwnProperty')
    expect(holds("{'__proto__': 1}['__proto__'] == 1", {})).toBe('true')
  })
})
