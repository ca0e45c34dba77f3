import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { deepFreeze, equalJson, type Json, type JsonObject } from '../../api/json.ts'
import { ApiError } from '../../api/status.ts'
import type { FieldShape, Shape } from '../../shape/shape.ts'
import { applyStrategicMergePatch } from './strategic-merge-patch.ts'

const text: Shape = { type: 'scalar', scalar: 'string' }
const list = (items: Shape): Shape => ({ type: 'list', items, ownership: 'atomic', keys: [] })
const map: Shape = { type: 'map', values: text, atomic: false }

interface Merging {
  shape: Shape
  strategy: FieldShape['patchStrategy']
  key?: string
}

function struct(name: string, fields: Record<string, Shape | Merging>): Shape {
  const entries = Object.entries(fields).map(([field, of]): [string, FieldShape] => {
    const merging = 'strategy' in of ? of : { shape: of, strategy: [] }
    const key = 'key' in merging && merging.key !== undefined ? { patchMergeKey: merging.key } : {}
    return [
      field,
      { name: field, shape: merging.shape, required: false, emit: 'nonzero', patchStrategy: merging.strategy, ...key },
    ]
  })
  return { type: 'struct', name, fields: new Map(entries), atomic: false, preserveUnknown: false }
}

const env = struct('io.k8s.api.core.v1.EnvVar', { name: text, value: text })
const container = struct('io.k8s.api.core.v1.Container', {
  name: text,
  image: text,
  args: list(text),
  env: { shape: list(env), strategy: ['merge'], key: 'name' },
})
const volume = struct('io.k8s.api.core.v1.Volume', {
  name: text,
  emptyDir: struct('E', { medium: text }),
  secret: struct('S', { secretName: text }),
})
const pod = struct('io.k8s.api.core.v1.Pod', {
  metadata: struct('ObjectMeta', {
    labels: map,
    finalizers: { shape: list(text), strategy: ['merge'] },
  }),
  spec: struct('PodSpec', {
    containers: { shape: list(container), strategy: ['merge'], key: 'name' },
    volumes: { shape: list(volume), strategy: ['merge', 'retainKeys'], key: 'name' },
    tolerations: list(struct('Toleration', { key: text, operator: text })),
    nodeName: text,
    weird: { shape: struct('Weird', { a: text, b: text }), strategy: ['replace'] },
    data: { type: 'any' },
    properties: { type: 'map', values: struct('Props', { type: text }), atomic: false },
  }),
})

const named = (...names: string[]) => names.map((name) => ({ name }))
const inSpec = (spec: JsonObject, patch: Json): JsonObject =>
  (applyStrategicMergePatch(deepFreeze({ spec }), deepFreeze({ spec: patch }), pod).object as { spec: JsonObject }).spec
const finalizers = (current: string[], patch: Json): Json | undefined =>
  (
    applyStrategicMergePatch({ metadata: { finalizers: current } }, { metadata: patch }, pod).object[
      'metadata'
    ] as JsonObject
  )['finalizers']
const names = (items: Json | undefined) => (items as JsonObject[]).map((item) => item['name'])

describe('objects', () => {
  it('a strategic merge patch merges, adds, and removes by null', () => {
    expect(inSpec({ nodeName: 'n', data: 1 }, { nodeName: null, gone: null, extra: { a: 1, b: null } })).toEqual({
      data: 1,
      extra: { a: 1 },
    })
  })

  it('a strategic merge patch replaces and deletes by $patch, but does not merge by it', () => {
    const spec = { containers: [{ name: 'c' }], nodeName: 'n' }
    expect(inSpec(spec, { $patch: 'replace', containers: named('only') })).toEqual({ containers: named('only') })
    expect(inSpec(spec, { $patch: 'delete' })).toEqual({})
    expect(inSpec({}, { weird: { $patch: 'delete' }, nodeName: 'x' })).toEqual({ nodeName: 'x' })
  })

  it('a strategic merge patch replaces where the strategy says so', () => {
    expect(inSpec({ weird: { a: '1' } }, { weird: { b: '2' } })).toEqual({ weird: { b: '2' } })
  })

  it('a strategic merge patch keeps only the retained keys', () => {
    const volumes = [{ name: 'v', emptyDir: { medium: 'x' } }]
    const patch = { name: 'v', secret: { secretName: 's' }, $retainKeys: ['name', 'secret'] }
    expect(inSpec({ volumes }, { volumes: [patch] })).toEqual({ volumes: [{ name: 'v', secret: { secretName: 's' } }] })
  })
})

