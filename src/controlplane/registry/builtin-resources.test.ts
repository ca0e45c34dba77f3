import { expect, test } from 'vitest'
import { schemas } from '../facts/facts.ts'
import { rulesFor, scaleOf } from '../resources/index.ts'
import { builtinResources, typeName } from './builtin-resources.ts'

test('every kind that the facts give to one group and version is where its type name says', () => {
  let kinds = 0
  for (const [name, schema] of schemas().entries()) {
    const [only, ...others] = schema['x-kubernetes-group-version-kind'] ?? []
    if (only === undefined || others.length > 0 || name.includes('.meta.')) continue
    expect(typeName(only.group, only.version, only.kind)).toBe(name)
    kinds++
  }
  expect(kinds).toBeGreaterThan(100)
})

test('every resource has a type', () => {
  const resources = builtinResources({ rulesFor, scaleOf })
  expect(resources.length).toBeGreaterThan(60)
  for (const { group, version, kind } of resources) expect(schemas().has(typeName(group, version, kind))).toBe(true)
})
