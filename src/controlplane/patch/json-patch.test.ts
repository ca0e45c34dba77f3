import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { deepFreeze, type Json } from '../../api/json.ts'
import { ApiError } from '../../api/status.ts'
import { applyJsonPatch, jsonPatchText, jsonPatchWarnings } from './json-patch.ts'

const document = deepFreeze({
  metadata: { name: 'cm', labels: { b: '1', a: '2' } },
  data: { k: 'v' },
  list: ['x', 'y', 'z'],
  none: null,
})

function patched(...operations: Json[]): Json {
  return applyJsonPatch(document, operations)
}

function failure(run: () => unknown): { code: number; reason: string; message: string } {
  try {
    run()
  } catch (error) {
    if (error instanceof ApiError) return { code: error.code, reason: error.reason, message: error.message }
    throw error
  }
  throw new Error('nothing was thrown')
}

const unprocessable = {
  code: 422,
  reason: 'Invalid',
  message: 'the server rejected our request due to an error in our request',
}

describe('operations', () => {
  it.each<[string, Json, Json]>([
    ['add a field', { op: 'add', path: '/data/z', value: '1' }, { data: { k: 'v', z: '1' } }],
    ['add over a field', { op: 'add', path: '/data/k', value: '1' }, { data: { k: '1' } }],
    ['add without a value', { op: 'add', path: '/data/z' }, { data: { k: 'v', z: null } }],
    ['add into a list', { op: 'add', path: '/list/1', value: 'n' }, { list: ['x', 'n', 'y', 'z'] }],
    ['add at the end', { op: 'add', path: '/list/-', value: 'n' }, { list: ['x', 'y', 'z', 'n'] }],
    ['add at the end by length', { op: 'add', path: '/list/3', value: 'n' }, { list: ['x', 'y', 'z', 'n'] }],
    ['add at -1', { op: 'add', path: '/list/-1', value: 'n' }, { list: ['x', 'y', 'z', 'n'] }],
    ['add at -4', { op: 'add', path: '/list/-4', value: 'n' }, { list: ['n', 'x', 'y', 'z'] }],
    ['remove a field', { op: 'remove', path: '/data/k' }, { data: {} }],
    ['remove a null', { op: 'remove', path: '/none' }, {}],
    ['remove the last item', { op: 'remove', path: '/list/-1' }, { list: ['x', 'y'] }],
    ['replace a field', { op: 'replace', path: '/data/k', value: 1 }, { data: { k: 1 } }],
    ['replace a missing field', { op: 'replace', path: '/data/z', value: 1 }, { data: { k: 'v', z: 1 } }],
    ['replace an item', { op: 'replace', path: '/list/+1', value: 'n' }, { list: ['x', 'n', 'z'] }],
    ['move', { op: 'move', from: '/data/k', path: '/data/z' }, { data: { z: 'v' } }],
    ['copy', { op: 'copy', from: '/metadata/name', path: '/data/n' }, { data: { k: 'v', n: 'cm' } }],
    ['copy a missing field', { op: 'copy', from: '/data/nope', path: '/data/n' }, { data: { k: 'v', n: null } }],
    ['ignore what precedes the slash', { op: 'add', path: 'odd/data/z', value: 1 }, { data: { k: 'v', z: 1 } }],
    ['unescape', { op: 'add', path: '/data/a~1b~0c~01', value: 1 }, { data: { k: 'v', 'a/b~c~1': 1 } }],
  ])('%s', (_, operation, expected) => {
    const { none, ...rest } = document
    const keepsNone = (operation as { path: string }).path !== '/none'
    expect(patched(operation)).toEqual({ ...rest, ...(keepsNone ? { none } : {}), ...(expected as object) })
  })

  it('a JSON patch replaces the whole document, but by a container only', () => {
    expect(patched({ op: 'replace', path: '', value: [1] })).toEqual([1])
    expect(failure(() => patched({ op: 'replace', path: '', value: null }))).toEqual(unprocessable)
    expect(failure(() => patched({ op: 'add', path: '', value: {} }))).toEqual(unprocessable)
  })

  it.each<[string, boolean, Json]>([
    ['an equal value', true, { path: '/data', value: { k: 'v' } }],
    ['another value', false, { path: '/data/k', value: 'zzz' }],
    ['a missing field against null', true, { path: '/data/nope', value: null }],
    ['a missing field against nothing', true, { path: '/data/nope' }],
    ['a null against null', true, { path: '/none', value: null }],
    ['a value against nothing', false, { path: '/data/k' }],
    ['a missing item', false, { path: '/list/9', value: null }],
    ['below nothing', false, { path: '/nope/k', value: null }],
    ['the whole document', true, { path: '', value: document }],
    ['the whole document against nothing', false, { path: '' }],
  ])('test of %s passes: %s', (_, passes, operation) => {
    const test = () => patched({ op: 'test', ...(operation as object) })
    if (passes) expect(test()).toBe(document)
    else expect(failure(test)).toEqual(unprocessable)
  })

  it.each<Json>([
    { op: 'foo', path: '/data/nope' },
    { op: 'add' },
    { op: 'add', path: 'data', value: 1 },
    { op: 'add', path: '/nope/x', value: 1 },
    { op: 'add', path: '/data/k/x', value: 1 },
    { op: 'add', path: '/none/x', value: 1 },
    { op: 'add', path: '/list/4', value: 1 },
    { op: 'add', path: '/list/-5', value: 1 },
    { op: 'add', path: '/list/x', value: 1 },
    { op: 'remove', path: '/data/nope' },
    { op: 'remove', path: '/list/3' },
    { op: 'remove', path: '/list/-' },
    { op: 'replace', path: '/list/3', value: 1 },
    { op: 'move', from: '/data/nope', path: '/data/z' },
    { op: 'move', from: '/data', path: '/data/x' },
    { op: 'move', path: '/data/x' },
    { op: 'copy', from: '/list/9', path: '/data/x' },
    { op: 1, path: '/data/x' },
    null,
  ])('%j does not apply', (operation) => {
    expect(failure(() => patched(operation))).toEqual(unprocessable)
  })
})

