import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { fieldErrorMessage } from '../../api/field-error.ts'
import type { Json, JsonObject } from '../../api/json.ts'
import { Correlation } from '../correlation.ts'
import { compileSchema } from '../schema.ts'
import { compileCelRule } from './cel-rules.ts'
import { compileRules } from './check-rules.ts'
import { RuleFailure, type CompiledRule, type RuleCompiler, type RuleValues } from './rule-engine.ts'

/** Rules as JavaScript functions, by their source text. */
function engine(rules: Record<string, (values: RuleValues) => boolean>): RuleCompiler {
  return (rule): CompiledRule => ({
    usesOldSelf: rule.rule.includes('oldSelf'),
    holds: (values) => (rules[rule.rule] as (values: RuleValues) => boolean)(values),
    message: () => (rule.messageExpression === '' ? undefined : `computed ${rule.messageExpression}`),
  })
}

const small = engine({
  small: ({ self }) => (self as number) < 5,
  'self >= oldSelf': ({ self, oldSelf }) => (self as number) >= ((oldSelf ?? 0) as number),
  'any oldSelf': ({ oldSelf }) => oldSelf !== undefined,
  never: () => false,
  broken: () => {
    throw new RuleFailure('runtime', 'no such key: a')
  },
  expensive: () => {
    throw new RuleFailure('call', 'operation cancelled: actual cost limit exceeded')
  },
})

function check(properties: JsonObject, object: JsonObject, old?: JsonObject): { errors: string[]; warnings: string[] } {
  const schema = compileSchema({ type: 'object', properties })
  const warnings: string[] = []
  const errors = compileRules(
    schema,
    small,
  )?.({
    object,
    old,
    correlation: old === undefined ? undefined : new Correlation(object, old, schema),
    warn: (text) => warnings.push(text),
  })
  return { errors: (errors ?? []).map(fieldErrorMessage), warnings }
}

const rules = (...given: JsonObject[]) => ({ 'x-kubernetes-validations': given })
const integer = (...given: JsonObject[]) => ({ type: 'integer', ...rules(...given) })

describe('rules', () => {
  it('rules are none where the schema has none', () => {
    expect(compileRules(compileSchema({ type: 'object' }), small)).toBeUndefined()
  })

  it('rules run wherever they stand', () => {
    const member = integer({ rule: 'small', message: ' too big ' })
    const { errors } = check(
      { a: member, list: { type: 'array', items: member }, map: { type: 'object', additionalProperties: member } },
      { a: 7, list: [1, 8], map: { k: 9, n: null } },
    )
    expect(errors).toEqual([
      'a: Invalid value: 7: too big',
      'list[1]: Invalid value: 8: too big',
      'map[k]: Invalid value: 9: too big',
    ])
  })

  it('rules name themselves, or what they are told to say', () => {
    const object = { type: 'object', properties: { b: { type: 'string' } } }
    expect(check({ a: { ...object, ...rules({ rule: 'never' }) } }, { a: {} }).errors).toEqual([
      'a: Invalid value: failed rule: never',
    ])
    expect(
      check({ a: { ...object, ...rules({ rule: 'never', messageExpression: 'm', fieldPath: '.b' }) } }, { a: {} })
        .errors,
    ).toEqual(['a.b: Invalid value: computed m'])
    const reasons = ['FieldValueForbidden', 'FieldValueRequired', 'FieldValueDuplicate', 'FieldValueInvalid']
    expect(
      check({ a: integer(...reasons.map((reason) => ({ rule: 'never', message: 'm', reason }))) }, { a: 1 }).errors,
    ).toEqual(['a: Forbidden: m', 'a: Required value: m', 'a: Duplicate value: 1', 'a: Invalid value: 1: m'])
  })

  it('rules report why they could not be run, and stop when they cost too much', () => {
    const properties = {
      a: integer({ rule: 'broken' }, { rule: 'expensive', message: 'm' }, { rule: 'never' }),
      b: integer({ rule: 'never' }),
    }
    expect(check(properties, { a: 1, b: 1 }).errors).toEqual([
      'a: Invalid value: "integer": no such key: a evaluating rule: broken',
      'a: Invalid value: "integer": \'operation cancelled: actual cost limit exceeded\': no further ' +
        'validation rules will be run due to ' +
        'call cost exceeds limit for rule: m',
    ])
  })

  it('rules compare with an old value only where there is one', () => {
    const properties = { a: integer({ rule: 'self >= oldSelf', message: 'only up' }) }
    expect(check(properties, { a: 1 }).errors).toEqual([])
    expect(check(properties, { a: 1 }, {}).errors).toEqual([])
    expect(check(properties, { a: 1 }, { a: 2 }).errors).toEqual(['a: Invalid value: 1: only up'])
    const optional = { a: integer({ rule: 'any oldSelf', optionalOldSelf: true, message: 'm' }) }
    expect(check(optional, { a: 1 }).errors).toEqual(['a: Invalid value: 1: m'])
    expect(check(optional, { a: 1 }, { a: 1 }).errors).toEqual([])
  })

  it('rules find old items by their keys', () => {
    const items = {
      type: 'object',
      properties: { k: { type: 'string' }, v: integer({ rule: 'self >= oldSelf', message: 'only up' }) },
    }
    const properties = {
      list: { type: 'array', 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['k'], items },
    }
    const old = {
      list: [
        { k: 'a', v: 1 },
        { k: 'b', v: 5 },
      ],
    }
    expect(
      check(
        properties,
        {
          list: [
            { k: 'b', v: 4 },
            { k: 'a', v: 1 },
            { k: 'c', v: 0 },
          ],
        },
        old,
      ).errors,
    ).toEqual(['list[0].v: Invalid value: 4: only up'])
  })

  it('rules tolerate what did not change, with a warning', () => {
    const properties = {
      a: integer({ rule: 'small', message: 'too big' }),
      b: integer({ rule: 'small', message: 'too big' }),
    }
    expect(check(properties, { a: 9, b: 8 }, { a: 9, b: 7 })).toEqual({
      errors: ['b: Invalid value: 8: too big'],
      warnings: ['a: Invalid value: 9: too big'],
    })
  })
})

