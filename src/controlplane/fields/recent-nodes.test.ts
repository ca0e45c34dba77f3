import { expect, test } from 'vitest'
import { leaf, type FieldSet } from './field-set.ts'
import { DerivedSets, RecentNodes, withPart, type NodeParts } from './recent-nodes.ts'

const parts = (...elements: string[]): NodeParts => ({ elements, below: elements.map(() => leaf) })

test('equal nodes are one, frozen, with their elements in order', () => {
  const recent = new RecentNodes()
  const first = recent.node(parts('f:b', 'f:a'), true)
  expect(JSON.stringify(first)).toBe('{".":{},"f:a":{},"f:b":{}}')
  expect(recent.node(parts('f:b', 'f:a'), true)).toBe(first)
  expect(recent.node(parts('f:b', 'f:a'), false)).toEqual({ 'f:a': {}, 'f:b': {} })
  expect(recent.node(withPart(undefined, 'f:b', first), true)).toEqual({ '.': {}, 'f:b': first })
  expect(Object.isFrozen(first)).toBe(true)
})

test('only the last few are kept', () => {
  const recent = new RecentNodes()
  const first = recent.node(parts('f:0'), true)
  for (let i = 1; i < 10; i++) recent.node(parts(`f:${i}`), true)
  const again = recent.node(parts('f:0'), true)
  expect(again).not.toBe(first)
  expect(again).toEqual(first)
})

test('large nodes, and what holds them, are left to the store to freeze and to weigh', () => {
  const recent = new RecentNodes()
  const large = recent.node(parts(...Array.from({ length: 100 }, (_, i) => `f:${String(i).padStart(3, '0')}`)), true)
  expect(Object.isFrozen(large)).toBe(false)
  const holder = recent.node(withPart(undefined, 'f:x', large), true)
  expect(Object.isFrozen(holder)).toBe(false)
  const derived = new DerivedSets().of(holder, (set) => ({ ...set }))
  expect(derived).toEqual(holder)
  expect(Object.isFrozen(derived)).toBe(false)
})

test('a set is derived once', () => {
  const sets = new DerivedSets()
  const source: FieldSet = Object.freeze({ 'f:a': leaf, 'f:b': leaf })
  const onlyA = (set: FieldSet): FieldSet => ({ 'f:a': set['f:a'] as FieldSet })
  const derived = sets.of(source, onlyA)
  expect(derived).toEqual({ 'f:a': {} })
  expect(Object.isFrozen(derived)).toBe(true)
  expect(sets.of(source, onlyA)).toBe(derived)
})
