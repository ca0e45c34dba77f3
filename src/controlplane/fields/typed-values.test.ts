/** The functions on typed values that apply consists of: fields of a configuration, merge and removal. */
import { describe, expect, it } from 'vitest'
import { deepFreeze, type Json, type JsonObject } from '../../api/json.ts'
import { any, type FieldShape, type Shape } from '../../shape/shape.ts'
import { configurationFields } from './configuration-fields.ts'
import { parseFieldSet } from './field-set.ts'
import { mergeConfiguration } from './merge.ts'
import { removeFields } from './remove.ts'
import { withNamedFields } from './schema-change.ts'

const text: Shape = { type: 'scalar', scalar: 'string' }
const struct = (fields: Record<string, Shape>): Shape => ({
  type: 'struct',
  name: '',
  atomic: false,
  preserveUnknown: false,
  fields: new Map(
    Object.entries(fields).map(([name, shape]): [string, FieldShape] => [
      name,
      { name, shape, required: false, emit: 'set', patchStrategy: [] },
    ]),
  ),
})
const shape = struct({
  s: text,
  free: any,
  part: struct({ p: text, q: text }),
  parts: { type: 'map', atomic: false, values: struct({ p: text, q: text }) },
  set: { type: 'list', items: text, ownership: 'set', keys: [] },
  items: { type: 'list', items: struct({ id: text, x: text }), ownership: 'map', keys: ['id'] },
  block: { type: 'list', items: any, ownership: 'atomic', keys: [] },
  lump: { type: 'map', values: text, atomic: true },
})

describe('what a configuration names', () => {
  it.each<[JsonObject, JsonObject]>([
    [
      { s: 'x', part: { p: '1' } },
      { 'f:s': {}, 'f:part': { 'f:p': {} } },
    ],
    [
      { s: null, part: {}, parts: null },
      { 'f:s': {}, 'f:part': {}, 'f:parts': {} },
    ],
    [{ parts: { a: { p: '1' }, b: {} } }, { 'f:parts': { 'f:a': { '.': {}, 'f:p': {} }, 'f:b': {} } }],
    [
      { free: { a: { b: 1 }, c: [{ d: 1 }], e: null } },
      { 'f:free': { 'f:a': { '.': {}, 'f:b': {} }, 'f:c': {}, 'f:e': {} } },
    ],
    [{ free: 'x' }, { 'f:free': {} }],
    [{ free: [] }, { 'f:free': {} }],
    [{ set: ['b', 'a'] }, { 'f:set': { 'v:"a"': {}, 'v:"b"': {} } }],
    [{ set: [], items: [] }, {}],
    [
      { items: [{ id: 'i', x: '1' }, { id: 'j' }] },
      { 'f:items': { 'k:{"id":"i"}': { '.': {}, 'f:id': {}, 'f:x': {} }, 'k:{"id":"j"}': { '.': {}, 'f:id': {} } } },
    ],
    [{ items: [{ id: 'i', x: '1' }, { id: 'i' }] }, { 'f:items': { 'k:{"id":"i"}': {} } }],
    [
      { block: [{ a: 1 }], lump: {} },
      { 'f:block': {}, 'f:lump': {} },
    ],
  ])('%j', (value, fields) => {
    expect(configurationFields(shape, value)).toEqual(fields)
    expect(parseFieldSet(JSON.parse(JSON.stringify(configurationFields(shape, value))) as JsonObject)).toEqual(
      configurationFields(shape, value),
    )
  })

  it('the field set of a configuration counts the declared fields on the way, but no free keys and no items', () => {
    const fields = configurationFields(shape, {
      part: { p: '1' },
      parts: { a: { p: '1' } },
      items: [{ id: 'i' }],
      free: { a: { b: 1 } },
    })
    expect(withNamedFields(parseFieldSet({ 'f:items': { 'k:{"id":"i"}': { 'f:x': {} } } }), shape)).toEqual({
      'f:items': { '.': {}, 'k:{"id":"i"}': { 'f:x': {} } },
    })
    expect(withNamedFields(fields, shape)).toMatchObject({
      'f:part': { '.': {}, 'f:p': {} },
      'f:parts': { '.': {} },
      'f:free': { '.': {} },
    })
  })
})

