/** What was given empty. */
import { expect, it } from 'vitest'
import {
  dropEmptyLists,
  emptied,
  hasEmptied,
  markEmptied,
  rememberEmptyLists,
  restoreEmptyLists,
  withEmptied,
} from './emptied.ts'
import type { JsonObject } from './json.ts'

it('is remembered until it is stored', () => {
  const spec: JsonObject = { a: 1 }
  markEmptied(spec, 'list', [])
  expect(emptied(spec, 'list')).toEqual([])
  expect(emptied(spec, 'other')).toBeUndefined()
  expect(hasEmptied({ deep: [{ spec }] })).toBe(true)
  expect(emptied({ ...spec }, 'list')).toBeUndefined()
  expect(emptied(withEmptied({ ...spec }, spec), 'list')).toEqual([])
  Object.freeze(spec)
  expect(emptied(spec, 'list')).toBeUndefined()
  expect(hasEmptied({ spec })).toBe(false)
})

it('is forgotten where a default fills it', () => {
  const spec: JsonObject = { kept: null }
  markEmptied(spec, 'types', [])
  spec.types = ['Ingress']
  expect(hasEmptied(spec)).toBe(false)
  markEmptied(spec, 'kept', [])
  expect(hasEmptied(spec)).toBe(true)
})

it('is null once it is stored', () => {
  const object: JsonObject = { rules: [], full: [1] }
  rememberEmptyLists(object, [
    [object, 'rules'],
    [object, 'full'],
  ])
  dropEmptyLists(object)
  expect(object).toEqual({ rules: null, full: [1] })
  restoreEmptyLists(object)
  expect(object).toEqual({ rules: [], full: [1] })
})
