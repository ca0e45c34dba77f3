import { describe, expect, it } from 'vitest'
import { fieldErrorMessage } from '../api/field-error.ts'
import type { Json, JsonObject } from '../api/json.ts'
import { Correlation } from './correlation.ts'
import { listTypeErrors } from './list-types.ts'
import { compileSchema } from './schema.ts'
import { validateValue } from './validate.ts'

function errors(schema: JsonObject, value: Json, path = ''): string[] {
  return validateValue(compileSchema(schema), value, { path }).map(fieldErrorMessage)
}

const of = (spec: JsonObject): JsonObject => ({ type: 'object', properties: { a: spec } })

describe('checks of values', () => {
  it.each<[string, JsonObject, Json, string[]]>([
    ['type', { type: 'string' }, 1, ['a: Invalid value: "integer": a in body must be of type string: "integer"']],
    ['type of null', { type: 'string' }, null, ['a: Invalid value: "null": a in body must be of type string: "null"']],
    ['nullable', { type: 'string', nullable: true }, null, []],
    [
      'int-or-string',
      { 'x-kubernetes-int-or-string': true },
      true,
      ['a: Invalid value: "boolean": a in body must be of type integer,string: "boolean"'],
    ],
    [
      'whole float is an integer',
      { type: 'integer' },
      1e20,
      ['a: Invalid value: "number": a in body must be of type integer: "number"'],
    ],
    [
      'enum',
      { type: 'string', enum: ['red', 'blue'] },
      'green',
      ['a: Unsupported value: "green": supported values: "red", "blue"'],
    ],
    [
      'enum of numbers',
      { type: 'number', enum: [1, 2.5] },
      3,
      ['a: Unsupported value: 3: supported values: "1", "2.5"'],
    ],
    ['enum cuts fractions, as upstream', { type: 'number', enum: [1] }, 1.5, []],
    [
      'maximum',
      { type: 'integer', maximum: 10 },
      11,
      ['a: Invalid value: 11: a in body should be less than or equal to 10'],
    ],
    [
      'maximum of a float in Go’s notation',
      { type: 'number', maximum: 1000000 },
      1000000.5,
      ['a: Invalid value: 1.0000005e+06: a in body should be less than or equal to 1e+06'],
    ],
    ['bounds are cut for integers', { type: 'integer', minimum: 0.5 }, 0, []],
    [
      'exclusive',
      { type: 'integer', minimum: 1, exclusiveMinimum: true },
      1,
      ['a: Invalid value: 1: a in body should be greater than 1'],
    ],
    ['multipleOf', { type: 'integer', multipleOf: 5 }, 7, ['a: Invalid value: 7: a in body should be a multiple of 5']],
    [
      'multipleOf a fraction',
      { type: 'number', multipleOf: 0.1 },
      0.25,
      ['a: Invalid value: 0.25: a in body should be a multiple of 0.1'],
    ],
    ['maxLength counts characters', { type: 'string', maxLength: 1 }, '😀', []],
    ['maxLength', { type: 'string', maxLength: 1 }, 'ab', ['a: Too long: may not be more than 1 byte']],
    [
      'minLength',
      { type: 'string', minLength: 2 },
      'a',
      ['a: Invalid value: "a": a in body should be at least 2 chars long'],
    ],
    [
      'pattern',
      { type: 'string', pattern: '^[a-z]+$' },
      'A',
      ['a: Invalid value: "A": a in body should match \'^[a-z]+$\''],
    ],
    ['format', { type: 'string', format: 'ipv4' }, 'x', ['a: Invalid value: "x": a in body must be of type ipv4: "x"']],
    ['unknown format', { type: 'string', format: 'int32' }, 'x', []],
    [
      'minItems',
      { type: 'array', items: {}, minItems: 1 },
      [],
      ['a: Invalid value: 0: a in body should have at least 1 items'],
    ],
    ['maxItems', { type: 'array', items: {}, maxItems: 1 }, [1, 2], ['a: Too many: 2: must have at most 1 item']],
    [
      'items',
      { type: 'array', items: { type: 'string' } },
      ['x', 1],
      ['a[1]: Invalid value: "integer": a[1] in body must be of type string: "integer"'],
    ],
    ['required', { type: 'object', required: ['b'] }, {}, ['a.b: Required value']],
    [
      'minProperties',
      { type: 'object', minProperties: 1 },
      {},
      ['a: Invalid value: 0: a in body should have at least 1 properties'],
    ],
    [
      'additionalProperties',
      { type: 'object', additionalProperties: { type: 'string' } },
      { k: 1 },
      ['a.k: Invalid value: "integer": a.k in body must be of type string: "integer"'],
    ],
    [
      'anyOf',
      { type: 'string', anyOf: [{ enum: ['x'] }, { maxLength: 1 }] },
      'yy',
      [
        '<nil>: Invalid value: "": "a" must validate at least one schema (anyOf)',
        'a: Unsupported value: "yy": supported values: "x"',
      ],
    ],
    [
      'oneOf',
      { type: 'integer', oneOf: [{ minimum: 1 }, { minimum: 2 }] },
      3,
      ['<nil>: Invalid value: "": "a" must validate one and only one schema (oneOf). Found 2 valid alternatives'],
    ],
    [
      'allOf',
      { type: 'integer', allOf: [{ minimum: 5 }] },
      3,
      [
        'a: Invalid value: 3: a in body should be greater than or equal to 5',
        '<nil>: Invalid value: "": "a" must validate all the schemas (allOf). None validated',
      ],
    ],
    [
      'not',
      { type: 'integer', not: { minimum: 1 } },
      1,
      ['<nil>: Invalid value: "": "a" must not validate the schema (not)'],
    ],
  ])('%s', (_, schema, value, expected) => {
    expect(errors(of(schema), { a: value })).toEqual(expected)
  })

  it('validation reports below a path', () => {
    expect(errors({ type: 'object' }, 5, 'status')).toEqual([
      'status: Invalid value: "integer":  in body must be of type object: "integer"',
    ])
    expect(errors(of({ type: 'string' }), { a: 1 }, 'status')).toEqual([
      'status.a: Invalid value: "integer": a in body must be of type string: "integer"',
    ])
  })

  it('validation reports many errors in time', () => {
    const list = Array.from({ length: 20_000 }, (_, i) => i)
    expect(errors(of({ type: 'array', items: { type: 'string' } }), { a: list })).toHaveLength(20_000)
  }, 2_000)
})

