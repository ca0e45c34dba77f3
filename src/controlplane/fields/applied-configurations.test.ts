import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { cloneJson, type Json, type JsonObject } from '../../api/json.ts'
import { any, type FieldShape, type Shape } from '../../shape/shape.ts'
import { configurationFields } from './configuration-fields.ts'
import { rootTree } from './field-tree.ts'
import { AppliedConfigurations } from './applied-configurations.ts'
import { validateTyped } from './validate.ts'

const text: Shape = { type: 'scalar', scalar: 'string' }
const number: Shape = { type: 'scalar', scalar: 'integer' }
const struct = (fields: Record<string, Shape>, atomic = false): Shape => ({
  type: 'struct',
  name: '',
  atomic,
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
  n: number,
  free: any,
  part: struct({ p: text, q: number }),
  labels: { type: 'map', atomic: false, values: text },
  set: { type: 'list', items: text, ownership: 'set', keys: [] },
  items: { type: 'list', items: struct({ id: any, x: text }), ownership: 'map', keys: ['id'] },
  block: { type: 'list', items: text, ownership: 'atomic', keys: [] },
  lump: struct({ a: text }, true),
})

/** The result without a memo. */
function fieldsAnew(value: JsonObject): unknown {
  return validateTyped(shape, value) === undefined ? configurationFields(shape, value) : 'does not fit'
}

function apply(recent: AppliedConfigurations, value: JsonObject): { known: unknown; anew: unknown } {
  const known = recent.fieldsOf(value)
  const anew = fieldsAnew(value)
  if (known === undefined && anew !== 'does not fit')
    recent.remember(rootTree(shape), value, configurationFields(shape, value))
  return { known, anew }
}

const scalar = fc.constantFrom<Json>('a', 'b', 1, 2, true, null)
const object = (names: readonly string[], value: fc.Arbitrary<Json>): fc.Arbitrary<JsonObject> =>
  fc.array(fc.tuple(fc.constantFrom(...names), value), { maxLength: 2 }).map((pairs) => Object.fromEntries(pairs))
const oneOf = (...values: fc.Arbitrary<Json>[]): fc.Arbitrary<Json> => fc.oneof(...values)
const items = fc.array(oneOf(object(['id', 'x'], oneOf(scalar, fc.constantFrom<Json>({ y: 1 }, { y: 2 }))), scalar), {
  maxLength: 2,
})
const field: fc.Arbitrary<Json> = oneOf(
  scalar,
  items,
  object(['p', 'q', 'a', 'b'], oneOf(scalar, fc.constantFrom<Json>([], {}, ['a']))),
)
const word = fc.constantFrom('a', 'b')
const fitting: Readonly<Record<string, fc.Arbitrary<Json>>> = {
  s: word,
  n: fc.constantFrom(1, 2),
  free: field,
  labels: object(['a', 'b'], word),
  set: fc.array(word, { maxLength: 2 }),
  items: fc.array(
    fc.tuple(fc.constantFrom<Json>('i', 'j', 1), word).map(([id, x]): Json => ({ id, x })),
    { maxLength: 2 },
  ),
  block: fc.array(word, { maxLength: 2 }),
  lump: object(['a'], word),
}
const fields = Object.entries(fitting).map(([name, value]) => fc.tuple(fc.constant(name), value))
/** One field, so that forms repeat; mostly a valid one. */
const configuration = fc.oneof(
  { weight: 4, arbitrary: fc.oneof(...fields).map(([name, value]): JsonObject => ({ [name]: value })) },
  { weight: 1, arbitrary: object([...Object.keys(fitting), 'part', 'other'], field) },
)

describe('configurations that were applied a moment ago', () => {
  it('configurations that were applied a moment ago never say anything else than a walk over the configuration', () => {
    let hits = 0
    fc.assert(
      fc.property(fc.array(configuration, { minLength: 2, maxLength: 12 }), (values) => {
        const recent = new AppliedConfigurations()
        for (const value of values) {
          const { known, anew } = apply(recent, value)
          if (known === undefined) continue
          hits++
          expect(known).toEqual(anew)
        }
      }),
      { numRuns: 2000 },
    )
    expect(hits).toBeGreaterThan(0)
  })

  it.each<[JsonObject, JsonObject, boolean]>([
    [{ s: 'a', n: 1, part: { p: 'a' } }, { s: 'b', n: 2, part: { p: 'b' } }, true],
    [{ block: ['a'], lump: { a: 'x' } }, { block: ['b'], lump: { a: 'y' } }, true],
    [{ items: [{ id: 'i', x: '1' }] }, { items: [{ id: 'i', x: '2' }] }, true],
    [{ s: 'a' }, { s: null }, false],
    [{ s: 'a' }, { s: 1 }, false],
    [{ part: { p: 'a' } }, { part: {} }, false],
    [{ part: { p: 'a' } }, { part: { p: 'a', q: 1 } }, false],
    [{ items: [{ id: 'i' }] }, { items: [{ id: 'j' }] }, false],
    [{ items: [{ id: 'i' }] }, { items: [{ id: 'i' }, { id: 'i' }] }, false],
    [{ items: [{ id: { k: 1 } }] }, { items: [{ id: { k: 1 } }] }, false],
    [{ set: ['a'] }, { set: ['b'] }, false],
    [{ free: { a: [1] } }, { free: { a: { b: 1 } } }, false],
  ])('%j, then %j', (first, second, isKnown) => {
    const recent = new AppliedConfigurations()
    apply(recent, first)
    expect(recent.fieldsOf(second) !== undefined).toBe(isKnown)
  })

  it('a memo of configurations keeps nothing that the sender may change', () => {
    const recent = new AppliedConfigurations()
    const value = { items: [{ id: 'i', x: '1' }], free: { a: { b: 1 } } }
    const before = cloneJson<Json>(value) as JsonObject
    apply(recent, value)
    value.items.push({ id: 'j', x: '1' })
    expect(recent.fieldsOf(value)).toBeUndefined()
    expect(recent.fieldsOf(before)).toEqual(fieldsAnew(before))
  })

  it('configurations that were applied a moment ago remembers no large ones', () => {
    const recent = new AppliedConfigurations()
    const value = { labels: Object.fromEntries(Array.from({ length: 600 }, (_, i) => [`k${i}`, 'v'])) }
    apply(recent, value)
    expect(recent.fieldsOf(value)).toBeUndefined()
  })
})
