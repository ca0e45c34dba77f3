import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../api/json.ts'
import { t } from '../../schema/t.ts'
import { mergePatch, specOperations, type SpecOperation } from './operations.ts'

function operationsOf(fields: Parameters<typeof t.object>[0], spec: JsonObject): readonly SpecOperation[] {
  const schema = { type: 'object', properties: { spec: t.object(fields).schema } } as never
  return specOperations({ schema, sample: { spec } }).operations
}

/** The first value of each operation, by its label and class. */
function values(node: Parameters<typeof t.object>[0][string], value?: JsonObject[string]): Record<string, unknown> {
  const spec: JsonObject = value === undefined ? {} : { a: value }
  return Object.fromEntries(
    operationsOf({ a: node }, spec)
      .filter(({ path }) => path === 'spec.a')
      .map((operation) => {
        const [first] = operation.objects()
        return [`${operation.class} ${operation.id.split('/')[1]}`, (first?.['spec'] as JsonObject | undefined)?.['a']]
      }),
  )
}

describe('operations of a property', () => {
  it('a number is tried at and beyond its limits', () => {
    expect(values(t.int().min(1).max(9).default(3), 5)).toEqual({
      'change other': 6,
      'change min': 1,
      'change max': 9,
      'out-of-range below': 0,
      'out-of-range above': 10,
      'invalid type': 'a',
      'remove remove': undefined,
    })
  })

  it('a value of an enum and a boolean are each tried, but not what there is or what is the default', () => {
    expect(Object.keys(values(t.enum('A', 'B', 'C').default('B')))).toEqual([
      'set A',
      'set C',
      'invalid type',
      'invalid invalid',
    ])
    expect(Object.keys(values(t.boolean(), true))).toEqual(['change false', 'invalid type', 'remove remove'])
  })

  it('a string gets another value that fits its pattern and length, and some that do not', () => {
    const found = values(t.string().minLength(2).maxLength(10).pattern('^/[a-z]*$'), '/a')
    expect(found).toMatchObject({ 'change longest': '/aaaaaaaaa', 'out-of-range too-long': 'a'.repeat(11) })
    expect(found['change other']).toMatch(/^\/[a-z]+$/)
    expect(found['invalid invalid']).not.toMatch(/^\/[a-z]*$/)
  })

  it('lists and maps get more, fewer and too many parts', () => {
    expect(values(t.array(t.string()).maxItems(3), ['x', 'y'])).toMatchObject({
      'change more': ['x', 'y', 'example'],
      'change fewer': ['x'],
      'change empty': [],
      'out-of-range too-many': ['x', 'x', 'x', 'x'],
    })
    expect(values(t.map(t.quantity()), { cpu: 1 })).toMatchObject({ 'change more': { cpu: 1, memory: 1 } })
  })

  it('the removal of a required property must be rejected', () => {
    const removal = operationsOf({ a: t.string() }, { a: 'x' }).find(({ id }) => id === 'spec.a/remove')
    expect(removal).toMatchObject({ class: 'remove', expects: 'rejected' })
  })
})

describe('operations below a property', () => {
  it('objects, lists and maps are entered, with what they need', () => {
    const spec = t.object({ ports: t.array(t.object({ name: t.string(), port: t.int() })), more: t.map(t.string()) })
    const all = operationsOf({ a: spec }, {})
    const [first] = all.find(({ id }) => id === 'spec.a.ports[].port/other')?.objects() ?? []
    expect(first).toEqual({ spec: { a: { ports: [{ name: 'example', port: 1 }], more: { example: 'example' } } } })
    expect(all.map(({ path }) => path)).toContain('spec.a.more.*')
  })

  it('what is near a property is varied, for rules that only the server knows', () => {
    const all = operationsOf({ a: t.int().optional(), b: t.int().optional() }, { a: 1 })
    const specs = [...(all.find(({ id }) => id === 'spec.b/other')?.objects() ?? [])].map(({ spec }) => spec)
    expect(specs[0]).toEqual({ a: 1, b: 1 })
    expect(specs).toContainEqual({ b: 1 })
  })
})

it('a merge patch leads from the sample to an operation', () => {
  expect(mergePatch({ a: 1, b: { c: 1, d: 2 } }, { b: { c: 1, d: 3 }, e: [1] })).toEqual({
    a: null,
    b: { d: 3 },
    e: [1],
  })
})
