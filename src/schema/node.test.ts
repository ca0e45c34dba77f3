/** Nodes: the schema that each produces, that they are immutable, and which arguments they reject. */
import { describe, expect, it } from 'vitest'
import { columnSchema } from './columns.ts'
import { pluralOf } from './plural.ts'
import { column } from './columns.ts'
import { SchemaError } from './node.ts'
import { t } from './t.ts'

describe('nodes', () => {
  it('schema nodes write structural schemas', () => {
    expect(
      t
        .string()
        .minLength(1)
        .maxLength(2)
        .pattern(/^a\.b$/)
        .format('hostname').schema,
    ).toEqual({
      type: 'string',
      minLength: 1,
      maxLength: 2,
      pattern: '^a\\.b$',
      format: 'hostname',
    })
    expect(t.int().above(0).below(9).multipleOf(3).schema).toEqual({
      type: 'integer',
      format: 'int32',
      minimum: 0,
      exclusiveMinimum: true,
      maximum: 9,
      exclusiveMaximum: true,
      multipleOf: 3,
    })
    expect(t.int().above(0).min(1).schema).toEqual({ type: 'integer', format: 'int32', minimum: 1 })
    expect(t.enum('a', 'b').schema).toEqual({ type: 'string', enum: ['a', 'b'] })
    expect(t.literal(1.5).schema).toEqual({ type: 'number', enum: [1.5] })
    expect(t.map(t.boolean()).minProperties(1).atomic().schema).toEqual({
      type: 'object',
      additionalProperties: { type: 'boolean' },
      minProperties: 1,
      'x-kubernetes-map-type': 'atomic',
    })
    expect(t.intOrString().schema).toEqual({
      anyOf: [{ type: 'integer' }, { type: 'string' }],
      'x-kubernetes-int-or-string': true,
    })
    expect(t.object({ a: t.json(), b: t.int().optional(), c: t.int().default(0) }).open().schema).toMatchObject({
      type: 'object',
      required: ['a'],
      'x-kubernetes-preserve-unknown-fields': true,
    })
  })

  it('schema nodes keep rules in order, each with what stands beside it', () => {
    const node = t
      .object({ a: t.int() })
      .rule('self.a > 0')
      .rule('self.a < 9', { message: 'm', fieldPath: '.a', optionalOldSelf: true })
    expect(node.schema['x-kubernetes-validations']).toEqual([
      { rule: 'self.a > 0' },
      { rule: 'self.a < 9', message: 'm', fieldPath: '.a', optionalOldSelf: true },
    ])
  })

  it('an enum that may be null says so in both places, as a server checks both', () => {
    expect(t.enum('a').nullable().schema).toEqual({ type: 'string', nullable: true, enum: ['a', null] })
  })

  it('schema nodes never change', () => {
    const node = t.string()
    const longer = node.minLength(1)
    expect([node.schema, longer.schema]).toEqual([{ type: 'string' }, { type: 'string', minLength: 1 }])
    expect(node.optional().presence).toBe('optional')
    expect(node.presence).toBe('required')
    expect([t.int().default(1).optional().presence, t.int().optional().default(1).presence]).toEqual([
      'defaulted',
      'defaulted',
    ])
    const list = ['a']
    const fallback = t.array(t.string()).default(list)
    list.push('b')
    expect(fallback.schema['default']).toEqual(['a'])
    expect(() => (fallback.schema['default'] as string[]).push('c')).toThrow(TypeError)
  })

  it('an extended object keeps what else was said, and the first one', () => {
    const first = t.object({ a: t.string(), b: t.int() }).describe('d').rule('true')
    const second = first.extend({ b: t.int().optional(), c: t.boolean() })
    expect(second.schema).toEqual({
      type: 'object',
      description: 'd',
      'x-kubernetes-validations': [{ rule: 'true' }],
      required: ['a', 'c'],
      properties: { a: { type: 'string' }, b: { type: 'integer', format: 'int32' }, c: { type: 'boolean' } },
    })
    expect(first.schema['required']).toEqual(['a', 'b'])
    expect(second.extend({ d: t.int() }).schema['required']).toEqual(['a', 'c', 'd'])
  })

  const item = t.object({
    name: t.string(),
    note: t.string().optional(),
    tags: t.array(t.string()),
    no: t.string().nullable(),
  })
  it.each<[string, () => unknown, string]>([
    ['a pattern with flags', () => t.string().pattern(/a/i), 'pattern /a/i has flags'],
    ['a set of objects', () => t.array(item).set(), 'items of a set are scalars'],
    ['a set with nulls', () => t.array(t.string().nullable()).set(), 'cannot be nullable'],
    ['a map of scalars', () => t.array(t.string()).mapBy('length'), 'are objects'],
    ['a key that may be missing', () => t.array(item).mapBy('note'), 'note: a key is required or has a default'],
    ['a key that is a list', () => t.array(item).mapBy('tags'), 'tags: a key is a scalar'],
    ['a key that may be null', () => t.array(item).mapBy('no'), 'no: a key cannot be nullable'],
  ])('schema nodes refuse %s', (_, make, message) => {
    expect(make).toThrow(SchemaError)
    expect(make).toThrow(message)
  })

  it('schema nodes take sets of scalars and of atomic objects, and maps by keys with a default', () => {
    expect(t.array(t.intOrString()).set().schema['x-kubernetes-list-type']).toBe('set')
    expect(t.array(t.objectReference()).set().schema['x-kubernetes-list-type']).toBe('set')
    expect(t.array(t.object({ port: t.int().default(1) })).mapBy('port').schema['x-kubernetes-list-map-keys']).toEqual([
      'port',
    ])
  })
})