interface Recorded {
  schema: JsonObject
  values: Json[]
  /**
   * One character per value: 1 true, 0 false, a letter is an index into `errors`. `compile`: the CRD was rejected.
   */
  rules: { rule: string; results?: string; errors?: string[]; compile?: string }[]
}

describe('recorded outcomes', () => {
  const recorded = JSON.parse(
    readFileSync(new URL('../../controlplane/extensions/recorded/rules.json', import.meta.url), 'utf8'),
  ) as Recorded
  const checkerOf = (rule: string) =>
    compileRules(
      compileSchema({ type: 'object', properties: { p: { ...recorded.schema, ...rules({ rule }) } } }),
      compileCelRule,
    )

  it.each(recorded.rules.filter((rule) => rule.results !== undefined))(
    'recorded outcomes: $rule',
    ({ rule, results = '', errors = [] }) => {
      const checker = checkerOf(rule)
      for (const [i, value] of recorded.values.entries()) {
        const outcome = results[i] as string
        const found = checker?.({ object: { p: value }, old: undefined, correlation: undefined, warn: () => {} }) ?? []
        expect([i, found.map(fieldErrorMessage)]).toEqual([i, wanted(rule, outcome, errors)])
      }
    },
  )

  it.each(recorded.rules.filter((rule) => rule.compile !== undefined))('refused: $rule', ({ rule, compile = '' }) => {
    const found = checkerOf(rule)?.({ object: { p: {} }, old: undefined, correlation: undefined, warn: () => {} })
    expect(found?.map((error) => error.detail)).toEqual([`rule compile error: ${compile}`])
  })

  function wanted(rule: string, outcome: string, errors: readonly string[]): string[] {
    if (outcome === '1') return []
    if (outcome === '0') return [`p: Invalid value: failed rule: ${rule}`]
    const text = errors[outcome.charCodeAt(0) - 97] as string
    if (!text.startsWith('overload ')) return [`p: Invalid value: "object": ${text} evaluating rule: ${rule}`]
    return [
      `p: Invalid value: "object": '${text.slice(9)}': call arguments did not match a supported operator, function ` +
        `or macro signature for rule: ${rule}`,
    ]
  }
})
