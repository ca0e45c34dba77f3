import fc from 'fast-check'
import { expect, it } from 'vitest'
import { deepFreeze, type JsonObject } from '../api/json.ts'
import { takeUnchangedParts } from './unchanged-parts.ts'

const copy = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T

it('takeUnchangedParts takes the largest parts that are equal, and nothing else', () => {
  const last = deepFreeze({
    metadata: { name: 'a', labels: { x: 'y' }, resourceVersion: '1' },
    spec: { ports: [{ port: 1 }, { port: 2 }], nothing: null },
    status: {
      conditions: [
        { type: 'A', status: 'True' },
        { type: 'B', status: 'True' },
      ],
    },
  })
  const next = copy(last) as typeof last & { metadata: { resourceVersion: string } }
  Object.assign(next.metadata, { resourceVersion: '2' })
  Object.assign(next.status.conditions[1] as object, { status: 'False' })
  const expected = copy(next)
  takeUnchangedParts(next, last)
  expect(next).toEqual(expected)
  expect(next.spec).toBe(last.spec)
  expect(next.metadata.labels).toBe(last.metadata.labels)
  expect(next.metadata).not.toBe(last.metadata)
  expect(next.status.conditions[0]).toBe(last.status.conditions[0])
})

it('takeUnchangedParts tells apart what only looks alike', () => {
  const last = deepFreeze(
    JSON.parse(
      '{"list":[1],"none":null,"text":"1","less":{"a":{}},"more":{"a":{},"b":1},"proto":{"__proto__":{"x":1}}}',
    ) as JsonObject,
  )
  const next = JSON.parse(
    '{"list":{"0":1},"none":{},"text":1,"less":{"a":{},"b":1},"more":{"a":{}},"proto":{"toString":{},' +
      '"__proto__":{"x":2}}}',
  ) as JsonObject
  const expected = JSON.stringify(next)
  takeUnchangedParts(next, last)
  expect(JSON.stringify(next)).toBe(expected)
  expect((next['less'] as JsonObject)['a']).toBe((last['less'] as JsonObject)['a'])
  expect((next['more'] as JsonObject)['a']).toBe((last['more'] as JsonObject)['a'])
})

it('takeUnchangedParts leaves what is frozen, and what is very deep, as it is', () => {
  const part = deepFreeze({ a: { b: 1 }, c: 1 })
  const next = { part, other: 1 }
  takeUnchangedParts(next, deepFreeze({ part: { a: { b: 1 }, c: 2 }, other: 2 }))
  expect(next).toEqual({ part: { a: { b: 1 }, c: 1 }, other: 1 })
  const deep = (): JsonObject => JSON.parse(`{"deep":${'['.repeat(50_000)}${']'.repeat(50_000)},"a":1}`) as JsonObject
  expect(() => takeUnchangedParts(deep(), { ...deep(), a: 2 })).not.toThrow()
})

it('takeUnchangedParts never changes what a value is', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 4 }), fc.jsonValue({ maxDepth: 4 }), fc.boolean(), (one, two, isNear) => {
      const last = deepFreeze(copy({ one, two }))
      const next = copy(isNear ? { one, two: [two, one] } : { one: two, two: one, three: one })
      const expected = JSON.stringify(next)
      takeUnchangedParts(next, last)
      expect(JSON.stringify(next)).toBe(expected)
    }),
  )
})
