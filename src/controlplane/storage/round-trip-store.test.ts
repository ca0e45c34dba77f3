import { describe, expect, it } from 'vitest'
import { simulatedEnv } from '../../env/simulated.ts'
import { defaultStore } from './default-store.ts'
import { MemoryStore } from './memory-store.ts'
import { RoundTripStore } from './round-trip-store.ts'
import { conversionOf, rememberConversion, type Stored, type StoreEvent } from './store.ts'

const key = '/registry/configmaps/default/a'
const made = (revision: number) => ({ metadata: { name: 'a', resourceVersion: String(revision) }, data: { a: '1' } })

describe('RoundTripStore', () => {
  it('RoundTripStore gives each reader an object of its own, equal and frozen, with what is kept beside it', () => {
    const store = new RoundTripStore(new MemoryStore({ env: simulatedEnv() }))
    const object = made(1)
    const put = store.put(key, 0, () => object, { needsRewrite: true })
    const [one, other] = [store.get(key), store.get(key)]
    for (const version of [put, one, other, store.list('/registry/configmaps/').items[0]]) {
      expect(version).toEqual({ key, revision: 1, needsRewrite: true, object })
      expect(version?.object).not.toBe(object)
      expect(Object.isFrozen(version?.object['data'])).toBe(true)
    }
    expect(one?.object).not.toBe(other?.object)
    expect(store.put(key, 1, made)).toMatchObject({ revision: 2, needsRewrite: false })
  })

  it('RoundTripStore keeps the results of conversion webhooks with their version', () => {
    const store = new RoundTripStore(new MemoryStore({ env: simulatedEnv() }))
    const put = store.put(key, 0, made) as Stored
    const definition = {}
    rememberConversion(put, 'example.dev/v2', definition, put)
    expect(conversionOf(store.get(key) as Stored, 'example.dev/v2', definition)).toBe(put)
    expect(conversionOf(store.get(key) as Stored, 'example.dev/v2', {})).toBeUndefined()
    store.put(key, 1, made)
    expect(conversionOf(store.get(key) as Stored, 'example.dev/v2', definition)).toBeUndefined()
  })

  it('RoundTripStore gives each watcher objects of its own, and undefined where there is no version', () => {
    const store = new RoundTripStore(new MemoryStore({ env: simulatedEnv() }))
    const seen: StoreEvent[][] = [[], []]
    for (const events of seen) store.watch('/registry/configmaps/', 0, (event) => void events.push(event))
    store.put(key, 0, made)
    store.put(key, 1, made)
    expect(store.delete(key, 2, made)?.revision).toBe(3)
    expect(seen[0]?.map(({ type, previous }) => [type, previous?.revision])).toEqual([
      ['put', undefined],
      ['put', 1],
      ['delete', 2],
    ])
    expect(seen[1]).toEqual(seen[0])
    expect(seen[1]?.[0]?.current.object).not.toBe(seen[0]?.[0]?.current.object)
    expect(store.get(key)).toBeUndefined()
  })
})

it('COXSWAIN_STORE chooses the default store', () => {
  const storeOf = (mode: string | undefined) => defaultStore({ env: simulatedEnv() }, { COXSWAIN_STORE: mode })
  expect(storeOf(undefined)).toBeInstanceOf(MemoryStore)
  expect(storeOf('memory')).toBeInstanceOf(MemoryStore)
  expect(storeOf('round-trip')).toBeInstanceOf(RoundTripStore)
  expect(() => storeOf('disk')).toThrow('COXSWAIN_STORE is "disk"; it may be memory or round-trip')
})
