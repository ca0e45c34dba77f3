import { describe, expect, it } from 'vitest'
import type { Json, JsonObject } from '../api/json.ts'
import { applyDefaults } from './default.ts'
import { decodeCustom } from './decode.ts'
import { compileSchema } from './schema.ts'

function decode(spec: JsonObject, value: Json, rest: JsonObject = {}) {
  const schema = compileSchema({ type: 'object', properties: { spec } })
  return decodeCustom({ apiVersion: 'a/v1', kind: 'A', metadata: { name: 'x' }, spec: value, ...rest }, schema)
}

describe('pruning', () => {
  it('pruning drops what the schema does not know and reports the paths, sorted', () => {
    const { object, unknown } = decode(
      {
        type: 'object',
        properties: { a: { type: 'array', items: { type: 'object', properties: { b: { type: 'string' } } } } },
      },
      { z: 1, a: [{ b: 'x', c: 1 }, { d: { e: 1 } }] },
      { extra: true },
    )
    expect(object['spec']).toEqual({ a: [{ b: 'x' }, {}] })
    expect(unknown).toEqual(['extra', 'spec.a[0].c', 'spec.a[1].d', 'spec.z'])
  })

  it('pruning keeps unknown fields where the schema says so, but prunes below what it describes', () => {
    const { object, unknown } = decode(
      {
        type: 'object',
        'x-kubernetes-preserve-unknown-fields': true,
        properties: { known: { type: 'object', properties: {} } },
      },
      { free: { deep: [1, null] }, known: { x: 1 } },
    )
    expect(object['spec']).toEqual({ free: { deep: [1, null] }, known: {} })
    expect(unknown).toEqual(['spec.known.x'])
  })

  it('pruning empties objects under additionalProperties: true', () => {
    const { object, unknown } = decode({ type: 'object', additionalProperties: true }, { a: { b: 1 }, c: 2 })
    expect(object['spec']).toEqual({ a: {}, c: 2 })
    expect(unknown).toEqual(['spec.a.b'])
  })

  it('pruning shares nothing with the body', () => {
    const body = { a: { b: [1] } }
    const { object } = decode({ type: 'object', 'x-kubernetes-preserve-unknown-fields': true }, body)
    ;((object['spec'] as JsonObject)['a'] as JsonObject)['b'] = 2
    expect(body).toEqual({ a: { b: [1] } })
  })

  it('pruning treats names of Object.prototype as data', () => {
    const body = JSON.parse('{"__proto__": {"polluted": 1}, "constructor": 1}') as JsonObject
    const kept = decode({ type: 'object', 'x-kubernetes-preserve-unknown-fields': true }, body)
    expect(Object.keys(kept.object['spec'] as object)).toEqual(['__proto__', 'constructor'])
    expect(decode({ type: 'object', properties: {} }, body).unknown).toEqual(['spec.__proto__', 'spec.constructor'])
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined()
  })
})

describe('nulls', () => {
  it('decoding drops nulls that are neither allowed nor replaced by a default', () => {
    const { object } = decode(
      {
        type: 'object',
        properties: {
          plain: { type: 'string' },
          nullable: { type: 'string', nullable: true },
          defaulted: { type: 'string', default: 'd' },
          list: { type: 'array', items: { type: 'string' } },
        },
      },
      { plain: null, nullable: null, defaulted: null, list: [null] },
    )
    expect(object['spec']).toEqual({ nullable: null, defaulted: null, list: [null] })
  })
})

describe('metadata', () => {
  it('metadata is decoded as its type', () => {
    const { object, unknown } = decode({ type: 'object' }, {}, { metadata: { name: 'x', labels: {}, foo: 1 } })
    expect(object.metadata).toEqual({ name: 'x' })
    expect(unknown).toEqual(['metadata.foo'])
  })

  it('metadata is refused in upstream’s words', () => {
    expect(() => decode({ type: 'object' }, {}, { metadata: { labels: { a: 1 } } })).toThrow(
      'json: cannot unmarshal number into Go struct field ObjectMeta.labels of type string',
    )
    expect(() => decode({ type: 'object' }, {}, { metadata: 'x' })).toThrow(
      'json: cannot unmarshal string into Go value of type v1.ObjectMeta',
    )
  })

  it('metadata of embedded resources is decoded as its type, too', () => {
    const embedded = {
      type: 'object',
      properties: {
        pod: { type: 'object', 'x-kubernetes-embedded-resource': true, 'x-kubernetes-preserve-unknown-fields': true },
      },
    }
    const ok = decode(embedded, {
      pod: { apiVersion: 'v1', kind: 'Pod', metadata: { foo: 1, name: 'p' }, spec: { x: 1 } },
    })
    expect(ok.object['spec']).toEqual({
      pod: { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p' }, spec: { x: 1 } },
    })
    expect(ok.unknown).toEqual(['spec.pod.metadata.foo'])
    expect(() => decode(embedded, { pod: { apiVersion: 1 } })).toThrow(
      'spec.pod.apiVersion: Invalid value: 1: must be a string',
    )
    expect(() => decode(embedded, { pod: { metadata: { labels: { a: 1 } } } })).toThrow(
      'spec.pod.metadata: Invalid value: {"labels":{"a":1}}: json: cannot unmarshal number into Go struct ' +
        'field ObjectMeta.labels of type string',
    )
  })
})

describe('defaults', () => {
  const schema = compileSchema({
    type: 'object',
    properties: {
      a: {
        type: 'object',
        default: {},
        properties: { b: { type: 'integer', default: 1 }, n: { type: 'string', nullable: true, default: 'x' } },
      },
      list: { type: 'array', items: { type: 'object', properties: { p: { type: 'string', default: 'TCP' } } } },
      map: {
        type: 'object',
        additionalProperties: { type: 'object', properties: { q: { type: 'string', default: 'y' } } },
      },
    },
  })

  it('defaults fill what is absent or null, and then what is below them', () => {
    const value: JsonObject = { list: [{}, { p: 'UDP' }, { p: null }], map: { k: {} } }
    applyDefaults(value, schema)
    expect(value).toEqual({
      a: { b: 1, n: 'x' },
      list: [{ p: 'TCP' }, { p: 'UDP' }, { p: 'TCP' }],
      map: { k: { q: 'y' } },
    })
  })

  it('defaults leave a null where it is allowed, and change nothing the second time', () => {
    const value: JsonObject = { a: { n: null, b: 5 } }
    applyDefaults(value, schema)
    const once = structuredClone(value)
    applyDefaults(value, schema)
    expect(once).toEqual({ a: { n: null, b: 5 } })
    expect(value).toEqual(once)
  })

  it('defaults are not shared between objects', () => {
    const [first, second]: [JsonObject, JsonObject] = [{}, {}]
    applyDefaults(first, schema)
    applyDefaults(second, schema)
    expect(first['a']).not.toBe(second['a'])
  })
})