describe('merge', () => {
  it.each<[JsonObject, JsonObject, JsonObject]>([
    [
      { s: '1', part: { p: '1' } },
      { s: '2', part: { q: '2' } },
      { s: '2', part: { p: '1', q: '2' } },
    ],
    [
      { part: { p: '1' }, set: ['a'] },
      { part: null, set: null },
      { part: { p: '1' }, set: ['a'] },
    ],
    [
      { part: {}, set: [], s: '1' },
      { part: null, set: null, s: null },
      { part: null, set: null, s: null },
    ],
    [{ part: null }, { part: { p: '1' } }, { part: { p: '1' } }],
    [{ free: { a: 1, b: { c: 1 } } }, { free: { a: { x: 1 }, b: 'text' } }, { free: { a: { x: 1 }, b: 'text' } }],
    [{ free: { a: { x: 1 }, b: [1] } }, { free: { a: null, b: null } }, { free: { a: { x: 1 }, b: null } }],
    [
      { block: [1, 2], lump: { a: '1' } },
      { block: [3], lump: { b: '1' } },
      { block: [3], lump: { b: '1' } },
    ],
    [
      { items: [{ id: 'i', x: '1' }] },
      { items: [{ id: 'j' }, { id: 'i' }] },
      { items: [{ id: 'j' }, { id: 'i', x: '1' }] },
    ],
    // A live item with a duplicate key is replaced as a whole, and the next item of the configuration follows it.
    [
      { items: [{ id: 'a', x: '1' }, { id: 'a' }, { id: 'x' }] },
      { items: [{ id: 'a' }, { id: 'n' }] },
      { items: [{ id: 'a' }, { id: 'n' }, { id: 'x' }] },
    ],
  ])('%j and %j', (live, config, merged) => {
    const before = JSON.stringify([live, config])
    expect(mergeConfiguration(shape, live, config)).toEqual(merged)
    expect(JSON.stringify([live, config])).toBe(before)
  })

  it('merge returns what is live when it has it all, and shares what it does not change', () => {
    const live = deepFreeze<JsonObject>({
      s: '1',
      part: { p: '1' },
      items: [{ id: 'i', x: '1' }],
      free: { a: [1] },
      block: [{ a: 1 }],
    })
    expect(
      mergeConfiguration(shape, live, { block: [{ a: 1 }], items: [{ id: 'i' }], free: { a: [1] }, part: {} }),
    ).toBe(live)
    const merged = mergeConfiguration(shape, live, { s: '2' })
    expect(merged['items']).toBe(live['items'])
  })

  it('merge keeps __proto__ a key', () => {
    const merged = mergeConfiguration(
      shape,
      { free: { a: 1 } },
      JSON.parse('{"free":{"__proto__":{"polluted":1}}}') as JsonObject,
    )
    expect(JSON.stringify(merged)).toBe('{"free":{"a":1,"__proto__":{"polluted":1}}}')
    expect('polluted' in {}).toBe(false)
  })
})

describe('removal', () => {
  const value: JsonObject = {
    s: '1',
    part: { p: '1', q: '1' },
    set: ['a', 'b'],
    items: [{ id: 'i', x: '1' }, { id: 'j' }],
    free: { a: { b: 1 }, c: [1] },
    block: [1],
    lump: { a: '1' },
  }
  it.each<[JsonObject, Record<string, Json | undefined>]>([
    [{ 'f:s': {} }, { s: undefined }],
    [{ 'f:part': { 'f:p': {} } }, { part: { q: '1' } }],
    [{ 'f:part': { 'f:p': {}, 'f:q': {} } }, { part: null }],
    [{ 'f:set': { 'v:"a"': {} } }, { set: ['b'] }],
    [{ 'f:set': { 'v:"a"': {}, 'v:"b"': {} } }, { set: null }],
    [{ 'f:items': { 'k:{"id":"i"}': { 'f:x': {} }, 'k:{"id":"j"}': {} } }, { items: [{ id: 'i' }] }],
    [{ 'f:free': { 'f:a': { 'f:b': {} } } }, { free: { a: null, c: [1] } }],
    [{ 'f:free': { 'f:c': { 'i:0': {} } } }, { free: { a: { b: 1 }, c: null } }],
    [
      { 'f:block': { 'i:0': {} }, 'f:lump': { 'f:a': {} }, 'f:s': { 'f:t': {} } },
      { block: null, lump: null },
    ],
  ])('%j', (paths, changed) => {
    const expected = JSON.parse(JSON.stringify({ ...value, ...changed })) as Json
    expect(removeFields(shape, deepFreeze(value), parseFieldSet(paths))).toEqual(expected)
  })
})
