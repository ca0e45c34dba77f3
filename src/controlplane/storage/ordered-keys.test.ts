import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { simulatedEnv } from '../../env/simulated.ts'
import type { Keyed } from './ordered-keys.ts'
import { OrderedKeys } from './ordered-keys.ts'

function range(ordered: OrderedKeys<Keyed>, from: string, end: string): string[] {
  const found: string[] = []
  ordered.each(from, end, (item) => found.push(item.key) > 0)
  return found
}

const pad = (n: number): string => String(n).padStart(5, '0')

describe('ordered keys', () => {
  it('ordered keys keep their order and count through thousands of insertions and removals in random order', () => {
    const env = simulatedEnv({ seed: 5 })
    const ordered = new OrderedKeys<Keyed>()
    const present = new Set<string>()
    const check = (): void => {
      const sorted = [...present].sort()
      expect(range(ordered, '', '~')).toEqual(sorted)
      for (let i = 0; i < 50; i++) {
        const [from, end] = [pad(Math.floor(env.random() * 12_000)), pad(Math.floor(env.random() * 12_000))]
        const expected = sorted.filter((key) => key >= from && key < end)
        expect(ordered.count(from, end)).toBe(expected.length)
        expect(range(ordered, from, end)).toEqual(expected)
      }
    }
    // Grows to about 8,000 keys, shrinks to a few hundred, grows again: chunks split, merge and disappear.
    for (const [rounds, share] of [
      [20_000, 0.9],
      [60_000, 0.05],
      [5_000, 0.9],
      [40_000, 0],
    ] as const) {
      for (let i = 0; i < rounds; i++) {
        const key = pad(Math.floor(env.random() * 10_000))
        if (env.random() < share) {
          if (!present.has(key)) ordered.insert({ key })
          present.add(key)
        } else {
          ordered.remove(key)
          present.delete(key)
        }
      }
      check()
    }
  })

  it('ordered keys stop when told to', () => {
    const ordered = new OrderedKeys<Keyed>()
    for (let i = 0; i < 2_000; i++) ordered.insert({ key: pad(i) })
    const found: string[] = []
    ordered.each(pad(500), pad(1_500), (item) => found.push(item.key) < 3)
    expect(found).toEqual([pad(500), pad(501), pad(502)])
    expect(range(ordered, pad(1_998), '~')).toEqual([pad(1_998), pad(1_999)])
    expect(range(ordered, 'z', '~')).toEqual([])
    expect(range(new OrderedKeys(), '', '~')).toEqual([])
    expect(new OrderedKeys().count('', '~')).toBe(0)
  })

  it('ordered keys compare as UTF-8 bytes do, whichever keys came first', () => {
    const unit = fc.constantFrom('a', 'b', '/', 'é', '\ud7ff', '\ue000', '\uffff', '\u{10000}')
    const text = fc.string({ unit, maxLength: 4 })
    fc.assert(
      fc.property(fc.uniqueArray(text, { maxLength: 12 }), (keys) => {
        const ordered = new OrderedKeys<Keyed>()
        for (const key of keys) ordered.insert({ key })
        const found: string[] = []
        ordered.each('', '\u{10ffff}', (item) => found.push(item.key) > 0)
        expect(found).toEqual(keys.toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b))))
      }),
      { numRuns: 300 },
    )
  })
})
