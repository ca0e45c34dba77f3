/** Kinds that are made from names alone. */
import { describe, expect, it } from 'vitest'
import { kind, kindName } from './kind.ts'

describe('kind', () => {
  it('kind takes group and version from the apiVersion', () => {
    const names = { apiVersion: 'v1', kind: 'Thing', plural: 'things', namespaced: false }
    expect(kind(names)).toEqual({ ...names, group: '', version: 'v1' })
    expect(kind({ ...names, apiVersion: 'a.io/v2' })).toMatchObject({
      group: 'a.io',
      version: 'v2',
      apiVersion: 'a.io/v2',
    })
  })

  it.each(['', 'a/b/c', 'a.io/'])('kind refuses the apiVersion %j', (apiVersion) => {
    expect(() => kind({ apiVersion, kind: 'A', plural: 'as', namespaced: true })).toThrow('is not [group/]version')
  })

  it('kind is named by plural and group', () => {
    expect(kindName({ group: '', plural: 'pods' })).toBe('pods')
    expect(kindName({ group: 'apps', plural: 'deployments' })).toBe('deployments.apps')
  })
})
