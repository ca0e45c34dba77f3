import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { LineTable } from './line-table.ts'

test.each(['schemas', 'encoding', 'protobuf'])('%s.json is the same read by lines as read whole', (name) => {
  const text = readFileSync(new URL(`./${name}.json`, import.meta.url))
  const whole = JSON.parse(text.toString()) as Record<string, unknown>
  expect([...new LineTable(text).entries()]).toEqual(Object.entries(whole))
})

test('an entry is parsed once, and a name that is not there has none', () => {
  const table = new LineTable<{ b: number }>(Buffer.from('{\n"a": {"b":1},\n"c": {"b":2}\n}\n'))
  expect(table.get('a')).toBe(table.get('a'))
  expect(table.get('c')).toEqual({ b: 2 })
  expect(table.get('toString')).toBeUndefined()
  expect([table.has('c'), table.has('__proto__')]).toEqual([true, false])
  expect([table.parsed('c'), table.parsed('d')]).toEqual([{ b: 2 }, undefined])
})