describe('lists of objects', () => {
  const containers = [
    { name: 'a', image: '1' },
    { name: 'b', image: '2' },
    { name: 'c', image: '3' },
  ]

  it('a strategic merge patch of lists of objects merges by the key and puts new items first', () => {
    const patched = inSpec(
      { containers },
      {
        containers: [
          { name: 'd', image: '4' },
          { name: 'b', image: '5' },
        ],
      },
    )
    expect(patched['containers']).toEqual([
      { name: 'd', image: '4' },
      { name: 'a', image: '1' },
      { name: 'b', image: '5' },
      { name: 'c', image: '3' },
    ])
  })

  it('a strategic merge patch of lists of objects deletes and replaces by directives', () => {
    expect(
      names(inSpec({ containers }, { containers: [{ name: 'b', $patch: 'delete' }, { name: 'x' }] })['containers']),
    ).toEqual(['x', 'a', 'c'])
    expect(names(inSpec({ containers }, { containers: [{ $patch: 'replace' }, { name: 'z' }] })['containers'])).toEqual(
      ['z'],
    )
    expect(names(inSpec({}, { containers: [{ name: 'b', $patch: 'delete' }, { name: 'x' }] })['containers'])).toEqual([
      'x',
    ])
  })

  it('a strategic merge patch of lists of objects obeys a declared order', () => {
    const ordered = (spec: JsonObject, order: string[], changes?: Json) => {
      const change = changes === undefined ? {} : { containers: changes }
      return inSpec(spec, { '$setElementOrder/containers': named(...order), ...change })['containers']
    }
    expect(names(ordered({ containers }, ['c', 'a', 'b']))).toEqual(['c', 'a', 'b'])
    expect(names(ordered({ containers }, ['c', 'a'], [{ name: 'c', image: 'x' }]))).toEqual(['b', 'c', 'a'])
    expect(names(ordered({ containers }, ['d', 'b'], named('d')))).toEqual(['d', 'a', 'b', 'c'])
    expect(names(ordered({}, ['y', 'x'], named('y', 'x')))).toEqual(['y', 'x'])
    expect(ordered({}, ['d'])).toBeUndefined()
    // A new item has the position of a deleted one when positions are compared.
    const replaced = [{ name: 'a', $patch: 'delete' }, { name: 'd' }]
    expect(names(ordered({ containers }, ['d', 'b'], replaced))).toEqual(['c', 'd', 'b'])
  })

  it('a strategic merge patch of lists of objects replaces lists without a strategy, as they are', () => {
    const tolerations = [{ key: 'a', operator: 'Exists', other: null }]
    expect(inSpec({ tolerations: [{ key: 'b' }] }, { tolerations })).toEqual({ tolerations })
    expect(inSpec({}, { tolerations })).toEqual({ tolerations: [{ key: 'a', operator: 'Exists' }] })
  })
})

describe('lists of values', () => {
  it('a strategic merge patch of lists of values merges as sets', () => {
    expect(finalizers(['x/a'], { finalizers: ['x/b', 'x/a'] })).toEqual(['x/b', 'x/a'])
    expect(finalizers(['x/a', 'x/b', 'x/c'], { finalizers: ['x/c', 'x/c'] })).toEqual(['x/a', 'x/b', 'x/c'])
  })

  it('a strategic merge patch of lists of values deletes by a parallel list', () => {
    expect(finalizers(['x/a', 'x/b'], { '$deleteFromPrimitiveList/finalizers': ['x/a', 'x/z'] })).toEqual(['x/b'])
  })

  it('a strategic merge patch of lists of values obeys a declared order', () => {
    const patch = { '$setElementOrder/finalizers': ['x/c', 'x/a'], finalizers: ['x/c'] }
    expect(finalizers(['x/a', 'x/b'], patch)).toEqual(['x/c', 'x/a', 'x/b'])
  })
})