describe('form', () => {
  it.each<[Json, string]>([
    [{}, 'json: cannot unmarshal object into Go value of type []handlers.jsonPatchOp'],
    ['x', 'json: cannot unmarshal string into Go value of type []handlers.jsonPatchOp'],
    [[1], 'json: cannot unmarshal number into Go value of type handlers.jsonPatchOp'],
    [[{ op: 1 }], 'json: cannot unmarshal number into Go struct field jsonPatchOp.op of type string'],
    [[{ op: 'add', from: [] }], 'json: cannot unmarshal array into Go struct field jsonPatchOp.from of type string'],
  ])('refuses %j', (patch, message) => {
    expect(failure(() => jsonPatchWarnings(patch))).toEqual({
      code: 400,
      reason: 'BadRequest',
      message: `error decoding patch: ${message}`,
    })
  })

  it('a JSON patch tells of unknown members', () => {
    expect(jsonPatchWarnings([{ op: 'add', path: '/a', value: [], foo: 2 }, null])).toEqual([
      'json patch unknown field "[0].foo"',
    ])
    expect(jsonPatchWarnings(null)).toEqual([])
  })

  it('a JSON patch refuses in other words when nobody checked', () => {
    expect(failure(() => applyJsonPatch({}, 'x')).message).toBe(
      'json: cannot unmarshal string into Go value of type jsonpatch.Patch',
    )
    expect(failure(() => applyJsonPatch({}, [1])).message).toBe(
      'json: cannot unmarshal number into Go value of type jsonpatch.Operation',
    )
    expect(applyJsonPatch(document, null)).toBe(document)
  })
})

describe('limits', () => {
  const times = (n: number, value: Json): Json[] => Array.from({ length: n }, () => value)
  const test = { op: 'test', path: '/data/k', value: 'v' }

  it('a JSON patch takes 10,000 operations and no more', () => {
    expect(patched(...times(10_000, test))).toBe(document)
    expect(failure(() => patched(...times(10_001, test)))).toEqual({
      code: 413,
      reason: 'RequestEntityTooLarge',
      message: 'Request entity too large: The allowed maximum operations in a JSON patch is 10000, got 10001',
    })
  })

  it('a JSON patch stops copies that double', () => {
    const double = [
      { op: 'copy', from: '/data', path: '/data/a' },
      { op: 'copy', from: '/data', path: '/data/b' },
    ]
    const patch = times(40, double).flat()
    expect(failure(() => patched(...patch))).toEqual(unprocessable)
  })

  it('a JSON patch stops patches that move a long list again and again', () => {
    const long = { list: times(200_000, 0) }
    const patch = times(10_000, { op: 'add', path: '/list/0', value: 1 })
    expect(failure(() => applyJsonPatch(long, patch))).toEqual(unprocessable)
  })
})

