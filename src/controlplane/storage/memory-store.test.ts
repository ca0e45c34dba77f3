import { describe, expect, it } from 'vitest'
import type { KubeObject } from '../../api/object.ts'
import type { SimulatedEnv } from '../../env/simulated.ts'
import { simulatedEnv } from '../../env/simulated.ts'
import type { MemoryStoreOptions } from './memory-store.ts'
import { MemoryStore } from './memory-store.ts'
import type { Stored, StoreEvent } from './store.ts'
import { CompactedError } from './store.ts'

const minute = 60_000

function open(options: Partial<MemoryStoreOptions> = {}): { store: MemoryStore; env: SimulatedEnv } {
  const env = simulatedEnv()
  return { env, store: new MemoryStore({ env, ...options }) }
}

function at(revision: number, data: Record<string, string> = {}): KubeObject {
  return { metadata: { resourceVersion: String(revision) }, data }
}

function create(store: MemoryStore, ...keys: string[]): void {
  for (const key of keys) store.put(key, 0, at)
}

function touch(store: MemoryStore, key: string): Stored | undefined {
  return store.put(key, store.get(key)?.revision ?? 0, at)
}

const summary = (event: StoreEvent): string => `${event.type} ${event.key} ${event.revision}`
const keysOf = (items: readonly Stored[]): string[] => items.map((item) => item.key)

describe('writes', () => {
  it('writes of the memory store take one revision each, handed to the maker of the object', () => {
    const { store } = open()
    expect(store.revision).toBe(0)
    const first = store.put('/registry/configmaps/a/x', 0, at)
    const second = store.put('/registry/configmaps/a/x', 1, at)
    expect([first?.revision, second?.revision, store.revision]).toEqual([1, 2, 2])
    expect(second?.object.metadata.resourceVersion).toBe('2')
    expect(store.get('/registry/configmaps/a/x')).toBe(second)
  })

  it('writes of the memory store start where they are reported', () => {
    const { store } = open({ initialRevision: 500 })
    expect([store.revision, store.compactedRevision]).toEqual([499, 499])
    expect(store.put('/registry/configmaps/a/x', 0, at)?.revision).toBe(500)
    expect(() => store.watch('/registry/configmaps/', 498, () => undefined)).toThrow(CompactedError)
  })

  it('writes of the memory store go on from what another store held', () => {
    const { store: first } = open()
    create(first, '/registry/configmaps/a/x', '/registry/configmaps/a/y')
    touch(first, '/registry/configmaps/a/x')
    const { store } = open({ from: first.list('/registry/') })
    create(first, '/registry/configmaps/a/later')
    expect([store.revision, store.compactedRevision]).toEqual([3, 3])
    expect(keysOf(store.list('/registry/configmaps/').items)).toEqual([
      '/registry/configmaps/a/x',
      '/registry/configmaps/a/y',
    ])
    expect(store.get('/registry/configmaps/a/x')?.object).toBe(first.get('/registry/configmaps/a/x')?.object)
    expect(touch(store, '/registry/configmaps/a/y')?.revision).toBe(4)
    expect(first.get('/registry/configmaps/a/y')?.revision).toBe(2)
    expect(() => store.watch('/registry/configmaps/', 2, () => undefined)).toThrow(CompactedError)
  })

  it('writes of the memory store change nothing when another revision was expected', () => {
    const { store } = open()
    create(store, '/registry/configmaps/a/x')
    const before = store.get('/registry/configmaps/a/x')
    let made = 0
    const make = (revision: number): KubeObject => {
      made++
      return at(revision)
    }
    expect(store.put('/registry/configmaps/a/x', 0, make)).toBeUndefined()
    expect(store.put('/registry/configmaps/a/x', 2, make)).toBeUndefined()
    expect(store.put('/registry/configmaps/a/new', 1, make)).toBeUndefined()
    expect(store.delete('/registry/configmaps/a/x', 2, make)).toBeUndefined()
    expect(store.delete('/registry/configmaps/a/new', 0, make)).toBeUndefined()
    expect(made).toBe(0)
    expect(store.revision).toBe(1)
    expect(store.get('/registry/configmaps/a/x')).toBe(before)
  })

  it('writes of the memory store change nothing when the maker throws, or writes itself', () => {
    const { store } = open()
    const seen: string[] = []
    store.watch('/registry/configmaps/', 0, (event) => seen.push(summary(event)))
    expect(() =>
      store.put('/registry/configmaps/a/x', 0, () => {
        throw new Error('no')
      }),
    ).toThrow('no')
    expect([store.revision, store.count('/registry/configmaps/')]).toEqual([0, 0])
    expect(() =>
      store.put('/registry/configmaps/a/x', 0, (revision) => {
        create(store, '/registry/configmaps/a/y')
        return at(revision)
      }),
    ).toThrow('must not write')
    expect(keysOf(store.list('/registry/configmaps/').items)).toEqual(['/registry/configmaps/a/y'])
    expect(seen).toEqual(['put /registry/configmaps/a/y 1'])
  })

  it('writes of the memory store freeze what they store, to the bottom', () => {
    const { store } = open()
    const stored = store.put('/registry/configmaps/a/x', 0, (revision) => ({
      metadata: { resourceVersion: String(revision), labels: { a: 'b' } },
      list: [{ deep: { er: [1] } }],
    }))
    const walk = (value: unknown): void => {
      if (typeof value !== 'object' || value === null) return
      expect(Object.isFrozen(value)).toBe(true)
      for (const item of Object.values(value)) walk(item)
    }
    walk(stored?.object)
  })

  it('writes of the memory store drop the encoding of the version they replace, and only that', () => {
    const { store } = open()
    create(store, '/registry/configmaps/a/x', '/registry/configmaps/a/y')
    const x = store.get('/registry/configmaps/a/x') as Stored
    const y = store.get('/registry/configmaps/a/y') as Stored
    x.encoded = '{"x":1}'
    y.encoded = '{"y":1}'
    touch(store, x.key)
    expect([x.encoded, y.encoded]).toEqual([undefined, '{"y":1}'])
    store.delete(y.key, y.revision, at)
    expect(y.encoded).toBeUndefined()
  })

  it('writes of the memory store stamp a deleted object with the revision of the deletion', () => {
    const { store } = open()
    const events: StoreEvent[] = []
    store.watch('/registry/configmaps/', 0, (event) => events.push(event))
    const put = store.put('/registry/configmaps/a/x', 0, at)
    const deleted = store.delete('/registry/configmaps/a/x', 1, at)
    expect(store.get('/registry/configmaps/a/x')).toBeUndefined()
    expect([deleted?.revision, deleted?.object.metadata.resourceVersion]).toEqual([2, '2'])
    expect(events[1]).toEqual({ type: 'delete', key: put?.key, revision: 2, current: deleted, previous: put })
    expect(events[1]?.previous).toBe(put)
    expect(events[0]?.previous).toBeUndefined()
  })
})