describe('ratcheting', () => {
  const schema = compileSchema(
    of({
      type: 'object',
      required: ['must'],
      properties: {
        must: { type: 'string' },
        name: { type: 'string', maxLength: 1 },
        list: { type: 'array', items: { type: 'string', maxLength: 1 } },
        map: {
          type: 'array',
          'x-kubernetes-list-type': 'map',
          'x-kubernetes-list-map-keys': ['k'],
          items: { type: 'object', properties: { k: { type: 'string' }, v: { type: 'string', maxLength: 1 } } },
        },
      },
    }),
  )
  const update = (old: JsonObject, value: JsonObject) =>
    validateValue(schema, { a: value }, { correlation: new Correlation({ a: value }, { a: old }, schema) }).map(
      fieldErrorMessage,
    )

  it('ratcheting forgives what did not change', () => {
    expect(update({ must: '', name: 'long' }, { must: 'x', name: 'long' })).toEqual([])
    expect(update({ must: '', name: 'long' }, { must: 'x', name: 'other' })).toEqual([
      'a.name: Too long: may not be more than 1 byte',
    ])
  })

  it('ratcheting does not forgive a missing field in an object that changed', () => {
    expect(update({ name: 'x' }, { name: 'x' })).toEqual([])
    expect(update({ name: 'x' }, { name: 'y' })).toEqual(['a.must: Required value'])
  })

  it('ratcheting finds items of map lists by their keys, whatever their place', () => {
    const old = {
      must: '',
      map: [
        { k: 'a', v: 'long' },
        { k: 'b', v: 'x' },
      ],
    }
    expect(
      update(old, {
        must: '',
        map: [
          { k: 'b', v: 'y' },
          { k: 'a', v: 'long' },
        ],
      }),
    ).toEqual([])
    expect(update(old, { must: '', map: [{ k: 'c', v: 'long' }] })).toEqual([
      'a.map[0].v: Too long: may not be more than 1 byte',
    ])
  })

  it('ratcheting takes other lists as a whole', () => {
    const old = { must: '', list: ['long'] }
    expect(update(old, { must: 'x', list: ['long'] })).toEqual([])
    expect(update(old, { must: 'x', list: ['long', 'y'] })).toEqual([
      'a.list[0]: Too long: may not be more than 1 byte',
    ])
  })
})

describe('list types', () => {
  const duplicates = (schema: JsonObject, value: Json) =>
    listTypeErrors({ a: value }, compileSchema(of(schema))).map(fieldErrorMessage)

  it('validation of list types reports the second of equal values', () => {
    const set = { type: 'array', 'x-kubernetes-list-type': 'set', items: { type: 'string' } }
    expect(duplicates(set, ['a', 'b', 'a', 'a', 'b'])).toEqual([
      'a[2]: Duplicate value: "a"',
      'a[4]: Duplicate value: "b"',
    ])
  })

  it('validation of list types reports the keys of a map', () => {
    const map = {
      type: 'array',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['port', 'protocol'],
      items: { type: 'object', properties: { port: { type: 'integer' }, protocol: { type: 'string' } } },
    }
    expect(
      duplicates(map, [
        { port: 1, protocol: 'TCP', x: 1 },
        { port: 1, protocol: 'TCP' },
      ]),
    ).toEqual(['a[1]: Duplicate value: {"port":1,"protocol":"TCP"}'])
    expect(duplicates(map, [{}, {}])).toEqual(['a[1]: Duplicate value: {}'])
    expect(duplicates(map, [{ x: 1 }, null])).toEqual(['a[1]: Duplicate value: {}'])
    expect(duplicates(map, ['x'])).toEqual([
      'a[0]: Invalid value: "x": must be an object for an array of list-type map',
    ])
  })
})