describe('errors', () => {
  const current = {
    containers: [{ name: 'c' }],
    nodeName: 'n',
    tolerations: [{ key: 'a' }],
    data: { x: { y: 1 } },
    properties: { p: { type: 'string' } },
  }

  it.each<[Json, number, string]>([
    [{ containers: [{ image: 'q' }] }, 500, 'map: map[image:q] does not contain declared merge key: name'],
    [{ containers: [{ $patch: 'delete' }] }, 500, 'map: map[$patch:delete] does not contain declared merge key: name'],
    [{ containers: [{ name: 'c', $patch: 'merge' }] }, 500, 'merging lists cannot yet be specified in the patch'],
    [{ containers: [{ name: 'c', $patch: 'foo' }] }, 500, 'unknown patch type: foo in map: map[$patch:foo name:c]'],
    [{ $patch: 'merge', nodeName: 'x' }, 500, 'unknown patch type: merge in map: map[$patch:merge nodeName:x]'],
    [{ $patch: 3 }, 500, 'unknown patch type: %!s(int64=3) in map: map[$patch:3]'],
    [{ containers: ['x'] }, 500, 'list element types are not identical: [[map[name:c]] [x]]'],
    [{ containers: [null] }, 500, 'list element types are not identical: [[map[name:c]] [<nil>]]'],
    [{ $setElementOrder: 0 }, 500, 'expected a []interface {}, but received a int64'],
    [{ $setElementOrder: [] }, 400, 'invalid patch format of setElementOrder list'],
    [{ $deleteFromPrimitiveList: [] }, 400, 'invalid patch format of primitive list'],
    [{ $retainKeys: 'x' }, 400, 'invalid patch format of retainKeys'],
    [{ $retainKeys: ['containers'], nodeName: 'x' }, 400, 'invalid patch format of retainKeys'],
    [
      { '$setElementOrder/containers': ['c'], containers: [{ name: 'c' }] },
      500,
      'expected a map[string]interface {}, but received a string',
    ],
    [{ '$setElementOrder/containers': ['c'] }, 500, 'value for key 0 is not a map'],
    [
      { '$setElementOrder/containers': [{ name: 'c' }], containers: [{ name: 'd' }] },
      500,
      "The order in patch list:\n[map[name:d]]\n doesn't match $setElementOrder list:\n[map[name:c]]\n",
    ],
    [
      { '$setElementOrder/containers': [{ name: 'c' }], containers: null },
      500,
      'expected a []interface {}, but received a %!s(<nil>)',
    ],
    [{ '$setElementOrder/nope': [] }, 500, 'unable to find api field in struct PodSpec for the json field "nope"'],
    [{ '$setElementOrder/weird': [] }, 500, 'expected slice or array type, but got: struct'],
    [
      { '$deleteFromPrimitiveList/tolerations': [{ key: 'a' }] },
      500,
      'cannot merge lists without merge key for struct',
    ],
    [{ data: { x: { y: 2 } } }, 500, 'unable to find api field in struct RawExtension for the json field "x"'],
    [
      { properties: { p: { type: 'x' } } },
      500,
      'merging an object in json but data type is not struct, instead is: map',
    ],
  ])('%j', (patch, code, message) => {
    try {
      inSpec(current, patch)
    } catch (error) {
      expect(error).toBeInstanceOf(ApiError)
      expect((error as ApiError).message).toBe(message)
      expect((error as ApiError).code).toBe(code)
      return
    }
    throw new Error('nothing was thrown')
  })

  it('a strategic merge patch refuses lists of lists and patches that are no objects', () => {
    const nested = struct('X', { lists: { shape: list(list(text)), strategy: ['merge'] } })
    expect(() => applyStrategicMergePatch({ lists: [['a']] }, { lists: [['b']] }, nested)).toThrow(
      'the server rejected our request due to an error in our request',
    )
    expect(() => applyStrategicMergePatch({}, [], pod)).toThrow(
      'json: cannot unmarshal array into Go value of type map[string]interface {}',
    )
    const target = { spec: {} }
    expect(applyStrategicMergePatch(target, null, pod).object).toEqual(target)
  })

  it('a strategic merge patch prints what is left of the patch', () => {
    const patch = {
      metadata: { labels: { q: { a: null, b: 1 } } },
      spec: { '$setElementOrder/containers': [{ name: 'c' }], containers: [{ name: 'c' }], nodeName: null },
    }
    const { patchText } = applyStrategicMergePatch(
      { metadata: { labels: { x: '1' } }, spec: current },
      deepFreeze(patch),
      pod,
    )
    expect(patchText()).toBe('map[metadata:map[labels:map[q:map[b:1]]] spec:map[nodeName:<nil>]]')
  })
})

