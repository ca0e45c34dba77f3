import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { assignShards, shardOf } from './rendezvous.ts'

const keys = Array.from({ length: 10_000 }, (_, i) => `namespace-${i % 7}/object-${i}`)

describe('the shard of a key', () => {
  it('the shard of a key is spread evenly', () => {
    for (const shards of [2, 5, 16]) {
      const counts = Array.from({ length: shards }, () => 0)
      for (const key of keys) (counts[shardOf(key, shards)] as number)++
      for (const count of counts) expect(Math.abs(count - keys.length / shards)).toBeLessThan(keys.length / shards / 5)
    }
  })

  it('one more shard changes the shard only of the keys that move to it', () => {
    const moved = keys.filter((key) => shardOf(key, 8) !== shardOf(key, 9))
    expect(moved.every((key) => shardOf(key, 9) === 8)).toBe(true)
    expect(Math.abs(moved.length - keys.length / 9)).toBeLessThan(keys.length / 9 / 5)
  })

  it('the shard of a key is the same in every version: programs of different versions share keys', () => {
    expect(['default/a', 'default/b', 'kube-system/c', 'cluster-wide'].map((key) => shardOf(key, 16))).toEqual([
      15, 8, 5, 0,
    ])
  })
})

describe('the holders of shards', () => {
  const names = fc.uniqueArray(fc.string({ minLength: 1, maxLength: 20 }), { minLength: 1, maxLength: 8 })

  it('the holders of shards are the same for every replica, and none has more than a fair share', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 32 }), names, (shards, members) => {
        const holders = assignShards(shards, members)
        expect(assignShards(shards, [...members].reverse())).toEqual(holders)
        for (const member of members)
          expect(holders.filter((each) => each === member).length).toBeLessThanOrEqual(
            Math.ceil(shards / members.length),
          )
        expect(holders.every((holder) => members.includes(holder))).toBe(true)
      }),
    )
  })

  it('the holders of shards stay for the most part when one comes', () => {
    const members = ['a', 'b', 'c', 'd'].map((each) => `host-${each}`)
    const before = assignShards(64, members.slice(0, 3))
    const after = assignShards(64, members)
    const moved = before.filter((holder, shard) => after[shard] !== holder).length
    expect(after.filter((holder) => holder === 'host-d')).toHaveLength(16)
    expect(moved).toBeLessThan(32)
  })
})
