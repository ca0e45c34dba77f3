import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../api/json.ts'
import {
  difference,
  emptySet,
  equalSets,
  has,
  intersection,
  isEmpty,
  leaves,
  parseFieldSet,
  pathsOf,
  recursiveDifference,
  setOfFields,
  union,
  type FieldSet,
} from './field-set.ts'
import { goNumber } from '../../api/go-format.ts'
import { compareElements, PathElementError } from './path-element.ts'

/** The model: a set is the list of its paths, each an array of elements. */
type Paths = ReadonlyMap<string, readonly string[]>

const elements = [
  'f:a',
  'f:b',
  'f:constructor',
  'f:__proto__',
  'k:{"name":"c"}',
  'k:{"port":80,"protocol":"TCP"}',
  'k:{"port":443,"protocol":"TCP"}',
  'v:"x"',
  'v:2',
  'v:10',
  'v:true',
  'i:0',
  'i:10',
]
const path = fc.array(fc.constantFrom(...elements), { minLength: 1, maxLength: 4 })
const paths = fc.array(path, { maxLength: 12 }).map((list): Paths => new Map(list.map((p) => [p.join('/'), p])))

function build(wanted: Paths): FieldSet {
  let set = emptySet
  for (const p of wanted.values()) {
    let branch: FieldSet = {}
    for (const element of p.toReversed()) branch = { [element]: branch }
    set = union(set, parseFieldSet(branch))
  }
  return set
}

function read(set: FieldSet, prefix: readonly string[] = []): Map<string, readonly string[]> {
  const found = new Map<string, readonly string[]>()
  for (const [key, below] of Object.entries(set)) {
    if (key === '.') continue
    const at = [...prefix, key]
    if (Object.keys(below as object).length === 0 || Object.hasOwn(below as object, '.')) found.set(at.join('/'), at)
    for (const [text, inner] of read(below as FieldSet, at)) found.set(text, inner)
  }
  return found
}

const keys = (wanted: Paths): string[] => [...wanted.keys()].sort()
const only = (wanted: Paths, keep: (text: string, p: readonly string[]) => boolean): string[] =>
  [...wanted]
    .filter(([text, p]) => keep(text, p))
    .map(([text]) => text)
    .sort()

/** Canonical: keys in order, no empty branches except members, one text per element. */
function expectCanonical(set: FieldSet): void {
  const order = Object.keys(set).filter((key) => key !== '.')
  expect(order).toEqual(order.toSorted(compareElements))
  if (Object.hasOwn(set, '.')) expect(Object.keys(set)[0]).toBe('.')
  for (const key of order) {
    const below = set[key] as FieldSet
    expect(Object.keys(below)).not.toEqual(['.'])
    expectCanonical(below)
  }
}

describe('sets against lists of paths', () => {
  it('a field set holds what was put in', () => {
    fc.assert(
      fc.property(paths, (a) => {
        const set = build(a)
        expectCanonical(set)
        expect(keys(read(set))).toEqual(keys(a))
        expect(isEmpty(set)).toBe(a.size === 0)
        for (const p of a.values()) expect(has(set, p)).toBe(true)
      }),
    )
  })

  it('a field set unites, intersects and subtracts', () => {
    fc.assert(
      fc.property(paths, paths, (a, b) => {
        const [left, right] = [build(a), build(b)]
        const before = JSON.stringify([left, right])
        const below = (p: readonly string[]): boolean => [...b.values()].some((q) => q.every((e, i) => p[i] === e))
        const results = {
          union: union(left, right),
          intersection: intersection(left, right),
          difference: difference(left, right),
          recursive: recursiveDifference(left, right),
        }
        Object.values(results).forEach(expectCanonical)
        expect(keys(read(results.union))).toEqual([...new Set([...a.keys(), ...b.keys()])].sort())
        expect(keys(read(results.intersection))).toEqual(only(a, (text) => b.has(text)))
        expect(keys(read(results.difference))).toEqual(only(a, (text) => !b.has(text)))
        expect(keys(read(results.recursive))).toEqual(only(a, (_, p) => !below(p)))
        expect(JSON.stringify([left, right])).toBe(before)
        expect(equalSets(left, right)).toBe(keys(a).join(' ') === keys(b).join(' '))
      }),
    )
  })

  it('a field set keeps only leaves', () => {
    fc.assert(
      fc.property(paths, (a) => {
        const inner = (p: readonly string[]): boolean =>
          [...a.values()].some((q) => q.length > p.length && p.every((e, i) => q[i] === e))
        const set = leaves(build(a))
        expectCanonical(set)
        expect(keys(read(set))).toEqual(only(a, (_, p) => !inner(p)))
      }),
    )
  })

  it('a field set shares what it does not change', () => {
    const a = setOfFields([['x', 'y'], ['z']])
    expect(union(a, setOfFields([['z']]))).toBe(a)
    expect(difference(a, setOfFields([['w']]))).toBe(a)
    expect(union(a, setOfFields([['w']]))['f:x']).toBe(a['f:x'])
  })
})