describe('text for errors', () => {
  it('jsonPatchText sorts the keys of what was reached, and only these', () => {
    const target = {
      kind: 'ConfigMap',
      apiVersion: 'v1',
      metadata: { name: 'a', labels: { x: '<' } },
      data: { k: 'v' },
    }
    expect(jsonPatchText(target, [{ op: 'add', path: '/data/a', value: { z: 1, b: 2 } }])).toBe(
      '{"apiVersion":"v1","data":{"a":{"z":1,"b":2},"k":"v"},"kind":"ConfigMap","metadata":{"name":"a",' +
        '"labels":{"x":"\\u003c"}}}',
    )
    expect(jsonPatchText(target, [{ op: 'test', path: '/metadata/name', value: 'a' }])).toContain(
      '"metadata":{"labels":{"x":"\\u003c"},"name":"a"}',
    )
  })
})

const json = fc.letrec<{ value: Json }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    fc.constant(null),
    fc.boolean(),
    fc.integer(),
    fc.string(),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(fc.constantFrom('a', 'b', 'x/y', '~', '__proto__', 'constructor'), tie('value'), {
      noNullPrototype: true,
    }),
  ),
})).value

/** Every path in a document, with its value. */
function places(value: Json, path = ''): [string, Json][] {
  if (typeof value !== 'object' || value === null) return [[path, value]]
  const below = Object.entries(value).flatMap(([key, child]) =>
    places(child, `${path}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`),
  )
  return [[path, value], ...below]
}

const someDocument = json.map((value): Json => ({ a: value, list: [value, 1] }))

describe('laws', () => {
  it('a JSON patch undoes what it added', () => {
    fc.assert(
      fc.property(someDocument, json, fc.nat(), (target, value, n) => {
        const containers = places(target).filter(([, at]) => typeof at === 'object' && at !== null)
        const [path, container] = containers[n % containers.length] as [string, Json]
        const added = `${path}/${Array.isArray(container) ? n % (container.length + 1) : 'fresh'}`
        const before = JSON.stringify(target)
        const after = applyJsonPatch(deepFreeze(target), [{ op: 'add', path: added, value }])
        expect(places(after).find(([at]) => at === added)?.[1]).toEqual(value)
        expect(applyJsonPatch(deepFreeze(after), [{ op: 'remove', path: added }])).toEqual(target)
        expect(JSON.stringify(target)).toBe(before)
      }),
      { numRuns: 300 },
    )
  })

  it('a JSON patch restores what it removed, moves there and back, and passes its own tests', () => {
    fc.assert(
      fc.property(someDocument, fc.nat(), (target, n) => {
        deepFreeze(target)
        const all = places(target).slice(1)
        const [path, value] = all[n % all.length] as [string, Json]
        expect(
          applyJsonPatch(target, [
            { op: 'remove', path },
            { op: 'add', path, value },
          ]),
        ).toEqual(target)
        expect(applyJsonPatch(target, [{ op: 'test', path, value }])).toBe(target)
        const there = { op: 'move', from: path, path: '/elsewhere' }
        const back = { op: 'move', from: '/elsewhere', path }
        expect(applyJsonPatch(target, [there, back])).toEqual(target)
      }),
      { numRuns: 300 },
    )
  })

  it('a JSON patch leaves prototypes alone', () => {
    const result = applyJsonPatch({ a: {} }, [
      { op: 'add', path: '/__proto__', value: { polluted: 1 } },
      { op: 'add', path: '/__proto__/more', value: 2 },
      { op: 'copy', from: '/__proto__', path: '/a/__proto__' },
      { op: 'replace', path: '/constructor', value: { prototype: { polluted: 1 } } },
    ]) as object
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined()
    expect(Object.getPrototypeOf(result)).toBe(Object.prototype)
    expect(JSON.stringify(result)).toBe(
      '{"a":{"__proto__":{"more":2,"polluted":1}},"__proto__":{"polluted":1,"more":2},' +
        '"constructor":{"prototype":{"polluted":1}}}',
    )
    expect(failure(() => applyJsonPatch({}, [{ op: 'add', path: '/__proto__/x', value: 1 }]))).toEqual(unprocessable)
    expect(failure(() => applyJsonPatch({}, [{ op: 'remove', path: '/constructor' }]))).toEqual(unprocessable)
  })
})
