import { expect, test } from 'vitest'
import { kubernetesEnvironment } from '../expression.ts'

test('every overload has an id of its own', () => {
  const ids = [...kubernetesEnvironment().functions.values()].flatMap((overloads) => overloads.map(({ id }) => id))
  expect(ids.filter((id, i) => ids.indexOf(id) !== i)).toEqual([])
})

test('what versions of libraries leave out is not there', () => {
  const { functions } = kubernetesEnvironment()
  const overloads = (name: string) => functions.get(name)?.map(({ id }) => id)
  expect(overloads('reverse')).toEqual(['list_reverse'])
  expect(overloads('jsonpatch.escapeKey')).toBeUndefined()
  expect(overloads('math.greatest')).toBeUndefined()
  expect(overloads('base64.encode')).toBeUndefined()
  expect(overloads('check')).toEqual(['pathcheck_check', 'resourcecheck_check'])
})