describe('plurals', () => {
  it.each([
    ['WebApp', 'webapps'],
    ['Gateway', 'gateways'],
    ['Policy', 'policies'],
    ['Certificate', 'certificates'],
    ['Queue', 'queues'],
    ['Version', 'versions'],
    ['Cron', 'crons'],
    ['Key', 'keys'],
    ['Topic', 'topics'],
  ])('the plural of %s is %s', (kind, plural) => {
    expect(pluralOf(kind)).toBe(plural)
  })

  it.each([
    'Status',
    'Endpoints',
    'Index',
    'Quiz',
    'Mesh',
    'Batch',
    'Hero',
    'Leaf',
    'Knife',
    'Metadata',
    'Medium',
    'Criterion',
    'Person',
    'Model3',
    'Wiki',
  ])('the plural of of %s is never guessed', (kind) => {
    expect(() => pluralOf(kind)).toThrow(SchemaError)
  })
})

describe('columns', () => {
  const spec = t.object({ n: t.number(), at: t.time(), m: t.map(t.int()), any: t.json(), list: t.array(t.int()) })
  const root = { type: 'object', properties: { spec: spec.schema } }
  it.each([
    ['.spec.n', 'number'],
    ['.spec.at', 'date'],
    ['.spec.m.key', 'integer'],
    ['.spec.any.thing.below', 'string'],
    ['.spec.list', 'string'],
    ['.spec.list[0]', 'string'],
    ['.metadata.generation', 'integer'],
    ['.metadata.deletionTimestamp', 'date'],
    ['.metadata.namespace', 'string'],
  ])('a printer column of %s has the type %s', (path, type) => {
    expect(columnSchema(column('X', path), root)).toEqual({ name: 'X', jsonPath: path, type })
  })

  it('a printer column has the options that it was given', () => {
    expect(columnSchema(column('X', '.spec.n', { type: 'string', priority: 1, description: 'd' }), root)).toEqual({
      name: 'X',
      jsonPath: '.spec.n',
      type: 'string',
      priority: 1,
      description: 'd',
    })
  })
})
