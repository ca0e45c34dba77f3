import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { deepFreeze, equalJson, isObject, setOwn, type Json, type JsonObject } from '../../api/json.ts'
import { applyMergePatch, checkMergePatch, mergePatchText } from './merge-patch.ts'

describe('applyMergePatch', () => {
  it.each<[Json, Json, Json]>([
    [{ a: 'b' }, { a: 'c' }, { a: 'c' }],
    [{ a: 'b' }, { b: 'c' }, { a: 'b', b: 'c' }],
    [{ a: 'b' }, { a: null }, {}],
    [{ a: 'b' }, { c: null }, { a: 'b' }],
    [{ a: ['b'] }, { a: 'c' }, { a: 'c' }],
    [{ a: 'c' }, { a: ['b'] }, { a: ['b'] }],
    [{ a: { b: 'c' } }, { a: { b: 'd', c: null } }, { a: { b: 'd' } }],
    [{ a: [{ b: 'c' }] }, { a: [1] }, { a: [1] }],
    [{ e: null }, { a: 1 }, { e: null, a: 1 }],
    [{}, { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
    // lists: nulls in their objects are dropped if there was no object before, and kept otherwise
    [{}, { a: [{ b: null, c: 1 }, null] }, { a: [{ c: 1 }, null] }],
    [{ a: {} }, { a: [{ b: null }] }, { a: [{ b: null }] }],
    // not objects at the top
    ['x', { a: 1, b: null }, { a: 1 }],
    [{ a: 1 }, [{ b: null }], [{}]],
  ])('%j with %j gives %j', (target, patch, expected) => {
    expect(applyMergePatch(deepFreeze(target), deepFreeze(patch))).toEqual(expected)
  })

  it('applyMergePatch gives back the target when nothing changes, and shares what did not', () => {
    const target = { metadata: { labels: { a: '1' } }, data: { k: 'v' } }
    expect(applyMergePatch(target, { data: { k: 'v', gone: null } })).toBe(target)
    const result = applyMergePatch(target, { data: { k: 'w' } }) as JsonObject
    expect(result['metadata']).toBe(target.metadata)
  })

  it('applyMergePatch refuses what is no patch', () => {
    expect(() => applyMergePatch({}, null)).toThrow('Invalid JSON Patch')
    expect(() => applyMergePatch({}, 1)).toThrow('Invalid JSON Patch')
    expect(() => checkMergePatch([])).toThrow(
      'error decoding patch: json: cannot unmarshal array into Go value of type map[string]interface {}',
    )
    expect(() => checkMergePatch(true)).toThrow('cannot unmarshal bool into')
    checkMergePatch({})
    checkMergePatch(null)
  })
})

describe('mergePatchText', () => {
  it('mergePatchText sorts keys where the patch reached and keeps the order elsewhere', () => {
    const target = {
      kind: 'ConfigMap',
      apiVersion: 'v1',
      metadata: { name: 'cm', namespace: 'default', labels: { b: '1', a: '<' } },
      data: { k: 'v' },
    }
    expect(mergePatchText(target, { data: { k: 1 } })).toBe(
      '{"apiVersion":"v1","data":{"k":1},"kind":"ConfigMap","metadata":{"name":"cm","namespace":"default",' +
        '"labels":{"b":"1","a":"\\u003c"}}}',
    )
    expect(mergePatchText(target, { metadata: {}, data: { q: { z: 1, a: null, b: [{ d: 1, c: 2 }] } } })).toBe(
      '{"apiVersion":"v1","data":{"k":"v","q":{"b":[{"c":2,"d":1}],"z":1}},"kind":"ConfigMap",' +
        '"metadata":{"labels":{"b":"1","a":"\\u003c"},"name":"cm","namespace":"default"}}',
    )
  })
})

const keys = fc.constantFrom('a', 'b', 'c', '__proto__', 'constructor')
/** Documents without null, which a merge patch cannot express. */
const json = fc.letrec<{ value: Json; object: JsonObject }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    fc.boolean(),
    fc.integer(),
    fc.string(),
    fc.array(tie('value'), { maxLength: 3 }),
    tie('object'),
  ),
  object: fc.dictionary(keys, tie('value'), { noNullPrototype: true, maxKeys: 4 }),
}))

function diff(from: JsonObject, to: JsonObject): JsonObject {
  const patch: JsonObject = {}
  for (const key of Object.keys(from)) if (!Object.hasOwn(to, key)) setOwn(patch, key, null)
  for (const [key, value] of Object.entries(to)) {
    const before = Object.hasOwn(from, key) ? (from[key] as Json) : undefined
    if (equalJson(before, value)) continue
    setOwn(patch, key, isObject(before) && isObject(value) ? diff(before, value) : value)
  }
  return patch
}

describe('laws', () => {
  it('a merge patch turns a into b by the difference of b and a, changing neither', () => {
    fc.assert(
      fc.property(json.object, json.object, (a, b) => {
        const patch = diff(a, b)
        const before = JSON.stringify([a, patch])
        const result = applyMergePatch(deepFreeze(a), deepFreeze(patch))
        expect(equalJson(result, b)).toBe(true)
        expect(equalJson(JSON.parse(mergePatchText(a, patch)), b)).toBe(true)
        expect(JSON.stringify([a, patch])).toBe(before)
        expect(applyMergePatch(result, patch)).toEqual(result)
      }),
      { numRuns: 500 },
    )
  })

  it('a merge patch leaves prototypes alone', () => {
    const patch = JSON.parse('{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}') as JsonObject
    const result = applyMergePatch({}, patch)
    expect(({} as JsonObject)['polluted']).toBeUndefined()
    expect(Object.getPrototypeOf(result)).toBe(Object.prototype)
    expect(JSON.stringify(result)).toBe(JSON.stringify(patch))
    expect(JSON.stringify(applyMergePatch(result, JSON.parse('{"__proto__":null}') as Json))).toBe(
      '{"constructor":{"prototype":{"polluted":1}}}',
    )
  })
})