describe('FieldsV1', () => {
  it('FieldsV1 reads back what it writes, in any order of keys', () => {
    const shuffled = (node: FieldSet): JsonObject =>
      Object.fromEntries(
        Object.entries(node)
          .toReversed()
          .map(([key, below]) => [key, shuffled(below as FieldSet)]),
      )
    fc.assert(
      fc.property(paths, (a) => {
        const set = build(a)
        const text = JSON.stringify(set)
        const copy = parseFieldSet(JSON.parse(text) as JsonObject)
        expect(JSON.stringify(copy)).toBe(text)
        expect(JSON.stringify(parseFieldSet(shuffled(set)))).toBe(text)
      }),
    )
  })

  it('FieldsV1 returns the same object when it is canonical, and knows it again when frozen', () => {
    const fields = JSON.parse('{"f:data":{".":{},"f:a":{}}}') as JsonObject
    expect(parseFieldSet(fields)).toBe(fields)
    expect(parseFieldSet(Object.freeze(fields))).toBe(fields)
    expect(JSON.stringify(fields)).toBe('{"f:data":{".":{},"f:a":{}}}')
  })

  it("FieldsV1 writes elements in upstream's one way", () => {
    const read = (text: string): string => JSON.stringify(parseFieldSet(JSON.parse(text) as JsonObject))
    expect(read('{"k:{\\"b\\": 1, \\"a\\":2}":{}}')).toBe('{"k:{\\"a\\":2,\\"b\\":1}":{}}')
    expect(read('{"v:\\"a<b\\"":{}}')).toBe('{"v:\\"a\\\\u003cb\\"":{}}')
    expect(read('{"v:1.0":{},"i:007":{}}')).toBe('{"v:1":{},"i:7":{}}')
    expect(read('{"f:a":{".":{}},"f:b":null,"x:new":{"f:c":{}}}')).toBe('{"f:a":{},"f:b":{}}')
    expect(read('{".":{},"f:a":{}}')).toBe('{"f:a":{}}')
    expect(read('{".":{}}')).toBe('{}')
  })

  it.each([
    '{"":{}}',
    '{"a":{}}',
    '{"f":{}}',
    '{"data":{}}',
    '{"__proto__":{}}',
    '{"v:":{}}',
    '{"k:[1]":{}}',
    '{"i:x":{}}',
    '{"f:a":1}',
    '{"f:a":[]}',
  ])('FieldsV1 refuses %s', (text) => {
    expect(() => parseFieldSet(JSON.parse(text) as JsonObject)).toThrow(PathElementError)
  })

  it('FieldsV1 leaves Object.prototype alone', () => {
    const set = parseFieldSet(JSON.parse('{"f:__proto__":{"f:polluted":{}},"f:constructor":{}}') as JsonObject)
    expect(pathsOf(set)).toEqual(['.constructor', '.__proto__.polluted'])
    expect('polluted' in {}).toBe(false)
  })
})

describe('order and texts', () => {
  it('a field set lists the members of a level before what is below them', () => {
    const set = parseFieldSet({
      'f:b': {},
      'f:a': { '.': {}, 'f:z': {} },
      'f:c': { 'k:{"port":443}': { 'f:x': {} }, 'k:{"port":80}': { '.': {}, 'f:x': {} } },
    })
    expect(pathsOf(set)).toEqual(['.a', '.b', '.a.z', '.c[port=80]', '.c[port=80].x', '.c[port=443].x'])
  })

  it('a field set orders keys and values by what they are, not by their texts', () => {
    const order = [
      'f:Z',
      'f:a',
      'k:{"a":9}',
      'k:{"a":10}',
      'k:{"a":10,"b":1}',
      'k:{"a":"1"}',
      'k:{"b":1}',
      'v:9',
      'v:10',
      'v:"9"',
      'v:false',
      'v:true',
      'v:null',
      'i:9',
      'i:10',
    ]
    expect(order.toReversed().sort(compareElements)).toEqual(order)
  })

  it('a field set prints numbers of stored keys as floats, as upstream does', () => {
    const set = parseFieldSet({ 'k:{"port":2000000}': {}, 'v:"é\\n"': {}, 'v:1.5': {}, 'i:3': {} })
    expect(pathsOf(set)).toEqual(['[port=2e+06]', '[=1.5]', '[="é\\n"]', '[3]'])
    expect(pathsOf(set, goNumber)[0]).toBe('[port=2000000]')
  })
})
