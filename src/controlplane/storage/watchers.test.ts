import { describe, expect, it } from 'vitest'
import type { KubeObject } from '../../api/object.ts'
import { simulatedEnv } from '../../env/simulated.ts'
import type { MemoryStoreOptions } from './memory-store.ts'
import { MemoryStore } from './memory-store.ts'

function open(options: Partial<MemoryStoreOptions> = {}): MemoryStore {
  return new MemoryStore({ env: simulatedEnv(), ...options })
}

function at(revision: number): KubeObject {
  return { metadata: { resourceVersion: String(revision) } }
}

function create(store: MemoryStore, ...keys: string[]): void {
  for (const key of keys) store.put(key, 0, at)
}

function touch(store: MemoryStore, key: string): void {
  store.put(key, store.get(key)?.revision ?? 0, at)
}

describe('watchers', () => {
  it('watchers of the store see only what is below their prefix', () => {
    const store = open()
    const seen: Record<string, string[]> = {}
    const prefixes = ['/registry/configmaps/', '/registry/configmaps/a/', '/registry/', '/registry/pods/']
    for (const prefix of prefixes) {
      const list: string[] = (seen[prefix] = [])
      store.watch(prefix, 0, (event) => list.push(event.key.slice('/registry/'.length)))
    }
    create(store, '/registry/configmaps/a/x', '/registry/configmaps/ab/x', '/registry/namespaces/a')
    expect(seen).toEqual({
      '/registry/configmaps/': ['configmaps/a/x', 'configmaps/ab/x'],
      '/registry/configmaps/a/': ['configmaps/a/x'],
      '/registry/': ['configmaps/a/x', 'configmaps/ab/x', 'namespaces/a'],
      '/registry/pods/': [],
    })
  })

  it('watchers of the store may start in the future', () => {
    const store = open()
    const seen: number[] = []
    store.watch('/registry/pods/', 2, (event) => seen.push(event.revision))
    create(store, '/registry/pods/a/1', '/registry/pods/a/2', '/registry/pods/a/3')
    expect(seen).toEqual([3])
  })

  it('watchers of the store see revisions ascend when callbacks write', () => {
    const store = open()
    const seen: Record<string, number[]> = { first: [], second: [], all: [], late: [], writes: [] }
    store.watch('/registry/pods/', 0, (event) => {
      seen['first']?.push(event.revision)
      if (event.revision === 1) {
        create(store, '/registry/pods/a/2')
        create(store, '/registry/nodes/n')
        store.watch('/registry/', 0, (later) => seen['late']?.push(later.revision))
      }
    })
    store.watch('/registry/pods/', 0, (event) => {
      seen['second']?.push(event.revision)
      if (event.revision === 2) touch(store, event.key)
    })
    store.watch('/registry/', 0, (event) => seen['all']?.push(event.revision))
    store.onWrite((revision) => seen['writes']?.push(revision))
    create(store, '/registry/pods/a/1')
    expect(seen).toEqual({
      first: [1, 2, 4],
      second: [1, 2, 4],
      all: [1, 2, 3, 4],
      late: [1, 2, 3, 4],
      writes: [1, 2, 3, 4],
    })
  })

  it('watchers see revisions ascend when a callback writes during the replay, even if that compacts history', () => {
    const store = open({ maxHistory: 3 })
    create(store, '/registry/pods/a/1', '/registry/pods/a/2', '/registry/pods/a/3')
    const other: number[] = []
    store.watch('/registry/pods/', store.revision, (event) => other.push(event.revision))
    const seen: number[] = []
    store.watch('/registry/pods/', 0, (event) => {
      seen.push(event.revision)
      if (event.revision <= 3) for (let i = 0; i < 4; i++) touch(store, event.key)
    })
    expect(seen).toEqual(Array.from({ length: 15 }, (_, i) => i + 1))
    expect(other).toEqual(seen.slice(3))
    expect(store.compactedRevision).toBe(12)
  })

  it('watchers of the store do not suffer from others that throw, nor does the writer', () => {
    const errors: unknown[] = []
    const store = open({
      onCallbackError: (error) => {
        errors.push(error)
        throw new Error('the report fails too')
      },
    })
    create(store, '/registry/pods/a/1')
    const bad = (): void => {
      throw new Error('bad watcher')
    }
    store.watch('/registry/pods/', 0, bad)
    store.onWrite(bad)
    const seen: number[] = []
    store.watch('/registry/pods/', 0, (event) => seen.push(event.revision))
    expect(store.put('/registry/pods/a/2', 0, at)?.revision).toBe(2)
    expect(store.put('/registry/pods/a/3', 0, at)?.revision).toBe(3)
    expect(seen).toEqual([1, 2, 3])
    expect(errors.map(String)).toEqual(Array.from({ length: 5 }, () => 'Error: bad watcher'))
  })

  it('watchers of the store hear nothing once stopped, also from within a callback', () => {
    const store = open()
    const seen: string[] = []
    const second = store.watch('/registry/pods/', 0, (event) => seen.push(`second ${event.revision}`))
    const first = store.watch('/registry/pods/', 0, (event) => {
      seen.push(`first ${event.revision}`)
      first.stop()
      third.stop()
    })
    const third = store.watch('/registry/pods/', 0, (event) => seen.push(`third ${event.revision}`))
    const writes = store.onWrite((revision) => {
      seen.push(`write ${revision}`)
      writes.stop()
    })
    create(store, '/registry/pods/a/1', '/registry/pods/a/2')
    second.stop()
    second.stop()
    create(store, '/registry/pods/a/3')
    expect(seen).toEqual(['second 1', 'first 1', 'write 1', 'second 2'])
  })

  it('watchers are not confused by a watcher of the same prefix that starts when the last one stops', () => {
    const store = open()
    const seen: string[] = []
    const first = store.watch('/registry/pods/', 0, (event) => {
      seen.push(`first ${event.revision}`)
      first.stop()
      store.watch('/registry/pods/', event.revision, (next) => seen.push(`next ${next.revision}`))
      first.stop()
    })
    create(store, '/registry/pods/a/1', '/registry/pods/a/2')
    expect(seen).toEqual(['first 1', 'next 2'])
  })
})
