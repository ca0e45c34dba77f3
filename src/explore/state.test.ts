import { describe, expect, it } from 'vitest'
import type { KubeObject } from '../api/object.ts'
import { differences, stateOf, type State } from './state.ts'

const uid = (n: number): string => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`
const owner = (n: number): KubeObject => ({
  apiVersion: 'example.dev/v1',
  kind: 'App',
  metadata: { name: 'a', namespace: 'x', uid: uid(n), resourceVersion: String(n) },
})

function child(
  n: number,
  of: string,
  more: Partial<KubeObject['metadata']> = {},
  data: Record<string, string> = {},
): KubeObject {
  const reference = { apiVersion: 'example.dev/v1', kind: 'App', name: 'a', uid: of, controller: true }
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    data,
    metadata: {
      name: 'c',
      namespace: 'x',
      uid: uid(n),
      resourceVersion: String(n),
      creationTimestamp: `2026-01-01T00:00:${10 + n}Z`,
      ownerReferences: [reference],
      ...more,
    },
  }
}

const types = new Set(['example.dev/v1 App', 'v1 ConfigMap'])
const state = (objects: readonly KubeObject[], ignore: readonly string[] = []): State =>
  stateOf(objects, { types, ignore })

describe('the state of a server', () => {
  it('the state of a server is the same whatever uids, versions, times and generated names are', () => {
    const generated = (n: number, name: string): KubeObject =>
      child(n, uid(n - 1), { name, generateName: 'c-' }, { self: name, at: `${name} since 2026-01-01T00:00:0${n}Z` })
    const fields = (n: number, time: string): KubeObject['metadata'] => ({
      managedFields: [
        { manager: 'z', operation: 'Update', time },
        {
          manager: 'a',
          operation: 'Apply',
          time,
          fieldsV1: { 'f:metadata': { 'f:ownerReferences': { [`k:{"uid":"${uid(n)}"}`]: {} } } },
        },
      ].toSorted((x, y) => (n % 2 === 0 ? 1 : -1) * x.manager.localeCompare(y.manager)) as never,
    })
    const one = [owner(1), generated(2, 'c-abcde'), child(4, uid(1), fields(1, '2026-01-01T00:00:00Z'))]
    const two = [owner(6), child(8, uid(6), fields(6, '2026-01-01T00:00:05Z')), generated(7, 'c-fghij')]
    expect(differences(state(one), state(two))).toEqual([])
  })

  it('the state of a server reports a reference to the wrong object', () => {
    expect(differences(state([owner(1), child(2, uid(1))]), state([owner(1), child(2, uid(9))]))).toEqual([
      'v1 ConfigMap x/c: metadata.ownerReferences.0.uid: "uid of nothing that is there" instead of "uid of ' +
        'example.dev/v1 App x/a"',
    ])
  })

  it('the state of a server leaves out what is ignored, of all types or of one', () => {
    const [a, b] = [
      { k: '1', l: '1' },
      { k: '2', l: '2' },
    ].map((data) => [owner(1), child(2, uid(1), {}, data)]) as [KubeObject[], KubeObject[]]
    const left = (...ignore: string[]): readonly string[] => differences(state(a, ignore), state(b, ignore))
    expect(left('data.k', 'v1 ConfigMap data.l')).toEqual([])
    expect(left('data.*')).toEqual([])
    expect(left('v1 ConfigMap data.k', 'example.dev/v1 App data.l')).toEqual([
      'v1 ConfigMap x/c: data.l: "2" instead of "1"',
    ])
  })

  it('the state of a server leaves out an item of a list that is ignored', () => {
    const [a, b] = [['x'], ['x', 'y']].map((finalizers) => [owner(1), child(2, uid(1), { finalizers })]) as [
      KubeObject[],
      KubeObject[],
    ]
    const left = (...ignore: string[]): readonly string[] => differences(state(a, ignore), state(b, ignore))
    expect(left()).toHaveLength(1)
    expect(left('metadata.finalizers.1')).toEqual([])
  })

  it('the state of a server reports what is missing, too many, or other than it should be', () => {
    const [a, b] = [child(2, uid(1), {}, { k: '1' }), child(2, uid(1), { finalizers: ['f'] }, { k: '2' })]
    const twice = [
      child(3, uid(1), { name: 'g-1', generateName: 'g-' }),
      child(4, uid(1), { name: 'g-2', generateName: 'g-' }),
    ]
    expect(differences(state([owner(1), a]), state([a]))[0]).toBe('example.dev/v1 App x/a is missing')
    expect(differences(state([owner(1)]), state([owner(1), ...twice]))).toEqual([
      'v1 ConfigMap x/g-* should not be there',
      'v1 ConfigMap x/g-* (2) should not be there',
    ])
    expect(differences(state([owner(1), a]), state([owner(1), b]))).toEqual([
      'v1 ConfigMap x/c: data.k: "2" instead of "1"',
      'v1 ConfigMap x/c: metadata.finalizers: ["f"] instead of nothing',
    ])
    expect(differences(state([owner(1), a]), state([owner(1), b]), 1)).toHaveLength(1)
  })

  it('the state of a server leaves out types and fields that do not count', () => {
    const other: KubeObject = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p', namespace: 'x' } }
    expect(differences(state([owner(1)]), state([owner(1), other]))).toEqual([])
    expect(
      differences(
        state([child(2, uid(2), {}, { k: '1', l: '1' })], ['data.*']),
        state([child(2, uid(2), {}, { k: '2', m: '1' })], ['data.*']),
      ),
    ).toEqual([])
  })
})