describe('lists', () => {
  it('lists of the memory store are ordered by the bytes of the keys', () => {
    const { store } = open()
    const names = ['\u{1f600}', '\uffee', 'b', 'a', 'a-', 'a.b', 'aa', 'é', 'Z', '\u{1f600}a', '__proto__']
    create(store, ...names.map((name) => `/registry/clusterroles/${name}`))
    const expected = names.toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)))
    expect(keysOf(store.list('/registry/clusterroles/').items)).toEqual(
      expected.map((name) => `/registry/clusterroles/${name}`),
    )
    expect(store.count('/registry/clusterroles/')).toBe(names.length)
  })

  it('lists of the memory store hold what is below the prefix and nothing else', () => {
    const { store } = open()
    create(
      store,
      '/registry/configmaps/a/x',
      '/registry/configmaps/a-b/x',
      '/registry/configmaps/b/x',
      '/registry/configmapsets/a/x',
      '/registry/ex.io/widgets/a/x',
      '/registry/namespaces/a',
    )
    expect(keysOf(store.list('/registry/configmaps/').items)).toEqual([
      '/registry/configmaps/a-b/x',
      '/registry/configmaps/a/x',
      '/registry/configmaps/b/x',
    ])
    expect(keysOf(store.list('/registry/configmaps/a/').items)).toEqual(['/registry/configmaps/a/x'])
    expect(keysOf(store.list('/registry/namespaces/').items)).toEqual(['/registry/namespaces/a'])
    expect(store.list('/registry/').items).toHaveLength(6)
    expect(store.list('/registry/none/')).toEqual({ items: [], revision: 6, remaining: 0 })
    expect(store.count('/registry/ex.io/widgets/')).toBe(1)
    expect(() => store.list('/registry/configmaps')).toThrow(TypeError)
  })

  it('lists of the memory store come in pages', () => {
    const { store } = open()
    create(store, ...['a', 'b', 'c', 'd', 'e'].map((name) => `/registry/configmaps/n/${name}`))
    const page = store.list('/registry/configmaps/', { limit: 2, start: 'n/b' })
    expect(keysOf(page.items)).toEqual(['/registry/configmaps/n/b', '/registry/configmaps/n/c'])
    expect(page.remaining).toBe(2)
    const last = store.list('/registry/configmaps/', { limit: 2, start: 'n/c\u0000' })
    expect(keysOf(last.items)).toEqual(['/registry/configmaps/n/d', '/registry/configmaps/n/e'])
    expect(last.remaining).toBe(0)
    expect(store.list('/registry/configmaps/', { limit: 0 }).items).toHaveLength(5)
  })

  it('lists of the memory store refuse revisions that are gone or not yet there', () => {
    const { store } = open()
    create(store, '/registry/configmaps/n/a', '/registry/configmaps/n/b')
    store.compact(1)
    expect(keysOf(store.list('/registry/configmaps/', { revision: 1 }).items)).toEqual(['/registry/configmaps/n/a'])
    expect(() => store.list('/registry/configmaps/', { revision: 0 })).toThrow(new CompactedError(0, 1))
    expect(() => store.list('/registry/configmaps/', { revision: 3 })).toThrow(RangeError)
  })
})

