import { describe, expect, it } from 'vitest'
import { freezeAndWeigh } from '../../api/recurring-part.ts'
import { History, resourceOfKey } from './history.ts'
import type { StoreChange } from './stored-version.ts'
import { StoredVersion } from './stored-version.ts'

function change(key: string, revision: number): StoreChange {
  const current = new StoredVersion(key, { metadata: {} }, revision, false)
  return { type: 'put', key, revision, current, previous: undefined }
}

const revisions = (changes: readonly StoreChange[]): number[] => changes.map((one) => one.revision)

describe('history', () => {
  it('history groups by resource', () => {
    const cases: [string, string | undefined][] = [
      ['/registry/configmaps/default/x', '/registry/configmaps/'],
      ['/registry/configmaps/default/x.y', '/registry/configmaps/'],
      ['/registry/configmaps/default/', '/registry/configmaps/'],
      ['/registry/configmaps/', '/registry/configmaps/'],
      ['/registry/namespaces/a.b', '/registry/namespaces/'],
      ['/registry/ex.io/widgets/default/x', '/registry/ex.io/widgets/'],
      ['/registry/ex.io/widgets/', '/registry/ex.io/widgets/'],
      ['/registry/ex.io/', undefined],
      ['/registry/', undefined],
      ['/', undefined],
    ]
    for (const [key, resource] of cases) expect([key, resourceOfKey(key)]).toEqual([key, resource])
  })

  it('history finds the changes of a prefix after a revision, and forgets from the oldest on', () => {
    const history = new History()
    const keys = ['pods/a/1', 'ex.io/widgets/a/1', 'pods/b/1', 'namespaces/a']
    const numbers = Array.from({ length: 1000 }, (_, i) => i + 1)
    for (const revision of numbers) history.add(change(`/registry/${keys[revision % 4]}`, revision))
    for (let dropped = 0; dropped <= 1000; dropped += 50) {
      for (const start of [0, dropped, dropped + 1, 998, 1000]) {
        const after = numbers.filter((r) => r > Math.max(start, dropped))
        expect(revisions(history.after('/registry/', start))).toEqual(after)
        expect(revisions(history.after('/registry/pods/', start))).toEqual(after.filter((r) => r % 2 === 0))
        expect(revisions(history.after('/registry/pods/b/', start))).toEqual(after.filter((r) => r % 4 === 2))
        expect(revisions(history.after('/registry/ex.io/', start))).toEqual(after.filter((r) => r % 4 === 1))
        expect(history.after('/registry/nodes/', start)).toEqual([])
      }
      expect(history.length).toBe(1000 - dropped)
      for (let i = 0; i < 50; i++) history.dropOldest()
    }
    expect([history.length, history.weight]).toEqual([0, 0])
    history.dropOldest()
  })

  it('history weighs what a version does not share', () => {
    const shared = { text: 'x'.repeat(1000) }
    expect(freezeAndWeigh({ shared })).toBeGreaterThan(1000)
    expect(freezeAndWeigh({ shared, more: [1, true, null] })).toBeLessThan(200)
    const odd = JSON.parse('{"__proto__":{"a":1},"constructor":{"b":"c"}}') as Record<string, object>
    freezeAndWeigh(odd)
    expect([Object.isFrozen(odd['__proto__']), Object.isFrozen(odd['constructor'])]).toEqual([true, true])
    expect(Object.isFrozen(Object.prototype)).toBe(false)
  })
})
