import { describe, expect, test } from 'vitest'
import type { Resource } from '../contract/resource.ts'
import { namedGroups } from './served-groups.ts'

function custom(group: string, version: string, plural = 'things'): Resource {
  return {
    group,
    version,
    plural,
    kind: 'Thing',
    listKind: 'ThingList',
    singular: 'thing',
    namespaced: true,
    builtin: false,
    shortNames: [],
    categories: [],
    verbs: ['get'],
    subresources: new Map(),
  } as unknown as Resource
}

function names(resources: Resource[]): [string, string[]][] {
  const groups = namedGroups(resources, () => undefined)
  return groups.map(({ name, versions }) => [name, versions.map((each) => each.version)])
}

describe('namedGroups', () => {
  test('namedGroups puts custom groups after the built-in ones, by name', () => {
    const builtin = names([])
    const all = names([custom('zz.io', 'v1'), custom('aa.io', 'v1'), custom('zz.io', 'v2beta1'), custom('zz.io', 'v2')])
    expect(all.slice(0, builtin.length)).toEqual(builtin)
    expect(all.slice(builtin.length)).toEqual([
      ['aa.io', ['v1']],
      ['zz.io', ['v2', 'v1', 'v2beta1']],
    ])
  })

  test('namedGroups adds custom versions to a built-in group, but never replaces a built-in one', () => {
    const all = names([custom('apps', 'v1', 'intruders'), custom('apps', 'v1beta1')])
    expect(all.find(([name]) => name === 'apps')).toEqual(['apps', ['v1beta1', 'v1']])
    const groups = namedGroups([custom('apps', 'v1', 'intruders')], () => undefined)
    const apps = groups.find((each) => each.name === 'apps')
    const resources = apps?.versions[0]?.resources.map((each) => each.discovery.resource)
    expect(resources).toContain('deployments')
    expect(resources).not.toContain('intruders')
  })

  test('namedGroups passes over built-in resources, which facts describe', () => {
    expect(names([{ ...custom('fake.io', 'v1'), builtin: true }])).toEqual(names([]))
  })
})
