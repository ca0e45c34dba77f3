import fc from 'fast-check'
import { expect, test } from 'vitest'
import { deepFreeze } from '../../api/json.ts'
import { leaf, parseFieldSet, type FieldSet } from './field-set.ts'
import { NodeBuilder, RecentNodes } from './node-builder.ts'
import { DerivedSets, SetFunction } from './derived-sets.ts'

function nodeOf(
  recent: RecentNodes,
  member: boolean,
  ...parts: readonly (string | readonly [string, FieldSet])[]
): FieldSet {
  const builder = new NodeBuilder(recent)
  for (const part of parts) {
    if (typeof part === 'string') builder.addItem(part, leaf)
    else builder.addItem(...part)
  }
  return builder.node(member)
}

test('equal nodes are one, frozen, with their elements in order', () => {
  const recent = new RecentNodes()
  const first = nodeOf(recent, true, 'f:b', 'f:a')
  expect(JSON.stringify(first)).toBe('{".":{},"f:a":{},"f:b":{}}')
  expect(nodeOf(recent, true, 'f:b', 'f:a')).toBe(first)
  expect(nodeOf(recent, false, 'f:b', 'f:a')).toEqual({ 'f:a': {}, 'f:b': {} })
  expect(nodeOf(recent, true, ['f:b', first])).toEqual({ '.': {}, 'f:b': first })
  expect(Object.isFrozen(first)).toBe(true)
})

test('a node is what its parts say, whichever recent one it starts like', () => {
  const recent = new RecentNodes()
  const elements = fc.array(
    fc.tuple(fc.constantFrom('f:a', 'f:b', 'f:c', 'f:d'), fc.constantFrom<FieldSet>(leaf, deepFreeze({ 'f:x': {} }))),
    { maxLength: 5 },
  )
  fc.assert(
    fc.property(elements, fc.boolean(), (parts, member) => {
      const expected: Record<string, FieldSet> = member ? { '.': {} } : {}
      for (const [element, below] of parts) expected[element] = Object.hasOwn(expected, element) ? leaf : below
      expect(nodeOf(recent, member, ...parts)).toEqual(expected)
    }),
    { numRuns: 2000 },
  )
})

test('of many items each has its place', () => {
  const elements = Array.from({ length: 40 }, (_, i) => `v:${i + 10}`)
  const below: FieldSet = { 'f:x': {} }
  const node = nodeOf(new RecentNodes(), false, ...elements.map((element) => [element, below] as const), 'v:49')
  expect(Object.keys(node)).toEqual(elements)
  expect(node['v:48']).toBe(below)
  expect(node['v:49']).toBe(leaf)
})

test('only the last few are kept', () => {
  const recent = new RecentNodes()
  const first = nodeOf(recent, true, 'f:0')
  for (let i = 1; i < 10; i++) nodeOf(recent, true, `f:${i}`)
  const again = nodeOf(recent, true, 'f:0')
  expect(again).not.toBe(first)
  expect(again).toEqual(first)
})

test('large nodes, and what holds them, are left to the store to freeze and to weigh', () => {
  const recent = new RecentNodes()
  const large = nodeOf(recent, true, ...Array.from({ length: 100 }, (_, i) => `f:${String(i).padStart(3, '0')}`))
  expect(Object.isFrozen(large)).toBe(false)
  const holder = nodeOf(recent, true, ['f:x', large])
  expect(Object.isFrozen(holder)).toBe(false)
  const derived = new SetFunction((set) => ({ ...set })).of(holder)
  expect(derived).toEqual(holder)
  expect(Object.isFrozen(derived)).toBe(false)
})

test('a set is derived once', () => {
  const onlyA = new SetFunction((set) => ({ 'f:a': set['f:a'] as FieldSet }))
  const source: FieldSet = Object.freeze({ 'f:a': leaf, 'f:b': leaf })
  const derived = onlyA.of(source)
  expect(derived).toEqual({ 'f:a': {} })
  expect(Object.isFrozen(derived)).toBe(true)
  expect(onlyA.of(source)).toBe(derived)
})

test('what is made of sets that may still change is made again', () => {
  const same = new SetFunction((set) => ({ ...set }))
  const source: FieldSet = { 'f:a': leaf }
  expect(same.of(source)).toEqual({ 'f:a': {} })
  source['f:b'] = leaf
  expect(same.of(source)).toEqual({ 'f:a': {}, 'f:b': {} })
})

test('an updater who touches what it owns keeps its very set', () => {
  const sets = new DerivedSets((set) => set)
  const fields: FieldSet = parseFieldSet({ 'f:spec': { 'f:a': {}, 'f:b': {} } })
  deepFreeze(fields)
  const touched: FieldSet = deepFreeze({ 'f:spec': { 'f:b': {} } })
  expect(sets.gained.of(fields, touched)).toBe(fields)
  expect(sets.left.of(fields, touched)).toEqual({ 'f:spec': { 'f:a': {} } })
  expect(sets.gained.of(fields, touched, deepFreeze({ 'f:spec': { 'f:a': {} } }))).toEqual({ 'f:spec': { 'f:b': {} } })
})
