import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  anything,
  differentFrom,
  equalTo,
  exactly,
  hasForm,
  listOf,
  mapOf,
  noFields,
  noItems,
  sameType,
} from './json-form.ts'
import { cloneJson, deepFreeze, type Json, type JsonObject } from './json.ts'

describe('the form of a JSON value', () => {
  it.each<[string, Parameters<typeof hasForm>[1], Json[], Json[]]>([
    ['anything', anything, [null, 1, {}, []], []],
    ['the same type', sameType('a'), ['b', ''], [1, null, ['a']]],
    ['equal', equalTo({ a: [1] }), [{ a: [1] }], [{ a: [2] }, null, {}]],
    ['null', equalTo(null), [null], [0, {}]],
    ['different', differentFrom(0), [1, null, {}], [0]],
    ['no items', noItems, [[], null, {}, 'a'], [[1]]],
    ['no fields', noFields, [{}, null, [], 'a'], [{ a: 1 }]],
    [
      'a map',
      mapOf({ a: 1, b: 2 }, () => anything),
      [{ a: 2, b: null }],
      [{ b: 1, a: 1 }, { a: 1 }, { a: 1, b: 1, c: 1 }, []],
    ],
    ['a list', listOf([1, 2], () => sameType(1)), [[3, 4]], [[1], [1, 2, 3], [1, 'a'], { 0: 1, 1: 2 }]],
    ['inherited names', mapOf({ constructor: 1 }, () => anything), [{ constructor: 2 }], [{}]],
  ])('%s', (_, form, having, others) => {
    expect(having.map((value) => hasForm(value, form))).toEqual(having.map(() => true))
    expect(others.map((value) => hasForm(value, form))).toEqual(others.map(() => false))
  })

  it('the form of a JSON value tells exactly equal values from all others', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 4 }), fc.jsonValue({ maxDepth: 4 }), (a, b) => {
        const one = a as Json
        const other = b as Json
        expect(hasForm(cloneJson(one), exactly(one))).toBe(true)
        expect(hasForm(other, exactly(one))).toBe(JSON.stringify(other) === JSON.stringify(one))
      }),
    )
  })

  it('the form of a JSON value keeps nothing of a value that may change, and recognises a frozen one', () => {
    const value: JsonObject = { list: [1, 2, 3, 4], map: { a: { b: 1 }, c: [], d: 1, e: 2 } }
    const form = exactly(value)
    ;(value['map'] as JsonObject)['a'] = 1
    expect(hasForm(value, form)).toBe(false)
    const frozen = deepFreeze({ list: [1, 2, 3, 4], map: { a: { b: 1 }, c: [], d: 1, e: 2 } })
    expect(hasForm(frozen, form)).toBe(true)
    expect(form.lastFrozen).toBe(frozen)
    expect(hasForm(frozen, form)).toBe(true)
    expect(hasForm({ ...frozen, list: [] }, form)).toBe(false)
    expect(form.size).toBe(12)
  })
})