interface Pod {
  metadata: { labels: Record<string, string>; finalizers: string[] }
  spec: { containers: { name: string; image: string; args?: string[]; env: { name: string; value: string }[] }[] }
}

const word = fc.constantFrom('a', 'b', 'c', 'd', '__proto__', 'constructor')
const byName = <T extends { name: string }>(item: fc.Arbitrary<T>) =>
  fc.uniqueArray(item, { selector: (each) => each.name, maxLength: 4, minLength: 1 })
const somePod: fc.Arbitrary<Pod> = fc.record({
  metadata: fc.record({
    labels: fc.dictionary(word, word, { noNullPrototype: true, minKeys: 1 }),
    finalizers: fc.uniqueArray(word, { minLength: 1 }),
  }),
  spec: fc.record({
    containers: byName(
      fc.record(
        {
          name: word,
          image: word,
          args: fc.array(word, { maxLength: 3 }),
          env: byName(fc.record({ name: word, value: word })),
        },
        { requiredKeys: ['name', 'image', 'env'] },
      ),
    ),
  }),
})

type Item = { name: string } & JsonObject

/** The patch that a client sends to turn one list into another: changes, deletions and the order. */
function listPatch(
  field: string,
  from: Item[],
  to: Item[],
  itemPatch: (from: Item, to: Item) => JsonObject,
): JsonObject {
  const changes = to.map((item) => {
    const before = from.find((each) => each.name === item.name)
    return before === undefined ? item : { ...itemPatch(before, item), name: item.name }
  })
  const gone = from.filter((item) => !to.some((each) => each.name === item.name))
  return {
    [field]: [...changes, ...gone.map(({ name }) => ({ name, $patch: 'delete' }))],
    [`$setElementOrder/${field}`]: to.map(({ name }) => ({ name })),
  }
}

function podPatch(from: Pod, to: Pod): JsonObject {
  const removed = Object.keys(from.metadata.labels).filter((key) => !Object.hasOwn(to.metadata.labels, key))
  const labels = JSON.parse(JSON.stringify(to.metadata.labels)) as JsonObject
  for (const key of removed)
    Object.defineProperty(labels, key, { value: null, enumerable: true, configurable: true, writable: true })
  const containerPatch = (before: Item, after: Item): JsonObject => ({
    image: after['image'] as Json,
    args: after['args'] ?? null,
    ...listPatch('env', before['env'] as Item[], after['env'] as Item[], (_, item) => item),
  })
  return {
    metadata: {
      labels,
      finalizers: to.metadata.finalizers,
      '$deleteFromPrimitiveList/finalizers': from.metadata.finalizers.filter(
        (f) => !to.metadata.finalizers.includes(f),
      ),
    },
    spec: listPatch('containers', from.spec.containers, to.spec.containers, containerPatch),
  }
}

describe('laws', () => {
  it('a strategic merge patch turns a into b by a patch made from both, changing neither', () => {
    fc.assert(
      fc.property(somePod, somePod, (a, b) => {
        const patch = podPatch(a, b)
        const before = JSON.stringify([a, patch])
        const { object } = applyStrategicMergePatch(deepFreeze(a) as unknown as JsonObject, deepFreeze(patch), pod)
        expect(equalJson(object, b) || object).toBe(true)
        expect(JSON.stringify([a, patch])).toBe(before)
        expect(Object.getPrototypeOf(object)).toBe(Object.prototype)
      }),
      { numRuns: 500 },
    )
  })

  it('a strategic merge patch is harmless to prototypes', () => {
    const patch = JSON.parse(
      '{"__proto__":{"polluted":1},"metadata":{"labels":{"__proto__":"x","constructor":"y"}}}',
    ) as Json
    const { object } = applyStrategicMergePatch({ metadata: { labels: {} } }, patch, pod)
    expect(({} as JsonObject)['polluted']).toBeUndefined()
    expect(JSON.stringify(object)).toBe(
      '{"metadata":{"labels":{"__proto__":"x","constructor":"y"}},"__proto__":{"polluted":1}}',
    )
  })
})