describe('history', () => {
  it('history of the memory store is compacted to the revision of the tick before', () => {
    const { store, env } = open()
    create(store, '/registry/pods/a/1')
    env.advance(5 * minute)
    create(store, '/registry/pods/a/2')
    expect(store.compactedRevision).toBe(0)
    env.advance(5 * minute - 1)
    expect(store.compactedRevision).toBe(0)
    env.advance(1)
    expect(store.compactedRevision).toBe(1)
    env.advance(5 * minute)
    expect(store.compactedRevision).toBe(2)
    expect(() => store.watch('/registry/pods/', 1, () => undefined)).toThrow(new CompactedError(1, 2))
    expect(() => store.watch('/registry/pods/', 2, () => undefined)).not.toThrow()
  })

  it('history of the memory store is bounded in number', () => {
    const { store } = open({ maxHistory: 10 })
    for (let i = 0; i < 100; i++) create(store, `/registry/pods/a/${i}`)
    expect(store.compactedRevision).toBe(90)
    const seen: number[] = []
    store.watch('/registry/pods/', 90, (event) => seen.push(event.revision))
    expect(seen).toEqual([91, 92, 93, 94, 95, 96, 97, 98, 99, 100])
    expect(() => store.list('/registry/pods/', { revision: 89 })).toThrow(CompactedError)
    expect(store.list('/registry/pods/', { revision: 90 }).items).toHaveLength(90)
  })

  it('history of the memory store is bounded in bytes by the versions that it alone keeps', () => {
    const { store } = open({ maxHistoryBytes: 100_000 })
    const big = 'x'.repeat(10_000)
    for (let i = 0; i < 50; i++) store.put(`/registry/pods/a/${i}`, 0, (revision) => at(revision, { big }))
    // Creates replace no version.
    expect(store.compactedRevision).toBe(0)
    for (let i = 0; i < 50; i++) {
      const key = `/registry/pods/a/${i}`
      store.put(key, i + 1, (revision) => at(revision, { big }))
    }
    const kept = store.revision - store.compactedRevision
    expect(kept).toBeGreaterThan(5)
    expect(kept).toBeLessThan(10)
  })

  it('history of the memory store may be turned off', () => {
    const { store, env } = open({ maxHistory: 0, compactAfterMs: 0 })
    expect(env.pending).toBe(0)
    create(store, '/registry/pods/a/1', '/registry/pods/a/2')
    expect(store.compactedRevision).toBe(2)
    expect(store.list('/registry/pods/', { revision: 2 }).items).toHaveLength(2)
  })

  it('history of the memory store is not compacted beyond the present, nor backwards', () => {
    const { store } = open()
    create(store, '/registry/pods/a/1', '/registry/pods/a/2')
    store.compact(99)
    expect(store.compactedRevision).toBe(2)
    store.compact(1)
    expect(store.compactedRevision).toBe(2)
    create(store, '/registry/pods/a/3')
    expect(store.list('/registry/pods/', { revision: 2 }).items).toHaveLength(2)
  })
})

describe('close', () => {
  it('closing the memory store stops timers and drops watchers, also from within a callback', () => {
    const { store, env } = open()
    const seen: string[] = []
    store.watch('/registry/pods/', 0, (event) => {
      seen.push(`first ${event.revision}`)
      create(store, '/registry/pods/a/2')
      store.close()
    })
    store.watch('/registry/pods/', 0, (event) => seen.push(`second ${event.revision}`))
    store.onWrite((revision) => seen.push(`write ${revision}`))
    create(store, '/registry/pods/a/1')
    expect(seen).toEqual(['first 1'])
    expect(env.pending).toBe(0)
    store.watch('/registry/pods/', 0, (event) => seen.push(`late ${event.revision}`))
    store.onWrite(() => seen.push('late write'))
    create(store, '/registry/pods/a/3')
    expect(seen).toEqual(['first 1'])
    expect(store.list('/registry/pods/').items).toHaveLength(3)
  })

  it('closing the memory store ends a replay', () => {
    const { store } = open()
    create(store, '/registry/pods/a/1', '/registry/pods/a/2')
    const seen: number[] = []
    store.watch('/registry/pods/', 0, (event) => {
      seen.push(event.revision)
      store.close()
    })
    expect(seen).toEqual([1])
  })
})
