import { expect, it } from 'vitest'
import type { JsonObject } from '../api/json.ts'
import { EmptyFields } from './empty-fields.ts'

it('EmptyFields knows a field that was sent empty, by its holder, and of copies that are declared as such', () => {
  const empty = new EmptyFields()
  const spec: JsonObject = { a: 1 }
  empty.add(spec, 'list', [])
  expect(empty.get(spec, 'list')).toEqual([])
  expect(empty.get(spec, 'other')).toBeUndefined()
  expect(empty.get(undefined, 'list')).toBeUndefined()
  expect(empty.isWithin({ deep: [{ spec }] })).toBe(true)
  const copy = { ...spec }
  expect(empty.get(copy, 'list')).toBeUndefined()
  expect(empty.isWithin({ copy })).toBe(false)
  expect(empty.get(empty.copy(copy, spec), 'list')).toEqual([])
})

it('EmptyFields forgets a field that a default fills', () => {
  const empty = new EmptyFields()
  const spec: JsonObject = { kept: null }
  empty.add(spec, 'types', [])
  spec.types = ['Ingress']
  expect(empty.isWithin(spec)).toBe(false)
  empty.add(spec, 'kept', [])
  expect(empty.isWithin(spec)).toBe(true)
})

it('EmptyFields drops written lists for storage and restores them for validation', () => {
  const empty = new EmptyFields()
  const object: JsonObject = { rules: [], full: [1] }
  empty.addWritten(object, 'rules', [])
  empty.addWritten(object, 'full', [])
  empty.dropLists()
  expect(object).toEqual({ rules: null, full: [1] })
  empty.restoreLists()
  expect(object).toEqual({ rules: [], full: [1] })
})

it('EmptyFields takes over the fields of another record', () => {
  const [one, other] = [new EmptyFields(), new EmptyFields()]
  const object: JsonObject = { rules: [] }
  other.addWritten(object, 'rules', [])
  one.addAll(other)
  one.addAll(undefined)
  expect(one.get(object, 'rules')).toEqual([])
  one.dropLists()
  expect(object).toEqual({ rules: null })
})
